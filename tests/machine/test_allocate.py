"""Registers are reused, nothing that is needed is lost, what is not needed is dropped, and waves give the same bits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from recorded_programs import bits_differ, random_code, random_inputs, random_program

from machine import Op, Program, allocate, run
from machine.backends import numpy_backend
from machine.backends.numpy_backend import waves_of
from machine.compiling import routines

CONSTANTS = (Fraction(1, 3), Fraction(-22, 7))


def single_assignment(inputs: int, code: Any, constants: tuple[Fraction, ...], outputs: Any) -> Program:
    """The same code with a register for every value."""
    first = inputs + len(constants)
    operands = np.where(np.isin(code[:, :1], (Op.ADD, Op.SUB, Op.MUL, Op.DIV)), code[:, 1:], code[:, 1:2])
    targets = first + np.arange(len(code))
    return Program(inputs, np.column_stack([code[:, 0], operands, targets]), constants, outputs, first + len(code))


def test_reuse_changes_no_bit() -> None:
    for seed in range(40):
        rng, inputs = np.random.default_rng(seed), 1 + seed % 5
        code = random_code(rng, seed, inputs, len(CONSTANTS))
        outputs = rng.integers(0, inputs + len(CONSTANTS) + seed, rng.integers(0, 6))
        program, whole = allocate(inputs, code, CONSTANTS, outputs), single_assignment(inputs, code, CONSTANTS, outputs)
        states = random_inputs(seed, inputs, 3)
        assert program.registers <= whole.registers
        assert not bits_differ(run(program, states, by="numpy"), run(whole, states, by="numpy"))


def test_python_and_llvm_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed, so there are no compiled loops")
    for seed in range(40):
        rng = np.random.default_rng(seed)
        code, outputs = random_code(rng, 3 * seed, 4, 2), rng.integers(0, 6 + 3 * seed, 5)
        compiled = allocate(4, code, CONSTANTS, outputs)
        with monkeypatch.context() as patched:
            patched.setattr(routines, "works", lambda: False)
            assert allocate(4, code, CONSTANTS, outputs).fingerprint() == compiled.fingerprint()


def test_a_chain_needs_two_registers() -> None:
    """The last reader of a value writes its result where the value was."""
    code = [[Op.MUL, n, n - 1 if n else 0] for n in range(50)]
    assert allocate(1, code, (), [50]).registers <= 3


def test_what_no_output_needs_is_dropped_and_a_second_operand_that_does_not_count() -> None:
    code = [[Op.ADD, 0, 2], [Op.MUL, 1, 3], [Op.SIN, 0, 0], [Op.COS, 6, 6]]
    program = allocate(2, code, CONSTANTS, [5])
    assert program.code.tolist() == [[Op.MUL, 1, 2, 1]]
    assert program.constants == (CONSTANTS[1],)
    assert allocate(1, [[Op.NEG, 0, 99]], (), [1]).code.tolist() == [[Op.NEG, 0, 0, 0]]


@pytest.mark.parametrize(
    ("code", "outputs", "message"),
    [
        ([[Op.NEG, 0, 0], [Op.ADD, 1, 2]], [1], "instruction 1 reads a value"),
        ([[Op.NEG, 0, 0]], [2], "an output is a value that does not exist: there are 2"),
        ([[Op.NEG, -1, 0]], [1], "negative"),
        ([[Op.NEG, 0, 0]], [-1], "negative"),
    ],
)
def test_code_that_cannot_run_is_refused(code: Any, outputs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        allocate(1, code, (), outputs)


# Waves


def executed(program: Program, inputs: Any, block: int = 0) -> tuple[Any, Any]:
    """A block of some size is executed instruction by instruction."""
    shape = len(program.outputs), inputs[0].shape[1]
    outputs = np.zeros(shape), np.zeros(shape)
    numpy_backend.execute(program, inputs, "double-double", outputs, block=block)
    return outputs


@pytest.mark.parametrize("seed", range(3))
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
