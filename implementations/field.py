"""The scalar types of an algorithm.

RNEA, CRBA and ABA are written once, with ``+ - * /`` and the operations of :class:`Field`. The field decides which numbers they
compute with: float64 batches, extended precision, exact rationals, recorded operations.

Tensor axes come first, the batch is the last axis: a spatial vector is (6, batch). Fields of Python objects use batches of one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from machine.recording.recording import Recording
from machine.recording.values import constants
from mechanisms.numbers.exact import Scalar, stand_in

Tensor = np.ndarray[Any, Any]
"""An array whose last axis is the batch. Constants have no batch axis, or one of length 1."""


class Field(Protocol):
    """Makes numbers of one type; the numbers have their own arithmetic."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the field's arrays; ``object`` for Python scalars."""

    def number(self, value: Scalar) -> Any:
        """The field's element nearest to an exact number of a mechanism."""

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine of a joint's position, elementwise."""

    def angle(self, position: Tensor) -> Tensor:
        """The angle itself (rad); a helical joint advances in proportion to it."""

    def position(self, angle: Tensor) -> Tensor:
        """The position of a joint that has turned by this angle: the inverse of :meth:`angle`. A mimic joint needs it."""

    def sign(self, velocity: Tensor) -> Tensor:
        """−1, 0 or 1, elementwise. Its derivative is zero."""


def constant(field: Field, values: Any) -> Any:
    """Nested sequences of exact numbers as a constant array of the field, without a batch axis."""
    exact = np.array(values, dtype=object)
    if isinstance(field, Recorded):
        return constants(field.recording, exact)
    return np.array([field.number(value) for value in exact.flat], dtype=field.dtype).reshape(exact.shape)


@dataclass(frozen=True)
class Real:
    """Floating-point batches: ``Real(np.float64)``, or ``Real(np.longdouble)`` for extended precision."""

    type: type[np.floating[Any]] = np.float64

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.type)

    def number(self, value: Scalar) -> Any:
        high = float(value)
        if self.type is np.float64:
            return self.type(high)
        # float64 holds only the leading half of a fraction; the remainder is converted separately.
        return self.type(high) + self.type(float(value - Fraction(high)))

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        return np.cos(angle), np.sin(angle)

    def angle(self, position: Tensor) -> Tensor:
        return position

    def position(self, angle: Tensor) -> Tensor:
        return angle

    def sign(self, velocity: Tensor) -> Tensor:
        return np.sign(velocity)


@dataclass(frozen=True)
class Rational:
    """Exact rationals. An angle q is given by t = tan(q/2), so that its cosine and sine are rational too.

    :func:`mechanisms.numbers.exact.stand_in` gives the rational number that replaces the angle itself, and the t that replaces
    the tangent of an angle that is computed.
    """

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(object)

    def number(self, value: Scalar) -> Any:
        return value

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        t = angle
        return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)

    def angle(self, position: Tensor) -> Tensor:
        angles = [self.number(Fraction(stand_in(t))) for t in position.flat]
        return np.array(angles, dtype=object).reshape(position.shape)

    def position(self, angle: Tensor) -> Tensor:
        return self.angle(angle)

    def sign(self, velocity: Tensor) -> Tensor:
        return np.array([self.number(Fraction((v > 0) - (v < 0))) for v in velocity.flat], dtype=object).reshape(velocity.shape)


@dataclass(frozen=True)
class Recorded:
    """Values of a recording: an algorithm becomes a program, for one state at a time (:mod:`machine.recording.values`)."""

    recording: Recording = field(default_factory=Recording)
    dtype = np.dtype(object)

    def number(self, value: Scalar) -> Any:
        return constants(self.recording, value)

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        return np.cos(angle), np.sin(angle)

    def angle(self, position: Tensor) -> Tensor:
        return position

    def position(self, angle: Tensor) -> Tensor:
        return angle

    def sign(self, velocity: Tensor) -> Tensor:
        return np.sign(velocity)
