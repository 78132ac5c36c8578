"""Writes docs/kill-table.md and cross_check/explain/coverage/kills.json: which fault shows at which kind of state and on which
mechanism.

Run ``python docs/write_kill_table.py`` in the checkout, with the robots installed. It tries every fault on every textbook
mechanism and on every mechanism of a default check; with two processes that takes about ten minutes.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from written import table as lines_of
from written import with_parts

from cross_check.exchange.results.objects import BAR
from cross_check.explain.coverage import PATH, Kills, Measured
from cross_check.explain.faults.typical import FAULTS
from cross_check.judge.settings import Settings
from mechanisms import DEFAULT_ROBOTS, DEFAULT_TEXTBOOK, TEXTBOOK, find_mechanism
from mechanisms.library.textbook import PLAIN_TEXTBOOK
from mechanisms.quantities import USUAL

PAGE = Path(__file__).with_name("kill-table.md")

DEFAULT = (*DEFAULT_TEXTBOOK, "swarm", *DEFAULT_ROBOTS)
"""The mechanisms of a default check; the swarm stands for those that the check draws, which show the same faults."""

OTHERS = tuple(name for name in PLAIN_TEXTBOOK if name not in DEFAULT)

WORKERS = 2

WIDTH = 130
"""Characters of a line of the page."""

FEW = 3
"""So many kinds of states or mechanisms are named."""

MOST_NAMED = 4
"""So many faults of one kind or mechanism are named."""

LARGE = 40
"""Textbook mechanisms with more coordinates count as large."""


class Shown(NamedTuple):
    """Where one fault shows on one mechanism."""

    kinds: tuple[str, ...]
    quantities: tuple[str, ...]


Table = dict[str, dict[str, Shown]]
"""By fault and mechanism."""


def try_all(spec: str) -> tuple[str, tuple[str, ...], dict[str, Shown]]:
    """The kinds of states, and every fault that shows on one mechanism.

    Of large mechanisms, quantities are tried until all kinds of states show the fault.
    """
    mechanism = find_mechanism(spec)
    measured = Measured(mechanism, Settings().sample(mechanism, Settings().states))
    row = {}
    for fault in FAULTS:
        kinds: set[str] = set()
        quantities = []
        for quantity in USUAL:
            wrong = measured.errors(fault, quantity) > BAR
            if wrong.any():
                quantities.append(quantity)
                kinds |= {kind for kind, is_wrong in zip(measured.kinds, wrong, strict=True) if is_wrong}
            if (spec not in TEXTBOOK or mechanism.nv > LARGE) and len(kinds) == len(set(measured.kinds)):
                break
        if quantities:
            row[fault.name] = Shown(tuple(dict.fromkeys(kind for kind in measured.kinds if kind in kinds)), tuple(quantities))
    return spec, tuple(dict.fromkeys(measured.kinds)), row


def measure(specs: Sequence[str]) -> tuple[tuple[str, ...], Table]:
    """The kinds of states, and the table of these mechanisms."""
    table: Table = {fault.name: {} for fault in FAULTS}
    kinds: tuple[str, ...] = ()
    with ProcessPoolExecutor(WORKERS) as pool:
        for done in as_completed([pool.submit(try_all, spec) for spec in specs]):
            spec, kinds, row = done.result()
            print(f"{spec}: {len(row)} of {len(FAULTS)} faults", file=sys.stderr)
            for fault, shown in row.items():
                table[fault][spec] = shown
    return kinds, {fault: {spec: row[spec] for spec in specs if spec in row} for fault, row in table.items()}


def found(table: Table, mechanisms: Iterable[str], kinds: Iterable[str]) -> set[str]:
    """The faults that show on some of these mechanisms at some of these kinds of states."""
    m, k = set(mechanisms), set(kinds)
    return {fault for fault, row in table.items() if any(spec in m and k & set(shown.kinds) for spec, shown in row.items())}


def render(kinds: tuple[str, ...], table: Table) -> str:
    """The page."""
    shown = found(table, DEFAULT, kinds)
    hidden = [fault.name for fault in FAULTS if fault.name not in shown]
    alone_at = {kind: shown - found(table, DEFAULT, [k for k in kinds if k != kind]) for kind in kinds}
    alone_on = {spec: shown - found(table, [s for s in DEFAULT if s != spec], kinds) for spec in DEFAULT}
    more = found(table, OTHERS, kinds) - shown
    faults = (
        "A fault is a variant of the reference in which one thing is wrong",
        "([cross_check/explain/faults](../cross_check/explain/faults)).",
        f"It shows at a state of a mechanism if it moves some quantity by more than the bar, {BAR:g} ε-units. All",
        f"quantities are compared, at {Settings().states} states of {len(kinds)} kinds with seed 0, on",
        f"{len(DEFAULT)} mechanisms of a default check.",
        f"{len(shown)} of {len(FAULTS)} faults show. The others are: {'; '.join(hidden) or 'none'}.",
    )
    states = (
        f"The number of faults that each shows: {_counts({kind: found(table, DEFAULT, [kind]) for kind in kinds})}.",
        "Code can be wrong in other ways, so kinds that show no fault alone stay. Faults that one kind shows alone:",
    )
    mechanisms = (
        f"The number of faults that each shows: {_counts({spec: found(table, [spec], kinds) for spec in DEFAULT})}.",
        f"A smallest set that shows all is {', '.join(_greedy(table, kinds))}.",
        f"The other textbook mechanisms ({', '.join(OTHERS)}) show {'; '.join(sorted(more)) or 'no other fault'}.",
        "Faults that one mechanism shows alone:",
    )
    rows = (_term(group, table, kinds) for group in dict.fromkeys(fault.group for fault in FAULTS))
    return with_parts(
        PAGE,
        faults=_paragraph(*faults),
        kinds="\n\n".join([_paragraph(*states), "\n".join(_alone(alone_at))]),
        mechanisms="\n\n".join([_paragraph(*mechanisms), "\n".join(_alone(alone_on))]),
        terms="\n".join(lines_of(("term", "faults", "kinds of states", "mechanisms"), rows, "lrrr")),
    )


def _paragraph(*sentences: str) -> str:
    return textwrap.fill(" ".join(sentences), WIDTH, break_long_words=False, break_on_hyphens=False)


def _counts(shown: Mapping[str, set[str]]) -> str:
    return ", ".join(f"{name} {len(faults)}" for name, faults in shown.items())


def _alone(shown: Mapping[str, set[str]]) -> list[str]:
    """A line for each name that shows faults alone; many faults are counted by their terms."""
    return [f"- {name}: {_listed(faults)}" for name, faults in shown.items() if faults]


def _listed(names: set[str]) -> str:
    if len(names) <= MOST_NAMED:
        return "; ".join(sorted(names))
    terms = Counter(fault.group for fault in FAULTS if fault.name in names)
    return ", ".join(f"{count} of {term}" for term, count in terms.items())


def _term(group: str, table: Table, kinds: Sequence[str]) -> tuple[object, ...]:
    rows = [{spec: shown for spec, shown in table[f.name].items() if spec in DEFAULT} for f in FAULTS if f.group == group]
    at = [{kind for shown in row.values() for kind in shown.kinds} for row in rows]
    return group, len(rows), _range(at, kinds), _range([set(row) for row in rows], DEFAULT)


def _range(sets: Sequence[set[str]], order: Sequence[str]) -> str:
    """The names of a few that are in all of the ``sets``, or how many each set has."""
    if max(map(len, sets)) <= FEW and all(one == sets[0] for one in sets):
        return ", ".join(name for name in order if name in sets[0])
    least, most = min(map(len, sets)), max(map(len, sets))
    return f"{least}" if least == most else f"{least}–{most}"


def _greedy(table: Table, kinds: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    missing = found(table, DEFAULT, kinds)
    count: Callable[[str], int] = lambda spec: len(missing & found(table, [spec], kinds))  # noqa: E731
    while missing:
        chosen.append(max(DEFAULT, key=count))
        missing -= found(table, chosen, kinds)
    return chosen


def packed(kills: Kills, quantities: tuple[str, ...]) -> str:
    """The table as the text of the file. A set of quantities is a hexadecimal number, with one bit for each quantity."""
    rows = []
    for fault, row in kills.items():
        masks = {m: f"{sum(1 << k for k, name in enumerate(quantities) if name in shown):x}" for m, shown in row.items()}
        rows.append(f"  {json.dumps(fault, ensure_ascii=False)}: {json.dumps(masks)}")
    faults = ",\n".join(rows)
    return f'{{\n "quantities": {json.dumps(quantities)},\n "faults": {{\n{faults}\n }}\n}}\n'


def main() -> None:
    """Write the page and the file of the package."""
    kinds, table = measure((*DEFAULT, *OTHERS))
    textbook = {
        fault: {spec: frozenset(shown.quantities) for spec, shown in row.items() if spec in TEXTBOOK}
        for fault, row in table.items()
    }
    PATH.write_text(packed(textbook, USUAL), "utf-8")
    PAGE.write_text(render(kinds, table), "utf-8")


if __name__ == "__main__":
    main()
