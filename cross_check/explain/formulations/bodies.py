"""What a formulation computes with: a mechanism at some states, as columns (batch, 3, 1) and matrices (batch, 3, 3).

Constants of the mechanism have a batch of one. The formulations share joints with the reference, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partialmethod
from typing import Any, ClassVar

import numpy as np

from implementations.field import Tensor
from implementations.protocol import Unsupported
from implementations.spatial_algebra.jcalc import jcalc, velocity_product
from implementations.spatial_algebra.model import Link, Model

NEXT, AFTER_NEXT = np.array([1, 2, 0]), np.array([2, 0, 1])

EYE = np.eye(3)


def cross(x: Tensor, y: Tensor) -> Tensor:
    """x × y of columns (batch, 3, 1), or of the columns of matrices (batch, 3, n)."""
    return x.take(NEXT, -2) * y.take(AFTER_NEXT, -2) - x.take(AFTER_NEXT, -2) * y.take(NEXT, -2)


def trace(A: Tensor) -> Tensor:
    """The traces of matrices (batch, n, 4, 4), as columns (batch, n, 1, 1)."""
    return np.trace(A, axis1=-2, axis2=-1)[..., None, None]


def contract(P: Sequence[Tensor], v: Tensor, axis: int = 0) -> Tensor:
    """Σ P_ijk v along the first axis (axis 0), or the last (axis 2), of n matrices (batch, n, n)."""
    if axis:
        return np.concatenate([(Pi @ v).mT for Pi in np.broadcast_arrays(*P)], axis=-2)
    return np.sum([Pk * v[:, k : k + 1] for k, Pk in enumerate(P)], axis=0)


def diagonal(x: Tensor) -> Tensor:
    """The matrix (batch, n, n) with the row x (batch, 1, n) on its diagonal."""
    return x * np.eye(x.shape[-1])


def stacked(*rows: Sequence[Tensor]) -> Tensor:
    """A matrix (batch, 3, 3) of numbers (batch, 1, 1)."""
    return np.concatenate([np.concatenate(np.broadcast_arrays(*row), axis=-1) for row in rows], axis=-2)


def column(x: Tensor) -> Tensor:
    """(n, batch) as columns (batch, n, 1)."""
    return x.T[..., None]


def matrix(x: Tensor) -> Tensor:
    """(m, n, batch) as matrices (batch, m, n)."""
    return np.moveaxis(x, -1, 0)


def angles_of(R: Tensor) -> tuple[float, float, float]:
    """URDF's fixed-axis angles (rad) of a rotation (3, 3): roll, pitch and yaw."""
    return float(np.arctan2(R[2, 1], R[2, 2])), float(np.arcsin(np.clip(-R[2, 0], -1, 1))), float(np.arctan2(R[1, 0], R[0, 0]))


def each(of_one: Callable[..., Any], *names: str) -> cached_property[list[Any]]:
    """A property of bodies: what this makes of every link, or of what the properties with these names have of every body."""
    read = names or ("links",)
    return cached_property(lambda m: [of_one(*own) for own in zip(*(getattr(m, name) for name in read), strict=True)])


