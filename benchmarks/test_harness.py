"""What the harness costs on top of the engines that it checks: a whole run, and where its time goes.

Overhead is (total − engines' own calls) / engines' own calls. Nothing is kept from one round to the next: every round
derives, records, draws states, works out the truth and compares, as a run from the command line does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import wraps
from time import perf_counter
from typing import Any

import pytest

import oracle
from cross_check import part
from cross_check.comparison import sampling, truth
from cross_check.error_scale import dynamics_sizes
from cross_check.error_scale.sizes import ErrorScale
from cross_check.harness import Entry, check
from cross_check.settings import Settings
from implementations.algorithms import AlgorithmicDynamics
from implementations.plugins.registry import find_implementation
from implementations.processes.subject import InProcess, LoadedInProcess
from implementations.recorded import traced
from mechanisms.robots import robot

PARTS = {
    "deriving": ((oracle, "derive"),),
    "recording": ((traced.TracedDynamics, "_record"),),
    "drawing states": ((sampling, "sample"),),
    "oracle and M a + h": ((truth.Truth, "values"), (truth.Truth, "forces")),
    "reference in extended precision": ((AlgorithmicDynamics, "_evaluate"),),
    "magnitudes": ((ErrorScale, "_size"), (dynamics_sizes, "subtree_inertias")),
    "engines": ((LoadedInProcess, "ask"),),
    "comparing": ((part, "measure"), (part, "check_invariants"), (part, "_described")),
}
"""The functions that a run's time is spent in; time in one that another calls counts for the inner one alone."""


@pytest.mark.parametrize("states", [98, 4096])
@pytest.mark.parametrize("name", ["ur5", "panda", "solo12", "talos"])
def test_harness(name: str, states: int, race: Any, say: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pinocchio", exc_type=ImportError)
    pytest.importorskip("biorbd", exc_type=ImportError)
    mechanism = robot(name)
    entries = [Entry(engine, engine, InProcess(find_implementation(engine))) for engine in ("pinocchio", "rbdl")]
    spent: Counter[str] = Counter()
    for name_of_part, functions in PARTS.items():
        for owner, function in functions:
            monkeypatch.setattr(owner, function, stopwatch(getattr(owner, function), name_of_part, spent))
    runs: list[tuple[float, float, dict[str, float]]] = []

    def run() -> None:
        traced._cached_dynamics.cache_clear()
        spent.clear()
        results = check([(name, mechanism)], entries, Settings(states=states))
        engines = sum(results.times.implementations.values())
        runs.append((results.times.total, engines, dict(spent)))
        assert results.cells

    race({"run": run}, rounds=3)
    total, engines, parts = min(runs, key=lambda run: run[0])
    say(
        f"harness on {name} ({mechanism.nv}), {states} states: {total:.2f} s, of which engines {engines:.2f} s; "
        f"overhead {(total - engines) / engines:.2f}"
    )
    say("    " + ", ".join(f"{part} {seconds:.2f}" for part, seconds in sorted(parts.items(), key=lambda item: -item[1])))


RUNNING: list[float] = []
"""For every function under a stopwatch that is running now, the seconds that those it called took."""


def stopwatch(function: Callable[..., Any], part: str, spent: Counter[str]) -> Callable[..., Any]:
    """The function, with the seconds that are its own added to ``spent[part]``."""

    @wraps(function)
    def timed(*args: Any, **kwargs: Any) -> Any:
        RUNNING.append(0.0)
        start = perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            seconds = perf_counter() - start
            spent[part] += seconds - RUNNING.pop()
            if RUNNING:
                RUNNING[-1] += seconds

    return timed
