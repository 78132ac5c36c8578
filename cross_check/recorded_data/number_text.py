"""Numbers of recorded files as text: decimal, or hexadecimal as C's ``%a`` writes them; nothing where there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from mechanisms.limits import MOST_DIGITS
from mechanisms.numbers import DECIMAL

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
