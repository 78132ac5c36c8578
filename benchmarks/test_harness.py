"""What the harness costs on top of the engines that it checks: whole runs, and where their time goes.

Every run has a process of its own, so that nothing is kept from one to the next: it derives, records, draws states, works out the
truth, compares, asks again, and measures its coverage, as a run from the command line does. The process's start is not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from programs import whole_run
from run_once import PARTS

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
