"""The error scale: the size of every quantity, an upper bound on the sum of the magnitudes of the terms that are summed.

Rounding errors are proportional to the terms of a sum. The terms depend on the frames that an algorithm chooses, so sizes are
computed from norms, which hold in every frame. docs/notes/error-scale.md explains this and derives the equations that the code
cites. :mod:`cross_check.judge.error_scale.motion_magnitudes` has the recursion over the bodies. Motions of bodies, frames and
constraints have the formulas of :mod:`cross_check.judge.error_scale.motion_sizes`. Every other quantity that has a size has a
function of its name in one of :data:`MODULES`.

The sizes of a mechanism with mimic joints follow from those of the same tree with every joint moving on its own:

    τ = Gᵀ τ_tree, M = Gᵀ M_tree G, …        so the size of a sum is the sum of sizes, with |G| in the place of G           eq. 35

A mimic joint's position k q + c is computed, and so it is rounded: its terms have the size |k q| + |c|. An angle with an error of
that size turns everything outboard of it, as so many more rotations on the path would do                                eq. 36

The sizes of a mechanism for code in another precision are the sums of what one rounding of that precision may do. In ε-units of
float64, one of its roundings is c roundings (:attr:`mechanisms.numbers.precision.Precision.coarseness`). A number below N/ε,
where N is the least normal number and processors may take smaller ones for zero, is off by as much as N. So the terms of a sum
have at least the size N/ε times those at positions, velocities, accelerations and forces of one at least, written q₁, v₁, a₁:

    c (size(q, v, a) + N/ε size(q₁, v₁, a₁))                                                                           eq. 71

In fixed point every number below one is off by ε, and so are those of the mechanism and the answer:

    c max(1, size₁(q₁, v₁, a₁)),        with the numbers of the mechanism one at least                                 eq. 72
"""

from __future__ import annotations

import numpy as np

from cross_check.judge.error_scale import force_sizes, integration_sizes, momentum_sizes
from cross_check.judge.error_scale.motion_magnitudes import Array, MotionMagnitudes, beyond_half_a_turn
from cross_check.judge.error_scale.motion_sizes import size_of_motion
from cross_check.judge.error_scale.standing import measured_from
from cross_check.memory import remembered
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_DERIVATIVES, INTEGRATION, POSITIONS, Quantity
from mechanisms.states import tree_matrix, tree_position

EPSILON = float(np.finfo(np.float64).eps)

MODULES = (force_sizes, momentum_sizes, integration_sizes)

_SIZED = {**ALL_QUANTITIES, **CONSTRAINT_DERIVATIVES}


