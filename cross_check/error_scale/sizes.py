"""The error scale: the size of every quantity, an upper bound on the sum of the magnitudes of the terms that are summed.

Rounding errors are proportional to the terms of a sum. The terms depend on the frames that an algorithm chooses, so sizes are
computed from norms, which hold in every frame. docs/notes/error-scale.md explains this and derives the equations that the code
cites. :mod:`cross_check.error_scale.motion_magnitudes` has the recursion over the bodies. Every quantity that has a size has a
function of its name in one of :data:`MODULES`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.error_scale import (
    centroidal_sizes,
    constraint_sizes,
    derivative_sizes,
    dynamics_sizes,
    integration_sizes,
    kinematic_sizes,
    mimic_sizes,
    motion_derivative_sizes,
)
from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes
from cross_check.error_scale.standing import measured_from
from cross_check.memory import remembered
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_DERIVATIVES, INTEGRATION

EPSILON = float(np.finfo(np.float64).eps)

MODULES = (
    dynamics_sizes,
    kinematic_sizes,
    derivative_sizes,
    motion_derivative_sizes,
    centroidal_sizes,
    integration_sizes,
    constraint_sizes,
)

_SIZED = {**ALL_QUANTITIES, **CONSTRAINT_DERIVATIVES}

SIZES: dict[str, Callable[..., Array]] = {
    quantity.family: getattr(module, quantity.family)
    for quantity in _SIZED.values()
    for module in MODULES
    if hasattr(module, quantity.family)
}
"""By family of quantities: functions of the bounds on a mechanism's motion and of the quantity's arguments."""


class ErrorScale:
    """The sizes of one mechanism's quantities, float64, batch first like the quantities themselves."""

    def __init__(self, mechanism: Mechanism | MotionMagnitudes) -> None:
        self._bounds = mechanism if isinstance(mechanism, MotionMagnitudes) else MotionMagnitudes(mechanism)

    @remembered
    def size(self, quantity: str, *arguments: Array) -> Array:
        """The size of every component of the quantity at its arguments.

        Quantities that are judged by forces or by a solution have no size of their own.
        """
        return self._size(quantity, *arguments)

    @remembered
    def subtree_inertias(self, q: Array) -> Array:
        """J (batch, nv) at q (batch, nq): the mass, or the largest moment of inertia, of every coordinate's subtree."""
        if self._bounds.mechanism.has_mimics:
            return mimic_sizes.subtree_inertias(self._bounds, q)
        return dynamics_sizes.subtree_inertias(self._bounds.at(q), q)

    @remembered
    def shared_force(self, q: Array, v: Array, a: Array) -> Array:
        """The size of τ, shared among the joints: for errors of an equation that is solved for all joints at once.

        Forward dynamics couples the joints, so that rounding at one moves all. Sizes are compared in units in which every subtree
        has the inertia one, radians and metres alike.
        """
        inertia = np.sqrt(self.subtree_inertias(q))
        return inertia * (self._size("inverse_dynamics", q, v, a) / inertia).max(axis=1, keepdims=True)

    def _size(self, quantity: str, *arguments: Array) -> Array:
        size = SIZES[_SIZED[quantity].family]
        if self._bounds.mechanism.has_mimics and quantity not in INTEGRATION:
            return mimic_sizes.reduced(size, _SIZED[quantity], self._bounds, *arguments)
        bounds = self._bounds.measured_from(measured_from(_SIZED[quantity]))
        return size(bounds if quantity in INTEGRATION else bounds.at(arguments[0]), *arguments)


def in_epsilons(error: Array, magnitude: Array) -> Array:
    """|error| / (ε · magnitude), float64.

    Where the magnitude is zero or infinite, an error of zero gives 0 and any other error gives infinity.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(error).astype(np.float64)
        units = np.divide(size, EPSILON * magnitude, out=np.zeros_like(size), where=size != 0)
    units[np.isinf(magnitude) & (size != 0)] = np.inf
    return units
