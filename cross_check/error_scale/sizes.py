"""The error scale: every error is measured in ε times the size of what is summed to make the answer.

Rounding is proportional to what is summed. Which components of a vector are summed depends on the frames that an algorithm
chooses, so nothing here has a direction: :mod:`cross_check.error_scale.lengths` has the recursion over the bodies. Its bounds
hold in body frames, in the root's frame, and for moments and spatial vectors taken about the root's origin. With its R, F_b and
N_b, a joint transmits
F = Σ F_b and N = Σ N_b + R F of the bodies that it carries. The sizes of kinematics are in
:mod:`cross_check.error_scale.kinematic_sizes`, those of derivatives in :mod:`cross_check.error_scale.derivative_sizes`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.error_scale import derivative_sizes, kinematic_sizes, regressor_sizes
from cross_check.error_scale.lengths import Array, Lengths, summed
from cross_check.memory import Remembered
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

EPSILON = float(np.finfo(np.float64).eps)


class ErrorScale:
    """The sizes of one mechanism's quantities, float64, batch first like the quantities themselves."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._lengths = Lengths(mechanism)
        self.of: Callable[..., Array] = Remembered(self._size)
        """The size of every component of the quantity that is named, at the arguments that follow. Quantities that are judged by
        forces or by a solution have no size of their own."""
        self.carried_inertia = Remembered(self._carried_inertia)
        """For every coordinate the largest mass, or moment of inertia, that the joint carries, at q (batch, nq): (batch, nv)."""

    def shared_force(self, q: Array, v: Array, a: Array) -> Array:
        """The size of τ, shared among the joints: for errors of an equation that is solved for all joints at once.

        Forward dynamics couples the joints, so that rounding at one moves all. Sizes are compared in units in which every joint
        carries the inertia one, radians and metres alike.
        """
        inertia = np.sqrt(self.carried_inertia(q))
        return inertia * (self._size("inverse_dynamics", q, v, a) / inertia).max(axis=1, keepdims=True)

    def _size(self, quantity: str, *arguments: Array) -> Array:
        return SIZES[QUANTITIES[quantity].family](self._lengths, *arguments)

    def _carried_inertia(self, q: Array) -> Array:
        return carried_inertia(self._lengths, q)


def inverse_dynamics(x: Lengths, q: Array, v: Array, a: Array) -> Array:
    R, (F, N) = x.distances(q), x.forces(q, v, a)
    rows = []
    for j, (screws, beyond) in enumerate(zip(x.screws, x.beyond, strict=True)):
        force = summed(F[b] for b in beyond)
        torque = summed(N[b] for b in beyond) + R[j] * force
        rows += [turns * torque + advance * force for turns, advance in screws]
    data = x.mechanism.arrays
    return np.stack(rows, axis=1) + data.per_coordinate(data.armature) * np.abs(a) + data.per_coordinate(data.damping) * np.abs(v)


def nonlinear_effects(x: Lengths, q: Array, v: Array) -> Array:
    return inverse_dynamics(x, q, v, np.zeros((len(q), x.mechanism.nv)))


def gravity(x: Lengths, q: Array) -> Array:
    still = np.zeros((len(q), x.mechanism.nv))
    return inverse_dynamics(x, q, still, still)


def inverse_dynamics_with_forces(x: Lengths, q: Array, v: Array, a: Array, f: Array) -> Array:
    return inverse_dynamics(x, q, v, a) + kinematic_sizes.external_forces(x, q, f)


def mass_matrix(x: Lengths, q: Array) -> Array:
    own = np.sqrt(carried_inertia(x, q))
    return own[:, :, None] * own[:, None, :]


def kinetic_energy(x: Lengths, q: Array, v: Array) -> Array:
    R, (W, V) = x.distances(q), x.velocities(q, v)
    bodies = enumerate(zip(x.m, x.c, x.I, strict=True))
    twice = summed(I * W[i] ** 2 + m * (V[i] + W[i] * (c + R[i])) ** 2 for i, (m, c, I) in bodies)
    data = x.mechanism.arrays
    return (twice + (data.per_coordinate(data.armature) * v * v).sum(axis=1)) / 2


def potential_energy(x: Lengths, q: Array) -> Array:
    return summed(m * x.g * (R + c) for m, R, c in zip(x.m, x.distances(q), x.c, strict=True))


def carried_inertia(x: Lengths, q: Array) -> Array:
    """For every coordinate the mass, or the moment of inertia about its origin, that the joint carries (batch, nv)."""
    R = x.distances(q)
    rows = []
    for j, (screws, beyond) in enumerate(zip(x.screws, x.beyond, strict=True)):
        mass = sum(x.m[b] for b in beyond) + 0 * R[j]
        moment = summed(x.I[b] + x.m[b] * (x.c[b] + R[b] + R[j]) ** 2 for b in beyond)
        rows += [turns * moment + advance**2 * mass for turns, advance in screws]
    return np.stack(rows, axis=1) + x.mechanism.arrays.per_coordinate(x.mechanism.arrays.armature)


def in_epsilons(error: Array, magnitude: Array) -> Array:
    """|error| / (ε · magnitude), float64; an error where nothing was summed is infinite, no error is zero."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(error).astype(np.float64)
        units = np.divide(size, EPSILON * magnitude, out=np.zeros_like(size), where=size != 0)
    units[np.isinf(magnitude) & (size != 0)] = np.inf
    return units


SIZES: dict[str, Callable[..., Array]] = {
    size.__name__: size
    for size in (
        inverse_dynamics,
        mass_matrix,
        nonlinear_effects,
        gravity,
        kinetic_energy,
        potential_energy,
        inverse_dynamics_with_forces,
        kinematic_sizes.placements,
        kinematic_sizes.jacobians,
        kinematic_sizes.velocities,
        kinematic_sizes.accelerations,
        kinematic_sizes.classical_accelerations,
        kinematic_sizes.drifts,
        kinematic_sizes.center_of_mass,
        kinematic_sizes.centroidal_momentum,
        kinematic_sizes.centroidal_momentum_matrix,
        derivative_sizes.inverse_dynamics_dq,
        derivative_sizes.inverse_dynamics_dv,
        derivative_sizes.coriolis_matrix,
        regressor_sizes.joint_torque_regressor,
    )
}
"""By family of quantities: functions of the lengths of a mechanism and of the quantity's arguments."""