class ErrorScale:
    """The sizes of one mechanism's quantities, float64, batch first like the quantities themselves."""

    def __init__(self, mechanism: Mechanism | MotionMagnitudes) -> None:
        self._bounds = mechanism if isinstance(mechanism, MotionMagnitudes) else MotionMagnitudes(mechanism)
        self.precision = self._bounds.mechanism.precision

    @remembered
    def size(self, quantity: str, *arguments: Array) -> Array:
        """The size of every component of the quantity at its arguments.

        Quantities that are judged by forces or by a solution have no size of their own.
        """
        return self._coarse(quantity, *arguments)

    @remembered
    def subtree_inertias(self, q: Array) -> Array:
        """J (batch, nv) at q (batch, nq): the mass, or the largest moment of inertia, of every coordinate's subtree."""
        mechanism = self._bounds.mechanism
        if not mechanism.has_mimics:
            return force_sizes.subtree_inertias(self._bounds.at(q), q)
        q = tree_position(mechanism, q, magnitudes=True)
        return force_sizes.subtree_inertias(_of_tree(self._bounds, q), q) @ tree_matrix(mechanism) ** 2

    @remembered
    def shared_force(self, q: Array, v: Array, a: Array) -> Array:
        """The size of τ, shared among the joints: for errors of an equation that is solved for all joints at once.

        Forward dynamics couples the joints, so that rounding at one moves all. Sizes are compared in units in which every subtree
        has the inertia one, radians and metres alike.
        """
        inertia = np.sqrt(self.subtree_inertias(q))
        return inertia * (self._coarse("inverse_dynamics", q, v, a) / inertia).max(axis=1, keepdims=True)

    def _coarse(self, name: str, *arguments: Array) -> Array:
        """The size in the mechanism's precision (eqs. 71, 72)."""
        precision, names = self.precision, _SIZED[name].arguments
        if precision == FLOAT64:
            return self._size(name, *arguments)
        of_one = self._size(name, *map(self._at_least_one, names, arguments))
        if precision.is_fixed:
            return precision.coarseness * np.where(of_one == 0, 0.0, np.maximum(of_one, 1.0))
        return precision.coarseness * (self._size(name, *arguments) + precision.least / precision.epsilon * of_one)

    def _at_least_one(self, kind: str, x: Array) -> Array:
        """x (batch, …) with numbers of one at least; of positions, angles and distances."""
        if kind not in POSITIONS:
            return np.maximum(np.abs(x), 1.0)
        x, mechanism = x.copy(), self._bounds.mechanism
        for _, slot in (*mechanism.slots("angle"), *mechanism.slots("distance")):
            x[:, slot] = np.maximum(np.abs(x[:, slot]), 1.0)
        return x

    def _size(self, name: str, *arguments: Array) -> Array:
        quantity, bounds = _SIZED[name], self._bounds
        if name in INTEGRATION:
            return _size(quantity, bounds.measured_from(measured_from(quantity)), *arguments)
        if bounds.mechanism.has_mimics:
            return _reduced(quantity, bounds, *arguments)
        return _size(quantity, bounds.measured_from(measured_from(quantity)).at(arguments[0]), *arguments)


def _size(quantity: Quantity, bounds: MotionMagnitudes, *arguments: Array) -> Array:
    if quantity.axes and quantity.axes[0] in ("bodies", "frames", "directions"):
        return size_of_motion(quantity, bounds, *arguments)
    module = next(module for module in MODULES if hasattr(module, quantity.name))
    size: Array = getattr(module, quantity.name)(bounds, *arguments)
    return size


def _reduced(quantity: Quantity, bounds: MotionMagnitudes, *arguments: Array) -> Array:
    """The size for a mechanism with mimic joints (eq. 35)."""
    G = np.abs(tree_matrix(bounds.mechanism))
    q = tree_position(bounds.mechanism, arguments[0], magnitudes=True)
    state = (x if kind == "f" else np.abs(x) @ G.T for kind, x in zip(quantity.inputs[1:], arguments[1:], strict=True))
    answer = _size(quantity, _of_tree(bounds, q).measured_from(measured_from(quantity)), q, *state)
    for axis, of in enumerate(quantity.axes, 1):
        if of == "nv":
            answer = np.moveaxis(np.moveaxis(answer, axis, -1) @ G, -1, axis)
    return answer


def _of_tree(bounds: MotionMagnitudes, q: Array) -> MotionMagnitudes:
    """The bounds of the tree whose joints move on their own, where the positions of mimic joints are rounded (eq. 36)."""
    tree = bounds.of_tree()
    angles = []
    for body, own in zip(bounds.mechanism.bodies, tree.mechanism.q_slices, strict=True):
        is_computed = body.joint.mimic and body.joint.slots[0].form == "angle"
        angles.append(np.abs(q[:, own.start]) if is_computed else beyond_half_a_turn(body.joint, q[:, own]))
    return tree.turned(np.array(angles))


def in_epsilons(error: Array, magnitude: Array) -> Array:
    """|error| / (ε · magnitude), float64.

    Where the magnitude is zero or infinite, an error of zero gives 0 and any other error gives infinity.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(error).astype(np.float64)
        units = np.divide(size, EPSILON * magnitude, out=np.zeros_like(size), where=size != 0)
    units[np.isinf(magnitude) & (size != 0)] = np.inf
    return units
