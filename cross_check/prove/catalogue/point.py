"""Random points at which identities are compared: vectors, frames, bodies and mechanisms, constant or moving.

Every number is a Taylor series in time (:mod:`cross_check.prove.catalogue.series`). A method of :class:`Point` draws the
coefficients and returns an object that is in general position. docs/notes/catalogue-points.md derives the equations.
An object that moves depends on time in a random way; all other objects are constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from cross_check.prove.catalogue.frames import Frame, MovingFrame, PointMasses, RotatingFrame, Solid, plucker
from cross_check.prove.catalogue.notation import Angle, cross, join, one, pose, vector
from cross_check.prove.catalogue.series import Series, constant, flow, now, rate
from cross_check.prove.proof.exact import Exact
from cross_check.prove.proof.generic import Draw, direction, generic, tree
from implementations.field import Tensor
from implementations.spatial_algebra.model import Link, Model, build, spatial_inertia
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Body, Inertia, Joint, Mechanism, Rotation
from mechanisms.joint import Kind
from oracle.fields import each, half_angle


@dataclass(frozen=True)
class Scalars(Exact):
    """The field of one point. It remembers the size θ that was drawn with each t = tan(θ/2) (docs/notes/catalogue-points.md,
    after eq. 6)."""

    angles: list[tuple[Any, Any]] = field(default_factory=list)
    """The pairs (t, θ) that were drawn."""

    def angle(self, position: Tensor) -> Tensor:
        return each(lambda t: next(θ for drawn, θ in self.angles if drawn is t), position)


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
