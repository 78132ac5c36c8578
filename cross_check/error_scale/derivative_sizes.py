"""The sizes of derivatives, from the bounds of :mod:`cross_check.error_scale.motion_magnitudes`.

docs/notes/error-scale.md derives the equations and numbers them. F and N bound the force and the moment that joint i transmits
for the bodies that both i and k move. t and d are the angular and the linear velocity per unit of a coordinate's velocity:

    ∂τ_i/∂q_k     t_k (t_i N + d_i F) + t_i ∂N + d_i ∂F                                             eq. 24
    C_ik          t_i ∂'N + d_i ∂'F                                                                 eq. 25
    ∂τ_i/∂v_k     t_i ∂'N + d_i ∂'F + damping                                                       eq. 26

∂ is the derivative of a bound when the distance r of joint k from its parent grows by d_k. ∂' is the derivative when the
velocities w and u of joint k grow by t_k and d_k. Both are computed by complex steps (eq. 27).
"""

from __future__ import annotations

import numpy as np

from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes, summed
from mechanisms.quantities import PARAMETERS

STEP = 2.0**-400
"""η of the complex steps. Its square vanishes beside every size."""


class ComplexStepMagnitudes(MotionMagnitudes):
    """Bounds (nv, batch) with their derivatives: row k has a step of coordinate k.

    The real part is the bound, the same in all rows. The imaginary part of row k is η ∂ (``by_position``) or else η ∂'.
    """

    def __init__(self, bounds: MotionMagnitudes, by_position: bool) -> None:
        vars(self).update(vars(bounds))
        mechanism = bounds.mechanism
        shape = (len(self.screws), mechanism.nv, 1)
        angular, linear, zero = np.zeros(shape, complex), np.zeros(shape, complex), np.zeros(shape, complex)
        for j, own in enumerate(mechanism.v_slices):
            angular[j, own, 0], linear[j, own, 0] = 1j * STEP * np.transpose(self.screws[j])
        self._offset_steps = linear if by_position else zero
        self._velocity_steps = (zero, zero) if by_position else (angular, linear)

    def _offsets(self, q: Array) -> list[Array]:
        return [r + step for r, step in zip(super()._offsets(q), self._offset_steps, strict=True)]

    def _joint_velocities(self, v: Array) -> tuple[list[Array], list[Array]]:
        (w, u), (w_steps, u_steps) = super()._joint_velocities(v), self._velocity_steps
        angular = [x + step for x, step in zip(w, w_steps, strict=True)]
        linear = [x + step for x, step in zip(u, u_steps, strict=True)]
        return angular, linear


def inverse_dynamics_dq(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eq. 24."""
    t = np.array([turns for screws in bounds.screws for turns, _ in screws])[:, None]
    by_distance = _shared_forces(ComplexStepMagnitudes(bounds, by_position=True), q, v, a).imag / STEP
    return np.moveaxis(t * _shared_forces(bounds, q, v, a) + by_distance, -1, 0)


def inverse_dynamics_dv(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 26."""
    data = bounds.mechanism.arrays
    return coriolis_matrix(bounds, q, v) + np.diag(data.per_coordinate(data.damping))


def coriolis_matrix(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 25."""
    by_velocity = _shared_forces(ComplexStepMagnitudes(bounds, by_position=False), q, v, 0 * v).imag / STEP
    return np.moveaxis(by_velocity, -1, 0)


def _shared_forces(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """t_i N + d_i F (nv, nv, batch) with the sums of eq. 10 over the bodies that both i and k move.

    Row k of complex bounds has the step of coordinate k. Real bounds are the same for all k.
    """
    n, R = bounds.mechanism.nv, bounds.distances(q)
    of_bodies = ([np.broadcast_to(x, (n, len(q))) for x in magnitudes] for magnitudes in bounds.forces(q, v, a))
    F, N = ([summed(x[b] for b in subtree) for subtree in bounds.subtrees] for x in of_bodies)
    size = np.zeros((n, n, len(q)), F[0].dtype)
    for i, rows in enumerate(bounds.mechanism.v_slices):
        t, d = np.transpose(bounds.screws[i])[..., None, None]
        for k, columns in enumerate(bounds.mechanism.v_slices):
            if i in bounds.subtrees[k] or k in bounds.subtrees[i]:
                outer = max(i, k)  # both move exactly the subtree of the outer joint
                force, moment = F[outer], N[outer] + R[i] * F[outer]
                size[rows, columns] = t * moment[columns] + d * force[columns]
    return size


def gravity_dq(bounds: MotionMagnitudes, q: Array) -> Array:
    """Eq. 24 at rest."""
    still = np.zeros((len(q), bounds.mechanism.nv))
    return inverse_dynamics_dq(bounds, q, still, still)


def static_forces_dq(bounds: MotionMagnitudes, q: Array, f: Array) -> Array:
    """Eq. 50: eq. 24 at rest, and for the external forces on the bodies that both i and k move."""
    R, size = bounds.distances(q), gravity_dq(bounds, q)
    n, F = ((np.stack(bounds.growth, axis=1) * np.linalg.norm(part, axis=2)).T for part in (f[..., :3], f[..., 3:]))
    for row, i, t, d in bounds.coordinates:
        for column, k, t_k, d_k in bounds.coordinates:
            both = [b for b in bounds.subtrees[i] if b in bounds.subtrees[k]]
            force, moment = summed(F[b] for b in both), summed(n[b] + (R[b] + R[i]) * F[b] for b in both)
            size[:, row, column] += t_k * (t * moment + d * force) + t * d_k * force
    return size


def joint_torque_regressor(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eqs. 28, 29: what a unit of every inertial parameter adds to the forces."""
    R, (W, V), (A, linear) = bounds.distances(q), bounds.velocities(q, v), bounds.accelerations(q, v, a, bounds.g)
    n = len(PARAMETERS)
    Y = np.zeros((len(q), bounds.mechanism.nv, n * len(R)))
    for b in range(len(R)):
        angular, moving = A[b] + W[b] ** 2, V[b] + W[b] * R[b]
        force = linear[b] + angular * R[b] + W[b] * V[b]
        mass = (force, R[b] * force + moving**2)
        first_moment = (angular, R[b] * angular + force + 2 * W[b] * moving)
        inertia = (0 * angular, angular)
        for k, (F, N) in enumerate([mass, *[first_moment] * 3, *[inertia] * 6], n * b):
            for i, joint, t, d in bounds.coordinates:
                if b in bounds.subtrees[joint]:
                    Y[:, i, k] = bounds.growth[b] * (t * (N + R[joint] * F) + d * F)
    return Y


def kinetic_energy_regressor(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 51: what a unit of every inertial parameter adds to T."""
    Y = []
    for W, V, R, G in zip(*bounds.velocities(q, v), bounds.distances(q), bounds.growth, strict=True):
        moving = V + W * R
        Y += [G * moving**2 / 2, *[G * W * moving] * 3, *[G * W**2 / 2] * 3, *[G * W**2] * 3]
    return np.stack(Y, axis=1)


def potential_energy_regressor(bounds: MotionMagnitudes, q: Array) -> Array:
    """Eq. 52: what a unit of every inertial parameter adds to V."""
    Y = []
    for R, G in zip(bounds.distances(q), bounds.growth, strict=True):
        Y += [G * bounds.g * R, *[G * bounds.g + 0 * R] * 3, *[0 * R] * 6]
    return np.stack(Y, axis=1)
