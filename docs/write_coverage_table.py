"""Writes the table of docs/coverage.md: what checks on ten choices of mechanisms cannot see, confirmed with the whole harness.

Run ``python docs/write_coverage_table.py`` in the checkout, with the robots installed. For every choice, each fault that the
coverage calls invisible is planted, and the check must stay green; on a mechanism that the coverage proposes it must turn red.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from written import table, with_parts

from cross_check.exchange.results.objects import Coverage
from cross_check.explain.coverage import Trials, coverage_of, kill_table
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.typical import FAULTS
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from implementations.processes.subject import InProcess
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import USUAL

PAGE = Path(__file__).with_name("coverage.md")

SLIDES = """<robot name="slides">
  <link name="world"/>
  <link name="x"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="z"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="along" type="prismatic"><parent link="world"/><child link="x"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="up" type="prismatic"><parent link="x"/><child link="z"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""

CHOICES: tuple[tuple[str, ...], ...] = (
    ("pendulum",),
    ("planar-pendulum:3",),
    ("cart-pole",),
    ("ur5",),
    ("scara",),
    ("puck",),
    ("gyroscope",),
    ("free-rigid-body",),
    ("solo12",),
    ("slides.urdf",),
)

EVERY = 5
"""Of the faults that are invisible, every so many-th is planted: all would take an hour."""

BY_NAME = {fault.name: fault for fault in FAULTS}


class Confirmed(NamedTuple):
    """One choice: its coverage, the invisible faults that nevertheless turned the check red, and those that stayed green."""

    choice: str
    coverage: Coverage
    planted: int
    seen: list[str]
    never_seen: list[str]


def confirm(choice: Sequence[str], mechanisms: Sequence[Mechanism]) -> Confirmed:
    """Plant every fault that is invisible on ``mechanisms``, and look for each on the mechanisms that are proposed."""
    pairs = list(zip(choice, mechanisms, strict=True))
    settings = Settings()
    compared = {mechanism.name: frozenset(USUAL) for mechanism in mechanisms}
    coverage = coverage_of(Trials(pairs, settings), compared, settings)
    hidden = [name for names in coverage.invisible.values() for name in names][::EVERY]
    seen = disagreeing(pairs, hidden, USUAL)
    missing = set(hidden)
    for spec in coverage.add:
        wanted: dict[str, list[str]] = {}
        for name in sorted(missing):
            if shown := kill_table()[name].get(spec):
                wanted.setdefault(next(q for q in USUAL if q in shown), []).append(name)
        for quantity, names in wanted.items():
            missing -= disagreeing([(spec, find_mechanism(spec))], names, (quantity,))
    return Confirmed(" ".join(choice), coverage, len(hidden), sorted(seen), sorted(missing))


def disagreeing(pairs: Sequence[tuple[str, Mechanism]], faults: Iterable[str], quantities: tuple[str, ...]) -> set[str]:
    """Those of ``faults`` with which a check of these mechanisms and quantities does not end green."""
    entries = [Entry(name, name, InProcess(Mutant(BY_NAME[name]))) for name in faults]
    results = check(pairs, entries, Settings(quantities=quantities, invariants=False), explain=False)
    return {item.implementation for item in results.items if item.verdict in ("discrepancy", "failed")}


HEAD = ("a check of", "restricted to", "would miss", "planted: stayed green", "proposed", "turned red there")


def render(all_confirmed: Sequence[Confirmed]) -> str:
    """The page."""
    odd = [f"- `{c.choice}`: not as said, {'; '.join([*c.seen, *c.never_seen])}" for c in all_confirmed if c.seen or c.never_seen]
    lines = [*table(HEAD, map(_row, all_confirmed), "llrrlr"), *([""] if odd else []), *odd]
    return with_parts(PAGE, choices="\n".join(lines))


def _row(confirmed: Confirmed) -> Iterator[object]:
    choice, coverage, planted, seen, never = confirmed
    yield from (f"`{choice}`", coverage.motion or "–", f"{coverage.hidden} of {coverage.faults}")
    yield from (f"{planted - len(seen)} of {planted}", ", ".join(coverage.add), f"{planted - len(never)} of {planted}")


def main() -> None:
    done = []
    with TemporaryDirectory() as folder:
        path = Path(folder, "slides.urdf")
        path.write_text(SLIDES, "utf-8")
        for choice in CHOICES:
            found = [find_mechanism(str(path) if spec == path.name else spec) for spec in choice]
            done.append(confirm(choice, found))
            print(done[-1].choice, done[-1].coverage.hidden, *done[-1][2:], file=sys.stderr)
            PAGE.write_text(render(done), "utf-8")


if __name__ == "__main__":
    main()
