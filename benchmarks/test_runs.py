"""Whole runs: what the harness costs on top of the engines that it checks, where time goes, memory, and the default run.

Every run has a process of its own, so that nothing is kept from one to the next: it derives, records, draws states, works out the
truth, compares, asks again, and measures its coverage, as a run from the command line does. The process's start is not counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from run_once import PARTS

ROOT = Path(__file__).parents[1]
RUN_ONCE = str(ROOT / "benchmarks" / "run_once.py")

NOTHING_RECORDED = {"DALEMBERT_NO_CACHE": "programs"}
"""The environment of a process that records every program itself. Compiled code is kept, as between runs of a user."""


def output_of(*command: str, folder: Path | None = None, environment: Mapping[str, str] = NOTHING_RECORDED) -> str:
    """What Python prints when it runs this file, or this module after ``-m``. Raises :class:`RuntimeError` where it fails."""
    there = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    ran = subprocess.run([sys.executable, *command], cwd=folder, env=there, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-4000:]}")
    return ran.stdout


def whole_run(robot: str, states: int, quantities: str, jobs: int, *implementations: str) -> Any:
    """What run_once.py measures of one run."""
    return json.loads(output_of(RUN_ONCE, robot, str(states), quantities, str(jobs), *implementations))


ROBOTS = ("ur5", "panda", "solo12", "talos")
RUNS = [*((robot, 4096, "dynamics") for robot in ROBOTS), ("ur5", 98, "usual"), ("talos", 98, "usual")]
JOBS = 2


def test_harness(race: Any, table: Callable[..., None], aim: Callable[[str, float], None], scaled: Callable[..., Any]) -> None:
    pytest.importorskip("pinocchio", exc_type=ImportError)
    pytest.importorskip("biorbd", exc_type=ImportError)
    found: dict[Any, Any] = {}

    def run(key: Any, *arguments: Any) -> None:
        measured = whole_run(*arguments, "pinocchio", "rbdl")
        if key not in found or measured["total"] < found[key]["total"]:
            found[key] = measured

    runs = scaled(RUNS, [("ur5", 20, "usual")])
    contenders = {key: partial(run, key, *key, 1) for key in runs}
    contenders |= {(robot, JOBS): partial(run, (robot, JOBS), robot, 4096, "dynamics", JOBS) for robot in scaled(ROBOTS, ())}
    race(contenders, rounds=1)
    rows = []
    for robot, states, quantities in runs:
        measured = found[robot, states, quantities]
        parts = measured["parts"]
        assert set(parts) == set(PARTS), "a part is not called any more"
        rest = measured["total"] - sum(parts.values())
        seconds = [parts.get(part, 0.0) for part in PARTS] + [rest, measured["total"]]
        ratio = measured["total"] / measured["engines"]
        rows.append((f"{robot}, {states}, {quantities}", *(f"{t:.2f}" for t in seconds), f"{ratio:.1f}"))
    table("harness", ("run", *PARTS, "rest", "total, s", "total ÷ engines"), rows)
    for robot in ROBOTS:
        for jobs, key in {1: (robot, 4096, "dynamics"), JOBS: (robot, JOBS)}.items():
            measured = found[scaled(key, runs[0])]
            aim(f"run {robot}, {jobs}", measured["total"] / measured["engines"])


NEW_ROBOT = "random:1:30"


STATES_OF = {"memory": 4096, "more memory": 16384}


def test_memory(benchmark: Any, aim: Callable[[str, float], None], scaled: Callable[..., Any]) -> None:
    """By our own fast implementation, because the engines take minutes for all quantities, and memory of their own."""
    pytest.importorskip("pinocchio", exc_type=ImportError)

    def peaks() -> list[float]:
        runs = scaled([("talos", states, "usual") for states in STATES_OF.values()], [("ur5", 20, "dynamics")])
        return [whole_run(*given, 1, "traced")["peak"] for given in runs]

    measured = benchmark.pedantic(peaks, rounds=1)
    for name, peak in zip(STATES_OF, scaled(measured, measured * len(STATES_OF)), strict=True):
        aim(name, peak)


def test_default_run(benchmark: Any, aim: Callable[[str, float], None], scaled: Callable[..., Any], tmp_path: Path) -> None:
    """The command, first with an empty cache folder, then with what the first run has kept there."""
    pytest.importorskip("pinocchio", exc_type=ImportError)
    pytest.importorskip("biorbd", exc_type=ImportError)
    environment = scaled({"XDG_CACHE_HOME": str(tmp_path / "cache")}, {})

    def seconds() -> float:
        start = perf_counter()
        output_of("-m", "dalembert", "check", *scaled((), ("pendulum",)), folder=tmp_path, environment=environment)
        return perf_counter() - start

    first, *again = benchmark.pedantic(lambda: [seconds() for _ in range(scaled(2, 1))], rounds=1)
    aim("default run", first)
    aim("default run again", again[0] if again else first)


def test_first_answer(benchmark: Any, aim: Callable[[str, float], None], table: Callable[..., None]) -> None:
    """The machine's own code was compiled before, which happens once per computer."""
    found: list[dict[str, float]] = []

    def first_answer() -> None:
        found.append(json.loads(output_of(RUN_ONCE, NEW_ROBOT)))

    benchmark.pedantic(first_answer, rounds=3, warmup_rounds=1)
    best = {name: min(one[name] for one in found) for name in found[0]}
    table("first-answer", ("first answer of", "s"), [(name, f"{seconds:.2f}") for name, seconds in best.items()])
    aim("first answer", best["truth"])
