"""Recorded programs of every quantity, by jets and by the reference: instructions, and the seconds to record or to read them."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

from cross_check.comparison.truth import Truth
from implementations.recorded.traced import TracedDynamics
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.recording.recorded_function import RecordedFunction
from mechanisms import Mechanism, find_mechanism, random_mechanism
from mechanisms.quantities import QUANTITIES
from oracle import BY_JETS, RecordedQuantities

OFF = "DALEMBERT_NO_CACHE"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are recorded, and read only where a benchmark has kept them before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(OFF, "programs")
    # The machine's own loops are compiled before anything is measured.
    RecordedQuantities(random_mechanism(0, 2), BY_JETS).high_low("gravity", np.zeros((1, random_mechanism(0, 2).nq)))


@pytest.mark.parametrize("name", ["ur5", "panda", "solo12", "talos", "random:1:30"])
def test_recording(name: str, benchmark: Any, say: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = find_mechanism(name)
    say(f"{name}: instructions, registers and seconds to record, by jets and by the reference")

    def all_quantities() -> None:
        by_jets, by_reference = RecordedQuantities(mechanism, BY_JETS), TracedDynamics(mechanism)
        for quantity in QUANTITIES:
            jets = measured(lambda quantity=quantity: by_jets.function(quantity)) if by_jets.has(quantity) else ""
            reference = measured(lambda quantity=quantity: by_reference.function(quantity)) if quantity in ALGORITHMS else ""
            say(f"    {quantity:28} {jets:32} {reference}")
        total = sum(len(by_jets.function(quantity).program.code) for quantity in recorded(mechanism))
        recording = seconds_of_all(mechanism)
        monkeypatch.setitem(os.environ, OFF, "")
        seconds_of_all(mechanism)
        reading = seconds_of_all(mechanism)
        monkeypatch.setitem(os.environ, OFF, "programs")
        say(f"    all by jets: {total} instructions, {recording:.2f} s to record, {reading:.3f} s to read where they are kept")

    benchmark.pedantic(all_quantities, rounds=1)


def test_first_answer(benchmark: Any, say: Callable[[str], None]) -> None:
    """For a mechanism that the process has not seen: deriving, recording, and the truth of inverse dynamics at 98 states."""
    seeds, times = count(1), []

    def one() -> None:
        mechanism = random_mechanism(next(seeds), 30)
        start = process_time()
        state = (np.full((98, n), 0.1) for n in (mechanism.nq, mechanism.nv, mechanism.nv))
        Truth(mechanism).high_low("inverse_dynamics", *state)
        times.append(process_time() - start)

    benchmark.pedantic(one, rounds=5)
    say(f"first truth of inverse dynamics, random trees of 30 bodies: {min(times):.2f} to {max(times):.2f} s")


def measured(recorded: Callable[[], RecordedFunction]) -> str:
    start = process_time()
    program = recorded().program
    return f"{len(program.code):8} {program.registers:7} {process_time() - start:8.3f} s"


def recorded(mechanism: Mechanism) -> list[str]:
    """What the oracle by jets has."""
    return [quantity for quantity in QUANTITIES if quantity in BY_JETS.quantities]


def seconds_of_all(mechanism: Mechanism) -> float:
    start, by_jets = process_time(), RecordedQuantities(mechanism, BY_JETS)
    for quantity in recorded(mechanism):
        by_jets.function(quantity)
    return process_time() - start
