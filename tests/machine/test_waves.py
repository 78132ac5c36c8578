"""Programs in waves give the bits of programs whose instructions are executed one after another."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from recorded_programs import bits_differ, random_inputs, random_program

from machine import Program, allocate
from machine.backends import numpy_backend
from machine.backends.numpy_backend import waves_of


def executed(program: Program, inputs: Any, block: int = 0) -> tuple[Any, Any]:
    """A block of some size is executed instruction by instruction."""
    shape = len(program.outputs), inputs[0].shape[1]
    outputs = np.zeros(shape), np.zeros(shape)
    numpy_backend.execute(program, inputs, "double-double", outputs, block=block)
    return outputs


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("memory", [2**25, 2**13], ids=["one block", "several blocks"])
def test_bits_in_waves(seed: int, memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_backend, "MEMORY", memory)
    program, inputs = random_program(seed, 300), random_inputs(seed, 5, 7)
    assert not bits_differ(executed(program, inputs), executed(program, inputs, block=3))


def test_a_wave_has_one_operation_and_no_instruction_that_needs_another_of_it() -> None:
    waves = waves_of(random_program(3, 300))
    assert sum(wave.stop - wave.start for wave in waves.waves) == waves.rows - waves.waves[0].start
    assert len(waves.waves) < 200
    for wave in waves.waves:
        assert all(rows.max() < wave.start for rows in wave.operands)


def test_outputs_that_are_inputs_and_constants_and_programs_without_instructions() -> None:
    program = allocate(2, [], [Fraction(1, 3)], [1, 2, 0])
    high, _ = executed(program, (np.array([[1.0], [2.0]]), np.zeros((2, 1))))
    assert high.ravel().tolist() == [2.0, 1 / 3, 1.0]
