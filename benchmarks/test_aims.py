"""The aims that no other benchmark measures: memory, the default run, and the first answer about a new robot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from programs import RUN_ONCE, output_of, whole_run

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
