"""Random points at which identities are compared: vectors, frames, bodies and mechanisms, constant or moving.

Every number is a Taylor series in time (:mod:`cross_check.catalogue.series`). A method of :class:`Point` draws the
coefficients and returns an object that is in general position. docs/notes/catalogue-points.md derives the equations.
An object that moves depends on time in a random way; all other objects are constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from cross_check.catalogue.notation import Ad, Angle, X_force, X_motion, block, cross, join, one, pose, skew, vector, zero
from cross_check.catalogue.reference import plucker
from cross_check.catalogue.series import Series, constant, flow, now, rate
from cross_check.proof.exact import Exact, each
from cross_check.proof.generic import Draw, direction, generic, tree
from implementations.field import Tensor
from implementations.spatial_algebra.model import Link, Model, build, spatial_inertia
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Body, Inertia, Joint, Mechanism, Rotation
from mechanisms.joint import Kind
from oracle.fields import half_angle


@dataclass(frozen=True)
class Scalars(Exact):
    """The field of one point. It remembers the size θ that was drawn with each t = tan(θ/2) (docs/notes/catalogue-points.md,
    after eq. 6)."""

    angles: list[tuple[Any, Any]] = field(default_factory=list)
    """The pairs (t, θ) that were drawn."""

    def angle(self, position: Tensor) -> Tensor:
        return each(lambda t: next(θ for drawn, θ in self.angles if drawn is t), position)


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
        return plucker(self.R, -self.R.T @ self.r)

    @property
    def into(self) -> Tensor:
        """ᴮX_A (6, 6)"""
        return X_motion(self.R.T, self.r)

    @property
    def out_of(self) -> Tensor:
        """ᴬX_B (6, 6)"""
        return X_motion(self.R, -self.R.T @ self.r)

    @property
    def force_into(self) -> Tensor:
        """ᴮX*_A (6, 6)"""
        return X_force(self.R.T, self.r)

    @property
    def force_out_of(self) -> Tensor:
        """ᴬX*_B (6, 6)"""
        return X_force(self.R, -self.R.T @ self.r)

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


class Point:
    """Draws the objects of an identity; all their numbers are series in time up to the power ``order``.

    ``draw`` gives random elements of ``field``.
    """

    def __init__(self, field: Exact, draw: Draw, order: int) -> None:
        self.order = order
        self._draw = draw
        self.field = Scalars(lambda n: constant(field.element(n), order), field.bits)

    # Numbers, vectors and matrices

    def number(self) -> Any:
        """A random constant."""
        return constant(self._draw(), self.order)

    def fraction(self, numerator: int, denominator: int = 1) -> Any:
        """The constant numerator/denominator, which is not random."""
        return self.field.number(Fraction(numerator, denominator))

    @property
    def time(self) -> Series:
        """t itself: 0 now, with the rate 1."""
        zero, one = now(self.fraction(0)), now(self.fraction(1))
        return Series(zero, *(one if k == 0 else zero for k in range(self.order)))

    def vector(self, n: int = 3) -> Tensor:
        return vector(*(self.number() for _ in range(n)))

    def matrix(self, rows: int, columns: int) -> Tensor:
        return self.vector(rows * columns).reshape(rows, columns)

    def unit(self) -> Tensor:
        """A 3-vector of length 1."""
        return vector(*direction(self.number))

    def path(self, n: int = 3) -> Tensor:
        """A moving vector."""
        terms = [self.vector(n) for _ in range(self.order + 1)]
        return vector(*(Series(*map(now, coefficients)) for coefficients in zip(*terms, strict=True)))

    # Rotations, poses and frames

    def rotation(self) -> Tensor:
        """A rotation matrix (3, 3)."""
        return rotation_matrix(self.vector(4))

    def pose(self) -> Tensor:
        """A homogeneous transform (4, 4)."""
        return pose(self.rotation(), self.vector())

    def transform(self) -> Plucker:
        """The reference's transform ᴮX_A between two frames."""
        return plucker(self.rotation(), self.vector())

    def frame(self) -> Frame:
        """A frame at rest."""
        return Frame(self.rotation(), self.vector())

    def screw(self) -> Tensor:
        """A unit screw [ω; v], |ω| = 1."""
        return join(self.unit(), self.vector())

    def turning(self) -> RotatingFrame:
        """A rotating frame: R(e) of a moving quaternion e = (w, x), and ω (docs/notes/catalogue-points.md, eq. 5)."""
        e = self.path(4)
        w, x, dw, dx = e[0], e[1:], rate(e)[0], rate(e)[1:]
        return RotatingFrame(rotation_matrix(e), 2 * (w * dx - dw * x + cross(x, dx)) / (e @ e))

    def moving(self) -> MovingFrame:
        """A moving frame."""
        R, w = self.turning()
        return MovingFrame(R, self.path(), w)

    def angle(self, speed: Any = None) -> Angle:
        """A constant angle θ, or one with the rate θ̇(t) = ``speed``. Both θ and t = tan(θ/2) are drawn.

        From the rate follows ṫ = ½ (1 + t²) θ̇ (docs/notes/catalogue-points.md, eqs. 6, 7).
        """
        θ, t = self.number(), self.number()
        if speed is not None:
            θ, t = flow(vector(θ, t), lambda x: vector(speed + 0 * x[0], (1 + x[1] * x[1]) * speed / 2), self.order)
        self.field.angles.append((t, θ))
        return Angle(θ, *half_angle(t), t)

    # Bodies and mechanisms

    def inertia(self, centred: bool = False) -> Inertia:
        """The inertia of a body; its centre of mass is at the origin if ``centred``."""
        com = (self.fraction(0),) * 3 if centred else tuple(self.vector())
        return Inertia(self.number(), com, tuple(self.vector(6)))

    def solid(self, centred: bool = False) -> Solid:
        """A rigid body; its centre of mass is at the origin if ``centred``."""
        return self.solid_of(self.inertia(centred))

    def solid_of(self, inertia: Inertia) -> Solid:
        return Solid(inertia, spatial_inertia(inertia, self.field)[..., 0])

    def masses(self) -> PointMasses:
        """Three point masses, with their inertia Σ m (|r|² 1 − r rᵀ) about their centre of mass."""
        masses = [(self.number(), self.vector()) for _ in range(3)]
        total = sum(m for m, _ in masses)
        c = sum(m * r for m, r in masses) / total
        I = sum(m * (one(3) * (d @ d) - d[:, None] * d) for m, d in ((m, r - c) for m, r in masses))
        inertia = Inertia(total, tuple(c), (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))
        return PointMasses(inertia, self.solid_of(inertia).I, masses)

    def forces(self) -> list[tuple[Tensor, Tensor]]:
        """Three forces: the point at which each acts, and the force."""
        return [(self.vector(), self.vector()) for _ in range(3)]

    def mechanism(self, parents: Sequence[int], kinds: Sequence[Kind]) -> Mechanism:
        """A mechanism with this tree and these kinds of joints."""
        return generic(tree(parents, kinds), self.number)

    def link(self, joint: Joint) -> Link:
        """The reference's link on this joint, without mass."""
        return self.model(chain((joint, Inertia.massless()))).links[0]

    def model(self, mechanism: Mechanism) -> Model:
        """The reference's model of ``mechanism``."""
        return build(mechanism, self.field)


def chain(*links: tuple[Joint, Inertia], gravity: Iterable[Any] = (0, 0, 0)) -> Mechanism:
    """A mechanism of these links, each on the preceding one."""
    bodies = (Body(f"body{i + 1}", f"body{i}", *link) for i, link in enumerate(links))
    return Mechanism("chain", tuple(bodies), tuple(gravity), root="body0")


def rotation_matrix(e: Tensor) -> Tensor:
    """R (3, 3) of the quaternion e = (w, x, y, z) of any length but zero."""
    return np.array(Rotation(*e).matrix, dtype=object)
