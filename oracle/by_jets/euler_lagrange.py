"""The quantities of a mechanism of any size, from L by :mod:`oracle.by_jets.variation`, as functions of batches of states.

    EulerLagrange(mechanism).inverse_dynamics(q, v, a)                  float64
    EulerLagrange(mechanism, Modular()).inverse_dynamics(q, v, a)       𝔽ₚ: no rounding, and no growth of numbers

The fields are those of :mod:`oracle.fields`. Where bodies are and how they move is in :mod:`oracle.by_jets.body_motions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property, partial
from typing import Any

import numpy as np

from machine.recording.values import Values
from mechanisms import Mechanism
from mechanisms.quantities import by_quantity
from oracle.by_jets import body_motions, centroidal, frame_motions, regressor, variation
from oracle.by_jets.constraints import DERIVATIVES_OF_CONSTRAINTS, OF_CONSTRAINTS, closures
from oracle.by_jets.differentiation import Derivatives
from oracle.by_jets.system import System, build
from oracle.errors import OracleError
from oracle.fields import Array, Field, Real, array
from oracle.rotations import require_rotations

BLOCK = 256
"""States per pass: bounds the memory of large batches, and lets the arrays of one body stay in the processor's cache."""


OF_STATES = by_quantity(
    {
        "inverse_dynamics": variation.euler_lagrange,
        "nonlinear_effects": variation.nonlinear_effects,
        "gravity": variation.gravity,
        "mass_matrix": variation.mass_matrix,
        "kinetic_energy": variation.kinetic_energy,
        "potential_energy": variation.potential_energy,
        "placements": body_motions.placements,
        "jacobians": body_motions.jacobians,
        "velocities": body_motions.velocities,
        "accelerations": body_motions.accelerations,
        "classical_accelerations": body_motions.classical_accelerations,
        "drifts": body_motions.drifts,
        "center_of_mass": centroidal.center_of_mass,
        "centroidal_momentum": centroidal.centroidal_momentum,
        "centroidal_momentum_matrix": centroidal.centroidal_momentum_matrix,
        "inverse_dynamics_with_forces": body_motions.inverse_dynamics_with_forces,
        "frame_placements": frame_motions.frame_placements,
        "frame_jacobians": frame_motions.frame_jacobians,
        "frame_velocities": frame_motions.frame_velocities,
        "frame_accelerations": frame_motions.frame_accelerations,
        "frame_classical_accelerations": frame_motions.frame_classical_accelerations,
        "joint_torque_regressor": regressor.joint_torque_regressor,
        "kinetic_energy_regressor": regressor.kinetic_energy_regressor,
        "potential_energy_regressor": regressor.potential_energy_regressor,
        "center_of_mass_velocity": centroidal.center_of_mass_velocity,
        "center_of_mass_acceleration": centroidal.center_of_mass_acceleration,
        "center_of_mass_jacobian": centroidal.center_of_mass_jacobian,
        "centroidal_momentum_rate": centroidal.centroidal_momentum_rate,
    }
)
"""Quantities that are functions of the state alone: of q; of q, v; of q, v, a; or of q, v, a, f."""

BY_POSITION = by_quantity(
    {
        "inverse_dynamics_dq": variation.euler_lagrange,
        "velocities_dq": body_motions.velocities,
        "accelerations_dq": body_motions.accelerations,
        "classical_accelerations_dq": body_motions.classical_accelerations,
        "jacobians_dq": body_motions.jacobians,
        "frame_velocities_dq": frame_motions.frame_velocities,
        "frame_accelerations_dq": frame_motions.frame_accelerations,
        "frame_jacobians_dq": frame_motions.frame_jacobians,
        "gravity_dq": variation.gravity,
        "static_forces_dq": body_motions.static_forces,
        "centroidal_momentum_dq": centroidal.centroidal_momentum,
        "centroidal_momentum_rate_dq": centroidal.centroidal_momentum_rate,
    }
)
"""Derivatives by q along the components of v, with v, a and forces in the bodies' frames fixed: the functions that are
differentiated."""

BY_VELOCITY = by_quantity(
    {
        "inverse_dynamics_dv": variation.euler_lagrange,
        "accelerations_dv": body_motions.accelerations,
        "classical_accelerations_dv": body_motions.classical_accelerations,
        "frame_accelerations_dv": frame_motions.frame_accelerations,
        "centroidal_momentum_rate_dv": centroidal.centroidal_momentum_rate,
    }
)
"""Derivatives by v: the functions of q, v and a that are differentiated. Those of forces include damping."""

BY_NAME = frozenset((*OF_STATES, *BY_POSITION, *BY_VELOCITY))
"""The quantities that are methods by these tables."""


