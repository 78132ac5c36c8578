"""How verdicts, errors and foreign text are written, the same in every report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cross_check.results import INFINITE
from mechanisms.quantities import QUANTITIES


@dataclass(frozen=True)
class Word:
    """A verdict in a word, in a sign that needs no colour, and as a name for style sheets."""

    word: str
    sign: str
    style: str


VERDICTS = {
    "agrees": Word("agrees", "✓", "agrees"),
    "discrepancy": Word("disagrees", "✗", "discrepancy"),
    "known": Word("known fault", "◆", "known"),
    "failed": Word("failed", "!", "failed"),
    "not offered": Word("not offered", "–", "absent"),
    "unsupported": Word("unsupported", "○", "absent"),
    "not run": Word("not run", "·", "absent"),
}
"""Every verdict of a cell; "not run" is one that the document does not hold."""

INVARIANTS = {**VERDICTS, "agrees": Word("holds", "✓", "agrees"), "discrepancy": Word("broken", "✗", "discrepancy")}
"""The same for invariants, which hold or are broken."""

PROBLEMS = ("discrepancy", "failed")

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """``text`` without what could steer a terminal, turn the writing direction or be no character at all."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def cleaned(value: Any) -> Any:
    """A document with every text in it printable."""
    match value:
        case str():
            return printable(value)
        case dict():
            return {cleaned(key): cleaned(x) for key, x in value.items()}
        case list() | tuple():
            return [cleaned(x) for x in value]
    return value


def one_line(text: str, longest: int = 300) -> str:
    """``text`` printable, on one line, and visibly cut where it is too long."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def units(error: float | None) -> str:
    """An error in ε-units with the two digits it deserves: "0.8", "3.2", "1.4e9", "∞"."""
    match error:
        case None:
            return "–"
        case x if x >= INFINITE:
            return "∞"
        case x if x == 0:
            return "0"
        case x if x < 0.01:
            return "<0.01"
        case x if x < 0.095:
            return f"{x:.2f}"
        case x if x < 9.95:
            return f"{x:.1f}"
        case x if x < 999.5:
            return f"{x:.0f}"
        case x:
            return f"{x:.1e}".replace("e+0", "e").replace("e+", "e")


def verdict(item: dict[str, Any]) -> Word:
    """The word for the verdict of a cell or an invariant."""
    return (VERDICTS if "quantity" in item else INVARIANTS)[item["verdict"]]


OWN = ("reference", "traced", "newton-euler", "screws")
"""Implementations that are part of dalembert itself."""


def whose(spec: str) -> str:
    """ "(dalembert's own)", to stand behind the name of what is not foreign code."""
    return "(dalembert's own)" if spec in OWN else ""


def title(quantity: str) -> str:
    """A quantity in words; a name that this version does not know stands for itself."""
    known = QUANTITIES.get(quantity)
    return known.title if known else quantity


def group(quantity: str) -> str:
    """What a quantity is about: "dynamics", "kinematics", "derivatives"."""
    known = QUANTITIES.get(quantity)
    return known.group if known else "others"


def symbol(quantity: str) -> str:
    known = QUANTITIES.get(quantity)
    return known.symbol if known else quantity


def number(x: float) -> str:
    """A number in full precision."""
    return repr(x) if abs(x) < INFINITE else "∞" if x > 0 else "−∞"


def raised(exponent: int | str) -> str:
    """An exponent in superscript digits."""
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def count(n: int, noun: str) -> str:
    """ "1 state", "2 states"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def listing(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def position_names(mechanism: dict[str, Any]) -> list[str]:
    """A name for every component of q; documents of an earlier version have none."""
    names = mechanism.get("positions", [])
    return names if len(names) == mechanism["nq"] else [f"q[{k}]" for k in range(mechanism["nq"])]
