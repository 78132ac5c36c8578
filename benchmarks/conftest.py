"""Races: contenders run in turn within each round, so that their ratios hold even where the machine's speed does not.

Every contender keeps its fastest round. The ratios stand at the end of pytest's output; nothing is asserted about time.
``--benchmark-disable`` runs everything once and prints no ratios.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from math import inf
from time import perf_counter
from typing import Any, TypeVar

import pytest

# Read when NumPy is first imported, which the test modules do: "one core" has to mean one thread of BLAS too.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

Name = TypeVar("Name", bound=Hashable)

LINES = pytest.StashKey[list[str]]()


@pytest.fixture
def race(benchmark: Any) -> Callable[[Mapping[Name, Callable[[], object]], int], dict[Name, float]]:
    """A function of contenders and rounds that returns the seconds of every contender's fastest round."""

    def run(contenders: Mapping[Name, Callable[[], object]], rounds: int) -> dict[Name, float]:
        best = dict.fromkeys(contenders, inf)

        def one_round() -> None:
            for name, contender in contenders.items():
                start = perf_counter()
                contender()
                best[name] = min(best[name], perf_counter() - start)

        benchmark.pedantic(one_round, rounds=rounds, warmup_rounds=1)
        return best

    return run


@pytest.fixture
def say(request: pytest.FixtureRequest, benchmark: Any) -> Callable[[str], None]:
    """Puts a line into the summary of the session, where times were taken."""

    def line(text: str) -> None:
        if benchmark.enabled:
            request.config.stash.setdefault(LINES, []).append(text)

    return line


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if lines := config.stash.get(LINES, []):
        terminalreporter.section("ratios")
        for line in lines:
            terminalreporter.write_line(line)
