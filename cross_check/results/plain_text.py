"""Words, counts and foreign text in sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """``text`` without control characters, marks that turn the writing direction, and code points that are no character."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, longest: int = 300) -> str:
    """``text`` printable, on one line, and visibly cut if it is too long."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def count(n: int, noun: str) -> str:
    """ "1 state", "2 states"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def listing(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
