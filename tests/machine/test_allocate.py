"""Registers are reused, nothing that is needed is lost, and what is not needed is dropped."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from recorded_programs import bits_differ, random_code, random_inputs

from machine import Op, Program, allocate, run
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
        same_without_reuse(seed, instructions=seed, inputs=1 + seed % 5)


def test_python_and_llvm_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed, so there are no compiled loops")
    for seed in range(40):
        rng = np.random.default_rng(seed)
        code, outputs = random_code(rng, 3 * seed, 4, 2), rng.integers(0, 6 + 3 * seed, 5)
        compiled = allocate(4, code, CONSTANTS, outputs)
        with monkeypatch.context() as patched:
            patched.setattr(routines, "works", lambda: False)
            assert allocate(4, code, CONSTANTS, outputs).fingerprint() == compiled.fingerprint()


def same_without_reuse(seed: int, instructions: int, inputs: int) -> None:
    rng = np.random.default_rng(seed)
    code = random_code(rng, instructions, inputs, len(CONSTANTS))
    outputs = rng.integers(0, inputs + len(CONSTANTS) + instructions, rng.integers(0, 6))
    program = allocate(inputs, code, CONSTANTS, outputs)
    states = random_inputs(seed, inputs, 3)
    whole = single_assignment(inputs, code, CONSTANTS, outputs)
    assert program.registers <= whole.registers
    assert not bits_differ(run(program, states, by="numpy"), run(whole, states, by="numpy"))


def test_a_chain_needs_two_registers() -> None:
    """The last reader of a value writes its result where the value was."""
    code = [[Op.MUL, n, n - 1 if n else 0] for n in range(50)]
    assert allocate(1, code, (), [50]).registers <= 3


def test_what_no_output_needs_is_dropped() -> None:
    code = [[Op.ADD, 0, 2], [Op.MUL, 1, 3], [Op.SIN, 0, 0], [Op.COS, 6, 6]]
    program = allocate(2, code, CONSTANTS, [5])
    assert program.code.tolist() == [[Op.MUL, 1, 2, 1]]
    assert program.constants == (CONSTANTS[1],)
    assert run(program, [[1.0], [7.0]], by="numpy")[0].tolist() == [[-22.0]]


def test_outputs_may_be_inputs_and_constants_and_repeat() -> None:
    program = allocate(2, [[Op.ADD, 0, 1]], CONSTANTS, [4, 0, 1, 3, 4, 0])
    high, low = run(program, [[1.0], [7.0]], by="numpy")
    assert high[:, 0].tolist() == [8.0, 1.0, 7.0, float(CONSTANTS[1]), 8.0, 1.0]
    assert low[3, 0] == float(CONSTANTS[1] - Fraction(float(CONSTANTS[1])))


@pytest.mark.parametrize("outputs", [[], [0], [1], [0, 1, 1]])
def test_there_may_be_no_instructions(outputs: list[int]) -> None:
    program = allocate(1, np.zeros((0, 3), int), CONSTANTS[:1], outputs)
    assert len(program.code) == 0
    assert run(program, [[2.0, 3.0]], by="numpy")[0].shape == (len(outputs), 2)


def test_an_operation_with_one_operand_ignores_the_second() -> None:
    assert allocate(1, [[Op.NEG, 0, 99]], (), [1]).code.tolist() == [[Op.NEG, 0, 0, 0]]


@pytest.mark.parametrize(
    ("code", "outputs", "message"),
    [
        ([[Op.ADD, 0, 1]], [1], "instruction 0 reads a value that is not made before it"),
        ([[Op.NEG, 0, 0], [Op.ADD, 1, 2]], [1], "instruction 1 reads a value"),
        ([[Op.NEG, 0, 0]], [2], "an output is a value that does not exist: there are 2"),
        ([[9, 0, 0]], [1], "unknown operation: 9"),
        ([[2**40, 0, 0]], [1], "does not fit into 32 bits"),
        ([[Op.NEG, 0.5, 0]], [1], "code must be whole numbers"),
        ([[Op.NEG, 0]], [1], r"code has the shape \(1, 2\), not \(1, 3\)"),
        ([[Op.NEG, -1, 0]], [1], "negative"),
        ([[Op.NEG, 0, 0]], [-1], "negative"),
    ],
)
def test_code_that_cannot_run_is_refused(code: Any, outputs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        allocate(1, code, (), outputs)


def test_a_negative_number_of_inputs_is_refused() -> None:
    with pytest.raises(ValueError, match="there cannot be -1 inputs"):
        allocate(-1, [], (), [])
