"""How far, how fast and how heavy a mechanism's bodies are, as lengths: what sizes are made of.

Nothing here has a direction: every vector is represented by its length, every rotation by one, every sum adds. R, W, V, A
and a are a body's distance from the root, its angular and linear velocity and acceleration:

    R_i = R_λ + r                                           r = |placement| + |sliding|
    W_i = W_λ + w           V_i = V_λ + W_λ r + u           w, u: the joint's own velocities
    A_i = A_λ + ẇ + W_λ w (+ w² where a joint has several angles)
    a_i = a_λ + (A_λ + W_λ²) r + 2 W_i u + u̇,      a_0 = |g|

and F and N the force on a body and its moment about the root's origin, m, c and I its mass, the distance of its centre of
mass and its inertia about that:

    F_i = m (a_i + (A_i + W_i²) (c + R_i) + W_i V_i)
    N_i = tr I (A_i + W_i²) + (c + R_i) F_i + m (V_i + W_i (c + R_i))²

The last term is v × m v, a part of v ×* I v that spatial algorithms sum although it cancels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from mechanisms import Joint, Mechanism

Array = np.ndarray[Any, Any]


class Lengths:
    """Those of one mechanism: lists with an entry for every body, numbers or (batch,)."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.g = _length(mechanism.gravity)
        self.beyond = [self._carried_by(j) for j in range(len(mechanism.bodies))]
        """The bodies that every joint carries."""
        self.screws = [_screws(body.joint) for body in mechanism.bodies]
        """For every component of every joint's velocity, how much it turns and how much it advances."""
        self.turnings: list[float] = []
        """How many rotations, one after the other, lead from the root to every body, one at least: each is rounded."""
        for λ, screws in zip(mechanism.parents, self.screws, strict=True):
            self.turnings.append(max(1, sum(turns for turns, _ in screws) + (self.turnings[λ] if λ >= 0 else 0)))
        joints, inertias = [b.joint for b in mechanism.bodies], [b.inertia for b in mechanism.bodies]
        self.r = [_length(joint.placement.translation) for joint in joints]
        self.m = [abs(float(inertia.mass)) for inertia in inertias]
        self.c = [_length(inertia.com) for inertia in inertias]
        self.I = [sum(abs(float(x)) for x in inertia.about_com[:3]) for inertia in inertias]

    def distances(self, q: Array) -> list[Array]:
        """R."""
        R: list[Array] = []
        for λ, step in zip(self.mechanism.parents, self._steps(q), strict=True):
            R.append(step if λ < 0 else R[λ] + step)
        return R

    def velocities(self, q: Array, v: Array) -> tuple[list[Array], list[Array]]:
        """W and V."""
        W: list[Array] = []
        V: list[Array] = []
        for λ, r, w, u in zip(self.mechanism.parents, self._steps(q), *self._joint_rates(v), strict=True):
            W.append(w if λ < 0 else W[λ] + w)
            V.append(u if λ < 0 else V[λ] + W[λ] * r + u)
        return W, V

    def accelerations(self, q: Array, v: Array, a: Array, g: float) -> tuple[list[Array], list[Array]]:
        """A and a, the root's own acceleration being ``g``."""
        W, _ = self.velocities(q, v)
        w, u = self._joint_rates(v)
        dw, du = self._joint_rises(a)
        A: list[Array] = []
        linear: list[Array] = []
        for i, (λ, r, body) in enumerate(zip(self.mechanism.parents, self._steps(q), self.mechanism.bodies, strict=True)):
            own = 2 * W[i] * u[i] + du[i]
            turning = dw[i] + w[i] ** 2 if body.joint.compound else dw[i]
            A.append(turning if λ < 0 else A[λ] + turning + W[λ] * w[i])
            linear.append(g + own if λ < 0 else linear[λ] + (A[λ] + W[λ] ** 2) * r + own)
        return A, linear

    def forces(self, q: Array, v: Array, a: Array) -> tuple[list[Array], list[Array]]:
        """F and N."""
        R, (W, V) = self.distances(q), self.velocities(q, v)
        A, linear = self.accelerations(q, v, a, self.g)
        F: list[Array] = []
        N: list[Array] = []
        for i, (m, c, I) in enumerate(zip(self.m, self.c, self.I, strict=True)):
            F.append(m * (linear[i] + (A[i] + W[i] ** 2) * (c + R[i]) + W[i] * V[i]))
            N.append(I * (A[i] + W[i] ** 2) + (c + R[i]) * F[i] + m * (V[i] + W[i] * (c + R[i])) ** 2)
        return F, N

    def _steps(self, q: Array) -> list[Array]:
        places = zip(self.mechanism.bodies, self.mechanism.q_slices, self.r, strict=True)
        return [r + _slid(body.joint, q[:, at]) for body, at, r in places]

    def _joint_rates(self, v: Array) -> tuple[list[Array], list[Array]]:
        """Angular and linear sizes of every joint's own velocity."""
        return self._joint_motions(v)

    def _joint_rises(self, a: Array) -> tuple[list[Array], list[Array]]:
        """Angular and linear sizes of every joint's own acceleration."""
        return self._joint_motions(a)

    def _joint_motions(self, x: Array) -> tuple[list[Array], list[Array]]:
        parts = list(zip(self.mechanism.bodies, self.mechanism.v_slices, self.screws, strict=True))
        turns = [_total(body.joint, x[:, at], [turns for turns, _ in screws]) for body, at, screws in parts]
        slides = [_total(body.joint, x[:, at], [advance for _, advance in screws]) for body, at, screws in parts]
        return turns, slides

    def _carried_by(self, j: int) -> list[int]:
        found = {j}
        for i, λ in enumerate(self.mechanism.parents):
            if λ in found:
                found.add(i)
        return sorted(found)


def _screws(joint: Joint) -> list[tuple[float, float]]:
    """For every component of the joint's velocity, how much it turns and how much it advances."""
    return [(float(screw.turns), abs(float(screw.advance))) for screw in joint.screws]


def _total(joint: Joint, x: Array, weights: list[float]) -> Array:
    """The length of what the components of x (batch, nv) add up to: directions known to be at right angles, or not."""
    weighted = np.abs(x) * weights
    return np.linalg.norm(weighted, axis=1) if joint.velocity_is_body_twist else weighted.sum(axis=1)


def _slid(joint: Joint, q: Array) -> Array:
    """How far the joint has moved the body's origin."""
    if joint.velocity_is_body_twist:
        return np.linalg.norm(q[:, : joint.description.distances], axis=1)
    screws = _screws(joint)
    slots = [slot for slot in joint.slots if slot.form != "circle"]
    return _total(joint, q[:, [slot.q.start for slot in slots]], [screws[slot.v.start][1] for slot in slots])


def summed(arrays: Iterable[Array]) -> Array:
    return np.sum(list(arrays), axis=0)


def _length(vector: Any) -> float:
    return math.hypot(*map(float, vector))
