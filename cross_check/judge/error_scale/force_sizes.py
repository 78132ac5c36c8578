"""The sizes of forces, of the mass matrix, of energies, of their derivatives and regressors.

docs/notes/error-scale.md derives the equations and numbers them. F and N bound the force and the moment that joint i transmits:
for τ for all bodies that i moves, for the derivatives for the bodies that both i and k move. t and d are the angular and the
linear velocity per unit of a coordinate's velocity:

    τ_i           t_i N + d_i F, armature, damping, friction, and stiffness (|q| + |rest|)          eqs. 10, 11
    M             √(J_i J_k), with the inertia J that a coordinate moves                            eqs. 12, 13
    ∂τ_i/∂q_k     t_k (t_i N + d_i F) + t_i ∂N + d_i ∂F                                             eq. 24
    C_ik          t_i ∂'N + d_i ∂'F                                                                 eq. 25
    ∂τ_i/∂v_k     t_i ∂'N + d_i ∂'F + damping                                                       eq. 26
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cross_check.judge.error_scale.motion_magnitudes import STEP, Array, MotionMagnitudes


def inverse_dynamics(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    data = bounds.mechanism.arrays
    forces = _transmitted(bounds, q, *bounds.forces(q, v, a))
    forces = forces + data.per_coordinate(data.armature) * np.abs(a) + data.resistance(np.abs(v))
    for at, stiffness, reach in springs(bounds, q):
        forces[:, at] += stiffness * reach
    return forces


def springs(bounds: MotionMagnitudes, q: Array) -> Iterator[tuple[int, float, Array]]:
    """The coordinate and the stiffness of every spring, and the size |q| + |rest| (batch,) of its elongation."""
    for body, at, of_v in zip(bounds.mechanism.bodies, bounds.mechanism.q_slices, bounds.mechanism.v_slices, strict=True):
        if body.joint.stiffness != 0:
            yield of_v.start, float(body.joint.stiffness), np.abs(q[:, at.start]) + abs(float(body.joint.rest))


def nonlinear_effects(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return inverse_dynamics(bounds, q, v, 0 * v)


def gravity(bounds: MotionMagnitudes, q: Array) -> Array:
    return nonlinear_effects(bounds, q, _still(bounds, q))


def inverse_dynamics_with_forces(bounds: MotionMagnitudes, q: Array, v: Array, a: Array, f: Array) -> Array:
    """Eq. 16 adds Σ JᵀF."""
    return inverse_dynamics(bounds, q, v, a) + _transmitted(bounds, q, *_external(bounds, q, f))


def mass_matrix(bounds: MotionMagnitudes, q: Array) -> Array:
    root = np.sqrt(subtree_inertias(bounds, q))
    return root[:, :, None] * root[:, None, :]


def subtree_inertias(bounds: MotionMagnitudes, q: Array) -> Array:
    """J (batch, nv): the mass of every coordinate's subtree, or its moment of inertia about the joint's origin (eq. 12)."""
    R, data, joint = bounds.distances(q), bounds.mechanism.arrays, bounds.joint
    lever = bounds.c + R
    of_bodies = (bounds.m + 0 * R, bounds.m * lever, bounds.I + bounds.m * lever**2)
    mass, first_moment, moment = (bounds.outboard(x)[joint] for x in of_bodies)
    moment = moment + 2 * R[joint] * first_moment + R[joint] ** 2 * mass
    return (bounds.t * moment + bounds.d**2 * mass).T + data.per_coordinate(data.armature)


def kinetic_energy(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """The size of T (eq. 14)."""
    (W, V), data = bounds.velocities(q, v), bounds.mechanism.arrays
    twice_T = (bounds.I * W**2 + bounds.m * (V + W * (bounds.c + bounds.distances(q))) ** 2).sum(axis=0)
    return (twice_T + (data.per_coordinate(data.armature) * v * v).sum(axis=1)) / 2


def potential_energy(bounds: MotionMagnitudes, q: Array) -> Array:
    """Eq. 15, and that of springs and of gravity compensation."""
    weight = (bounds.m * bounds.g * (bounds.distances(q) + bounds.c)).sum(axis=0)
    weight = weight + (bounds.growth * bounds.lifted * bounds.g * (bounds.distances(q) + bounds.lifted_c)).sum(axis=0)
    return weight + sum(stiffness * reach**2 / 2 for _, stiffness, reach in springs(bounds, q))


def inverse_dynamics_dq(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eq. 24."""
    now, stepped = (_shared(one, q, *one.forces(q, v, a)) for one in (bounds, bounds.stepped("q")))
    size = np.moveaxis(bounds.t * now + stepped.imag / STEP, -1, 0)
    for at, stiffness, _ in springs(bounds, q):
        size[:, at, at] += stiffness
    return size


