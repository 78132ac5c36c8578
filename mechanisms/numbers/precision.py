"""Precisions: the formats of numbers in which code computes. What they can represent, and how coarsely.

A floating-point precision has three properties (IEEE 754-2019, §3.3): its significant bits p, its largest exponent, and,
following from that, its least normal number. Rounding to nearest changes a number by ε/2 of itself at most, with ε = 2^(1 − p).

Fixed point "qM.N" has M bits before the point and N behind it, beside the sign. Its numbers are multiples of ε = 2^(−N), so that
rounding changes every number by ε/2 at most. For numbers of the size one, this is a floating-point precision of N + 1 bits.

Everything is judged in ε-units of float64. In these units one rounding of another precision is :attr:`Precision.coarseness`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.plain_text import one_line

Array = np.ndarray[Any, Any]

SAME = 64
"""Numbers that differ by so many roundings count as equal."""


class UnknownPrecision(ValueError):
    """A precision that does not exist; one sentence with the remedy."""


@dataclass(frozen=True)
class Precision:
    """A binary format of floating-point numbers, or of fixed point."""

    name: str
    bits: int
    """The significant bits of a number between one and two, the first one among them."""
    exponent: int
    """The largest number is just below 2^exponent."""
    is_fixed: bool = False
    """Whether all numbers have the same number of bits behind the point."""

    @property
    def epsilon(self) -> float:
        """ε: the distance from one to the next larger number."""
        return 2.0 ** (1 - self.bits)

    @property
    def decimals(self) -> int:
        """How many decimal digits a number between one and two has, rounded up."""
        return math.ceil(self.bits * math.log10(2))

    @property
    def coarseness(self) -> float:
        """How many roundings of float64 one rounding is."""
        return 2.0 ** (53 - self.bits)

    @property
    def largest(self) -> float:
        """The largest number."""
        digits = self.bits + (self.exponent - 1 if self.is_fixed else 0)
        return math.ldexp(1.0 - 0.5**digits, self.exponent)

    @property
    def least(self) -> float:
        """The least normal number. Processors may take smaller ones for zero."""
        return self.epsilon if self.is_fixed else 2.0 ** (2 - self.exponent)

    @property
    def step(self) -> float:
        """The distance of the smallest numbers from one another."""
        return self.epsilon if self.is_fixed else self.epsilon * self.least

    @property
    def whole(self) -> float:
        """Smaller numbers are rounded by as much as this one: one in fixed point, and zero in floating point."""
        return float(self.is_fixed)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of arrays of such numbers; float64, which contains them all, for a precision that NumPy does not have."""
        return np.dtype({"float32": np.float32, "float16": np.float16}.get(self.name, np.float64))

    def near(self, part: float) -> float:
        """The part of a number that two numbers may differ by that count as equal: ``part``, or :data:`SAME` roundings."""
        return max(part, SAME * self.epsilon)

    def spacing(self, x: Array) -> Array:
        """The distance from numbers of the size of x (any shape) to the next larger ones."""
        return np.maximum(0.0 if self.is_fixed else self.coarseness * np.spacing(np.abs(x)), self.step)

    def nearest(self, x: Array) -> Array:
        """The numbers that are nearest to these, ties to even, in float64 (any shape); infinite if they are too large.

        Below :attr:`least` they have fewer bits (IEEE 754-2019, §3.3).
        """
        if self == FLOAT64:
            return x
        size = 0.0 if self.is_fixed else np.ldexp(1.0, np.frexp(x)[1] - self.bits)
        unit = np.maximum(size, self.step)
        near = np.rint(x / unit) * unit
        return np.where(np.abs(near) >= 2.0**self.exponent, np.copysign(np.inf, x), near)

    def rounded(self, x: Array) -> Array:
        """The same, for states: zero below :attr:`least`, as processors may take such numbers, and never infinite."""
        if self == FLOAT64:
            return x
        near = self.nearest(x)
        return np.where(np.abs(near) < self.least, 0.0, np.clip(near, -self.largest, self.largest))


FLOAT64 = Precision("float64", 53, 1024)

PRECISIONS = {
    one.name: one for one in (FLOAT64, Precision("float32", 24, 128), Precision("float16", 11, 16), Precision("bfloat16", 8, 128))
}
"""Floating point by name, the finest first."""


FIXED = re.compile(r"q([1-9]|[1-3][0-9])\.([7-9]|[1-3][0-9])", re.ASCII)
"""The names of fixed point: bits before and behind the point. Fewer than seven behind it show nothing."""

NAMES = re.compile(f"{'|'.join(PRECISIONS)}|{FIXED.pattern}", re.ASCII)
"""All names of precisions."""


def precision_named(name: Any) -> Precision:
    """The precision with this name, one of :data:`NAMES`. Raises :class:`UnknownPrecision`."""
    if isinstance(name, str) and name in PRECISIONS:
        return PRECISIONS[name]
    if isinstance(name, str) and (parts := FIXED.fullmatch(name)):
        before, behind = map(int, parts.groups())
        return Precision(name, 1 + behind, before, is_fixed=True)
    known = f"{', '.join(PRECISIONS)}, or fixed point such as q15.16"
    raise UnknownPrecision(f"there is no precision {one_line(repr(name), 60)}; use {known}")