@dataclass(frozen=True)
class Bodies:
    """The bodies of a model at positions q (nq, batch), with velocities q̇ (nv, batch) and forces fx (bodies, 6, batch)."""

    has_forces: ClassVar[bool] = True
    """Whether formulations with such bodies have forces on them."""

    model: Model
    q: Tensor
    qd: Tensor
    fx: Tensor | None = None

    def __post_init__(self) -> None:
        """Raises :class:`Unsupported` for joints that the formulation does not know."""

    @property
    def parents(self) -> tuple[int, ...]:
        return self.model.parents

    @property
    def links(self) -> tuple[Link, ...]:
        return self.model.links

    def with_others(self, **values: list[Tensor]) -> Bodies:
        """Bodies that compute with these values in the place of their own."""
        other = Bodies(self.model, self.q, self.qd, self.fx)
        vars(other).update(values)
        return other

    def by_joint(self, x: Tensor) -> Any:
        """Velocities or accelerations (nv, batch) as the formulation has them: columns of every joint."""
        return [column(x[link.v]) for link in self.links]

    def unknown(self, count: int) -> list[list[Any]]:
        """So many lists with a place for every body."""
        return [[None] * len(self.links) for _ in range(count)]

    def inboard(self, i: int) -> Iterator[tuple[int, int]]:
        """The joints on the way from body i to the root, each with the parent of its body, but for the last."""
        while (λ := self.parents[i]) >= 0:
            yield i, λ
            i = λ

    zero = np.zeros((1, 3, 1))
    nought, unit = np.zeros((1, 1, 1)), np.ones((1, 1, 1))
    one = np.eye(3)[None]
    only = tuple(np.eye(3)[:, None, :, None])
    """Columns that keep one component of a vector."""
    mirrored = tuple(1 - 2 * component for component in only)
    """Columns that change the sign of one component of a vector."""
    gravity = cached_property(lambda m: column(m.model.gravity[3:]))

    placed_R = each(lambda link: matrix(link.XT.E).mT)
    """Rotations of the joints' placements, from the joint's axes to the parent's."""
    placed_r = each(lambda link: column(link.XT.r))

    _moved = cached_property(lambda m: [jcalc(link, m.q[link.q], m.model.field) for link in m.links])
    joint_R = each(lambda moved: matrix(moved[0].E).mT, "_moved")
    """Rotations across the joints, from the body's axes to the joint's."""
    joint_r = each(lambda moved: column(moved[0].r), "_moved")
    """Displacements across the joints, along the joint's axes."""
    S = each(lambda moved: matrix(moved[1]), "_moved")
    """(batch, 6, nv of the joint): the velocity of the joint for each of its coordinates, along the body's axes."""
    S_ω = each(lambda S: S[:, :3], "S")
    S_v = each(lambda S: S[:, 3:], "S")
    axes = each(np.add, "S_ω", "S_v")
    """The axes along which joints turn or slide."""

    @cached_property
    def c_J(self) -> list[Tensor]:
        """The velocity product of every joint, as columns (batch, 6, 1)."""
        moved = zip(self.links, self._moved, strict=True)
        return [column(velocity_product(S, self.qd[link.v]) if link.compound else np.zeros((6, 1))) for link, (_, S) in moved]

    c_ω = each(lambda product: product[:, :3], "c_J")
    c_v = each(lambda product: product[:, 3:], "c_J")

    masses = each(lambda link: link.mass)
    coms = each(lambda link: column(link.com))
    inertias = each(lambda link: _about_com(link))
    """Moments of inertia about the centres of mass."""
    armatures = each(lambda link: column(link.armature))
    dampings = each(lambda link: column(link.damping))
    rotors = cached_property(lambda m: np.concatenate([link.armature[:, 0] for link in m.links])[None, None])
    """The armatures of all coordinates (1, 1, nv)."""
    columns = cached_property(lambda m: [np.eye(m.model.nv)[link.v] for link in m.links])
    """(nv of the joint, nv): which coordinates of the mechanism are the joint's."""
    no_columns = cached_property(lambda m: np.zeros((1, 3, m.model.nv)))

    @cached_property
    def forces(self) -> list[Tensor]:
        """The moments and forces on the bodies, about their origins."""
        return [np.zeros((1, 6, 1)) if self.fx is None else column(self.fx[i]) for i in range(len(self.links))]

    moments = each(lambda f: f[:, :3], "forces")
    pulls = each(lambda f: f[:, 3:], "forces")


