"""What a formulation computes with: a mechanism at some states, as columns (batch, 3, 1) and matrices (batch, 3, 3).

Constants of the mechanism have a batch of one. The formulations share joints with the reference, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
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

    @cached_property
    def _moved(self) -> list[Any]:
        return [jcalc(link, self.q[link.q], self.model.field) for link in self.links]

    @cached_property
    def _products(self) -> list[Tensor]:
        """c_J of every joint, as columns (batch, 6, 1)."""
        moved = zip(self.links, self._moved, strict=True)
        return [column(velocity_product(S, self.qd[link.v]) if link.compound else np.zeros((6, 1))) for link, (_, S) in moved]

    @cached_property
    def zero(self) -> Tensor:
        return np.zeros((1, 3, 1))

    @cached_property
    def unit(self) -> Tensor:
        return np.ones((1, 1, 1))

    @cached_property
    def zero_energy(self) -> Tensor:
        return np.zeros((1, 1, 1))

    @cached_property
    def one(self) -> Tensor:
        return np.eye(3)[None]

    @cached_property
    def only(self) -> list[Tensor]:
        """Columns that keep one component of a vector."""
        return [np.eye(3)[:, k : k + 1][None] for k in range(3)]

    @cached_property
    def mirrored(self) -> list[Tensor]:
        """Columns that change the sign of one component of a vector."""
        return [1 - 2 * column for column in self.only]

    @cached_property
    def gravity(self) -> Tensor:
        return column(self.model.gravity[3:])

    @cached_property
    def placed_R(self) -> list[Tensor]:
        """Rotations of the joints' placements, from the joint's axes to the parent's."""
        return [matrix(link.XT.E).mT for link in self.links]

    @cached_property
    def placed_r(self) -> list[Tensor]:
        return [column(link.XT.r) for link in self.links]

    @cached_property
    def joint_R(self) -> list[Tensor]:
        """Rotations across the joints, from the body's axes to the joint's."""
        return [matrix(X.E).mT for X, _ in self._moved]

    @cached_property
    def joint_r(self) -> list[Tensor]:
        """Displacements across the joints, along the joint's axes."""
        return [column(X.r) for X, _ in self._moved]

    @cached_property
    def S_ω(self) -> list[Tensor]:
        """(batch, 3, nv of the joint): the angular velocity of the joint for each of its coordinates, along the body's axes."""
        return [matrix(S[:3]) for _, S in self._moved]

    @cached_property
    def S_v(self) -> list[Tensor]:
        return [matrix(S[3:]) for _, S in self._moved]

    @cached_property
    def axes(self) -> list[Tensor]:
        """The axes along which joints turn or slide."""
        return [ω + v for ω, v in zip(self.S_ω, self.S_v, strict=True)]

    @cached_property
    def c_ω(self) -> list[Tensor]:
        return [product[:, :3] for product in self._products]

    @cached_property
    def c_v(self) -> list[Tensor]:
        return [product[:, 3:] for product in self._products]

    @cached_property
    def masses(self) -> list[Tensor]:
        return [link.mass for link in self.links]

    @cached_property
    def coms(self) -> list[Tensor]:
        return [column(link.com) for link in self.links]

    @cached_property
    def inertias(self) -> list[Tensor]:
        """Moments of inertia about the centres of mass."""
        return [_about_com(link) for link in self.links]

    @cached_property
    def armatures(self) -> list[Tensor]:
        return [column(link.armature) for link in self.links]

    @cached_property
    def dampings(self) -> list[Tensor]:
        return [column(link.damping) for link in self.links]

    @cached_property
    def columns(self) -> list[Tensor]:
        """(nv of the joint, nv): which coordinates of the mechanism are the joint's."""
        return [np.eye(self.model.nv)[link.v] for link in self.links]

    @cached_property
    def no_columns(self) -> Tensor:
        return np.zeros((1, 3, self.model.nv))

    @cached_property
    def rotors(self) -> Tensor:
        """The armatures of all coordinates (1, 1, nv)."""
        return np.concatenate([link.armature[:, 0] for link in self.links])[None, None]

    @cached_property
    def moments(self) -> list[Tensor]:
        """The moments on the bodies, about their origins."""
        return [self.zero if self.fx is None else column(self.fx[i][:3]) for i in range(len(self.links))]

    @cached_property
    def pulls(self) -> list[Tensor]:
        """The forces on the bodies."""
        return [self.zero if self.fx is None else column(self.fx[i][3:]) for i in range(len(self.links))]


class SingleJoints(Bodies):
    """Bodies with joints that turn or slide about one axis each. Raises :class:`Unsupported` for other joints."""

    def __post_init__(self) -> None:
        if any(link.joint.kind not in ("revolute", "prismatic") for link in self.links):
            raise Unsupported("this formulation is for revolute and prismatic joints")

    @cached_property
    def _angles(self) -> list[Tensor]:
        return [column(self.q[link.q]) * (link.joint.kind == "revolute") for link in self.links]

    @cached_property
    def sines(self) -> list[Tensor]:
        return [np.sin(angle) for angle in self._angles]

    @cached_property
    def cosines(self) -> list[Tensor]:
        return [np.cos(angle) for angle in self._angles]

    @cached_property
    def crosses(self) -> list[Tensor]:
        """The matrices of ω ×, for the unit velocity ω of every joint."""
        return [cross(S, np.eye(3)[None]) for S in self.S_ω]

    def turned(self, R: list[Tensor]) -> Bodies:
        """The bodies with these rotations across the joints."""
        return self.with_others(joint_R=R)


