"""Words, counts and foreign text in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from mechanisms.plain_text import one_line, printable, sentence

__all__ = ["count", "listing", "one_line", "plural", "printable", "sentence"]


def count(n: int, noun: str) -> str:
    """ "1 state", "2 states"."""
    return f"{n:,} ".replace(",", "\N{NARROW NO-BREAK SPACE}") + (noun if n == 1 else plural(noun))


def plural(noun: str) -> str:
    """ "states", "bodies"."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def listing(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
