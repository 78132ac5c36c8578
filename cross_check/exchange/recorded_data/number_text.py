"""Numbers of recorded files as text: how text is read, and how exactly numbers were written, as numbers show it.

Text is decimal, or hexadecimal as C's ``%a`` writes it; nothing where there is none. The shortest decimal text of each number of
a column has at most so many digits. Text of D significant digits is off by half a unit of the D-th digit at most, text of P
decimals by half a unit of the P-th decimal, and numbers of single precision by half of its spacing. Most numbers tell which it
is: the longest is the usual one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from cross_check.memory import Array
from mechanisms.limits import MOST_DIGITS
from mechanisms.numbers.exact import DECIMAL
from mechanisms.plain_text import count

HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?")

NOT_ASKED = float(np.array(0x7FF80000000007A2, np.uint64).view(np.float64))
"""Stands for no answer in NPZ, which has no empty cells: R's NA, a NaN with 1954 in its lower half. No arithmetic makes it."""

FAILED = math.inf
"""Stands for what a program wrote in place of a number: NaN, or an infinity."""

_FAILED = re.compile(r"[+-]?(?:nan(?:\([a-z]*\))?|inf(?:inity)?)|#?n/?a", re.IGNORECASE)

_FORTRAN = re.compile(r"(?<=[0-9.])[dD](?=[+-]?[0-9]+$)")
"""The exponent of a number of double precision in Fortran, as in 1.0D-26."""

_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[,.' \u00a0\u202f][0-9]{3})+(?:[,.][0-9]+)?")
"""A number with a mark between groups of three digits; "1,234" may be one, too."""


def number_from(given: Any) -> float:
    """The float64 nearest to the number, NaN if there is none: ``None``, empty text; :data:`FAILED` for "NaN", "inf" and "n/a".

    Raises :class:`ValueError`, with a clause that says what is wrong, for anything else, and for numbers that are too large.
    """
    if given is None:
        return math.nan
    if isinstance(given, str):
        return _from_text(given.strip())
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ValueError(f"there is {type(given).__name__}, which is no number")
    try:
        return _finite(float(given), repr(given))
    except OverflowError:
        raise ValueError("a number is too large for float64") from None


def is_asked(numbers: Any) -> Any:
    """Whether each float64 is something that code answered, and not :data:`NOT_ASKED`."""
    return ~(np.isnan(numbers) & (numbers.view(np.uint64) & 0xFFFFFFFF == 1954))


def is_failed(text: str) -> bool:
    """Whether the text stands for what a program wrote in place of a number: NaN, an infinity, "#N/A"."""
    return _FAILED.fullmatch(text.strip()) is not None


def with_points(cells: Iterable[str]) -> bool:
    """Whether the numbers of a file whose columns are not separated by commas have points, and not decimal commas.

    If every comma stands before three digits, it may be either: the numbers are left as they are, and refused.
    """
    return all(_GROUPED.fullmatch(cell.strip()) for cell in cells if "," in cell)


def with_comma(cell: str) -> str:
    """The number with a point for its decimal comma. Raises :class:`ValueError` if it has a point, too."""
    if "." in cell and "," in cell:
        raise ValueError(f"{cell[:40]!r} has marks between the thousands")
    if "." in cell:
        raise ValueError(f"{cell[:40]!r} has a point, and other numbers have decimal commas")
    return cell.replace(",", ".", 1)


def _from_text(text: str) -> float:
    if len(text) <= MOST_DIGITS:
        if DECIMAL.fullmatch(text):
            return _finite(float(text), text)
        if HEXADECIMAL.fullmatch(text):
            try:
                return _finite(float.fromhex(text), text)
            except OverflowError:
                raise ValueError(f"{text[:40]!r} is too large for float64") from None
        if not text:
            return math.nan
        if DECIMAL.fullmatch(decimal := _FORTRAN.sub("e", text)):
            return _finite(float(decimal), text)
        if is_failed(text):
            return FAILED
        if _GROUPED.fullmatch(text):
            raise ValueError(f"{text[:40]!r} has marks between the thousands")
    raise ValueError(f"{text[:40]!r} is no number")


def _finite(number: float, text: str) -> float:
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]!r} is too large for float64")
    return number


