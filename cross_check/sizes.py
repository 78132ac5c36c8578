"""The size of what is summed: RNEA on lengths.

Rounding is proportional to what is summed, and which components of a vector are summed depends on the frames that an
algorithm chooses. So nothing here has a direction. Every vector is represented by its length, every rotation by one,
every sum adds: the recursion over the bodies gives bounds that hold in body frames, in the root's, and for moments and
spatial vectors taken about the root's origin. R, W, V, A and a are a body's distance from the root, its angular and
linear velocity and acceleration:

    R_i = R_λ + r                                           r = |placement| + |sliding|
    W_i = W_λ + w           V_i = V_λ + W_λ r + u           w, u: the joint's own velocities
    A_i = A_λ + ẇ + W_λ w   a_i = a_λ + (A_λ + W_λ²) r + 2 W_i u + u̇,      a_0 = |g|
    F_b = m (a_i + (A_i + W_i²) (c + R_i) + W_i V_i)
    N_b = tr I (A_i + W_i²) + (c + R_i) F_b + m (V_i + W_i (c + R_i))²

and a joint transmits F = Σ F_b and N = Σ N_b + R F of the bodies beyond it. The last term is v × m v, a part of v ×* I v
that spatial algorithms sum although it cancels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from mechanisms import Mechanism

Array = np.ndarray[Any, Any]


class Sizes:
    """Sizes of one mechanism's quantities, float64, batch first like the quantities themselves."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.g = _length(mechanism.gravity)
        self.beyond = [self._carried_by(j) for j in range(len(mechanism.bodies))]
        """The bodies that every joint carries."""
        joints, inertias = [b.joint for b in mechanism.bodies], [b.inertia for b in mechanism.bodies]
        self.r = [_length(joint.placement.translation) for joint in joints]
        self.m = [abs(float(inertia.mass)) for inertia in inertias]
        self.c = [_length(inertia.com) for inertia in inertias]
        self.I = [sum(abs(float(x)) for x in inertia.about_com[:3]) for inertia in inertias]
        data = mechanism.arrays
        self.armature, self.damping = data.per_coordinate(data.armature), data.per_coordinate(data.damping)

    def of(self, quantity: str, q: Array, *rates: Array) -> Array:
        """The size of every component of ``quantity`` at these arguments; forward dynamics has none of its own."""
        if quantity == "mass_matrix":
            own = np.sqrt(self.carried(q))
            return own[:, :, None] * own[:, None, :]
        if quantity == "potential_energy":
            return _sum(m * self.g * (R + c) for m, R, c in zip(self.m, self._distances(q), self.c, strict=True))
        still = np.zeros((len(q), self.mechanism.nv))
        v, a = (*rates, still, still)[:2]
        return self._kinetic(q, v) if quantity == "kinetic_energy" else self._forces(q, v, a)

    def carried(self, q: Array) -> Array:
        """For every coordinate the mass, or the moment of inertia about its origin, that the joint carries (batch, nv)."""
        R = self._distances(q)
        rows = []
        for j, (body, beyond) in enumerate(zip(self.mechanism.bodies, self.beyond, strict=True)):
            mass = sum(self.m[b] for b in beyond) + 0 * R[j]
            moment = _sum(self.I[b] + self.m[b] * (self.c[b] + R[b] + R[j]) ** 2 for b in beyond)
            rows += _alike(body.joint.kind, moment, mass)
        return np.stack(rows, axis=1) + self.armature

    def _forces(self, q: Array, v: Array, a: Array) -> Array:
        R, W, V = self._distances(q), *self._velocities(q, v)
        A, linear = self._accelerations(q, v, a, W)
        F = [
            m * (linear[i] + (A[i] + W[i] ** 2) * (c + R[i]) + W[i] * V[i])
            for i, (m, c) in enumerate(zip(self.m, self.c, strict=True))
        ]
        N = [
            I * (A[i] + W[i] ** 2) + (c + R[i]) * F[i] + m * (V[i] + W[i] * (c + R[i])) ** 2
            for i, (m, c, I) in enumerate(zip(self.m, self.c, self.I, strict=True))
        ]
        rows = []
        for j, (body, beyond) in enumerate(zip(self.mechanism.bodies, self.beyond, strict=True)):
            force = _sum(F[b] for b in beyond)
            rows += _alike(body.joint.kind, _sum(N[b] for b in beyond) + R[j] * force, force)
        return np.stack(rows, axis=1) + self.armature * np.abs(a) + self.damping * np.abs(v)

    def _kinetic(self, q: Array, v: Array) -> Array:
        R, (W, V) = self._distances(q), self._velocities(q, v)
        bodies = enumerate(zip(self.m, self.c, self.I, strict=True))
        twice = _sum(I * W[i] ** 2 + m * (V[i] + W[i] * (c + R[i])) ** 2 for i, (m, c, I) in bodies)
        return (twice + (self.armature * v * v).sum(axis=1)) / 2

    def _distances(self, q: Array) -> list[Array]:
        R: list[Array] = []
        for λ, step in zip(self.mechanism.parents, self._steps(q), strict=True):
            R.append(step if λ < 0 else R[λ] + step)
        return R

    def _steps(self, q: Array) -> list[Array]:
        slides = {"revolute": 0, "prismatic": 1, "free": 3}
        places = zip(self.mechanism.bodies, self.mechanism.q_slices, self.r, strict=True)
        return [r + np.linalg.norm(q[:, at][:, : slides[body.joint.kind]], axis=1) for body, at, r in places]

    def _joint_rates(self, x: Array) -> tuple[list[Array], list[Array]]:
        """Angular and linear sizes of every joint's own velocity or acceleration."""
        angular = {"revolute": 1, "prismatic": 0, "free": 3}
        parts = [
            (x[:, at][:, : angular[body.joint.kind]], x[:, at][:, angular[body.joint.kind] :])
            for body, at in zip(self.mechanism.bodies, self.mechanism.v_slices, strict=True)
        ]
        return [np.linalg.norm(w, axis=1) for w, _ in parts], [np.linalg.norm(u, axis=1) for _, u in parts]

    def _velocities(self, q: Array, v: Array) -> tuple[list[Array], list[Array]]:
        W: list[Array] = []
        V: list[Array] = []
        for λ, r, w, u in zip(self.mechanism.parents, self._steps(q), *self._joint_rates(v), strict=True):
            W.append(w if λ < 0 else W[λ] + w)
            V.append(u if λ < 0 else V[λ] + W[λ] * r + u)
        return W, V

    def _accelerations(self, q: Array, v: Array, a: Array, W: list[Array]) -> tuple[list[Array], list[Array]]:
        w, u = self._joint_rates(v)
        dw, du = self._joint_rates(a)
        A: list[Array] = []
        linear: list[Array] = []
        for i, (λ, r) in enumerate(zip(self.mechanism.parents, self._steps(q), strict=True)):
            own = 2 * W[i] * u[i] + du[i]
            A.append(dw[i] if λ < 0 else A[λ] + dw[i] + W[λ] * w[i])
            linear.append(self.g + own if λ < 0 else linear[λ] + (A[λ] + W[λ] ** 2) * r + own)
        return A, linear

    def _carried_by(self, j: int) -> list[int]:
        found = {j}
        for i, λ in enumerate(self.mechanism.parents):
            if λ in found:
                found.add(i)
        return sorted(found)


def _alike(kind: str, angular: Array, linear: Array) -> list[Array]:
    """One entry for every coordinate of the joint."""
    return {"revolute": [angular], "prismatic": [linear], "free": [angular] * 3 + [linear] * 3}[kind]


def _sum(arrays: Iterable[Array]) -> Array:
    return np.sum(list(arrays), axis=0)


def _length(vector: Any) -> float:
    return math.hypot(*map(float, vector))
