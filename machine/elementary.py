"""Functions of float64 numbers with the same bits on every machine, for the few numbers that no program computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from machine.arithmetic.sine import PAIRED
from machine.backends.numpy_backend import ARITHMETIC

Array = np.ndarray[Any, np.dtype[np.float64]]

LN_10_OVER_16 = 0.14391156831212788
TERMS = 24
"""The terms left out are below 2^-60 of the result."""


def cos_sin(angle: Array) -> tuple[Array, Array]:
    """Cosine and sine of angles (rad), computed in double-double and rounded; NaN for sizes above 2^30."""
    pair = angle, np.zeros_like(angle)
    return PAIRED.cosine(ARITHMETIC, pair)[0], PAIRED.sine(ARITHMETIC, pair)[0]


def power_of_ten(x: float) -> float:
    """10ˣ for |x| ≤ 16, with an error of 10⁻¹³ at most: the exponential series of a sixteenth, squared four times."""
    step, total = x * LN_10_OVER_16, 1.0
    for n in range(TERMS, 0, -1):
        total = 1.0 + total * step / n
    for _ in range(4):
        total *= total
    return total
