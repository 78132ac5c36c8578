"""Frames and bodies, and the reference's transforms and inertias of them without a batch. Identities test the reference's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cross_check.prove.catalogue.notation import Ad, X_force, X_motion, block, cross, join, one, pose, skew, vector, zero
from cross_check.prove.catalogue.series import rate
from implementations.field import Tensor
from implementations.linear import solve
from implementations.spatial_algebra.spatial import Plucker, Transposed, crf, crm, mul
from mechanisms import Inertia


def plucker(E: Tensor, r: Tensor) -> Plucker:
    """The reference's transform X = [[E, 0], [−E r×, E]], with a batch of one."""
    return Plucker(E[..., None], r[:, None])


def matrix(X: Plucker | Transposed) -> Tensor:
    """The (6, 6) matrix of the reference's X, or Xᵀ: X times the identity matrix."""
    return X @ np.eye(6, dtype=object)


def star(X: Plucker) -> Tensor:
    """ᴮX*_A (6, 6): the inverse of the transpose of the reference's ᴮX_A."""
    E, r = X.E[..., 0], X.r[:, 0]
    return matrix(plucker(E.T, -E @ r).T)


def times(X: Plucker, v: Tensor) -> Tensor:
    """X v (6), by the reference."""
    return (X @ v[:, None])[:, 0]


def pose_of(X: Plucker) -> Tensor:
    """The pose of B in A (4, 4) for the reference's transform X = ᴮX_A."""
    return pose(X.E[..., 0].T, X.r[:, 0])


def across(v: Tensor) -> Tensor:
    """v̂× (6, 6), by the reference's cross product."""
    return crm(v[:, None], one(6))


def across_star(v: Tensor) -> Tensor:
    """v̂×* (6, 6), by the reference's cross product for forces."""
    return crf(v[:, None], one(6))


def force_on(I: Tensor, v: Tensor) -> Tensor:
    """Î â + v̂ ×* Î v̂ (6) for a body that moves with v(t), by the reference's products."""
    momentum = mul(I[..., None], v[:, None])
    return (mul(I[..., None], rate(v)[:, None]) + crf(v[:, None], momentum))[:, 0]


def inverse(M: Tensor) -> Tensor:
    """M⁻¹ (n, n), by the reference's solution of linear equations."""
    return solve(M[..., None], one(len(M))[..., None])[..., 0]


class RotatingFrame(NamedTuple):
    """A rotation R(t), and its angular velocity w(t) = ω in the frame that R takes vectors to."""

    R: Tensor
    w: Tensor


@dataclass(frozen=True)
class Frame:
    """A frame B in the frame A at rest: x_A = R x_B + r. The columns of R are the axes of B, and r is its origin."""

    R: Tensor
    r: Tensor

    @property
    def reversed(self) -> Frame:
        """The frame A in the frame B."""
        return Frame(self.R.T, -self.R.T @ self.r)

    @property
    def T(self) -> Tensor:
        """The pose of B in A (4, 4)."""
        return pose(self.R, self.r)

    @property
    def X(self) -> Plucker:
        """The reference's transform ᴮX_A."""
        return plucker(self.R.T, self.r)

    @property
    def X_inverse(self) -> Plucker:
        """The reference's transform ᴬX_B."""
        return self.reversed.X

    @property
    def into(self) -> Tensor:
        """ᴮX_A (6, 6)"""
        return X_motion(self.R.T, self.r)

    @property
    def out_of(self) -> Tensor:
        """ᴬX_B (6, 6)"""
        return self.reversed.into

    @property
    def force_into(self) -> Tensor:
        """ᴮX*_A (6, 6)"""
        return X_force(self.R.T, self.r)

    @property
    def force_out_of(self) -> Tensor:
        """ᴬX*_B (6, 6)"""
        return self.reversed.force_into

    @property
    def D(self) -> Tensor:
        """𝒟_O (text 002, eq. 5): unit rotations about Ox, Oy, Oz, then unit translations, as columns."""
        return Ad(self.T)

    @property
    def E(self) -> Tensor:
        """ℰ_O (text 002, eq. 11): unit couples about x, y, z, then unit forces along Ox, Oy, Oz."""
        return block([self.R, skew(self.r) @ self.R], [zero(3, 3), self.R])


@dataclass(frozen=True)
class MovingFrame(Frame):
    """A frame B that moves relative to A. Its angular velocity w = ω is given in A."""

    w: Tensor

    @property
    def body_twist(self) -> Tensor:
        """ᴮv̂_B = [Rᵀ ω; Rᵀ ṙ]: ω, and the velocity of B's origin, in B (text 000, eq. 4)."""
        return join(self.R.T @ self.w, self.R.T @ rate(self.r))

    @property
    def space_twist(self) -> Tensor:
        """ᴬv̂_B = [ω; ṙ − ω × r]: ω, and the velocity of the body's point that passes A's origin, in A (text 000, eq. 3)."""
        return join(self.w, rate(self.r) - cross(self.w, self.r))


@dataclass(frozen=True)
class Solid:
    """A rigid body: its mass, its centre of mass c, and J about c, all in its own frame; and the reference's Î (6, 6)."""

    inertia: Inertia
    I: Tensor

    @property
    def m(self) -> Any:
        return self.inertia.mass

    @property
    def c(self) -> Tensor:
        return vector(*self.inertia.com)

    @property
    def J(self) -> Tensor:
        return vector(*self.inertia.matrix).reshape(3, 3)

    @property
    def printed(self) -> Tensor:
        """Î of text 000, eqs. 17, 18."""
        c = skew(self.c)
        return block([self.J + self.m * (c @ c.T), self.m * c], [self.m * c.T, self.m * one(3)])


@dataclass(frozen=True)
class PointMasses(Solid):
    """A rigid body of point masses: each with its mass and its position in the body's frame."""

    masses: Sequence[tuple[Any, Tensor]]

    def newton(self, B: MovingFrame, g: Any = 0) -> Tensor:
        """[n; f] about B's origin, in B: the sum of the forces f_k = m_k (ẍ_k − g) on the masses."""
        positions = [(m, B.R @ r + B.r) for m, r in self.masses]
        forces = [(x - B.r, m * (rate(rate(x)) - g)) for m, x in positions]
        return join(B.R.T @ sum(cross(arm, f) for arm, f in forces), B.R.T @ sum(f for _, f in forces))
