"""How exactly numbers were written, seen from the numbers: the shortest decimal text of each has at most so many digits.

Text of D significant digits is off by half a unit of the D-th digit at most, text of P decimals by half a unit of the P-th
decimal, and numbers of single precision by half of its spacing. Most numbers tell which it is: the longest is the usual one.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from cross_check.memory import Array
from cross_check.results.plain_text import count

EXACT = 17
"""So many significant digits tell every float64 from its neighbours."""

PRECISE = 15
"""Answers of so many digits were not shortened to be read by people."""

SINGLE = 9
"""So many significant digits tell every number of single precision from its neighbours."""

LEAST = 4
"""Numbers of fewer digits, such as 0 and 1, are taken as exact: they do not show how they were written."""

DISTINCT = 8
"""Columns of fewer different numbers do not show how they were written."""

RARE = 0.1
"""A column in which so few numbers are long, such as a π, has the format of the others."""

MOST_NAMED = 3
"""So many formats are named."""

COLUMN_TRIED = 16
"""So many numbers of a column are looked at first. If they are long, the others are not looked at."""

MOST_TRIED = 4096
"""So many numbers are looked at first. If they show that text is exact, the others are not looked at."""


class Written(NamedTuple):
    """How numbers were written. ``words`` is empty if they may be exact."""

    words: str
    half: Array
    """How far each written number may be from what it was, in its own unit; zero if they may be exact."""
    digits: int = 0
    """The most significant digits of a number; of single precision, those that tell such numbers apart."""
    rounded: int = 0
    """The same of the numbers that were rounded."""


def written(numbers: Array) -> Written:
    """How these numbers (states, columns; NaN where there is none) were written: all alike, or each column in its own way."""
    whole = _alike(numbers, LEAST)
    half, words, rounded = whole.half, [whole.words] if whole.words else [], whole.rounded
    for k in range(numbers.shape[1]):
        if own := _of_column(numbers[:, k], whole):
            half[:, k], rounded = own.half, max(rounded, own.rounded)
            words += [own.words] if own.words not in words else []
    return Written(" and ".join(words) if len(words) <= MOST_NAMED else "few digits", half, whole.digits, rounded)


def _of_column(column: Array, whole: Written) -> Written | None:
    """How a column was written that differs from the whole; None if it does not differ, or does not show it."""
    there = column[np.isfinite(column) & (column != 0)]
    if len(there) < DISTINCT or np.mean(_lengths(there[:COLUMN_TRIED]).digits >= PRECISE) > RARE:
        return None
    lengths = _lengths(there)
    is_long, decimals = lengths.digits >= PRECISE, int(lengths.decimals.max())
    if whole.words and (lengths.digits.max() >= whole.digits or whole.words in ("single precision", count(decimals, "decimal"))):
        return None
    short = np.where(np.isin(column, there[is_long]), np.nan, column)
    if np.mean(is_long) > RARE or len(np.unique(there[~is_long])) < DISTINCT:
        return None
    # Whole numbers of three digits were chosen.
    own = _alike(short, LEAST - 1 if decimals else LEAST)
    return own if own.words else None


def _alike(numbers: Array, least: int) -> Written:
    """How these numbers were written, if all have one format of ``least`` digits or more."""
    there = numbers[np.isfinite(numbers) & (numbers != 0)]
    lengths = _lengths(there[:MOST_TRIED])
    digits = int(lengths.digits.max(initial=0))
    exact = Written("", np.zeros(numbers.shape), digits)
    if digits < least:
        return exact
    with np.errstate(over="ignore"):
        single = there.astype(np.float32)
    if digits >= PRECISE and np.array_equal(single.astype(np.float64), there):
        return Written("single precision", np.nan_to_num(np.abs(numbers) * 2.0**-24), SINGLE, SINGLE)
    if SINGLE - 1 <= digits <= SINGLE and _is_shortest(single, there):
        # The number was rounded to single precision, and its text is nearer to it than to its neighbours.
        return Written("single precision", np.nan_to_num(np.abs(numbers) * 2.0**-23), SINGLE, SINGLE)
    if digits >= EXACT:
        return exact
    lengths = _lengths(there)
    digits, decimals = int(lengths.digits.max()), int(lengths.decimals.max())
    by_digits, by_decimals = (float(np.mean(x == x.max())) for x in (lengths.digits, lengths.decimals))
    if digits >= EXACT or max(by_digits, by_decimals) < 0.5:
        return exact._replace(digits=digits)
    read = np.nan_to_num(np.abs(numbers)) * 2.0**-53  # The text was rounded once more when it was read.
    if by_decimals > by_digits:
        half = np.where(np.isfinite(numbers), 0.5 * 10.0**-decimals + read, 0.0)
        return Written(count(decimals, "decimal"), half, digits, digits)
    with np.errstate(divide="ignore", invalid="ignore"):
        leading = np.floor(np.log10(np.abs(numbers)))
    half = np.where(np.isfinite(leading), 0.5 * 10.0 ** (leading - digits + 1) + read, 0.0)
    return Written(f"{digits} digits", half, digits, digits)


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
