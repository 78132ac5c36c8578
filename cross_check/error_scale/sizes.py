"""The size of what is summed: RNEA on lengths.

Rounding is proportional to what is summed, and which components of a vector are summed depends on the frames that an
algorithm chooses. So nothing here has a direction: :mod:`cross_check.error_scale.lengths` has the recursion over the bodies, whose
bounds hold in body frames, in the root's, and for moments and spatial vectors taken about the root's origin. With its R,
F_b and N_b, a joint transmits F = Σ F_b and N = Σ N_b + R F of the bodies beyond it. The sizes of kinematics are in
:mod:`cross_check.error_scale.kinematic_sizes`, those of derivatives in :mod:`cross_check.error_scale.derivative_sizes`.
"""

from __future__ import annotations

import numpy as np

from cross_check.error_scale.derivative_sizes import DERIVATIVE_SIZES
from cross_check.error_scale.kinematic_sizes import KINEMATIC_SIZES, external_forces
from cross_check.error_scale.lengths import Array, Lengths, summed
from mechanisms import Mechanism


class Sizes:
    """Sizes of one mechanism's quantities, float64, batch first like the quantities themselves."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self._lengths = mechanism, Lengths(mechanism)
        data = mechanism.arrays
        self.armature, self.damping = data.per_coordinate(data.armature), data.per_coordinate(data.damping)

    def of(self, quantity: str, q: Array, *rates: Array) -> Array:
        """The size of every component of ``quantity`` at these arguments; forward dynamics has none of its own."""
        if quantity in DERIVATIVE_SIZES:
            return DERIVATIVE_SIZES[quantity](self._lengths, q, *rates)
        if quantity in KINEMATIC_SIZES:
            return KINEMATIC_SIZES[quantity](self._lengths, q, *rates)
        if quantity == "inverse_dynamics_with_forces":
            return self._forces(q, *rates[:2]) + external_forces(self._lengths, q, rates[2])
        if quantity == "mass_matrix":
            own = np.sqrt(self.carried(q))
            return own[:, :, None] * own[:, None, :]
        if quantity == "potential_energy":
            x = self._lengths
            return summed(m * x.g * (R + c) for m, R, c in zip(x.m, x.distances(q), x.c, strict=True))
        still = np.zeros((len(q), self.mechanism.nv))
        v, a = (*rates, still, still)[:2]
        return self._kinetic(q, v) if quantity == "kinetic_energy" else self._forces(q, v, a)

    def carried(self, q: Array) -> Array:
        """For every coordinate the mass, or the moment of inertia about its origin, that the joint carries (batch, nv)."""
        x, R = self._lengths, self._lengths.distances(q)
        rows = []
        for j, (screws, beyond) in enumerate(zip(x.screws, x.beyond, strict=True)):
            mass = sum(x.m[b] for b in beyond) + 0 * R[j]
            moment = summed(x.I[b] + x.m[b] * (x.c[b] + R[b] + R[j]) ** 2 for b in beyond)
            rows += [turns * moment + advance**2 * mass for turns, advance in screws]
        return np.stack(rows, axis=1) + self.armature

    def _forces(self, q: Array, v: Array, a: Array) -> Array:
        x, R = self._lengths, self._lengths.distances(q)
        F, N = x.forces(q, v, a)
        rows = []
        for j, (screws, beyond) in enumerate(zip(x.screws, x.beyond, strict=True)):
            force = summed(F[b] for b in beyond)
            torque = summed(N[b] for b in beyond) + R[j] * force
            rows += [turns * torque + advance * force for turns, advance in screws]
        return np.stack(rows, axis=1) + self.armature * np.abs(a) + self.damping * np.abs(v)

    def _kinetic(self, q: Array, v: Array) -> Array:
        x, R = self._lengths, self._lengths.distances(q)
        W, V = x.velocities(q, v)
        bodies = enumerate(zip(x.m, x.c, x.I, strict=True))
        twice = summed(I * W[i] ** 2 + m * (V[i] + W[i] * (c + R[i])) ** 2 for i, (m, c, I) in bodies)
        return (twice + (self.armature * v * v).sum(axis=1)) / 2
