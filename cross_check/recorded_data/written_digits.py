"""How exactly numbers were written, seen from the numbers: the shortest decimal text of each has at most so many digits.

Text of D significant digits is off by half a unit of the D-th digit at most, text of P decimals by half a unit of the P-th
decimal, and numbers of single precision by half of its spacing. Most numbers tell which it is: the longest is the usual one.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from cross_check.memory import Array

EXACT = 17
"""So many significant digits tell every float64 from its neighbours."""

PRECISE = 15
"""Answers of so many digits were not shortened to be read by people."""

SINGLE = 9
"""So many significant digits tell every number of single precision from its neighbours."""

LEAST = 4
"""Numbers of fewer digits, such as 0 and 1, are taken as exact: they do not show how they were written."""

MOST_TRIED = 4096
"""So many numbers are looked at first. If they show that text is exact, the others are not looked at."""


class Written(NamedTuple):
    """How numbers were written. ``words`` is empty if they may be exact."""

    words: str
    half: Array
    """How far each written number may be from what it was, in its own unit; zero if they may be exact."""
    digits: int = 0
    """The most significant digits of a number; of single precision, those that tell such numbers apart."""


def written(numbers: Array) -> Written:
    """How these numbers (any shape; NaN where there is none) were written."""
    there = numbers[np.isfinite(numbers) & (numbers != 0)]
    lengths = _lengths(there[:MOST_TRIED])
    digits = int(lengths.digits.max(initial=0))
    exact = Written("", np.zeros(numbers.shape), digits)
    if digits < LEAST:
        return exact
    with np.errstate(over="ignore"):
        single = there.astype(np.float32)
    if digits >= PRECISE and np.array_equal(single.astype(np.float64), there):
        return Written("single precision", np.nan_to_num(np.abs(numbers) * 2.0**-24), SINGLE)
    if SINGLE - 1 <= digits <= SINGLE and _is_shortest(single, there):
        # The number was rounded to single precision, and its text is nearer to it than to its neighbours.
        return Written("single precision", np.nan_to_num(np.abs(numbers) * 2.0**-23), SINGLE)
    if digits >= EXACT:
        return exact
    lengths = _lengths(there)
    digits, decimals = int(lengths.digits.max()), int(lengths.decimals.max())
    by_digits, by_decimals = (float(np.mean(x == x.max())) for x in (lengths.digits, lengths.decimals))
    if digits >= EXACT or max(by_digits, by_decimals) < 0.5:
        return exact
    read = np.nan_to_num(np.abs(numbers)) * 2.0**-53  # The text was rounded once more when it was read.
    if by_decimals > by_digits:
        return Written(f"{decimals} decimals", np.where(np.isfinite(numbers), 0.5 * 10.0**-decimals + read, 0.0), digits)
    with np.errstate(divide="ignore", invalid="ignore"):
        leading = np.floor(np.log10(np.abs(numbers)))
    half = np.where(np.isfinite(leading), 0.5 * 10.0 ** (leading - digits + 1) + read, 0.0)
    return Written(f"{digits} digits", half, digits)


def _is_shortest(single: Any, numbers: Array) -> bool:
    """Whether the shortest text of every number in single precision is that of the number."""
    return all(float(str(short)) == number for short, number in zip(single, numbers.tolist(), strict=True))


class _Lengths(NamedTuple):
    digits: Array
    decimals: Array


def _lengths(numbers: Array) -> _Lengths:
    """The significant digits and the decimals of the shortest text of every number."""
    parts = [Decimal(repr(number)).normalize().as_tuple() for number in np.abs(numbers).tolist()]
    digits = np.array([len(part.digits) for part in parts], dtype=np.float64)
    return _Lengths(digits, np.array([max(0, -int(part.exponent)) for part in parts], dtype=np.float64))
