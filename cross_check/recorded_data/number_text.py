"""Numbers of recorded files as text: decimal, or hexadecimal as C's ``%a`` writes them; nothing where there is none."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from mechanisms.limits import MOST_DIGITS
from mechanisms.numbers import DECIMAL

HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?")

NOT_ASKED = float(np.array(0x7FF80000000007A2, np.uint64).view(np.float64))
"""Stands for no answer in NPZ, which has no empty cells: R's NA, a NaN with 1954 in its lower half. No arithmetic makes it."""

FAILED = math.inf
"""Stands for what a program wrote in place of a number: NaN, or an infinity."""

_FAILED = re.compile(r"[+-]?(?:nan(?:\([a-z]*\))?|inf(?:inity)?)", re.IGNORECASE)


def number_from(given: Any) -> float:
    """The float64 nearest to the number, NaN if there is none: ``None``, empty text; :data:`FAILED` for "NaN" and "inf".

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
        if _FAILED.fullmatch(text):
            return FAILED
    raise ValueError(f"{text[:40]!r} is no number")


def _finite(number: float, text: str) -> float:
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]!r} is too large for float64")
    return number
