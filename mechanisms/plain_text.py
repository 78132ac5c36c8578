"""Words, counts and foreign text in sentences: printable, on one line, of bounded length."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mechanisms.limits import LONGEST_SENTENCE

UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters but tab and newline, marks that turn the writing direction, and code points that are no character."""


def printable(text: str) -> str:
    """``text`` without :data:`UNPRINTABLE` characters."""
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, longest: int = 300) -> str:
    """``text`` printable, on one line, and visibly cut if it is too long."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def sentence(text: str, longest: int = LONGEST_SENTENCE) -> str:
    """An error's message, printable, on one line, and cut in its middle if it is too long: the remedy stands at its end."""
    flat = " ".join(printable(text).split())
    if len(flat) <= longest:
        return flat
    head = longest * 3 // 5
    return f"{flat[: head - 3]} … {flat[head - longest :]}"


_ACTIVE = re.compile(r"[\\`*_{}\[\]#!|~<>&:$]")


def markdown(text: str, longest: int = 300) -> str:
    """``text`` on one line, with nothing in it that Markdown, HTML or a code host would act upon.

    Mentions, issue numbers, bare links and lists have no escape; a zero-width space breaks them up.
    """
    quoted = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    safe = _ACTIVE.sub(lambda match: quoted.get(match[0]) or "\\" + match[0], one_line(text, longest))
    return re.sub(r"(?<=[@#])|^(?=[-+=]|\d+[.)](?:\s|$))|(?<=w)(?=ww)", "\u200b", safe)


def fenced(text: str, language: str) -> str:
    """A code block in Markdown, fenced by more backticks than ``text`` has in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{printable(text)}\n{fence}"


def count(n: int, noun: str) -> str:
    """ "1 state", "2 states"."""
    return f"{n:,} ".replace(",", "\N{NARROW NO-BREAK SPACE}") + (noun if n == 1 else plural(noun))


def plural(noun: str) -> str:
    """ "states", "bodies"."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def listing(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
