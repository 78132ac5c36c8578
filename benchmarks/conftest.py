"""Races, and the tables that come of them.

Contenders run in turn within each round, so that their ratios hold even where the machine's speed does not. Every contender keeps
its fastest round. Nothing is asserted about time. At the end pytest prints the tables and writes them into docs/benchmarks.md.
``--benchmark-disable`` runs everything once, at few states, and writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import pytest
from aims import AIMS, table_of_aims
from benchmark_page import PageError, Table, measured_with, with_tables

# Read when NumPy is first imported, which the test modules do: "one core" has to mean one thread of BLAS too.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"

Group = TypeVar("Group", bound=Hashable)
Name = TypeVar("Name", bound=Hashable)

LINES = pytest.StashKey[list[str]]()
TABLES = pytest.StashKey[list[Table]]()
REACHED = pytest.StashKey[dict[str, float]]()
"""What was measured for each aim."""

ENABLED = pytest.StashKey[bool]()
"""Whether times were taken."""


@pytest.fixture
def races(
    benchmark: Any,
) -> Callable[[Mapping[Group, Mapping[Name, Callable[[], object]]], int], dict[tuple[Group, Name], float]]:
    """A function of groups of contenders and of rounds that returns the seconds of every contender's fastest round.

    The groups race one after another, the contenders of a group in turn. A round before the first one is not counted.
    """

    def run(groups: Mapping[Group, Mapping[Name, Callable[[], object]]], rounds: int) -> dict[tuple[Group, Name], float]:
        best = {(group, name): inf for group, contenders in groups.items() for name in contenders}

        def all_rounds() -> None:
            for group, contenders in groups.items():
                for number in range(1 + rounds * benchmark.enabled):
                    for name, contender in contenders.items():
                        start = perf_counter()
                        contender()
                        if number or not benchmark.enabled:
                            best[group, name] = min(best[group, name], perf_counter() - start)

        benchmark.pedantic(all_rounds, rounds=1)
        return best

    return run


@pytest.fixture
def race(races: Any) -> Callable[[Mapping[Name, Callable[[], object]], int], dict[Name, float]]:
    """The same for one group."""

    def run(contenders: Mapping[Name, Callable[[], object]], rounds: int) -> dict[Name, float]:
        return {name: seconds for (_, name), seconds in races({"": contenders}, rounds).items()}

    return run


@pytest.fixture
def scaled(benchmark: Any) -> Callable[[Any, Any], Any]:
    """A function of two sizes: the first one where times are taken, the second one where a benchmark is only tried."""
    return lambda full, small: full if benchmark.enabled else small


@pytest.fixture
def table(request: pytest.FixtureRequest, benchmark: Any) -> Callable[[str, Sequence[str], Iterable[Sequence[object]]], None]:
    """A function of name, header and rows that puts a table on the page, where times were taken."""

    def put(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        made = Table(name, tuple(header), tuple(tuple(map(str, row)) for row in rows))
        request.config.stash.setdefault(TABLES, []).append(made)
        request.config.stash[ENABLED] = benchmark.enabled

    return put


@pytest.fixture
def aim(request: pytest.FixtureRequest) -> Callable[[str, float], None]:
    """A function of the name of an aim (:data:`aims.AIMS`) and of what was measured for it."""

    def reached(name: str, measured: float) -> None:
        assert name in AIMS, f"there is no aim {name!r}"
        request.config.stash.setdefault(REACHED, {})[name] = measured

    return reached


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the page. The run has failed where it cannot be written."""
    stash = session.config.stash
    tables, lines, reached = stash.get(TABLES, []), stash.setdefault(LINES, []), stash.get(REACHED, {})
    left = [name for name in AIMS if name not in reached]
    if reached and left:
        lines.append(f"The table of aims is not written, because these were not measured: {', '.join(left)}")
    elif reached:
        tables = [*tables, table_of_aims(reached)]
    if stash.get(ENABLED, False):
        lines[:0] = [line for made in tables for line in made.as_text()]
        try:
            write(tables)
            lines.append(f"{len(tables)} tables were written into {PAGE.name}")
        except (OSError, PageError) as error:
            lines.append(f"{PAGE.name} was not written: {error}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
    elif tables:
        names = ", ".join(made.name for made in tables)
        lines.append(f"Benchmarks are disabled, so {PAGE.name} is not written. These tables were tried: {names}")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if lines := config.stash.get(LINES, []):
        terminalreporter.section("benchmarks")
        for line in lines:
            terminalreporter.write_line(line)


def write(tables: Sequence[Table]) -> None:
    """Write the tables into the page. Raises :class:`PageError`, and :class:`OSError` where the page cannot be written."""
    time = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    page = with_tables(PAGE.read_text("utf-8"), tables, time, measured_with())
    PAGE.write_text(page, "utf-8")