class SingleJoints(Bodies):
    """Bodies with joints that turn or slide about one axis each. Raises :class:`Unsupported` for other joints."""

    def __post_init__(self) -> None:
        if any(link.joint.kind not in ("revolute", "prismatic") for link in self.links):
            raise Unsupported("this formulation is for revolute and prismatic joints")

    _angles = cached_property(lambda m: [column(m.q[link.q]) * (link.joint.kind == "revolute") for link in m.links])
    sines = each(np.sin, "_angles")
    cosines = each(np.cos, "_angles")
    crosses = each(lambda S: cross(S, EYE[None]), "S_ω")
    """The matrices of ω ×, for the unit velocity ω of every joint."""

    def turned(self, R: list[Tensor]) -> Bodies:
        """The bodies with these rotations across the joints."""
        return self.with_others(joint_R=R)


class Filed(Bodies):
    """Bodies with the numbers (1, 1, 1) that a file has of them."""

    _rpy = each(lambda R: np.reshape(angles_of(R[0]), (3, 1, 1, 1)), "placed_R")
    """Roll, pitch and yaw of the placements."""
    cosines_of_rpy, sines_of_rpy = each(np.cos, "_rpy"), each(np.sin, "_rpy")

    def _moment(self, j: int, k: int, i: int) -> Tensor:
        """The element in row j and column k of the inertia of body i about its centre of mass."""
        return self.inertias[i][:, j : j + 1, k : k + 1]

    xx, yy, zz = partialmethod(_moment, 0, 0), partialmethod(_moment, 1, 1), partialmethod(_moment, 2, 2)
    xy, xz, yz = partialmethod(_moment, 0, 1), partialmethod(_moment, 0, 2), partialmethod(_moment, 1, 2)

    def filed(self, R: list[Tensor], I: list[Tensor]) -> Bodies:
        """The bodies with these rotations of placements, and these inertias."""
        return self.with_others(placed_R=R, inertias=I)


class Transforms(Bodies):
    """The same as homogeneous transforms (batch, 1, 4, 4)."""

    has_forces = False

    one = np.eye(4)[None, None]
    none = np.zeros((1, 1, 4, 4))
    e4 = np.eye(4)[None, None, :, 3:]
    g = cached_property(lambda m: np.pad(m.gravity, ((0, 0), (0, 1), (0, 0)))[:, None])
    """The acceleration of free fall (1, 1, 4, 1)."""
    placed_T = each(lambda R, r: transform(R, r), "placed_R", "placed_r")
    joint_T = each(lambda R, r: transform(R, r), "joint_R", "joint_r")
    twists = each(lambda ω, v: _twist(ω.mT, v.mT), "S_ω", "S_v")
    """(batch, nv of the joint, 4, 4): the twist of every coordinate of a joint."""
    pseudo_inertias = each(lambda link: pseudo(matrix(link.I[:3, :3]), link.mass * column(link.com), link.mass))

    def twist(self, i: int, rates: Tensor) -> Tensor:
        """The twist of joint i with the rates (batch, nv of the joint, 1) of its coordinates."""
        twist: Tensor = (self.twists[i] * rates[..., None]).sum(axis=1, keepdims=True)
        return twist

    def product(self, i: int) -> Tensor:
        """c_J of joint i as a matrix."""
        return _twist(self.c_ω[i].mT, self.c_v[i].mT)


class Chains(Transforms, SingleJoints):
    """For sums over the joints that move a body. Velocities and accelerations of joints are numbers (batch, 1, 1, 1)."""

    one_3 = EYE[None]

    def by_joint(self, x: Tensor) -> Any:
        return [column(x[link.v])[:, None] for link in self.links]

    @cached_property
    def chain(self) -> list[list[int]]:
        """The joints that move every body."""
        chains: list[list[int]] = []
        for i, λ in enumerate(self.parents):
            chains.append([*(chains[λ] if λ >= 0 else ()), i])
        return chains


