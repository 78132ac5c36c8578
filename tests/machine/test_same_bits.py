"""Every backend gives the same bits: NumPy, and LLVM for processors with AVX-512, with AVX2, without FMA and without AVX."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_programs import bits_differ, random_inputs, random_program

from machine import Op, Program, allocate
from machine.backends import numpy_backend
from machine.instructions import Precision

pytest.importorskip("llvmlite", reason="llvmlite is not installed, so NumPy is the only backend")

from machine.backends import llvm_backend, llvm_steps
from machine.compiling.target import MASKS, Compiled, compile_text, host

PRECISIONS: tuple[Precision, ...] = ("double-double", "float64")
ARITHMETIC = (Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.NEG)
"""Operations that keep most values finite."""


@cache
def interpreter(precision: Precision, without: str) -> Compiled:
    return compile_text(llvm_backend.module_text(precision, host(without)), host(without))


def executed(module: Any, program: Program, inputs: Any, precision: Precision, **options: Any) -> tuple[Any, Any]:
    shape = inputs[0].shape[1], len(program.outputs)
    outputs = np.zeros(shape).T, np.zeros(shape).T
    module.execute(program, inputs if module is numpy_backend else [inputs], precision, outputs, **options)
    return outputs


@pytest.mark.slow
@pytest.mark.parametrize("without", MASKS)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_on_every_kind_of_processor(precision: Precision, without: str) -> None:
    code = interpreter(precision, without)
    for seed, ops in ((1, tuple(Op)), (2, ARITHMETIC), (3, (*ARITHMETIC, Op.DIV)), (4, (Op.MUL, Op.SUB, Op.COS, Op.SIN))):
        program, inputs = random_program(seed, 300, ops=ops), random_inputs(seed, 5, 200)
        expected = executed(numpy_backend, program, inputs, precision)
        assert np.isfinite(expected[0]).mean() > 0.2, "hardly anything is compared"
        assert len(np.unique(expected[0])) > 500, "hardly anything is compared"
        assert not bits_differ(executed(llvm_backend, program, inputs, precision, code=code), expected)


@pytest.mark.slow
@pytest.mark.parametrize("op", Op)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_where_numbers_end(op: Op, precision: Precision) -> None:
    """Products that underflow or overflow, subnormal numbers, the largest ones, infinities, NaN: each with each."""
    numbers = [
        2.0**n * m for n in (-1074, -1050, -1022, -969, -540, -485, -401, -400, -60, 0, 400, 512, 1023) for m in (1, -1.75)
    ]
    numbers += [0.0, -0.0, np.inf, -np.inf, np.nan, np.pi, 2.0**30, np.nextafter(2.0**30, np.inf), 1.7976931348623157e308]
    high = np.array([[a for a in numbers for b in numbers], [b for a in numbers for b in numbers]])
    with np.errstate(all="ignore"):
        low = np.where(np.isfinite(high), high * 2.0**-54, 0)
    program = Program(2, [[op, 0, 1, 2]], (), [2], 3)
    expected = executed(numpy_backend, program, (high, low), precision)
    for without in MASKS:
        got = executed(llvm_backend, program, (high, low), precision, code=interpreter(precision, without))
        assert not bits_differ(got, expected)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_blocks_do_not_change_a_state(precision: Precision) -> None:
    """At the borders of blocks, for all lengths of the last block, on both backends."""
    program, inputs = random_program(5, 20), random_inputs(6, 5, 300)
    whole = executed(numpy_backend, program, inputs, precision)
    for states in (0, 1, 2, 15, 16, 31, 32, 33, 63, 64, 65, 127, 129, 300):
        some = tuple(np.ascontiguousarray(x[:, :states]) for x in inputs)
        expected = tuple(x[:, :states] for x in whole)
        for block in (0, 32, 64, 96):
            assert not bits_differ(executed(llvm_backend, program, some, precision, block=block), expected)
        for block in (0, 64) if states > 70 else (7, 32) if states > 20 else (1, 7):
            assert not bits_differ(executed(numpy_backend, program, some, precision, block=block), expected)


TURNS = [
    (ops, targets, 1 if targets in ((1, 2), (1, 0)) else 2)
    for ops in ((Op.COS, Op.SIN), (Op.SIN, Op.COS))
    for targets in ((1, 2), (1, 0), (0, 1), (1, 1))
]
TURNS += [((Op.COS, Op.COS, Op.SIN, Op.COS), (1, 2, 3, 2), 3), ((Op.COS, Op.SIN) * 7, (1, 2) * 7, 7)]


@pytest.mark.slow
@pytest.mark.parametrize(("ops", "targets", "steps"), TURNS)
def test_a_cosine_beside_a_sine(ops: Any, targets: Any, steps: int) -> None:
    """One instruction computes both, wherever the results go, with the bits of two."""
    program = Program(1, [[op, 0, 0, target] for op, target in zip(ops, targets, strict=True)], (), [0, *targets], 4)
    assert len(llvm_steps.steps_of(program)) == steps
    rng = np.random.default_rng(0)
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, 2.0**30, 2.0**31, 5e-324, 1e-310, 1e-200, 1e-8]
    high = np.r_[rng.normal(size=300), rng.normal(size=300) * 1e6, np.arange(-300, 300) * np.pi / 2, special][None]
    with np.errstate(invalid="ignore"):
        low = np.where(np.isfinite(high), high * 1e-17, 0)
    for precision in PRECISIONS:
        expected = executed(numpy_backend, program, (high, low), precision)
        for without in MASKS:
            got = executed(llvm_backend, program, (high, low), precision, code=interpreter(precision, without))
            assert not bits_differ(got, expected), without
    other_angle = Program(2, [[Op.COS, 0, 0, 2], [Op.SIN, 1, 1, 3]], (), [2, 3], 4)
    assert len(llvm_steps.steps_of(other_angle)) == 2


def test_arrays_are_read_in_the_order_that_they_have() -> None:
    """By states, by inputs, in parts, backwards, with gaps, one row for all states, without low words."""
    program, inputs = random_program(7, 40), random_inputs(8, 5, 77)
    high, low = inputs
    expected = executed(numpy_backend, program, inputs, "double-double")
    by_state = np.ascontiguousarray(high.T).T, np.ascontiguousarray(low.T).T
    gaps = np.zeros((77, 9))
    gaps[:, 2:7] = high.T
    backwards = np.ascontiguousarray(high.T[::-1])[::-1].T
    parts = [(high[:2], low[:2]), (by_state[0][2:], by_state[1][2:])]
    single = [(x[None], y[None]) for x, y in zip(high, low, strict=True)]
    for arrays in (
        [by_state],
        [(gaps[:, 2:7].T, low)],
        [(backwards, low)],
        parts,
        single,
    ):
        assert not bits_differ(batch(program, arrays), expected)
    one = np.broadcast_to(high[:, :1], high.shape)
    same = executed(numpy_backend, program, (np.ascontiguousarray(one), np.zeros_like(high)), "double-double")
    contiguous = np.broadcast_to(np.ascontiguousarray(high[:, 0]), (77, 5)).T
    assert not bits_differ(batch(program, [(contiguous, None)]), same)


def batch(program: Program, given: Any, **options: Any) -> tuple[Any, Any]:
    shape = given[0][0].shape[1], len(program.outputs)
    outputs = np.zeros(shape).T, np.zeros(shape).T
    llvm_backend.execute(program, given, "double-double", outputs, **options)
    return outputs


@pytest.mark.parametrize("without", MASKS)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_numbers_of_every_count_are_copied(precision: Precision, without: str) -> None:
    """Tiles of every width, at every end of a batch: what comes in goes out, in another order, twice or not at all."""
    code = interpreter(precision, without)
    rng = np.random.default_rng(0)
    for count in (*range(18), 37):
        program = Program(count, [], (), range(count), count)
        for states in (1, 3, 4, 7, 8, 9, 31, 32, 41):
            given = rng.normal(size=(2, states, count))
            numbers = rng.integers(0, count + 1, size=2 * count).astype(np.int32)
            memory = np.full((2, states, 2 * count + 3), 42.0)
            outputs = memory[0, :, 2:-1].T, memory[1, :, 2:-1].T
            llvm_backend.execute(program, [(given[0].T, given[1].T)], precision, outputs, 32, code=code, numbers=numbers)
            padded = np.concatenate((given, np.zeros((2, states, 1))), axis=2)[:, :, numbers]
            words = 2 if precision == "double-double" else 1
            assert np.array_equal(memory[:words, :, 2:-1], padded[:words])
            assert np.all(memory[:, :, [0, 1, -1]] == 42)
            assert words == 2 or np.all(memory[1] == 42)
    memory = np.full((2, 41, 37), 42.0)
    outputs = memory[0].T, memory[1].T
    llvm_backend.execute(program, [(given[0].T, given[1].T)], precision, outputs, 32, code=code, begin=20, end=38)
    assert np.array_equal(memory[0, 20:38], given[0, 20:38])
    assert np.all(memory[:, :20] == 42) and np.all(memory[:, 38:] == 42)


def test_arrays_that_do_not_fit_are_refused() -> None:
    """The compiled code reads and writes without looking."""
    program, (high, low) = random_program(7, 10), random_inputs(8, 5, 10)
    outputs = np.zeros((2, 10, len(program.outputs))).transpose(0, 2, 1)
    wide = np.zeros((10, 20))
    wrong = [
        [(wide[::2, ::2], low)],
        [(high[:4], low[:4])],
        [(high, low.astype(np.float32))],
        [(high, low[:, :9])],
        [(high, low[:4])],
        [(high, low), (high, low)],
        [(np.frombuffer(bytes(401), np.uint8)[1:].view(np.float64).reshape(5, 10), low)],
    ]
    for inputs in wrong:
        with pytest.raises(ValueError, match="contiguous float64 arrays of the program's rows"):
            llvm_backend.execute(program, inputs, "double-double", tuple(outputs))
    fixed = np.broadcast_to(np.zeros(1), outputs[0].shape)
    for results in (outputs[:, 1:], outputs[:, :, 1:], np.ascontiguousarray(outputs), (outputs[0], fixed)):
        with pytest.raises(ValueError, match="contiguous float64 arrays of the program's rows"):
            llvm_backend.execute(program, [(high, low)], "double-double", tuple(results))
    count = len(program.outputs)
    for numbers in (np.zeros(2 * count, np.int32)[::2], *(np.full(count, k, np.int32) for k in (-1, program.registers + 1))):
        with pytest.raises(ValueError, match="contiguous float64 arrays of the program's rows"):
            llvm_backend.execute(program, [(high, low)], "double-double", tuple(outputs), numbers=numbers)
    for options in ({"begin": -1}, {"end": 11}, {"begin": 7, "end": 6}, {"block": 31}):
        with pytest.raises(ValueError, match="of 10 cannot be taken in blocks"):
            batch(program, [(high, low)], **options)


def test_masks_leave_features_out() -> None:
    """Otherwise the tests above would compare the same code."""
    for without, absent in (("avx512", "avx512f"), ("fma", "fma"), ("fma", "avx512f"), ("avx", "avx"), ("avx", "avx2")):
        assert f"+{absent}" not in host(without).features.split(",")


# Joined steps give the bits of the instructions that they replace, whatever registers are reused between them


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
