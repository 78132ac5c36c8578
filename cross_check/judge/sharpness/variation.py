"""The numbers of a mechanism, one unit of the size of each: errors of inertias, of placements and of axes.

They are the numbers of a file: a mass, a centre of mass and an inertia about it. Correct code may keep them in any frame and
about any point of the body, and rounds them there. So the size of a vector or of a matrix is that of the whole, not of one
entry: m for a mass m, √(tr I / m) for a centre of mass, and tr I for an entry of the inertia, where I is about the body's
origin; one radian for a turn of a joint's frame or of its axis, and for a displacement of the joint its distance from its
parent's origin, or the mechanism's own length if that is larger; |g| for gravity. In fixed point, where small numbers are rounded
by as much as one, no size is below one.

An error of a placement is a motion ξ of everything outboard of it. An axis turns by a turn before its joint and the opposite turn
after it. The ten numbers of a body's inertia are ten inertias δI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cross_check.judge.sharpness.motion import Motion, crm, skew, times
from cross_check.memory import Array
from mechanisms import Mechanism

AXES = "xyz"

MASS = "the mass of "
"""How the name of a body's mass begins, which is the first of its ten numbers."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of the numbers of a mechanism, float64: all (bodies,) but that of gravity."""

    mass: Array
    """m (kg)."""
    center: Array
    """√(tr I / m) (m); zero without mass."""
    inertia: Array
    """tr I about the body's origin (kg m²)."""
    place: Array
    """m."""
    gravity: float
    """m/s²."""

    @staticmethod
    def of(mechanism: Mechanism) -> Sizes:
        data = mechanism.arrays
        m, c = np.abs(data.masses), np.linalg.norm(data.coms, axis=1)
        inertia = np.abs(np.trace(data.inertias, axis1=1, axis2=2)) + 2 * m * c**2
        own = np.linalg.norm(data.translations, axis=1)
        carried = own[[λ >= 0 for λ in data.parents]]
        length = max(carried.max(initial=0.0), c.max(initial=0.0))
        gravity = float(np.linalg.norm(data.gravity))
        center = np.sqrt(np.divide(inertia, m, out=np.zeros_like(m), where=m > 0))
        least = mechanism.precision.whole
        m, center, inertia, place = (np.maximum(x, least) for x in (m, center, inertia, np.maximum(own, length)))
        return Sizes(m, center, inertia, place, max(gravity, least))


def inertial(body: str) -> list[str]:
    """The names of the ten numbers of a body's inertia: mass, centre of mass, and the inertia about it."""
    centers = [f"the centre of mass of {body} along {axis}" for axis in AXES]
    entries = [f"the inertia I{entry} of {body}" for entry in ("xx", "yy", "zz", "xy", "xz", "yz")]
    return [f"{MASS}{body}", *centers, *entries]


def geometric(joint: str) -> list[str]:
    """The names of the six numbers of a joint's placement: its turn and its displacement."""
    return [*(f"the orientation of {joint} about {a}" for a in AXES), *(f"the origin of {joint} along {a}" for a in AXES)]


class Columns(NamedTuple):
    """The changes (batch, …, numbers) that one unit of the size of each number makes."""

    names: tuple[str, ...]
    values: Array


class Placed(NamedTuple):
    """An error of a placement: motions ξ (batch, 6, numbers) of what is outboard of ``body``, with the motion of their carrier.

    Equation (2) holds for the coordinates ``carried``, and (1) for those that carry it.
    """

    body: int
    ξ: Array
    V: Array
    A: Array
    carried: list[int]

    @property
    def y(self) -> Array:
        return crm(self.V) @ self.ξ

    @property
    def z(self) -> Array:
        return crm(self.A) @ self.ξ + crm(self.V) @ self.y