@dataclass(frozen=True)
class Result:
    """What a formulation computes that has more than forces.

    τ, of every joint or of all; rotations R and origins o of the bodies; M and C (batch, nv, nv); as columns, the axes
    about which joints turn and along which they slide; the joints that move every body; the centres of mass from the root; the
    rates of the bodies' transforms (batch, 4, 4).
    """

    τ: Any
    R: list[Tensor]
    o: list[Tensor]
    M: Tensor | None = None
    C: Tensor | None = None
    Z_ω: Tensor | None = None
    Z_v: Tensor | None = None
    moves: list[Tensor] | None = None
    c: list[Tensor] | None = None
    dT: list[Tensor] | None = None


class Axes(SingleJoints):
    """The same along the root's axes, for joints that turn or slide about one axis each."""

    has_forces = False

    def by_joint(self, x: Tensor) -> Any:
        """Columns (batch, nv, 1) of all joints."""
        return column(x)

    own = cached_property(lambda m: np.eye(len(m.links)))
    """(bodies, joints): which joint is the body's."""
    up_to = cached_property(lambda m: np.tril(np.ones((len(m.links), len(m.links)))))
    """(bodies, joints): whether the joint comes no later than the body."""
    later = cached_property(lambda m: np.triu(np.ones((len(m.links), len(m.links))), 1))
    """(joints, joints): whether the second comes after the first."""

    def outboard(self, moves: list[Tensor]) -> Tensor:
        """(joints, joints): whether the second is outboard of the first; from the joints that move every body."""
        return np.array(moves).T - self.own

    dampers = cached_property(lambda m: np.concatenate([link.damping[:, 0] for link in m.links])[None, None])
    """The dampings of all joints (1, 1, nv)."""
    no_derivatives = property(lambda m: [np.zeros((1, m.model.nv, m.model.nv)) for _ in m.links])
    no_forces = cached_property(lambda m: np.zeros((1, m.model.nv, 1)))

    def joined(self, columns: list[Tensor]) -> Tensor:
        return np.concatenate([np.broadcast_to(x, (self.q.shape[-1], 3, 1)) for x in columns], axis=-1)


def transform(R: Tensor, r: Tensor) -> Tensor:
    T = np.zeros((max(len(R), len(r)), 1, 4, 4))
    T[:, 0, :3, :3], T[:, 0, :3, 3:], T[:, 0, 3, 3] = R, r, 1
    return T


def pseudo(I: Tensor, h: Tensor, mass: Tensor) -> Tensor:
    """[[½ tr(I) 1 − I, h], [hᵀ, m]] (batch, 1, 4, 4), with I about the origin."""
    E = np.trace(I, axis1=-2, axis2=-1)[:, None, None] / 2 * EYE - I
    upper, lower = np.concatenate((E, h), axis=-1), np.concatenate((h.mT, np.broadcast_to(mass, (len(h), 1, 1))), axis=-1)
    return np.concatenate((upper, lower), axis=-2)[:, None]


def turned(K: Tensor, v: Tensor) -> Tensor:
    """[[K, v], [0, 0]] (batch, 1, 4, 4)."""
    T = transform(K, v)
    T[:, 0, 3, 3] = 0
    return T


def _twist(ω: Tensor, v: Tensor) -> Tensor:
    """Twists (batch, n, 4, 4) of angular and linear velocities (batch, n, 3)."""
    Ξ = np.zeros((*np.broadcast_shapes(ω.shape[:-1], v.shape[:-1]), 4, 4))
    for k, (after, last) in enumerate(zip(NEXT, AFTER_NEXT, strict=True)):
        Ξ[..., last, after], Ξ[..., after, last] = ω[..., k], -ω[..., k]
    Ξ[..., :3, 3] = v
    return Ξ


def _about_com(link: Link) -> Tensor:
    """I_c = I_o − m (|c|² 1 − c cᵀ)."""
    c = link.com[:, 0]
    return (link.I[:3, :3, 0] - link.mass * (c @ c * np.eye(3) - np.outer(c, c)))[None]
