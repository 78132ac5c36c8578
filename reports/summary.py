"""Results in a few sentences and figures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from cross_check.exchange.results.objects import Cell, Item, MechanismSummary, Results, Rounding, plain
from cross_check.exchange.results.parts import lower_end
from cross_check.exchange.results.tally import tallies
from mechanisms.numbers.precision import FLOAT64
from mechanisms.quantities import ALL_QUANTITIES, ALL_USUAL, CONSTRAINT_QUANTITIES, INTEGRATION
from reports.words import PROBLEMS, count, family, group, listing, number, one_line, position_names, title, units


def problems(results: Results) -> list[Item]:
    """Every discrepancy and failure, grouped by implementation, cells before invariants."""
    return [item for tally in tallies(results) for item in tally.items if item.verdict in PROBLEMS]


def notes(results: Results) -> list[str]:
    """What the reader ignored in files though it may matter; mechanisms about which the same is said share a line."""
    found: dict[str, list[str]] = {}
    for mechanism in results.mechanisms:
        for note in mechanism.notes:
            found.setdefault(note, []).append(mechanism.name)
    return [f"{listing(names)}: {note}" for note, names in found.items()]


def constraints(results: Results) -> list[str]:
    """What the constraints of every mechanism leave of its freedom, and which are redundant."""
    return [f"{mechanism.name}: {mechanism.constraints}" for mechanism in results.mechanisms if mechanism.constraints]


EXPONENTIALS = "matrix exponentials, by their definition, in balls"


def truths(results: Results) -> str:
    """What served as truth, the distance between its two derivations, and the precision of code if that is not float64."""
    return " ".join(filter(None, (_truths(results), *precisions(results))))


def precisions(results: Results) -> list[str]:
    """For every precision of code other than float64: a sentence."""
    names: dict[str, list[str]] = {}
    for entry in results.implementations:
        if entry.precision != FLOAT64.name:
            names.setdefault(entry.precision, []).append(entry.name)
    return [
        f"{listing(of)} {'are' if len(of) > 1 else 'is'} judged as {precision} code: states are {precision} numbers, and an "
        f"ε-unit is a rounding of {precision}."
        for precision, of in names.items()
    ]


def _truths(results: Results) -> str:
    compared = {cell.quantity for cell in results.cells}
    only_positions = bool(compared) and compared <= {*INTEGRATION}
    if certified := [mechanism.certified for mechanism in results.mechanisms if mechanism.certified]:
        return _certificate(certified, bridge(results), "matrix exponentials" if only_positions else "the Lagrangian oracle")
    ways = {"symbolic": "symbolic", "jets": "by jets"}
    numbers = {name: sum(mechanism.truth == name for mechanism in results.mechanisms) for name in ways}
    parts = [f"{ways[name]} on {count(n, 'mechanism')}" for name, n in numbers.items() if n]
    if not parts:
        return ""
    gap = bridge(results)
    both = f" It and the spatial-algebra reference differ by {_most(gap)} ε-units." if gap is not None else ""
    slower = f" {results.machine['slower']}." if "slower" in results.machine else ""
    if only_positions:
        return f"The truth is {EXPONENTIALS}.{both}{slower}"
    both += f" For integrated positions and differences the truth is {EXPONENTIALS}." if compared & {*INTEGRATION} else ""
    return f"The truth is the Lagrangian oracle, {listing(parts)}, in double-double arithmetic.{both}{slower}"


def workarounds(results: Results) -> list[str]:
    """For every engine whose adapter computes something itself: what, and what that means for the comparison."""
    return [
        f"{entry.name}: the adapter does this itself, so the engine's faults there stay unseen: {'; '.join(entry.workarounds)}."
        for entry in results.implementations
        if entry.workarounds
    ]


def _certificate(certified: list[Rounding], gap: float | None, of: str) -> str:
    """A certified truth in words."""
    bits, ties = max(one.bits for one in certified), sum(one.ties for one in certified)
    even = f" ({count(ties, 'proven tie')} to even)" if ties else ""
    if undecided := sum(one.undecided for one in certified):
        even += f"; {count(undecided, 'value')} may be ties, and may be off by half an ulp more"
    off = f" The spatial-algebra reference in double-double is off by {_most(gap)} ε-units." if gap is not None else ""
    return f"The truth is certified: {of} in balls of up to {bits} bits, correctly rounded{even}.{off}"


def _most(gap: float) -> str:
    small = units(gap)
    return f"less than {small[1:]}" if small.startswith("<") else f"at most {small}"


ULPS = (
    "An ulp is the gap between the correctly rounded value and the next smaller number (in magnitude); a neighbour above a "
    "power of two is two ulps away. Half / 99 in 100 / all numbers except zeros are within so many ulps. Where large terms "
    "cancel, even correct code is off by many ulps, and only ε-units show what is wrong."
)
"""What distances in units in the last place mean."""


def ulps(cells: Iterable[Cell]) -> str:
    """The largest distances of these cells from the correctly rounded values; empty if none are known.

    Each of the three is that of the worst cell: half of the numbers of every cell are within the first.
    """
    known = [cell.ulps for cell in cells if cell.ulps]
    largest = [max(getattr(x, name) for x in known) for name in ("median", "most", "largest")] if known else []
    return " / ".join(f"{x:.0f}" if x < 999.5 else units(x) for x in largest)


def distances(results: Results) -> dict[str, tuple[str, ...]]:
    """By quantity, in the order of the run: its distances from the correctly rounded values over all mechanisms, one per
    implementation, "–" if there is none. Empty if the truth is not certified.
    """
    counted = tallies(results)
    names = dict.fromkeys(cell.quantity for cell in results.cells if cell.ulps)
    return {name: tuple(ulps(c for c in t.cells if c.quantity == name) or "–" for t in counted) for name in names}


def bridge(results: Results) -> float | None:
    """The largest distance between oracle and reference, in ε-units; see :class:`MechanismSummary`."""
    return max((gap for mechanism in results.mechanisms for gap in mechanism.bridge.values()), default=None)


MOST_NAMED = 3
"""Invariants that are named together; of more, one is."""

MOST_OFFERED = 8
"""Quantities that code offers and the run does not compare; of more, so many are named."""


@dataclass(frozen=True)
class Absence:
    """Something that was not compared, in one line, and the mechanisms that it concerns."""

    implementation: str
    verdict: Literal["not offered", "unsupported", "not run"]
    message: str
    mechanisms: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.message if self.implementation.lower() in self.message.lower() else f"{self.implementation}: {self.message}"


def absent(results: Results) -> list[Absence]:
    """What was not offered, is unsupported, or is offered and was not asked for. Everything that an implementation does not offer
    is one line.

    An invariant that is not checked for another reason goes by its name, because the message names only a quantity.
    """
    groups: dict[tuple[str, Any, str], list[str]] = {}
    offering = {entry.name: entry.not_compared for entry in results.implementations}
    for tally in tallies(results):
        if offered := offering.get(tally.name, ()):
            groups[tally.name, "not run", _offered(tally.name, offered)] = [item.mechanism for item in tally.items]
        lacking = [cell for cell in tally.cells if cell.verdict == "not offered"]
        unchecked = [invariant for invariant in tally.invariants if invariant.verdict == "not offered"]
        if lacking:
            message = f"{tally.name} does not offer {_together(results, [cell.quantity for cell in lacking])}"
            if unchecked:
                message += f", so {count(len({one.name for one in unchecked}), 'invariant')} cannot be checked"
            concerned = [item.mechanism for item in lacking] + [invariant.mechanism for invariant in unchecked]
            groups[tally.name, "not offered", message] = concerned
        missed = [i for i in tally.items if i.verdict == "unsupported" or (i.verdict == "not offered" and not lacking)]
        named: dict[str, dict[str, None]] = {}
        for item in missed:
            if not isinstance(item, Cell):
                named.setdefault(item.message, {})[item.name] = None
        for item in missed:
            about = "" if isinstance(item, Cell) else f"{_several(list(named[item.message]))}: "
            groups.setdefault((tally.name, item.verdict, about + item.message), []).append(item.mechanism)
    return [Absence(*key, tuple(dict.fromkeys(mechanisms))) for key, mechanisms in groups.items()]


def aside(results: Results) -> dict[str, list[str]]:
    """What is said beside the verdicts, below its headings."""
    return {
        "Not compared": [f"{one.text} ({count(len(one.mechanisms), 'mechanism')})" for one in absent(results)],
        "Constraints": constraints(results),
        "Ignored in files": notes(results),
        "Skipped": [f"{one_line(item.what)}: {one_line(item.why)}" for item in results.skipped],
    }


def _offered(implementation: str, names: Sequence[str]) -> str:
    """What code offers and the run does not compare, and how to compare it."""
    several = names if len(names) <= MOST_OFFERED else [*names[: MOST_OFFERED - 1], f"{len(names) - MOST_OFFERED + 1} others"]
    it = "it" if len(names) == 1 else "them"
    where = "; those of constraints are compared on mechanisms that have some" if set(names) & {*CONSTRAINT_QUANTITIES} else ""
    return f"{implementation} offers {listing(several)}, which this run does not compare; name {it} with -q{where}"


def _several(names: Sequence[str]) -> str:
    """Invariants that are not checked for one reason."""
    return listing(names) if len(names) <= MOST_NAMED else f"{names[0]} and {count(len(names) - 1, 'other')}"


def _together(results: Results, lacking: Sequence[str]) -> str:
    """Quantities in words. A group or a family of quantities that are all lacking goes by its name."""
    quantities = list(dict.fromkeys(lacking))
    asked = dict.fromkeys(cell.quantity for cell in results.cells)
    groups: dict[str, list[str]] = {}
    families: dict[str, list[str]] = {}
    for name in asked:
        groups.setdefault(group(name), []).append(name)
        families.setdefault(family(name), []).append(name)
    whole = [about for about, names in groups.items() if len(names) > 1 and set(names) <= set(quantities)]
    rest = [name for name in quantities if group(name) not in whole]
    words = (family(name) if set(families[family(name)]) <= set(quantities) else title(name) for name in rest)
    return listing([*whole, *dict.fromkeys(words)])


def reason(results: Results, item: Item) -> str:
    """One line: why this cell or invariant does not simply agree."""
    if not isinstance(item, Cell) or item.verdict != "discrepancy":
        violated = f"violated by {units(item.error)} ε-units" if item.error is not None else ""
        return one_line(item.message or violated or item.verdict)
    where = f" in {item.worst.coordinate}" if item.worst and item.worst.coordinate else ""
    states = pattern(results, item)
    return one_line("; ".join(part for part in (item.message, f"off by {units(item.error)} ε-units{where}", states) if part))


def spread(cell: Cell) -> str:
    """Of a cell with a histogram: how large the errors of its states are."""
    if not (counted := cell.histogram):
        return ""
    within = f"half are within {units(counted.median)} ε-units, 99 in 100 within {units(counted.most)}"
    return f"Of {count(counted.states, 'state')} {within}, {counted.over} above the bar"


def pattern(results: Results, cell: Cell) -> str:
    """How many states are wrong, and the kinds of states of which all are right."""
    bar, kinds = results.settings.bar, results.mechanism(cell.mechanism).kinds
    if cell.missing:
        kinds = kinds[: len(cell.errors)]  # All recorded states are of one kind.
    if counted := cell.histogram:
        kinds, over, total = tuple(counted.bins), counted.over, counted.states
        wrong = {kind for kind, pairs in counted.bins.items() if lower_end(pairs[-1][0] + 1) > bar}
    elif len(kinds) == len(cell.errors) and kinds:
        over, total = sum(error > bar for error in cell.errors), len(kinds)
        wrong = {kind for kind, error in zip(kinds, cell.errors, strict=True) if error > bar}
    else:
        return ""
    if not over:
        return ""  # All errors together show it.
    right = [kind for kind in dict.fromkeys(kinds) if kind not in wrong]
    states = f"wrong in {over} of {count(total, 'state')}"
    if not (right and wrong):
        return states
    return f"{states}, right in those of kind {listing(right)}"


def inputs(mechanism: MechanismSummary, given: Mapping[str, Sequence[Any]]) -> list[tuple[str, list[tuple[str, str]]]]:
    """A state's inputs by argument: every number in full precision, with its coordinate, or its body and component."""
    return named(given, mechanism.coordinates, position_names(mechanism), [f"body {k}" for k in range(mechanism.bodies)])


