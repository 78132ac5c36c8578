"""What identities are about: vectors, frames, bodies and mechanisms in general position, at rest or moving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from cross_check.catalogue.notation import Angle, cross, join, pose, vector
from cross_check.catalogue.series import Series, constant, each, flow, now, rate
from cross_check.proof.exact import Exact
from cross_check.proof.generic import Draw, direction, generic, tree
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Inertia, Mechanism, Rotation
from mechanisms.joint import Kind


@dataclass(frozen=True)
class Scalars(Exact):
    """The scalars of one point; an angle is drawn beside its tangent, which it satisfies no algebraic relation with."""

    sizes: list[tuple[Any, Any]] = field(default_factory=list)
    """(t, θ) of the angles drawn so far."""

    def angle(self, position: Tensor) -> Tensor:
        return each(lambda t: next(θ for known, θ in self.sizes if known is t), position)


class Turning(NamedTuple):
    """A rotation R(t) and its angular velocity ω(t), in the frame that R takes vectors to."""

    R: Tensor
    w: Tensor


class Moving(NamedTuple):
    """A frame B that moves against the fixed frame A: x_A = R x_B + r, and ω its angular velocity, in A."""

    R: Tensor
    r: Tensor
    w: Tensor

    @property
    def T(self) -> Tensor:
        """The pose of B in A."""
        return pose(self.R, self.r)

    @property
    def X(self) -> Plucker:
        """Of our own: ᴮX_A."""
        return plucker(self.R.T, self.r)

    @property
    def back(self) -> Plucker:
        """Of our own: ᴬX_B."""
        return plucker(self.R, -self.R.T @ self.r)

    @property
    def body(self) -> Tensor:
        """ᴮv̂_B: ω and the velocity of B's origin, in B (text 000, eq. 4)."""
        return join(self.R.T @ self.w, self.R.T @ rate(self.r))

    @property
    def space(self) -> Tensor:
        """ᴬv̂_B: ω and the velocity of B's point that passes A's origin, in A (text 000, eq. 3)."""
        return join(self.w, rate(self.r) - cross(self.w, self.r))


class Point:
    """Draws whatever an identity is about from a field; all numbers are series in time up to t^``order``.

    A drawn number is constant, a path is not.
    """

    def __init__(self, where: Exact, draw: Draw, order: int) -> None:
        self.order = order
        self._draw = draw
        self.field = Scalars(lambda n: constant(where.element(n), order), where.bits)

    def number(self) -> Any:
        return constant(self._draw(), self.order)

    def fraction(self, numerator: int, denominator: int = 1) -> Any:
        """A number that is not drawn."""
        return self.field.number(Fraction(numerator, denominator))

    @property
    def time(self) -> Series:
        """t itself, which is 0 now."""
        zero, one = now(self.fraction(0)), now(self.fraction(1))
        return Series(zero, *(one if k == 0 else zero for k in range(self.order)))

    def vector(self, n: int = 3) -> Tensor:
        return vector(*(self.number() for _ in range(n)))

    def matrix(self, rows: int, columns: int) -> Tensor:
        return self.vector(rows * columns).reshape(rows, columns)

    def unit(self) -> Tensor:
        return vector(*direction(self.number))

    def rotation(self) -> Tensor:
        return turned(self.vector(4))

    def pose(self) -> Tensor:
        return pose(self.rotation(), self.vector())

    def frame(self) -> Plucker:
        """Of our own: the transform to a frame B from A, in general position."""
        return plucker(self.rotation(), self.vector())

    def path(self, n: int = 3) -> Tensor:
        """A vector that moves in any way."""
        terms = [self.vector(n) for _ in range(self.order + 1)]
        return vector(*(Series(*map(now, coefficients)) for coefficients in zip(*terms, strict=True)))

    def turning(self) -> Turning:
        """A frame that turns in any way. With e the quaternion, ω = 2 ė e⁻¹."""
        e = self.path(4)
        w, x, dw, dx = e[0], e[1:], rate(e)[0], rate(e)[1:]
        return Turning(turned(e), 2 * (w * dx - dw * x + cross(x, dx)) / (e @ e))

    def moving(self) -> Moving:
        """A frame that moves in any way."""
        R, w = self.turning()
        return Moving(R, self.path(), w)

    def angle(self, speed: Any = None) -> Angle:
        """An angle; ``speed`` is its rate θ̇(t), where it moves. From θ̇ follows ṫ = ½ (1 + t²) θ̇."""
        size, t = self.number(), self.number()
        if speed is not None:
            size, t = flow(vector(size, t), lambda x: vector(speed + 0 * x[0], (1 + x[1] * x[1]) * speed / 2), self.order)
        self.field.sizes.append((t, size))
        below = 1 + t * t
        return Angle(size, (1 - t * t) / below, 2 * t / below, t)

    def inertia(self, centred: bool = False) -> Inertia:
        """The inertia of a body, its centre of mass at the origin if ``centred``."""
        com = (self.fraction(0),) * 3 if centred else tuple(self.vector())
        return Inertia(self.number(), com, tuple(self.vector(6)))

    def masses(self, n: int = 3) -> list[tuple[Any, Tensor]]:
        """Point masses and where they are, in the frame of the body that they make up."""
        return [(self.number(), self.vector()) for _ in range(n)]

    def mechanism(self, parents: Sequence[int], kinds: Sequence[Kind]) -> Mechanism:
        """A mechanism with this tree and these joints, in general position."""
        return generic(tree(parents, kinds), self.number)

    def model(self, mechanism: Mechanism) -> Model:
        return build(mechanism, self.field)


def turned(e: Tensor) -> Tensor:
    """R of the quaternion e = (w, x, y, z) of any length."""
    return np.array(Rotation(*e).matrix, dtype=object)


def plucker(E: Tensor, r: Tensor) -> Plucker:
    """Of our own: X = [[E, 0], [−E r×, E]]."""
    return Plucker(E[..., None], r[:, None])


def matrix(X: Any, n: int = 6) -> Tensor:
    """The matrix of what acts on the columns of a batch: of our X, and of our Xᵀ."""
    return X @ np.eye(n, dtype=object)


def pose_of(X: Plucker) -> Tensor:
    """T of the frame that our X leads to, in the frame that it starts from."""
    return pose(X.E[..., 0].T, X.r[:, 0])
