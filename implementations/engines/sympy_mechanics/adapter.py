"""SymPy's ``physics.mechanics``: Lagrange's equations (``LagrangesMethod``) and Kane's (``KanesMethod``), for small mechanisms.

How SymPy differs from our conventions
--------------------------------------

==================== ========================================== ======================================================
what                 SymPy                                      conversion
==================== ========================================== ======================================================
joints               frames and points, placed by hand          one rotation or translation for every coordinate
planar: v, a, τ      the rates of angle and distances           declared: ``planar_velocity: joint``
continuous: q        the angle                                  declared: ``continuous: angle``
quaternions          none of use: both methods need as many     :class:`Unsupported`
                     coordinates as speeds
gravity              a potential energy, or a force at the      none
                     centre of mass
gravity compensation a potential energy, or a force             none
damping, friction    torques and forces, with their reactions   none
springs              a potential energy, or such torques and    none
                     forces
armature             none                                       added to τ, M and T
τ, h                 M u̇ = forcing, where τ = 0                 τ = M a − forcing, h = −forcing
==================== ========================================== ======================================================
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from implementations.engines.declared import Adapter
from implementations.engines.left_out import in_our_coordinates
from implementations.engines.sympy_mechanics.tree import Tree, tree_of
from implementations.protocol import Array, Dynamics, Missing
from implementations.state_by_state import StateByState
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES


class SympyCalls:
    """One mechanism at one state, in the rates of its coordinates."""

    speeds_are_rates: bool

    def __init__(self, mechanism: Mechanism) -> None:
        self._me, self._mechanism = _module("sympy.physics.mechanics"), mechanism
        self._tree = tree_of(self._me, mechanism, self.speeds_are_rates)
        gravity = mechanism.arrays.gravity.tolist()
        N = self._tree.inertial
        self._gravity = gravity[0] * N.x + gravity[1] * N.y + gravity[2] * N.z
        for body, spring, (point, lifted) in zip(self._tree.bodies, self._tree.springs, self._tree.lifted, strict=True):
            height, other = (x.pos_from(self._tree.origin) for x in (body.masscenter, point))
            body.potential_energy = self._gravity.dot(lifted * other - body.mass * height) + spring
        self._still = np.zeros(mechanism.nv)
        self._functions: dict[str, Callable[..., Any]] = {}
        offered = self._expressions()
        self._makes = {**offered, "inverse_dynamics": lambda: self._equations[1]}
        vars(self).update({quantity: partial(self._ask, quantity) for quantity in offered})

    @cached_property
    def _equations(self) -> tuple[Any, Any]:
        """The mass matrix and the forcing of M u̇ = forcing, symbolic."""
        raise NotImplementedError

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return np.einsum("ij,j->i", self._ask("mass_matrix", q, v), a) + self.nonlinear_effects(q, v)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return -self._ask("inverse_dynamics", q, v)

    def gravity(self, q: Array) -> Array:
        return self.nonlinear_effects(q, self._still)

    def _expressions(self) -> dict[str, Callable[[], Any]]:
        """By the quantity: what makes its symbolic expression."""
        me, tree, N = self._me, self._tree, self._tree.inertial
        pairs = [*zip(tree.frames, tree.points, strict=True)]

        def center() -> Any:
            return me.functions.center_of_mass(tree.origin, *tree.bodies)

        def momentum() -> Any:
            k = me.angular_momentum(tree.origin.locatenew("G", center()), N, *tree.bodies).to_matrix(N)
            return k.col_join(me.linear_momentum(N, *tree.bodies).to_matrix(N))

        def velocities(along: Callable[[Any], Any]) -> Any:
            return _stacked([A.ang_vel_in(N).to_matrix(along(A)).col_join(P.vel(N).to_matrix(along(A))) for A, P in pairs])

        return {
            "mass_matrix": lambda: self._equations[0],
            "kinetic_energy": lambda: me.kinetic_energy(N, *tree.bodies),
            "potential_energy": lambda: me.potential_energy(*tree.bodies),
            "placements": lambda: _stacked([N.dcm(A).row_join(P.pos_from(tree.origin).to_matrix(N)) for A, P in pairs]),
            "velocities_local": lambda: velocities(lambda A: A),
            "velocities_aligned": lambda: velocities(lambda A: N),
            "center_of_mass": lambda: center().to_matrix(N),
            "centroidal_momentum": momentum,
        }

    def _ask(self, quantity: str, q: Array, v: Array | None = None) -> Array:
        """The expression of a quantity, compiled once, at one state. Without ``v`` velocities are zero."""
        if quantity not in self._functions:
            self._functions[quantity] = self._compiled(self._makes[quantity]())
        value = self._functions[quantity](self._coordinates(q), self._still if v is None else v)
        return np.asarray(value, dtype=float).reshape(ALL_QUANTITIES[quantity].dimensions(self._mechanism))

    def _compiled(self, expression: Any) -> Callable[..., Any]:
        sympy = _module("sympy")
        # Symbols in place of functions of time: rates first, because they contain the coordinates.
        q, v = (sympy.symbols(f"{letter}:{self._mechanism.nv}") for letter in "xy")
        tree = self._tree
        rates = [x.diff(self._me.dynamicsymbols._t) for x in tree.coordinates]
        for old, new in ((rates, v), (tree.speeds, v), (tree.coordinates, q)):
            expression = sympy.sympify(expression).xreplace(dict(zip(old, new, strict=True)))
        return sympy.lambdify((q, v), expression, modules="numpy", cse=True)

    def _coordinates(self, q: Array) -> list[float]:
        """The coordinates in the order of v: of a planar joint the angle comes first."""
        ordered: list[float] = []
        at = 0
        for body in self._mechanism.bodies:
            own = q[at : at + body.joint.nv]
            at += body.joint.nv
            ordered += [own[-1], *own[:-1]] if body.joint.velocity_is_body_twist else [*own]
        return ordered


class LagrangeCalls(SympyCalls):
    speeds_are_rates = True

    @cached_property
    def _equations(self) -> tuple[Any, Any]:
        tree: Tree = self._tree
        L = self._me.Lagrangian(tree.inertial, *tree.bodies)
        method = self._me.LagrangesMethod(L, tree.coordinates, forcelist=tree.loads or None, frame=tree.inertial)
        method.form_lagranges_equations()
        return method.mass_matrix, method.forcing


class KaneCalls(SympyCalls):
    speeds_are_rates = False

    @cached_property
    def _equations(self) -> tuple[Any, Any]:
        tree: Tree = self._tree
        t = self._me.dynamicsymbols._t
        definitions = [u - q.diff(t) for q, u in zip(tree.coordinates, tree.speeds, strict=True)]
        method = self._me.KanesMethod(tree.inertial, tree.coordinates, tree.speeds, kd_eqs=definitions)
        weights = [(body.masscenter, body.mass * self._gravity) for body in tree.bodies]
        lift = [(point, -mass * self._gravity) for point, mass in tree.lifted if mass != 0]
        method.kanes_equations(tree.bodies, loads=[*tree.loads, *weights, *lift])
        return method.mass_matrix, method.forcing


class Lagrange(Adapter):
    """The implementation "sympy-lagrange". Raises :class:`Missing` if SymPy is not installed."""

    name = "sympy-lagrange"
    calls: type[SympyCalls] = LagrangeCalls

    @property
    def version(self) -> str:
        return str(_module("sympy").__version__)

    def load(self, mechanism: Mechanism) -> Dynamics:
        return in_our_coordinates(self.name, mechanism, StateByState(mechanism, self.calls(mechanism)))


class Kane(Lagrange):
    """The implementation "sympy-kane"."""

    name = "sympy-kane"
    calls = KaneCalls


def _stacked(matrices: list[Any]) -> Any:
    first, *others = matrices
    for other in others:
        first = first.col_join(other)
    return first


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing("SymPy is not installed; pip install sympy") from error