class Inertias:
    """The ten numbers of a body's inertia as changes δI, one unit of the size of each."""

    def __init__(self, motion: Motion, sizes: Sizes, b: int) -> None:
        self.R, self.p = motion.R[:, b], motion.p[:, b]
        data = motion.mechanism.arrays
        self.numbers = _numbers(data.masses[b], data.coms[b]) * np.array(
            [sizes.mass[b], *[sizes.center[b]] * 3, *[sizes.inertia[b]] * 6]
        )

    def __call__(self, x: Array) -> Array:
        """δI x (batch, 6, 10) of motions x (batch, 6)."""
        to_body = self.R.swapaxes(1, 2)
        w, v = times(to_body, x[:, :3]), times(to_body, x[:, 3:] - times(skew(self.p), x[:, :3]))
        n, l = np.zeros((2, len(x), 3, 10))
        l[..., 0] = v
        # Of m c along eₖ: the moment eₖ × v and the momentum ω × eₖ.
        n[..., 1:4], l[..., 1:4] = -skew(v), skew(w)
        for k, (i, j) in enumerate(ENTRIES, 4):
            n[:, i, k] = w[:, j]
            n[:, j, k] = w[:, i]
        n, l = self.R @ n, self.R @ l
        return np.concatenate((n + skew(self.p) @ l, l), axis=1) @ self.numbers

    @property
    def moments(self) -> tuple[Array, Array]:
        """The changes of m (batch, 10) and of m c, from the point (batch, 3, 10)."""
        δm, δmc = np.zeros((len(self.p), 10)), np.zeros((len(self.p), 3, 10))
        δm[:, 0], δmc[..., 0], δmc[..., 1:4] = 1, self.p, self.R
        return δm @ self.numbers, δmc @ self.numbers


ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Rows and columns of Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""


def _numbers(m: float, c: Array) -> Array:
    """The changes (10, 10) of m, m c and the inertia about the body's origin with m, c and the inertia about c.

    The inertia about the origin is that about c, and m (|c|² 1 − c cᵀ).
    """
    changes = np.eye(10)
    changes[1:4, 0], changes[1:4, 1:4] = c, m * np.eye(3)
    for row, (i, j) in enumerate(ENTRIES, 4):
        changes[row, 0] = c @ c * (i == j) - c[i] * c[j]
        for k in range(3):
            changes[row, 1 + k] = m * (2 * c[k] * (i == j) - (i == k) * c[j] - c[i] * (j == k))
    return changes


def columns_of(
    motion: Motion, placed: Callable[[Placed], Array], inertias: Callable[[int, Inertias], Array], sizes: Sizes | None = None
) -> Iterator[Columns]:
    """The columns of the inertia and of the joint of every body."""
    mechanism, sizes = motion.mechanism, sizes or Sizes.of(motion.mechanism)
    data, length = mechanism.arrays, len(motion.v)
    carried: list[list[int]] = [[] for _ in mechanism.bodies]
    for b in range(len(mechanism.bodies)):
        for c in path(mechanism, b):
            carried[c] += coordinates(mechanism, b)
    for b, body in enumerate(mechanism.bodies):
        yield Columns(tuple(inertial(body.name)), inertias(b, Inertias(motion, sizes, b)))
        λ, joint = mechanism.parents[b], body.joint
        R, p = (motion.R[:, λ], motion.p[:, λ]) if λ >= 0 else (np.broadcast_to(np.eye(3), (length, 3, 3)), motion.root)
        V, A = (motion.V[:, λ], motion.A[:, λ]) if λ >= 0 else (np.zeros((length, 6)), motion.fall)
        frame, origin = R @ data.rotations[b], p + R @ data.translations[b]
        shift = np.concatenate((np.zeros((length, 3, 3)), sizes.place[b] * frame), axis=1)
        before = Placed(b, np.concatenate((_turn(frame, origin), shift), axis=2), V, A, carried[b])
        yield Columns(tuple(geometric(joint.name)), placed(before))
        if joint.nv == 1:
            across = np.linalg.svd(data.axes[[b]])[2][1:].T
            after = [j for j in carried[b] if j not in coordinates(mechanism, b)]
            turned = before._replace(ξ=_turn(frame @ across, origin))
            back = Placed(b, _turn(motion.R[:, b] @ across, motion.p[:, b]), motion.V[:, b], motion.A[:, b], after)
            yield Columns((f"the axis of {joint.name}",) * 2, placed(turned) - placed(back))


def _turn(axes: Array, origin: Array) -> Array:
    """The turns (batch, 6, k) about axes (batch, 3, k) through a point (batch, 3)."""
    return np.concatenate((axes, skew(origin) @ axes), axis=1)


def path(mechanism: Mechanism, b: int) -> list[int]:
    """The body and all that carry it."""
    path = []
    while b >= 0:
        path.append(b)
        b = mechanism.parents[b]
    return path


def coordinates(mechanism: Mechanism, b: int) -> range:
    slot = mechanism.v_slices[b]
    return range(slot.start, slot.stop)
