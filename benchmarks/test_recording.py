"""Recorded programs of every quantity, by jets and by the reference: how many instructions, and how long recording takes."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

import oracle
from implementations.field import Recorded
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.recorded_function import RecordedFunction, record
from machine.recording import Recording
from machine.values import Values
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES
from mechanisms.robots import robot
from oracle.recorded import RecordedQuantities


@pytest.mark.parametrize("name", ["ur5", "panda", "solo12", "talos"])
def test_recording(name: str, benchmark: Any, say: Callable[[str], None]) -> None:
    mechanism = robot(name)
    by_jets = RecordedQuantities(mechanism, oracle.BY_JETS)
    say(f"{name}: instructions, registers and seconds to record, by jets and by the reference")

    def all_quantities() -> None:
        for quantity in QUANTITIES:
            jets = measured(lambda quantity=quantity: by_jets.function(quantity)) if by_jets.has(quantity) else ""
            say(f"    {quantity:28} {jets:32} {measured(lambda quantity=quantity: by_reference(mechanism, quantity))}")

    benchmark.pedantic(all_quantities, rounds=1)


def measured(recorded: Callable[[], RecordedFunction]) -> str:
    start = process_time()
    program = recorded().program
    return f"{len(program.code):8} {program.registers:7} {process_time() - start:8.2f} s"


def by_reference(mechanism: Mechanism, quantity: str) -> RecordedFunction:
    def algorithm(recording: Recording, *arguments: Values) -> Any:
        return ALGORITHMS[quantity](build(mechanism, Recorded(recording)), *(x[..., None] for x in arguments))[..., 0]

    shapes = {"q": (mechanism.nq,), "v": (mechanism.nv,), "f": (len(mechanism.bodies), 6)}
    return record(algorithm, [shapes[kind] for kind in QUANTITIES[quantity].inputs])
