"""The scalars an algorithm is written over.

RNEA, CRBA and ABA are written once, over ``+ - * /`` and the little that :class:`Field` adds. Which numbers flow
through them is the field's business: float64 batches, extended precision, exact rationals, recorded operations.

Tensor axes lead and the batch trails: a spatial vector is (6, batch). A field of Python objects has batches of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from mechanisms.numbers import Scalar, stand_in

Tensor = np.ndarray[Any, Any]
"""An array whose last axis is the batch, unless it is said to be constant."""


class Field(Protocol):
    """Where numbers come from; their arithmetic is their own."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the field's arrays; ``object`` for Python scalars."""

    def number(self, value: Scalar) -> Any:
        """The field's element nearest to a mechanism's exact number."""

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine of a joint's position, elementwise."""

    def angle(self, position: Tensor) -> Tensor:
        """The angle itself (rad), which a helical joint advances by."""


def constant(field: Field, values: Any) -> Tensor:
    """Nested sequences of a mechanism's exact numbers as a constant array of the field, no batch axis."""
    exact = np.array(values, dtype=object)
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
        # A fraction's second half is lost on the way through float64, unless it travels separately.
        return self.type(high) + self.type(float(value - Fraction(high)))

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        return np.cos(angle), np.sin(angle)

    def angle(self, position: Tensor) -> Tensor:
        return position


@dataclass(frozen=True)
class Rational:
    """Exact rationals. An angle is given by t = tan(q/2), so that its cosine and sine are rational too.

    :func:`mechanisms.numbers.stand_in` says what stands for the angle itself.
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
        each = [self.number(Fraction(stand_in(t))) for t in position.flat]
        return np.array(each, dtype=object).reshape(position.shape)