def inverse_dynamics_dv(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 26."""
    data = bounds.mechanism.arrays
    return coriolis_matrix(bounds, q, v) + np.diag(data.per_coordinate(data.damping))


def coriolis_matrix(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 25."""
    stepped = bounds.stepped("v")
    return np.moveaxis(_shared(stepped, q, *stepped.forces(q, v, 0 * v)).imag / STEP, -1, 0)


def gravity_dq(bounds: MotionMagnitudes, q: Array) -> Array:
    """Eq. 24 at rest."""
    still = _still(bounds, q)
    return inverse_dynamics_dq(bounds, q, still, still)


def static_forces_dq(bounds: MotionMagnitudes, q: Array, f: Array) -> Array:
    """Eq. 50: eq. 24 at rest, and for the external forces on the bodies that both i and k move."""
    F, N = _external(bounds, q, f)
    added = bounds.t * _shared(bounds, q, F, N) + bounds.t[:, None] * bounds.d * _shared_force(bounds, F)
    return gravity_dq(bounds, q) + np.moveaxis(added, -1, 0)


def joint_torque_regressor(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eqs. 28, 29: what a unit of every inertial parameter adds to the forces."""
    R, (W, V), (A, linear) = bounds.distances(q), bounds.velocities(q, v), bounds.accelerations(q, v, a, bounds.g)
    angular, moving = A + W**2, V + W * R
    force = linear + angular * R + W * V
    mass = (force, R * force + moving**2)
    first_moment = (angular, R * angular + force + 2 * W * moving)
    inertia = (0 * angular, angular)
    F, N = np.stack([mass, *[first_moment] * 3, *[inertia] * 6], axis=2)
    t, d, from_joint = bounds.t[:, None, None], bounds.d[:, None, None], R[bounds.joint][:, None, None]
    Y = np.where(bounds.moves[:, :, None], bounds.growth[:, None] * (t * (N + from_joint * F) + d * F), 0)
    return np.moveaxis(Y.reshape(len(Y), -1, len(q)), -1, 0)


def kinetic_energy_regressor(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 51: what a unit of every inertial parameter adds to T."""
    W, V = bounds.velocities(q, v)
    moving = V + W * bounds.distances(q)
    return _of_parameters(bounds, q, [moving**2 / 2, *[W * moving] * 3, *[W**2 / 2] * 3, *[W**2] * 3])


def potential_energy_regressor(bounds: MotionMagnitudes, q: Array) -> Array:
    """Eq. 52: what a unit of every inertial parameter adds to V."""
    R = bounds.distances(q)
    return _of_parameters(bounds, q, [bounds.g * R, *[bounds.g + 0 * R] * 3, *[0 * R] * 6])


def _of_parameters(bounds: MotionMagnitudes, q: Array, of_body: list[Array]) -> Array:
    """The size (batch, parameters) from that of each of the ten parameters of every body (bodies, batch)."""
    return (bounds.growth[:, None] * np.stack(of_body, axis=1)).reshape(-1, len(q)).T


def _still(bounds: MotionMagnitudes, q: Array) -> Array:
    return np.zeros((len(q), bounds.mechanism.nv))


def _external(bounds: MotionMagnitudes, q: Array, f: Array) -> tuple[Array, Array]:
    """F and N (bodies, batch) of forces f (batch, bodies, 6) on the bodies."""
    n, F = (bounds.growth * np.linalg.norm(part, axis=2).T for part in (f[..., :3], f[..., 3:]))
    return F, n + bounds.distances(q) * F


def _transmitted(bounds: MotionMagnitudes, q: Array, F: Array, N: Array) -> Array:
    """t N + d F of every coordinate (batch, nv), over the bodies that it moves, about the origin of its joint."""
    joint = bounds.joint
    force, moment = (bounds.outboard(x)[joint] for x in (F, N))
    return (bounds.t * (moment + bounds.distances(q)[joint] * force) + bounds.d * force).T


def _shared(bounds: MotionMagnitudes, q: Array, F: Array, N: Array) -> Array:
    """t_i N + d_i F (nv, nv, batch) over the bodies that both i and k move.

    F and N are those of every body. Arrays (nv, bodies, batch) have the step of coordinate k in row k.
    """
    force, moment = _shared_force(bounds, F), _shared_force(bounds, N)
    R = _in_every_row(bounds, bounds.distances(q))[:, bounds.joint].swapaxes(0, 1)
    return bounds.t[:, None] * (moment + R * force) + bounds.d[:, None] * force


def _shared_force(bounds: MotionMagnitudes, F: Array) -> Array:
    """The sum of F (nv, nv, batch) over the bodies that both i and k move: the subtree of the outer joint."""
    joint = bounds.joint
    both = bounds.moves[:, joint] | bounds.moves[:, joint].swapaxes(0, 1)
    total = _in_every_row(bounds, bounds.outboard(F))
    return np.where(both, total[np.arange(len(joint)), np.maximum(joint[:, None], joint)], 0)


def _in_every_row(bounds: MotionMagnitudes, x: Array) -> Array:
    """x (…, bodies, batch) as (nv, bodies, batch): bounds without a step are the same in all rows."""
    return np.broadcast_to(x, (len(bounds.joint), *x.shape[-2:]))
