"""Bounds on the magnitudes of motions and forces: the Newton–Euler recursion with norms instead of vectors.

Every vector is replaced by its norm, every rotation by 1, every difference by a sum. docs/notes/error-scale.md derives the
equations and numbers them. λ is the parent of body i. R, W, V, A and a bound the body's distance from where its tree stands, its
angular and linear velocity, and its angular and linear acceleration. w and u are the joint's own angular and linear velocity:

    R_i = R_λ + r                                   r = |placement| + |displacement of the joint|    eqs. 2, 3
                                                    without the placement where nothing before it turns
    W_i = W_λ + w,        V_i = V_λ + W_λ r + u                                                  eqs. 4, 5
    A_i = A_λ + ẇ + W_λ w (+ w² if the joint has several angles)                                 eq. 6
    a_i = a_λ + (A_λ + W_λ²) r + 2 W_i u + u̇                                                     eq. 7

F and N bound the force on a body and its moment about where its tree stands. m is the mass, c the distance of the centre of mass
from the body's origin, I the inertia about the centre of mass; mass and inertia count G times (eq. 31):

    F_i = m (a_i + (A_i + W_i²) (c + R_i) + W_i V_i)                                             eq. 8
    N_i = tr I (A_i + W_i²) + (c + R_i) F_i + m (V_i + W_i (c + R_i))²                           eq. 9
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from cross_check.error_scale.standing import From, is_carried, standing
from mechanisms import Joint, Mechanism

Array = np.ndarray[Any, Any]

ROTATIONS = 8.0
"""The bar allows for the rounding of so many rotations on a path; longer paths have larger sizes."""


class MotionMagnitudes:
    """The bounds of one mechanism. Lists have one entry per body: a number, or an array (batch,) or (1,). SI units.

    ``lever`` (m) is added to all distances that are not measured from the world's origin anyway.
    """

    def __init__(self, mechanism: Mechanism, lever: float = 0.0) -> None:
        self.mechanism, self.lever = mechanism, lever
        self.g = norm(mechanism.gravity)
        """|g| (m/s²)."""
        self.subtrees = [self._subtree(j) for j in range(len(mechanism.bodies))]
        """The bodies that every joint moves."""
        self.screws = [_screws(body.joint) for body in mechanism.bodies]
        """For every component of every joint's velocity: (t, d), the angular and the linear velocity per unit."""
        self.coordinates = [
            (k, joint, turns, advance)
            for joint, own in enumerate(mechanism.v_slices)
            for k, (turns, advance) in enumerate(self.screws[joint], own.start)
        ]
        """Of every component of v: its place, the index of its joint, t and d."""
        joints, inertias = [b.joint for b in mechanism.bodies], [b.inertia for b in mechanism.bodies]
        self.masses = [abs(float(inertia.mass)) for inertia in inertias]
        """Mass."""
        self.c = [norm(inertia.com) for inertia in inertias]
        """Distance of the centre of mass from the body's origin."""
        self._traces = [sum(abs(float(x)) for x in inertia.about_com[:3]) for inertia in inertias]
        self._turn([np.zeros(1)] * len(joints))
        carried = is_carried(mechanism)
        self._placements = [0.0 if c else norm(joint.placement.translation) for c, joint in zip(carried, joints, strict=True)]
        self.standing = [lever + E for E in standing(mechanism, "tree")]
        """What is added to R of every body (eq. 65)."""

    def at(self, q: Array) -> Self:
        """The bounds at positions (batch, nq) of angles, of which those beyond half a turn are rounded in proportion (eq. 36)."""
        joints = zip(self.mechanism.bodies, self.mechanism.q_slices, strict=True)
        beyond = [beyond_half_a_turn(body.joint, q[:, own]) for body, own in joints]
        return self.turned(beyond) if any(angle.any() for angle in beyond) else self

    def turned(self, angles: Sequence[Array]) -> Self:
        """The bounds where every joint, body by body, turns by so many radians (batch,) that are rounded."""
        other = copy(self)
        other._turn(angles)
        return other

    def _turn(self, angles: Sequence[Array]) -> None:
        self.rotations: list[Array] = []
        """D: the number of rotations on the path from the root to every body, at least one at every joint. Each is rounded.
        An angle of many radians counts as so many (eq. 36)."""
        for λ, screws, angle in zip(self.mechanism.parents, self.screws, angles, strict=True):
            self.rotations.append(max(1.0, sum(turns for turns, _ in screws)) + angle + (self.rotations[λ] if λ >= 0 else 0))
        self.growth = [np.maximum(1.0, D / ROTATIONS) for D in self.rotations]
        """G: by how much more than on a short path what is carried to a body, or from it, is rounded (eq. 31)."""
        self.m = [G * mass for G, mass in zip(self.growth, self.masses, strict=True)]
        """G m: the forces on a far body are rounded more often."""
        self.I = [G * trace for G, trace in zip(self.growth, self._traces, strict=True)]
        """G tr I, about the centre of mass."""

    def measured_from(self, origin: From) -> Self:
        """The same bounds, with distances from another origin."""
        other = copy(self)
        other.standing = [E if origin == "world" else self.lever + E for E in standing(self.mechanism, origin)]
        return other

    def of_tree(self) -> Self:
        """The same kind of bounds of the mechanism whose mimic joints move on their own."""
        return type(self)(self.mechanism.independent, self.lever)

    def distances(self, q: Array) -> list[Array]:
        """R (eqs. 3, 65)."""
        R: list[Array] = []
        for λ, r in zip(self.mechanism.parents, self._offsets(q), strict=True):
            R.append(r if λ < 0 else R[λ] + r)
        return [r + added for r, added in zip(R, self.standing, strict=True)]

    def velocities(self, q: Array, v: Array) -> tuple[list[Array], list[Array]]:
        """W and V (eqs. 4, 5)."""
        W: list[Array] = []
        V: list[Array] = []
        for λ, r, w, u in zip(self.mechanism.parents, self._offsets(q), *self._joint_velocities(v), strict=True):
            W.append(w if λ < 0 else W[λ] + w)
            V.append(u if λ < 0 else V[λ] + W[λ] * r + u)
        return W, V

    def accelerations(self, q: Array, v: Array, a: Array, g: float) -> tuple[list[Array], list[Array]]:
        """A and a (eqs. 6, 7). ``g`` is a of the root: |g| for forces, zero for kinematics."""
        W, _ = self.velocities(q, v)
        w, u = self._joint_velocities(v)
        dw, du = self._joint_accelerations(a)
        A: list[Array] = []
        linear: list[Array] = []
        for i, (λ, r, body) in enumerate(zip(self.mechanism.parents, self._offsets(q), self.mechanism.bodies, strict=True)):
            own_linear = 2 * W[i] * u[i] + du[i]
            own_angular = dw[i] + w[i] ** 2 if body.joint.compound else dw[i]
            A.append(own_angular if λ < 0 else A[λ] + own_angular + W[λ] * w[i])
            linear.append(g + own_linear if λ < 0 else linear[λ] + (A[λ] + W[λ] ** 2) * r + own_linear)
        return A, linear

    def forces(self, q: Array, v: Array, a: Array) -> tuple[list[Array], list[Array]]:
        """F and N (eqs. 8, 9)."""
        R, (W, V) = self.distances(q), self.velocities(q, v)
        A, linear = self.accelerations(q, v, a, self.g)
        F: list[Array] = []
        N: list[Array] = []
        for i, (m, c, I) in enumerate(zip(self.m, self.c, self.I, strict=True)):
            F.append(m * (linear[i] + (A[i] + W[i] ** 2) * (c + R[i]) + W[i] * V[i]))
            N.append(I * (A[i] + W[i] ** 2) + (c + R[i]) * F[i] + m * (V[i] + W[i] * (c + R[i])) ** 2)
        return F, N

    def _offsets(self, q: Array) -> list[Array]:
        """r of every body (eq. 2)."""
        joints = zip(self.mechanism.bodies, self.mechanism.q_slices, self._placements, strict=True)
        return [placement + _displacement(body.joint, q[:, own]) for body, own, placement in joints]

    def _joint_velocities(self, v: Array) -> tuple[list[Array], list[Array]]:
        """w and u of every joint."""
        return self._joint_motions(v)

    def _joint_accelerations(self, a: Array) -> tuple[list[Array], list[Array]]:
        """ẇ and u̇ of every joint."""
        return self._joint_motions(a)

    def _joint_motions(self, x: Array) -> tuple[list[Array], list[Array]]:
        """The angular and the linear part of x = v or a (batch, nv), joint by joint."""
        joints = list(zip(self.mechanism.bodies, self.mechanism.v_slices, self.screws, strict=True))
        angular = [_weighted_norm(body.joint, x[:, own], [turns for turns, _ in screws]) for body, own, screws in joints]
        linear = [_weighted_norm(body.joint, x[:, own], [advance for _, advance in screws]) for body, own, screws in joints]
        return angular, linear

    def _subtree(self, j: int) -> list[int]:
        """The body of joint j and all bodies outboard of it. Parents come before their children."""
        bodies = {j}
        for i, λ in enumerate(self.mechanism.parents):
            if λ in bodies:
                bodies.add(i)
        return sorted(bodies)


