"""Recorded programs of the usual quantities, by jets and by the reference: instructions, and seconds to record or read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from implementations.recorded.traced import TracedDynamics
from machine.code_cache import OFF
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import USUAL
from oracle import BY_JETS, RecordedQuantities

FIRST = "cart-pole"
"""It is recorded before anything is measured, so that the machine's own loops are compiled."""

MECHANISMS = ("ur5", "panda", "solo12", "talos", "random:1:30")
BY_ORACLE = [quantity for quantity in USUAL if quantity in BY_JETS.quantities]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are recorded, and read only where the benchmark has kept them before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(OFF, "programs")


def test_recording(benchmark: Any, table: Callable[..., None], scaled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []

    def all_mechanisms() -> None:
        for name in (FIRST, *scaled(MECHANISMS, ())):
            mechanism = find_mechanism(name)
            jets, reference = measured(oracle_of(mechanism), BY_ORACLE), measured(TracedDynamics(mechanism), USUAL)
            with monkeypatch.context() as kept:
                kept.delenv(OFF)
                measured(oracle_of(mechanism), BY_ORACLE)
                _, _, seconds_to_read = measured(oracle_of(mechanism), BY_ORACLE)
            rows.append((name, *jets, seconds_to_read, *reference))

    benchmark.pedantic(all_mechanisms, rounds=1)
    what = ("instructions", "longest", "s to record")
    columns = (*(f"jets: {words}" for words in (*what, "s to read")), *(f"reference: {words}" for words in what))
    table("recording", ("all quantities", *columns), rows[1:])


def oracle_of(mechanism: Mechanism) -> RecordedQuantities:
    """It has no program yet."""
    return RecordedQuantities(mechanism, BY_JETS)


def measured(programs: Any, quantities: Iterable[str]) -> tuple[str, str, str]:
    """Instructions in all, those of the longest program, and seconds."""
    start = process_time()
    lengths = [len(programs.function(quantity).program.code) for quantity in quantities]
    return f"{sum(lengths)}", f"{max(lengths)}", f"{process_time() - start:.2f}"
