"""The scalars over which the Euler–Lagrange equations are evaluated: ``+ − × ÷``, exact constants, and (cos, sin).

    Real        float64 or extended precision, in batches             an angle q is given as such (rad)
    Rational    ℚ, FLINT's fractions                                  by t = tan(q/2)
    Balls       numbers with rigorous error bounds, FLINT's Arb       as such
    Recorded    values of a recording, which becomes a program        as such

No rational angle but zero has a rational cosine. Given t instead, cos q = (1 − t²)/(1 + t²) and sin q = 2t/(1 + t²) are in
every field. Where the angle itself is needed too, :func:`mechanisms.numbers.exact.stand_in` replaces it. It also gives t for an
angle that is computed: that of a mimic joint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from machine.recording.recording import Recording
from machine.recording.values import Values, constants
from mechanisms.numbers.exact import exact, stand_in
from oracle.errors import OracleError

Array = NDArray[Any]


class Field(Protocol):
    """How numbers become scalars of a field and how results are returned. The scalars define their own arithmetic."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the field's arrays; ``object`` for Python scalars."""

    def number(self, value: Any) -> Any:
        """The field's element for a Fraction; an element of the field is returned as it is.

        Raises :class:`OracleError` for a value that has no element in the field.
        """

    def plain(self, x: Array) -> Array:
        """Results in the types that callers expect: Fractions, floats, balls."""

    def cos_sin(self, position: Array) -> tuple[Array, Array]:
        """Cosine and sine of an angle, elementwise."""

    def angle(self, position: Array) -> Array:
        """The angle itself, elementwise (rad)."""

    def position(self, angle: Array) -> Array:
        """The position of a joint that has turned by this angle, elementwise: the inverse of :meth:`angle`."""

    def sign(self, velocity: Array) -> Array:
        """−1, 0 or 1, elementwise. Its derivative is zero."""


def array(field: Field, values: Any) -> Any:
    """Nested sequences, or an array, of numbers as an array of the field."""
    if isinstance(field, Recorded) and isinstance(values, Values):
        return values
    given = np.asarray(values)
    if isinstance(field, Recorded):
        return constants(field.recording, [_fraction(exact(value), field) for value in given.flat]).reshape(given.shape)
    if given.dtype != object and field.dtype != object:
        return given.astype(field.dtype)
    return np.array([field.number(exact(value)) for value in given.flat], field.dtype).reshape(given.shape)


class _WithAngles:
    """A field in which a position is the angle itself. Results are numbers of the field."""

    dtype = np.dtype(object)

    def plain(self, x: Array) -> Array:
        return x

    def cos_sin(self, position: Array) -> tuple[Array, Array]:
        return np.cos(position), np.sin(position)

    def angle(self, position: Array) -> Array:
        return position

    def position(self, angle: Array) -> Array:
        return angle

    def sign(self, velocity: Array) -> Array:
        return np.sign(velocity)


@dataclass(frozen=True)
class Real(_WithAngles):
    """Floating point: ``Real()`` for float64, ``Real(np.longdouble)`` for extended precision."""

    type: type[np.floating[Any]] = np.float64

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        return np.dtype(self.type)

    def number(self, value: Any) -> Any:
        fraction = _fraction(value, self)
        return rounded([(fraction.numerator, fraction.denominator)], self.dtype)[0]


@dataclass(frozen=True)
class Rational:
    """Exact fractions; results are :class:`fractions.Fraction`. An angle is given by t = tan(q/2)."""

    dtype = np.dtype(object)

    def number(self, value: Any) -> Any:
        if isinstance(value, fmpq):
            return value
        fraction = _fraction(value, self)
        return fmpq(fraction.numerator, fraction.denominator)

    def plain(self, x: Array) -> Array:
        return each(lambda value: Fraction(int(value.p), int(value.q)), x)

    def cos_sin(self, position: Array) -> tuple[Array, Array]:
        return half_angle(position)

    def angle(self, position: Array) -> Array:
        return each(lambda t: self.number(Fraction(stand_in(t))), position)

    def position(self, angle: Array) -> Array:
        return self.angle(angle)

    def sign(self, velocity: Array) -> Array:
        return each(lambda v: self.number(Fraction((v > 0) - (v < 0))), velocity)


@dataclass(frozen=True)
class Balls(_WithAngles):
    """Balls that contain the exact result. Their precision is that of ``flint.ctx`` at the time of the computation."""

    def number(self, value: Any) -> Any:
        if isinstance(value, arb):
            return value
        fraction = _fraction(value, self)
        return arb(fmpq(fraction.numerator, fraction.denominator))

    def cos_sin(self, position: Array) -> tuple[Array, Array]:
        return each(arb.cos, position), each(arb.sin, position)

    def sign(self, velocity: Array) -> Array:
        return each(arb.sgn, velocity)


@dataclass(frozen=True)
class Recorded(_WithAngles):
    """Values of a recording: a quantity becomes a straight-line program (:mod:`machine.recording.values`). There is one state."""

    recording: Recording = field(default_factory=Recording)

    def number(self, value: Any) -> Any:
        return constants(self.recording, _fraction(value, self))


def half_angle(t: Any) -> tuple[Any, Any]:
    """Cosine and sine of the angle q with t = tan(q/2)."""
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def _fraction(value: Any, field: Field) -> Fraction:
    if not isinstance(value, Fraction):
        raise OracleError(f"the scalar {value!r} is no number of {field}; give numbers in the mechanism and in the state")
    return value


def each(function: Callable[..., Any], x: Array, *others: Iterable[Any]) -> Array:
    """``function`` applied to every element of x, and to an element of each of ``others``, as an array of objects."""
    values = np.empty(x.size, object)
    values[:] = [function(*given) for given in zip(x.flat, *others, strict=True)]
    return values.reshape(x.shape)


def rounded(coefficients: Iterable[tuple[int, int]], dtype: np.dtype[Any]) -> Array:
    """Quotients of integers in ``dtype``: the nearest float64 plus the remainder, so that extended precision loses nothing."""
    high, low = [], []
    for p, q in coefficients:
        high.append(p / q)  # Python rounds the quotient of two integers correctly, however long they are.
        n, d = high[-1].as_integer_ratio()
        low.append((p * d - n * q) / (q * d))
    return np.array(high, dtype) + np.array(low, dtype)
