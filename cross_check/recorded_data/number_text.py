"""Numbers of recorded files as text: decimal, or hexadecimal as C's ``%a`` writes them; nothing or NaN where there is none."""

from __future__ import annotations

import math
import re
from typing import Any

from mechanisms.limits import MOST_DIGITS
from mechanisms.numbers import DECIMAL

HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?")

_NOTHING = re.compile(r"|[+-]?nan(?:\([a-z]*\))?", re.IGNORECASE)


def number_from(given: Any) -> float:
    """The float64 nearest to the number, NaN if there is none: ``None``, empty text, "NaN".

    Raises :class:`ValueError`, with a clause that says what is wrong, for anything else, and for numbers that are not finite.
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


def _from_text(text: str) -> float:
    if len(text) <= MOST_DIGITS:
        if DECIMAL.fullmatch(text):
            return _finite(float(text), text)
        if HEXADECIMAL.fullmatch(text):
            try:
                return _finite(float.fromhex(text), text)
            except OverflowError:
                raise ValueError(f"{text[:40]!r} is too large for float64") from None
        if _NOTHING.fullmatch(text):
            return math.nan
    raise ValueError(f"{text[:40]!r} is no number")


def _finite(number: float, text: str) -> float:
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]!r} is too large for float64")
    return number
