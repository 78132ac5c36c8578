"""Joined steps give the bits of the instructions that they replace, whatever registers are reused between them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_programs import bits_differ, random_inputs, random_program

from machine import Op, Program, allocate
from machine.backends import numpy_backend

pytest.importorskip("llvmlite", reason="llvmlite is not installed, so NumPy is the only backend")

from test_same_bits import PRECISIONS, executed, interpreter

from machine.backends import llvm_backend, llvm_steps
from machine.compiling.target import MASKS

SUMS = (Op.ADD, Op.SUB, Op.MUL, Op.MUL)


def differ(program: Program, inputs: Any, precision: Any, without: str = "") -> bool:
    expected = executed(numpy_backend, program, inputs, precision)
    steps = llvm_steps.with_turns(llvm_steps.with_products(program))
    got = executed(llvm_backend, program, inputs, precision, code=interpreter(precision, without), steps=steps)
    return bits_differ(got, expected)


def registers_at_random(seed: int, instructions: int = 60, registers: int = 6) -> Program:
    """A program whose instructions read and write any registers, so that most values do not live long."""
    rng = np.random.default_rng(seed)
    columns = [rng.choice((*SUMS, Op.COS, Op.SIN), instructions), *rng.integers(0, registers, (3, instructions))]
    return Program(registers, np.column_stack(columns), (), range(registers), registers)


@pytest.mark.slow
@pytest.mark.parametrize("without", MASKS)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_random_programs(precision: Any, without: str) -> None:
    for seed in range(4):
        program, inputs = random_program(seed, 300, ops=SUMS), random_inputs(seed, 5, 70)
        assert len(llvm_steps.steps_of(program)) < 290, "hardly anything is joined"
        assert not differ(program, inputs, precision, without)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_registers_that_are_reused_at_once(seed: int) -> None:
    assert not differ(registers_at_random(seed), random_inputs(1, 6, 40), "float64")


@pytest.mark.parametrize("op", [Op.ADD, Op.SUB])
@pytest.mark.parametrize("product_first", [True, False])
def test_a_product_and_what_alone_needs_it(op: Op, product_first: bool) -> None:
    last = [op, 3, 2] if product_first else [op, 2, 3]
    program = allocate(3, [[Op.MUL, 0, 1], last], (), [4])
    (step,) = llvm_steps.steps_of(program)
    sign = "+" if op == Op.ADD else "-"
    assert step[0] == llvm_steps.PRODUCTS[f"ab {sign} c" if product_first else f"c {sign} ab"]
    assert not differ(program, random_inputs(2, 3, 50), "double-double")


def test_a_sum_of_products_is_a_step_for_each() -> None:
    products = [[Op.MUL, 2 * k, 2 * k + 1] for k in range(6)]
    sums = [[Op.ADD, 12, 13], *([Op.ADD, 17 + k, 13 + k] for k in range(1, 5))]
    program = allocate(12, [*products, *sums], (), [22])
    ops = Counter(llvm_steps.steps_of(program)[:, 0].tolist())
    assert ops == {Op.MUL: 1, llvm_steps.PRODUCTS["c + ab"]: 5}


@pytest.mark.parametrize(
    "code",
    [
        [[Op.MUL, 0, 1, 2], [Op.ADD, 2, 2, 3]],
        [[Op.MUL, 0, 1, 2], [Op.ADD, 0, 2, 3], [Op.SUB, 2, 0, 2]],
        [[Op.MUL, 0, 1, 2], [Op.ADD, 0, 1, 0], [Op.ADD, 0, 2, 3]],
        [[Op.MUL, 0, 1, 2], [Op.ADD, 0, 1, 1], [Op.ADD, 0, 2, 3]],
    ],
    ids=["twice in one sum", "needed again", "the first factor is gone", "the second factor is gone"],
)
def test_products_that_stay(code: Any) -> None:
    program = Program(2, code, (), [0, 1, 2, 3], 4)
    assert llvm_steps.with_products(program)[:, :4].tolist() == code
    assert not differ(program, random_inputs(2, 2, 50), "float64")


def test_no_instructions_are_no_steps() -> None:
    assert llvm_steps.steps_of(Program(1, [], (), [0], 1)).shape == (0, 5)


def test_many_states_take_joined_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    right = llvm_steps.steps_of
    monkeypatch.setattr(llvm_backend, "steps_of", lambda program: asked.append(program) or right(program))
    program = random_program(5, 40)
    for states in (llvm_backend.MANY - 1, llvm_backend.MANY):
        inputs = random_inputs(6, 5, states)
        expected = executed(numpy_backend, program, inputs, "float64", block=128)
        assert not bits_differ(executed(llvm_backend, program, inputs, "float64"), expected)
    assert asked == [program]
