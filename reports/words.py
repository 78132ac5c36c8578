"""How verdicts, errors and foreign text are written, the same in every report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from cross_check.exchange.results.objects import INFINITE, REGRESSIONS, Cell, Change, Item, MechanismSummary, Term
from cross_check.exchange.results.tally import OWN, Tally
from mechanisms.plain_text import count, listing, one_line, plural, printable
from mechanisms.quantities import ALL_QUANTITIES

__all__ = ["count", "listing", "one_line", "plural", "printable"]

T = TypeVar("T", Cell, Item)


@dataclass(frozen=True)
class Word:
    """A verdict in a word, in a sign that needs no colour, and as a name for style sheets."""

    word: str
    sign: str
    style: str


VERDICTS = {
    "agrees": Word("agrees", "✓", "agrees"),
    "lost digits": Word("lost digits", "▲", "known"),
    "discrepancy": Word("disagrees", "✗", "discrepancy"),
    "known": Word("known fault", "◆", "known"),
    "failed": Word("failed", "!", "failed"),
    "not offered": Word("not offered", "–", "absent"),
    "unsupported": Word("unsupported", "○", "absent"),
    "not run": Word("not run", "·", "absent"),
}
"""Every verdict of a cell; "not run" stands for a cell that the results do not have."""

INVARIANTS = {**VERDICTS, "agrees": Word("holds", "✓", "agrees"), "discrepancy": Word("broken", "✗", "discrepancy")}
"""The same for invariants: they hold or are broken."""

PROBLEMS = ("discrepancy", "failed")

GRAVITY = ("discrepancy", "failed", "known", "lost digits", "agrees", "unsupported", "not offered")
"""Verdicts, the gravest first."""

LEVELS = (1e3, 1e6, 1e9)
"""Errors above the bar have a level of their own up to each of these, and one beyond the last."""


def cleaned(value: Any) -> Any:
    """Results, or plain JSON data, with every text in them printable."""
    match value:
        case float() | int() | None:
            return value
        case str():
            return printable(value)
        case Term():
            return Term(cleaned(value.coefficient), cleaned(value.powers))
        case Mapping():
            return {cleaned(key): cleaned(x) for key, x in value.items()}
        case tuple():
            return tuple(cleaned(x) for x in value)
        case list():
            return [cleaned(x) for x in value]
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: cleaned(getattr(value, part.name)) for part in fields(value)})
    return value


DIGITS = ((0.095, 2), (9.95, 1), (999.5, 0))
"""Errors up to here are written with so many digits after the point, and larger ones with an exponent."""


def units(error: float | None) -> str:
    """An error in ε-units with the two digits it deserves: "0.8", "3.2", "1.4e9", "∞"."""
    if error is None:
        return "–"
    if error >= INFINITE:
        return "∞"
    if not error:
        return "0"
    if error < 0.01:
        return "<0.01"
    digits = next((digits for end, digits in DIGITS if error < end), None)
    return f"{error:.1e}".replace("e+0", "e").replace("e+", "e") if digits is None else f"{error:.{digits}f}"


def level(error: float | None, bar: float) -> int:
    """The heat of an error: 0 where there is no error to speak of, 1 up to the bar, and 2 to 5 above it."""
    if error is None or error < 1:
        return 0
    return 1 if error <= bar else 2 + sum(error > limit for limit in LEVELS)


class Gravest(NamedTuple, Generic[T]):
    """The gravest verdict of some items, and the items that have it; "not run" if there are no items."""

    verdict: str
    items: list[T]

    @property
    def error(self) -> float | None:
        """The largest error with this verdict; None if no error is known."""
        return max((item.error for item in self.items if item.error is not None), default=None)


def gravest(items: Sequence[T], order: Sequence[str] = GRAVITY) -> Gravest[T]:
    """The gravest verdict of these items, by this order."""
    verdict = min((item.verdict for item in items), key=order.index, default="not run")
    return Gravest(verdict, [item for item in items if item.verdict == verdict])


def verdict(item: Item) -> Word:
    """The word for the verdict of a cell or an invariant."""
    return (VERDICTS if isinstance(item, Cell) else INVARIANTS)[item.verdict]


def tally_word(tally: Tally) -> Word:
    """The word for the verdict of an implementation."""
    return Word("breaks invariants", "✗", "discrepancy") if tally.verdict == "broken" else VERDICTS[tally.verdict]


def change_word(change: Change) -> str:
    """ "regression" for what fails the gate, otherwise the kind of the change."""
    return "regression" if change.kind in REGRESSIONS else change.kind


def whose(spec: str) -> str:
    """ "(dalembert's own)", to stand behind the name of an implementation that is."""
    return "(dalembert's own)" if spec in OWN else ""


def title(quantity: str) -> str:
    """A quantity in words; a name that this version does not know stands for itself."""
    return ALL_QUANTITIES[quantity].title if quantity in ALL_QUANTITIES else quantity


def family(quantity: str) -> str:
    """A quantity in words, without its frame."""
    known = ALL_QUANTITIES.get(quantity)
    return known.title.removeprefix(f"{known.frame} ") if known else quantity


def group(quantity: str) -> str:
    """What a quantity is about: "dynamics", "kinematics", "derivatives"."""
    return ALL_QUANTITIES[quantity].group if quantity in ALL_QUANTITIES else "others"


def symbol(quantity: str) -> str:
    return ALL_QUANTITIES[quantity].symbol if quantity in ALL_QUANTITIES else quantity


def number(x: float) -> str:
    """A number in full precision."""
    return repr(x) if abs(x) < INFINITE else "∞" if x > 0 else "−∞"


def raised(exponent: int | str) -> str:
    """An exponent in superscript digits."""
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def short(number: str, most: int, unit: str = "characters", dots: str = "…") -> str:
    """The first ``most`` characters of an exact number, and how many it has."""
    return number if len(number) <= most else f"{number[:most]}{dots} ({len(number)} {unit})"


def largest_bound(errors: Iterable[str | None]) -> str | None:
    """The largest of these bounds on the probability of an error, as "2^-110"; None without a bound."""
    return max(filter(None, errors), key=lambda error: int(error.removeprefix("2^")), default=None)


def position_names(mechanism: MechanismSummary) -> list[str]:
    """A name for every component of q, numbered if the mechanism gives none."""
    names = mechanism.positions
    return list(names) if len(names) == mechanism.nq else [f"q[{k}]" for k in range(mechanism.nq)]