class EulerLagrange:
    """The quantities of one mechanism over ``field``, by default float64; the work grows linearly with the bodies.

    Arrays are batch-first: q is (batch, nq); v and a are (batch, nv); SI units, the conventions of :mod:`mechanisms.joint`,
    but over exact fields a revolute joint's position is t = tan(q/2). A quaternion may have any length but zero.
    Everything in :data:`BY_NAME` is a method too, and so is what :mod:`oracle.by_jets.constraints` has; forces f on the bodies
    are (batch, bodies, 6). A derivative has the answer's axes, and behind them the directions: [:, i, k] = ∂τᵢ/∂qₖ.
    Raises :class:`OracleError` for mechanisms with symbols, arrays of the wrong shape, and quaternions of length zero.
    """

    def __init__(self, mechanism: Mechanism, field: Field | None = None) -> None:
        self.mechanism, self.field = mechanism, field or Real()
        self._system = build(mechanism, self.field)
        self._closures = closures(mechanism, self.field)
        self._arguments: dict[bytes, Array] = {}

    def keeping(self) -> EulerLagrange:
        """The same quantities, in float64 or recorded, which share what they have in common: it is computed once for equal
        arguments.

        What is kept, up to 300 numbers per body and state, is released with the object that this returns.
        """
        shared = copy(self)
        shared._system, shared._arguments = self._system._replace(kept={}), {}
        return shared

    def mass_matrix_rate(self, q: Any, v: Any) -> Array:
        """Ṁ at the velocity v: (batch, nv, nv)."""
        return self._run(lambda _, *state: self._derivatives.mass_matrix_rate(*state), q, v)

    def centroidal_momentum_matrix_rate(self, q: Any, v: Any) -> Array:
        """Ȧ at the velocity v: (batch, 6, nv)."""
        return self._run(lambda _, *state: self._derivatives.centroidal_momentum_matrix_rate(*state), q, v)

    @cached_property
    def _derivatives(self) -> Derivatives:
        return Derivatives(self.mechanism, self.field)

    def __getattr__(self, name: str) -> Callable[..., Array]:
        if name in OF_CONSTRAINTS:
            return partial(self._run, lambda system, *state: OF_CONSTRAINTS[name](system, self._closures, *state))
        if name in DERIVATIVES_OF_CONSTRAINTS:
            kind, of_state = DERIVATIVES_OF_CONSTRAINTS[name]
            ends = closures(self.mechanism, self._derivatives.duals)
            derived = partial(self._derived, getattr(Derivatives, kind), lambda system, *x: of_state(system, ends, *x))
            return partial(self._run, derived, directions=self.mechanism.nv)
        if name in OF_STATES:
            return partial(self._run, OF_STATES[name])
        for functions, derivative in ((BY_POSITION, Derivatives.by_position), (BY_VELOCITY, Derivatives.by_velocity)):
            if name in functions:
                return partial(self._run, partial(self._derived, derivative, functions[name]), directions=self.mechanism.nv)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _derived(self, derivative: Callable[..., Array], function: Callable[..., Array], _: System, *state: Array) -> Array:
        return derivative(self._derivatives, function, *state)

    def _run(self, quantity: Callable[..., Array], *states: Any, directions: int = 1) -> Array:
        """A quantity of batch-last arrays on batch-first ones, block by block; each state counts for its ``directions``."""
        given = [array(self.field, x) for x in states]
        require_shapes(self.mechanism, given)
        require_rotations(self.mechanism, given[0])
        block = max(1, BLOCK // directions)
        starts = range(0, max(1, len(given[0])), block)
        parts = [quantity(self._system, *(self._column(x[k : k + block]) for x in given)) for k in starts]
        return self.field.plain(np.concatenate([np.moveaxis(part, -1, 0) for part in parts]))

    def _column(self, x: Array) -> Array:
        """Batch-first states as batch-last ones; the same object for equal states if results are kept."""
        column = np.moveaxis(x, 0, -1).copy()
        if self._system.kept is None:
            return column
        same = x.references if isinstance(x, Values) else x
        return self._arguments.setdefault(same.tobytes(), column)


def require_shapes(mechanism: Mechanism, arguments: Sequence[Array]) -> None:
    """Raise :class:`OracleError` unless ``arguments`` are states of ``mechanism``, batch first: q, v and a, or the first of them,
    and forces f, which alone have an entry for every body."""
    columns = [("q", (mechanism.nq,)), ("v", (mechanism.nv,)), ("a", (mechanism.nv,))]
    for k, x in enumerate(arguments):
        name, shape = columns[k] if x.ndim < 3 and k < len(columns) else ("f", (len(mechanism.bodies), 6))
        batch = len(arguments[0]) if arguments[0].ndim == 2 and name != "q" else "batch"
        if x.shape[1:] != shape or not x.ndim or batch not in ("batch", len(x)):
            raise OracleError(f"{name} has shape {x.shape}; give ({batch}, {', '.join(map(str, shape))})")
