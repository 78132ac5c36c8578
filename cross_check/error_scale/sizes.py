"""The size of every quantity: a bound on the terms that are summed to compute it.

Rounding errors are proportional to the terms of a sum. The terms depend on the frames that an algorithm chooses, so sizes are
computed from norms, which hold in every frame. docs/notes/error-scale.md explains this and derives the equations cited here.
:mod:`cross_check.error_scale.lengths` has the recursion over the bodies, :mod:`cross_check.error_scale.kinematic_sizes` the
sizes of kinematic quantities, :mod:`cross_check.error_scale.derivative_sizes` those of derivatives.
"""

from __future__ import annotations

import numpy as np

from cross_check.error_scale.derivative_sizes import DERIVATIVE_SIZES
from cross_check.error_scale.kinematic_sizes import KINEMATIC_SIZES, external_forces
from cross_check.error_scale.lengths import Array, MotionMagnitudes, summed
from mechanisms import Mechanism


class Sizes:
    """The sizes of one mechanism's quantities: float64, batch first, in the shape of the quantity."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self._bounds = mechanism, MotionMagnitudes(mechanism)
        data = mechanism.arrays
        self.armature, self.damping = data.per_coordinate(data.armature), data.per_coordinate(data.damping)

    def of(self, quantity: str, q: Array, *rates: Array) -> Array:
        """The size of every component of ``quantity`` at these arguments. Forward dynamics has none; its residual has τ's."""
        if quantity in DERIVATIVE_SIZES:
            return DERIVATIVE_SIZES[quantity](self._bounds, q, *rates)
        if quantity in KINEMATIC_SIZES:
            return KINEMATIC_SIZES[quantity](self._bounds, q, *rates)
        if quantity == "inverse_dynamics_with_forces":
            return self._joint_forces(q, *rates[:2]) + external_forces(self._bounds, q, rates[2])
        if quantity == "mass_matrix":
            root = np.sqrt(self.subtree_inertias(q))
            return root[:, :, None] * root[:, None, :]
        if quantity == "potential_energy":
            bounds = self._bounds
            return summed(m * bounds.g * (R + c) for m, R, c in zip(bounds.m, bounds.distances(q), bounds.c, strict=True))
        zero = np.zeros((len(q), self.mechanism.nv))
        v, a = (*rates, zero, zero)[:2]
        return self._kinetic_energy(q, v) if quantity == "kinetic_energy" else self._joint_forces(q, v, a)

    def subtree_inertias(self, q: Array) -> Array:
        """J (batch, nv): the mass of every coordinate's subtree, or its moment of inertia about the joint's origin (eq. 12)."""
        bounds, R = self._bounds, self._bounds.distances(q)
        rows = []
        for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
            mass = sum(bounds.m[b] for b in subtree) + 0 * R[j]
            moment = summed(bounds.I[b] + bounds.m[b] * (bounds.c[b] + R[b] + R[j]) ** 2 for b in subtree)
            rows += [turns * moment + advance**2 * mass for turns, advance in screws]
        return np.stack(rows, axis=1) + self.armature

    def _joint_forces(self, q: Array, v: Array, a: Array) -> Array:
        """The size of τ (eqs. 10, 11)."""
        bounds, R = self._bounds, self._bounds.distances(q)
        F, N = bounds.forces(q, v, a)
        rows = []
        for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
            force = summed(F[b] for b in subtree)
            torque = summed(N[b] for b in subtree) + R[j] * force
            rows += [turns * torque + advance * force for turns, advance in screws]
        return np.stack(rows, axis=1) + self.armature * np.abs(a) + self.damping * np.abs(v)

    def _kinetic_energy(self, q: Array, v: Array) -> Array:
        """The size of T (eq. 14)."""
        bounds, R = self._bounds, self._bounds.distances(q)
        W, V = bounds.velocities(q, v)
        bodies = enumerate(zip(bounds.m, bounds.c, bounds.I, strict=True))
        twice_T = summed(I * W[i] ** 2 + m * (V[i] + W[i] * (c + R[i])) ** 2 for i, (m, c, I) in bodies)
        return (twice_T + (self.armature * v * v).sum(axis=1)) / 2
