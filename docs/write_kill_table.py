"""Writes docs/kill-table.md and cross_check/coverage/kills.json: which fault shows at which kind of state and on which mechanism.

Run ``python docs/write_kill_table.py`` in the checkout, with the robots installed. It tries every fault on every mechanism that a
default check has or had; with two processes that takes about ten minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from cross_check.coverage.kill_table import PATH, packed
from cross_check.coverage.measured import Measured
from cross_check.faults.typical import FAULTS
from cross_check.results.objects import BAR
from cross_check.settings import Settings
from mechanisms import DEFAULT_ROBOTS, DEFAULT_TEXTBOOK, TEXTBOOK, find_mechanism
from mechanisms.quantities import USUAL

PAGE = Path(__file__).with_name("kill-table.md")

EARLIER_KINDS = ("zero", "random", "at rest", "quarter turns", "tiny", "large", "fast")
ADDED = ("satellite", "wall-arms", "screw-jack", "swarm")
EARLIER_ROBOTS = (
    *("ur5", "panda", "kinova", "allegro-right", "solo12", "anymal-c", "go2", "bolt", "g1", "talos", "borinot", "hextilt"),
)
EARLIER = (*(name for name in TEXTBOOK if name not in ADDED), *EARLIER_ROBOTS)
"""The kinds of states and the mechanisms of a default check before this table existed."""

NOW = (*DEFAULT_TEXTBOOK, "swarm", *DEFAULT_ROBOTS)

WORKERS = 2

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
        measured.forget(fault)
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
    before, now = found(table, EARLIER, EARLIER_KINDS), found(table, NOW, kinds)
    some = [fault.name for fault in FAULTS if fault.name not in now]
    new = [f"| {f.group} | {f.name} | {_first(table[f.name], kinds)} |" for f in FAULTS if f.name in now - before]
    return "\n".join(
        [
            "# Which fault shows where",
            "",
            "`python docs/write_kill_table.py` measures and writes this page. A fault is a variant of the reference in which",
            "one thing is wrong ([cross_check/faults](../cross_check/faults)). It shows at a state of a mechanism if it",
            f"moves some quantity by more than the bar, {BAR:g} ε-units. All quantities are compared, at {Settings().states}",
            "states with seed 0.",
            "",
            "| | kinds of states | mechanisms | faults that show |",
            "|---|--:|--:|--:|",
            f"| earlier | {len(EARLIER_KINDS)} | {len(EARLIER)} | {len(before)} of {len(FAULTS)} |",
            f"| only the kinds are new | {len(kinds)} | {len(EARLIER)} | {len(found(table, EARLIER, kinds))} |",
            f"| only the mechanisms are new | {len(EARLIER_KINDS)} | {len(NOW)} | {len(found(table, NOW, EARLIER_KINDS))} |",
            f"| now | {len(kinds)} | {len(NOW)} | {len(now)} |",
            "",
            "## Faults that show nowhere in a default check",
            "",
            *(f"- {name}" for name in some),
            *(["None."] if not some else ["", "No mechanism of a default check has another joint behind joints of these kinds."]),
            "",
            "## Faults that show now and did not earlier",
            "",
            "| term | fault | shows first at | on |",
            "|---|---|---|---|",
            *new,
            "",
            "## Kinds of states",
            "",
            "“Alone” are faults that no other kind shows, on the mechanisms of a default check. Kinds without any stay: code",
            "fails in more ways than are listed here.",
            "",
            "| kind | faults | alone |",
            "|---|--:|---|",
            *(_row(kind, found(table, NOW, [kind]), found(table, NOW, [k for k in kinds if k != kind])) for kind in kinds),
            "",
            "## Mechanisms",
            "",
            "“Alone” are faults that no other mechanism of a default check shows. "
            f"A smallest set that shows all is {', '.join(_greedy(table, kinds))}.",
            "",
            "| mechanism | default | faults | alone |",
            "|---|---|--:|---|",
            *(_mechanism(table, spec, kinds) for spec in dict.fromkeys((*NOW, *EARLIER))),
            "",
            "## All faults",
            "",
            "| term | fault | kinds of states | mechanisms of a default check | earlier |",
            "|---|---|--:|--:|---|",
            *(_fault(table, fault.group, fault.name, kinds, before) for fault in FAULTS),
            "",
        ]
    )


def _first(row: dict[str, Shown], kinds: Sequence[str]) -> str:
    spec = next(spec for spec in sorted(row, key=lambda spec: -len(row[spec].kinds)) if spec in NOW)
    return f"{row[spec].kinds[0]} | {spec}"


def _row(name: str, shown: set[str], by_others: set[str], middle: str = "") -> str:
    alone = sorted(shown - by_others)
    return f"| {name} |{middle} {len(shown)} | {'; '.join(alone[:6])}{f'; {len(alone) - 6} more' if len(alone) > 6 else ''} |"


def _mechanism(table: Table, spec: str, kinds: Sequence[str]) -> str:
    others = [other for other in NOW if other != spec]
    return _row(spec, found(table, [spec], kinds), found(table, others, kinds), " yes |" if spec in NOW else " no |")


def _greedy(table: Table, kinds: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    missing = found(table, NOW, kinds)
    count: Callable[[str], int] = lambda spec: len(missing & found(table, [spec], kinds))  # noqa: E731
    while missing:
        chosen.append(max(NOW, key=count))
        missing -= found(table, chosen, kinds)
    return chosen


def _fault(table: Table, group: str, name: str, kinds: Sequence[str], before: set[str]) -> str:
    rows = [shown for spec, shown in table[name].items() if spec in NOW]
    at = {kind for shown in rows for kind in shown.kinds}
    where = f"{len(at)}" if len(at) > 3 else ", ".join(kind for kind in kinds if kind in at)
    on = [spec for spec in table[name] if spec in NOW]
    return f"| {group} | {name} | {where} | {len(on) if len(on) > 3 else ', '.join(on)} | {'yes' if name in before else 'no'} |"


def main() -> None:
    kinds, table = measure(tuple(dict.fromkeys((*NOW, *EARLIER, *TEXTBOOK))))
    write(kinds, table)


def write(kinds: tuple[str, ...], table: Table) -> None:
    """Write the page and the file of the package."""
    textbook = {
        fault: {spec: frozenset(shown.quantities) for spec, shown in row.items() if spec in TEXTBOOK}
        for fault, row in table.items()
    }
    PATH.write_text(packed(textbook, USUAL), "utf-8")
    PAGE.write_text(render(kinds, table), "utf-8")


if __name__ == "__main__":
    main()