def _screws(joint: Joint) -> list[tuple[float, float]]:
    """(t, d) for every component of the joint's velocity: the angular and the linear velocity per unit."""
    return [(float(screw.turns), abs(float(screw.advance))) for screw in joint.screws]


def _weighted_norm(joint: Joint, x: Array, weights: list[float]) -> Array:
    """A bound on the norm of Σ weight · x · direction, for x (batch, nv) of the joint.

    It is the norm itself for the components of a body's own twist, which are orthogonal, and a sum for all others.
    """
    weighted = np.abs(x) * weights
    return np.linalg.norm(weighted, axis=1) if joint.velocity_is_body_twist else weighted.sum(axis=1)


def _displacement(joint: Joint, q: Array) -> Array:
    """The distance by which the joint has moved the body's origin."""
    if joint.velocity_is_body_twist:
        return np.linalg.norm(q[:, : joint.description.distances], axis=1)
    screws = _screws(joint)
    slots = [slot for slot in joint.slots if slot.form != "circle"]
    return _weighted_norm(joint, q[:, [slot.q.start for slot in slots]], [screws[slot.v.start][1] for slot in slots])


def beyond_half_a_turn(joint: Joint, q: Array) -> Array:
    """By how much (batch,) the joint's angles are beyond ±π, rad."""
    angles = np.abs(q[:, [slot.q.start for slot in joint.slots if slot.form == "angle"]])
    return np.maximum(angles - np.pi, 0).sum(axis=1)


def summed(arrays: Iterable[Array]) -> Array:
    """The elementwise sum."""
    return np.sum(list(arrays), axis=0)


def norm(vector: Any) -> float:
    """Euclid's norm of exact numbers, as a float64."""
    return math.hypot(*map(float, vector))
