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

Gravity compensation of a mass m' at the distance c' from the body's origin adds m' |g| to F_i, and (c' + R_i) m' |g| to N_i.
Bounds are arrays (…, bodies, batch), where the batch may be 1. Derivatives of bounds are computed by complex steps (eq. 27).
"""

from __future__ import annotations

from copy import copy
from typing import Any, Literal, Self

import numpy as np

from cross_check.judge.error_scale.at_least_one import at_least_one
from cross_check.judge.error_scale.standing import From, is_carried, norm, standing
from mechanisms import Joint, Mechanism

Array = np.ndarray[Any, Any]

ROTATIONS = 8.0
"""The bar allows for the rounding of so many rotations on a path; longer paths have larger sizes."""

STEP = 2.0**-400
"""η of the complex steps. Its square vanishes beside every size."""


class MotionMagnitudes:
    """The bounds of one mechanism, in SI units.

    ``lever`` (m) is added to all distances that are not measured from the world's origin anyway.
    """

    def __init__(self, mechanism: Mechanism, lever: float = 0.0) -> None:
        self._given = mechanism
        self.mass = sum(abs(float(body.inertia.mass)) for body in mechanism.bodies)
        """By which a sum over the bodies is divided."""
        if mechanism.precision.is_fixed:
            mechanism = at_least_one(mechanism)
        bodies = mechanism.bodies
        self.mechanism, self.lever = mechanism, lever
        self.g = norm(mechanism.gravity)
        """|g| (m/s²)."""
        screws = [(joint, screw) for joint, body in enumerate(bodies) for screw in body.joint.screws]
        self.joint = np.array([joint for joint, _ in screws], dtype=int)
        """The joint of every component of v (nv,)."""
        self.t = _column(float(screw.turns) for _, screw in screws)
        """The angular velocity per unit of every component of v (nv, 1)."""
        self.d = _column(abs(float(screw.advance)) for _, screw in screws)
        """The linear one (nv, 1)."""
        self.moves = self._moves()[self.joint, :, None]
        """Whether a component of v moves a body (nv, bodies, 1)."""
        self.masses = _column(abs(float(body.inertia.mass)) for body in bodies)
        self.c = _column(norm(body.inertia.com) for body in bodies)
        """Distance of the centre of mass from the body's origin."""
        self.lifted = _column(abs(float(body.lifted.mass)) for body in bodies)
        self.lifted_c = _column(norm(body.lifted.com) for body in bodies)
        """The masses that gravity compensation lifts, and the distances of their centres from the bodies' origins."""
        self._traces = _column(sum(abs(float(x)) for x in body.inertia.about_com[:3]) for body in bodies)
        self._compound = _column(body.joint.compound for body in bodies)
        self._turn(np.zeros((len(bodies), 1)))
        placed = zip(is_carried(mechanism), bodies, strict=True)
        self._placements = [0.0 if carried else norm(body.joint.placement.translation) for carried, body in placed]
        self._steps = np.zeros((3, 1, 1))
        self.standing = lever + _column(standing(mechanism, "tree"))
        """What is added to R of every body (eq. 65)."""

    def at(self, q: Array) -> Self:
        """The bounds at positions (batch, nq) of angles, of which those beyond half a turn are rounded in proportion (eq. 36)."""
        joints = zip(self.mechanism.bodies, self.mechanism.q_slices, strict=True)
        beyond = np.array([beyond_half_a_turn(body.joint, q[:, own]) for body, own in joints])
        return self.turned(beyond) if beyond.any() else self

    def turned(self, angles: Array) -> Self:
        """The bounds where every joint turns by so many radians (bodies, batch) that are rounded."""
        other = copy(self)
        other._turn(angles)
        return other

    def _turn(self, angles: Array) -> None:
        own = np.zeros((len(angles), 1))
        np.add.at(own, self.joint, self.t)
        self.rotations = self.outward(np.maximum(1.0, own) + angles)
        """D: the number of rotations on the path from the root to every body, at least one at every joint. Each is rounded.
        An angle of many radians counts as so many (eq. 36)."""
        self.growth = growth(self.rotations)
        """G: by how much more than on a short path what is carried to a body, or from it, is rounded (eq. 31)."""
        self.m = self.growth * self.masses
        """G m: the forces on a far body are rounded more often."""
        self.I = self.growth * self._traces
        """G tr I, about the centre of mass."""

    def measured_from(self, origin: From) -> Self:
        """The same bounds, with distances from another origin."""
        other = copy(self)
        other.standing = (0.0 if origin == "world" else self.lever) + _column(standing(self.mechanism, origin))
        return other

    def of_tree(self) -> Self:
        """The same kind of bounds of the mechanism whose mimic joints move on their own."""
        return type(self)(self._given.independent, self.lever)

    def weightless(self) -> Self:
        """The same bounds without gravity."""
        other = copy(self)
        other.g = 0.0
        return other

    def stepped(self, by: Literal["q", "v"]) -> Self:
        """Bounds (nv, bodies, batch) with derivatives: the real part is the bound, the imaginary part of row k is η ∂ or η ∂'.

        ∂ is the derivative when the distance r of joint k from its parent grows by d_k, ∂' that when the velocities w and u of
        joint k grow by t_k and d_k.
        """
        other, n = copy(self), len(self.joint)
        other._steps = np.zeros((3, n, len(self.mechanism.bodies), 1), complex)
        for kind, size in ((0, self.d),) if by == "q" else ((1, self.t), (2, self.d)):
            other._steps[kind, np.arange(n), self.joint] = 1j * STEP * size
        return other

    def distances(self, q: Array) -> Array:
        """R (eqs. 3, 65)."""
        return self.outward(self._offsets(q)) + self.standing

    def velocities(self, q: Array, v: Array) -> tuple[Array, Array]:
        """W and V (eqs. 4, 5)."""
        w, u = self._joint_velocities(v)
        W = self.outward(w)
        return W, self.outward(self._of_parents(W) * self._offsets(q) + u)

    def accelerations(self, q: Array, v: Array, a: Array, g: float) -> tuple[Array, Array]:
        """A and a (eqs. 6, 7). ``g`` is a of the root: |g| for forces, zero for kinematics."""
        (w, u), (dw, du), r = self._joint_velocities(v), self._joint_motions(a), self._offsets(q)
        W = self.outward(w)
        W_λ = self._of_parents(W)
        A = self.outward(dw + self._compound * w**2 + W_λ * w)
        return A, g + self.outward((self._of_parents(A) + W_λ**2) * r + 2 * W * u + du)

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """F and N (eqs. 8, 9)."""
        lever, (W, V) = self.c + self.distances(q), self.velocities(q, v)
        A, linear = self.accelerations(q, v, a, self.g)
        F = self.m * (linear + (A + W**2) * lever + W * V)
        N = self.I * (A + W**2) + lever * F + self.m * (V + W * lever) ** 2
        lift = self.growth * self.lifted * self.g
        return F + lift, N + (lever - self.c + self.lifted_c) * lift

    def outward(self, x: Array) -> Array:
        """Sums (…, bodies, batch) over every body and all that carry it."""
        total = x.copy()
        for i, λ in enumerate(self.mechanism.parents):
            if λ >= 0:
                total[..., i, :] += total[..., λ, :]
        return total

    def outboard(self, x: Array) -> Array:
        """Sums (…, bodies, batch) over every body and all bodies outboard of it."""
        total = x.copy()
        for i in reversed(range(len(self.mechanism.parents))):
            if (λ := self.mechanism.parents[i]) >= 0:
                total[..., λ, :] += total[..., i, :]
        return total

    def _of_parents(self, x: Array) -> Array:
        """x of the parent of every body, zero for the root."""
        return np.concatenate((x, np.zeros_like(x[..., :1, :])), axis=-2)[..., list(self.mechanism.parents), :]

    def _offsets(self, q: Array) -> Array:
        """r of every body (eq. 2)."""
        joints = zip(self.mechanism.bodies, self.mechanism.q_slices, self._placements, strict=True)
        return np.array([placement + _displacement(body.joint, q[:, own]) for body, own, placement in joints]) + self._steps[0]

    def _joint_velocities(self, v: Array) -> tuple[Array, Array]:
        """w and u of every joint."""
        w, u = self._joint_motions(v)
        return w + self._steps[1], u + self._steps[2]

    def _joint_motions(self, x: Array) -> tuple[Array, Array]:
        """The angular and the linear part of x = v or a (batch, nv), joint by joint."""
        joints = list(zip(self.mechanism.bodies, self.mechanism.v_slices, strict=True))
        angular, linear = (
            np.array([_weighted_norm(body.joint, x[:, own], weights[own, 0]) for body, own in joints])
            for weights in (self.t, self.d)
        )
        return angular, linear

    def _moves(self) -> Array:
        """Whether every joint moves every body (joints, bodies). Parents come before their children."""
        moves = np.eye(len(self.mechanism.bodies), dtype=bool)
        for i, λ in enumerate(self.mechanism.parents):
            if λ >= 0:
                moves[:, i] |= moves[:, λ]
        return moves


def growth(rotations: Array) -> Array:
    """G of what has so many rotations on its path (eq. 31)."""
    return np.maximum(1.0, rotations / ROTATIONS)


def _column(numbers: Any) -> Array:
    return np.array(list(numbers), dtype=float)[:, None]


def _weighted_norm(joint: Joint, x: Array, weights: Array) -> Array:
    """A bound on the norm of Σ weight · x · direction, for x (batch, nv) of the joint.

    It is the norm itself for the components of a body's own twist, which are orthogonal, and a sum for all others.
    """
    weighted = np.abs(x) * weights
    return np.linalg.norm(weighted, axis=1) if joint.velocity_is_body_twist else weighted.sum(axis=1)


def _displacement(joint: Joint, q: Array) -> Array:
    """The distance by which the joint has moved the body's origin."""
    if joint.velocity_is_body_twist:
        return np.linalg.norm(q[:, : joint.description.distances], axis=1)
    slots = [slot for slot in joint.slots if slot.form != "circle"]
    advances = np.array([abs(float(joint.screws[slot.v.start].advance)) for slot in slots])
    return _weighted_norm(joint, q[:, [slot.q.start for slot in slots]], advances)


def beyond_half_a_turn(joint: Joint, q: Array) -> Array:
    """By how much (batch,) the joint's angles are beyond ±π, rad."""
    angles = np.abs(q[:, [slot.q.start for slot in joint.slots if slot.form == "angle"]])
    return np.maximum(angles - np.pi, 0).sum(axis=1)