EXACT = 17
"""So many significant digits tell every float64 from its neighbours."""

PRECISE = 15
"""Answers of so many digits were not shortened to be read by people."""

SINGLE = 9
"""So many significant digits tell every number of single precision from its neighbours."""

SINGLE_PRECISION = "single precision"
"""What is said of such numbers."""

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


class WrittenForm(NamedTuple):
    """How numbers were written. ``words`` is empty if they may be exact."""

    words: str
    half: Array
    """How far each written number may be from what it was, in its own unit; zero if they may be exact."""
    digits: int = 0
    """The most significant digits of a number; of a single-precision number, as many as tell such numbers apart."""
    rounded: int = 0
    """The same of the numbers that were rounded."""


def written(numbers: Array) -> WrittenForm:
    """How these numbers (states, columns; NaN where there is none) were written: all alike, or each column in its own way."""
    whole = _alike(numbers, LEAST)
    half, words, rounded = whole.half, [whole.words] if whole.words else [], whole.rounded
    for k in range(numbers.shape[1]):
        if own := _of_column(numbers[:, k], whole):
            half[:, k], rounded = own.half, max(rounded, own.rounded)
            words += [own.words] if own.words not in words else []
    return WrittenForm(" and ".join(words) if len(words) <= MOST_NAMED else "few digits", half, whole.digits, rounded)


def _of_column(column: Array, whole: WrittenForm) -> WrittenForm | None:
    """How a column was written that differs from the whole; None if it does not differ, or does not show it."""
    there = column[np.isfinite(column) & (column != 0)]
    if len(there) < DISTINCT or np.mean(_lengths(there[:COLUMN_TRIED]).digits >= PRECISE) > RARE:
        return None
    lengths = _lengths(there)
    is_long, decimals = lengths.digits >= PRECISE, int(lengths.decimals.max())
    if whole.words and (lengths.digits.max() >= whole.digits or whole.words in (SINGLE_PRECISION, count(decimals, "decimal"))):
        return None
    short = np.where(np.isin(column, there[is_long]), np.nan, column)
    if np.mean(is_long) > RARE or len(np.unique(there[~is_long])) < DISTINCT:
        return None
    # Whole numbers of three digits were chosen.
    own = _alike(short, LEAST - 1 if decimals else LEAST)
    return own if own.words else None


def _alike(numbers: Array, least: int) -> WrittenForm:
    """How these numbers were written, if all have one format of ``least`` digits or more."""
    there = numbers[np.isfinite(numbers) & (numbers != 0)]
    lengths = _lengths(there[:MOST_TRIED])
    digits = int(lengths.digits.max(initial=0))
    exact = WrittenForm("", np.zeros(numbers.shape), digits)
    if digits < least:
        return exact
    with np.errstate(over="ignore"):
        single = there.astype(np.float32)
    if digits >= PRECISE and np.array_equal(single.astype(np.float64), there):
        return WrittenForm(SINGLE_PRECISION, np.nan_to_num(np.abs(numbers) * 2.0**-24), SINGLE, SINGLE)
    if SINGLE <= digits < EXACT and there.tolist() == [float(f"{x:.{digits - 1}e}") for x in single]:
        return WrittenForm(
            SINGLE_PRECISION, np.nan_to_num(np.abs(numbers) * (2.0**-24 + 0.5 * 10.0 ** (1 - digits))), SINGLE, SINGLE
        )
    if SINGLE - 1 <= digits <= SINGLE and _is_shortest(single, there):
        # The number was rounded to single precision, and its text is nearer to it than to its neighbours.
        return WrittenForm(SINGLE_PRECISION, np.nan_to_num(np.abs(numbers) * 2.0**-23), SINGLE, SINGLE)
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
        return WrittenForm(count(decimals, "decimal"), half, digits, digits)
    with np.errstate(divide="ignore", invalid="ignore"):
        leading = np.floor(np.log10(np.abs(numbers)))
    half = np.where(np.isfinite(leading), 0.5 * 10.0 ** (leading - digits + 1) + read, 0.0)
    return WrittenForm(f"{digits} digits", half, digits, digits)


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
