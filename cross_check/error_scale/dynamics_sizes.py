"""The sizes of forces, of the mass matrix and of energies (docs/notes/error-scale.md, eqs. 10-15)."""

from __future__ import annotations

import numpy as np

from cross_check.error_scale.kinematic_sizes import external_forces
from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes, summed


def inverse_dynamics(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """The size of τ (eqs. 10, 11)."""
    R, (F, N) = bounds.distances(q), bounds.forces(q, v, a)
    rows = []
    for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
        force = summed(F[b] for b in subtree)
        torque = summed(N[b] for b in subtree) + R[j] * force
        rows += [turns * torque + advance * force for turns, advance in screws]
    data = bounds.mechanism.arrays
    return np.stack(rows, axis=1) + data.per_coordinate(data.armature) * np.abs(a) + data.per_coordinate(data.damping) * np.abs(v)


def nonlinear_effects(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return inverse_dynamics(bounds, q, v, np.zeros((len(q), bounds.mechanism.nv)))


def gravity(bounds: MotionMagnitudes, q: Array) -> Array:
    zero = np.zeros((len(q), bounds.mechanism.nv))
    return inverse_dynamics(bounds, q, zero, zero)


def inverse_dynamics_with_forces(bounds: MotionMagnitudes, q: Array, v: Array, a: Array, f: Array) -> Array:
    return inverse_dynamics(bounds, q, v, a) + external_forces(bounds, q, f)


def mass_matrix(bounds: MotionMagnitudes, q: Array) -> Array:
    root = np.sqrt(subtree_inertias(bounds, q))
    return root[:, :, None] * root[:, None, :]


def subtree_inertias(bounds: MotionMagnitudes, q: Array) -> Array:
    """J (batch, nv): the mass of every coordinate's subtree, or its moment of inertia about the joint's origin (eq. 12)."""
    R, data = bounds.distances(q), bounds.mechanism.arrays
    rows = []
    for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
        mass = sum(bounds.m[b] for b in subtree) + 0 * R[j]
        moment = summed(bounds.I[b] + bounds.m[b] * (bounds.c[b] + R[b] + R[j]) ** 2 for b in subtree)
        rows += [turns * moment + advance**2 * mass for turns, advance in screws]
    return np.stack(rows, axis=1) + data.per_coordinate(data.armature)


def kinetic_energy(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """The size of T (eq. 14)."""
    R, (W, V), data = bounds.distances(q), bounds.velocities(q, v), bounds.mechanism.arrays
    bodies = enumerate(zip(bounds.m, bounds.c, bounds.I, strict=True))
    twice_T = summed(I * W[i] ** 2 + m * (V[i] + W[i] * (c + R[i])) ** 2 for i, (m, c, I) in bodies)
    return (twice_T + (data.per_coordinate(data.armature) * v * v).sum(axis=1)) / 2


def potential_energy(bounds: MotionMagnitudes, q: Array) -> Array:
    return summed(m * bounds.g * (R + c) for m, R, c in zip(bounds.m, bounds.distances(q), bounds.c, strict=True))