class Filed(Bodies):
    """Bodies with the numbers (1, 1, 1) that a file has of them."""

    @cached_property
    def _rpy(self) -> list[Tensor]:
        """Roll, pitch and yaw of the placements (3,)."""
        turns = (R[0] for R in self.placed_R)
        return [np.array([np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0]), np.arctan2(R[1, 0], R[0, 0])]) for R in turns]

    @cached_property
    def cosines_of_rpy(self) -> list[list[Tensor]]:
        return [[np.cos(x).reshape(1, 1, 1) for x in rpy] for rpy in self._rpy]

    @cached_property
    def sines_of_rpy(self) -> list[list[Tensor]]:
        return [[np.sin(x).reshape(1, 1, 1) for x in rpy] for rpy in self._rpy]

    @cached_property
    def nought(self) -> Tensor:
        return np.zeros((1, 1, 1))

    def _moment(self, i: int, j: int, k: int) -> Tensor:
        """The element in row j and column k of the inertia of body i about its centre of mass."""
        return self.inertias[i][:, j : j + 1, k : k + 1]

    def xx(self, i: int) -> Tensor:
        return self._moment(i, 0, 0)

    def yy(self, i: int) -> Tensor:
        return self._moment(i, 1, 1)

    def zz(self, i: int) -> Tensor:
        return self._moment(i, 2, 2)

    def xy(self, i: int) -> Tensor:
        return self._moment(i, 0, 1)

    def xz(self, i: int) -> Tensor:
        return self._moment(i, 0, 2)

    def yz(self, i: int) -> Tensor:
        return self._moment(i, 1, 2)

    def filed(self, R: list[Tensor], I: list[Tensor]) -> Bodies:
        """The bodies with these rotations of placements, and these inertias."""
        return self.with_others(placed_R=R, inertias=I)


class Transforms(Bodies):
    """The same as homogeneous transforms (batch, 1, 4, 4)."""

    has_forces = False

    @cached_property
    def one(self) -> Tensor:
        return np.eye(4)[None, None]

    @cached_property
    def none(self) -> Tensor:
        return np.zeros((1, 1, 4, 4))

    @cached_property
    def e4(self) -> Tensor:
        return np.eye(4)[None, None, :, 3:]

    @cached_property
    def g(self) -> Tensor:
        """The acceleration of free fall (1, 1, 4, 1)."""
        return np.pad(self.gravity, ((0, 0), (0, 1), (0, 0)))[:, None]

    @cached_property
    def placed_T(self) -> list[Tensor]:
        return [transform(R, r) for R, r in zip(self.placed_R, self.placed_r, strict=True)]

    @cached_property
    def joint_T(self) -> list[Tensor]:
        return [transform(R, r) for R, r in zip(self.joint_R, self.joint_r, strict=True)]

    @cached_property
    def twists(self) -> list[Tensor]:
        """(batch, nv of the joint, 4, 4): the twist of every coordinate of a joint."""
        return [_twist(ω.mT, v.mT) for ω, v in zip(self.S_ω, self.S_v, strict=True)]

    @cached_property
    def pseudo_inertias(self) -> list[Tensor]:
        """[[½ tr(I) 1 − I, m c], [m cᵀ, m]], with I about the origin."""
        J = [np.zeros((1, 1, 4, 4)) for _ in self.links]
        for one, link in zip(J, self.links, strict=True):
            I = link.I[:3, :3, 0]
            one[..., :3, :3] = np.trace(I) / 2 * np.eye(3) - I
            one[..., :3, 3] = one[..., 3, :3] = link.mass * link.com[:, 0]
            one[..., 3, 3] = link.mass
        return J

    def twist(self, i: int, rates: Tensor) -> Tensor:
        """The twist of joint i with the rates (batch, nv of the joint, 1) of its coordinates."""
        twist: Tensor = (self.twists[i] * rates[..., None]).sum(axis=1, keepdims=True)
        return twist

    def product(self, i: int) -> Tensor:
        """c_J of joint i as a matrix."""
        return _twist(self.c_ω[i].mT, self.c_v[i].mT)


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

    @cached_property
    def own(self) -> Tensor:
        """(bodies, joints): which joint is the body's."""
        return np.eye(len(self.links))

    def outboard(self, moves: list[Tensor]) -> Tensor:
        """(joints, joints): whether the second is outboard of the first; from the joints that move every body."""
        return np.array(moves).T - self.own

    @cached_property
    def dampers(self) -> Tensor:
        """The dampings of all joints (1, 1, nv)."""
        return np.concatenate([link.damping[:, 0] for link in self.links])[None, None]

    @cached_property
    def up_to(self) -> Tensor:
        """(bodies, joints): whether the joint comes no later than the body."""
        return np.tril(np.ones((len(self.links), len(self.links))))

    @cached_property
    def later(self) -> Tensor:
        """(joints, joints): whether the second comes after the first."""
        return np.triu(np.ones((len(self.links), len(self.links))), 1)

    @property
    def no_derivatives(self) -> list[Tensor]:
        return [np.zeros((1, self.model.nv, self.model.nv)) for _ in self.links]

    @cached_property
    def no_forces(self) -> Tensor:
        return np.zeros((1, self.model.nv, 1))

    def joined(self, columns: list[Tensor]) -> Tensor:
        return np.concatenate([np.broadcast_to(x, (self.q.shape[-1], 3, 1)) for x in columns], axis=-1)


def transform(R: Tensor, r: Tensor) -> Tensor:
    T = np.zeros((max(len(R), len(r)), 1, 4, 4))
    T[:, 0, :3, :3], T[:, 0, :3, 3:], T[:, 0, 3, 3] = R, r, 1
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