def named(
    given: Mapping[str, Sequence[Any]], coordinates: Sequence[str], positions: Sequence[str], bodies: Sequence[str]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """The same with these names: of all arguments but q and f, the components are ``coordinates``."""
    names = {"q": positions, "f": [f"{body} {part}" for body in bodies for part in ("nx", "ny", "nz", "fx", "fy", "fz")]}
    return [
        (argument, [(name, number(x)) for name, x in zip(names.get(argument, coordinates), flat(values), strict=False)])
        for argument, values in given.items()
    ]


def flat(values: Sequence[Any]) -> list[float]:
    """The numbers of an argument of one state, without their rows."""
    return [x for value in values for x in (value if isinstance(value, tuple) else (value,))]


class SettingRow(NamedTuple):
    """A setting on one line. ``origin`` is empty where it is not known."""

    name: str
    value: str
    origin: str = ""


def setting_rows(results: Results) -> list[SettingRow]:
    """Every setting, the version of dalembert first."""
    settings = results.settings
    rows = [SettingRow("dalembert", settings.version)]
    if results.effective:
        return rows + [SettingRow(one_line(one.name), _joined(one.values), one_line(one.origin)) for one in results.effective]
    names = (*(["recorded"] if settings.recorded else []), "seed", "states", "bar", "precision", "certified")
    return rows + [SettingRow(name, _joined(plain(getattr(settings, name)))) for name in names]


def _joined(values: Sequence[str]) -> str:
    words = {"all": set(ALL_QUANTITIES), "usual": set(ALL_USUAL)}
    return next((word for word, names in words.items() if set(values) == names), one_line(", ".join(values)) or "none")


def score_sentence() -> str:
    """How many planted faults a diagnosis names, and how much correct code it accuses."""
    score = json.loads(files(__package__).joinpath("score.json").read_text("utf-8"))
    return (
        f"Of {score['faults']} faulty codes with known causes, dalembert names {score['named']}; "
        f"of {score['correct']} correct codes in disguise, it accuses {score['accused'] or 'none'} (docs/score.md)"
    )
