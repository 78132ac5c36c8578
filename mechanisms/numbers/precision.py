"""Precisions: the formats of numbers in which code computes. What they can represent, and how coarsely.

A precision has three properties (IEEE 754-2019, §3.3): its significant bits p, its largest exponent, and, following from that,
its least normal number. Rounding to nearest changes a number by ε/2 of itself at most, with ε = 2^(1 − p).

Everything is judged in ε-units of float64. In these units one rounding of another precision is :attr:`Precision.coarseness`.
"""

from __future__ import annotations

import math
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
    """A binary format of floating-point numbers."""

    name: str
    bits: int
    """The significant bits, the first one among them."""
    exponent: int
    """The largest number is just below 2^exponent."""

    @property
    def epsilon(self) -> float:
        """ε: the distance from one to the next larger number."""
        return 2.0 ** (1 - self.bits)

    @property
    def decimals(self) -> int:
        """How many decimal digits a number has, rounded up."""
        return math.ceil(self.bits * math.log10(2))

    @property
    def coarseness(self) -> float:
        """How many roundings of float64 one rounding is."""
        return 2.0 ** (53 - self.bits)

    @property
    def least(self) -> float:
        """The least normal number. Processors may take smaller ones for zero."""
        return 2.0 ** (2 - self.exponent)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of arrays of such numbers; float64, which contains them all, for a precision that NumPy does not have."""
        return np.dtype({"float32": np.float32, "float16": np.float16}.get(self.name, np.float64))

    def near(self, part: float) -> float:
        """The part of a number that two numbers may differ by that count as equal: ``part``, or :data:`SAME` roundings."""
        return max(part, SAME * self.epsilon)

    def rounded(self, x: Array) -> Array:
        """The numbers that are nearest to these, ties to even, in float64 (any shape); below :attr:`least` they are zero.

        Numbers must not be larger than the format has.
        """
        if self.bits >= 53:
            return x
        mantissa, exponent = np.frexp(x)
        near = np.ldexp(np.rint(np.ldexp(mantissa, self.bits)), exponent - self.bits)
        return np.where(np.abs(near) < self.least, 0.0, near)


FLOAT64 = Precision("float64", 53, 1024)

PRECISIONS = {
    one.name: one for one in (FLOAT64, Precision("float32", 24, 128), Precision("bfloat16", 8, 128), Precision("float16", 11, 16))
}
"""By name, the finest first."""


def precision_named(name: Any) -> Precision:
    """The precision with this name. Raises :class:`UnknownPrecision`."""
    if isinstance(name, str) and name in PRECISIONS:
        return PRECISIONS[name]
    raise UnknownPrecision(f"there is no precision {one_line(str(name), 60)!r}; use {', '.join(PRECISIONS)}")
