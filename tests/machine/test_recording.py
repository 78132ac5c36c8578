"""What a recording makes of operations: few instructions, each once, in an order that needs few registers. And derivatives."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_arrays import Inputs, execute, fractions

from machine import run
from machine.program import Op, Program
from machine.recording.assemble import assemble
from machine.recording.recorded_function import record
from machine.recording.recording import Recording
from machine.recording.tangents import tangents
from machine.recording.values import Values, constants, new_inputs
from machine.run import backend


@pytest.fixture
def xyz() -> tuple[Values, ...]:
    return tuple(new_inputs(Recording(), 3))


def program(*outputs: Any) -> Program:
    recording = next(x.recording for x in outputs if isinstance(x, Values))
    return assemble(recording, np.array([constants(recording, x).references for x in outputs], np.int32))


def ops(*outputs: Any) -> list[str]:
    """The operations of the program for these outputs."""
    return [Op(op).name for op in program(*outputs).code[:, 0]]


def is_same(x: Values, y: Any) -> bool:
    """Whether the two are the same value, as far as the recording knows."""
    return bool(x.references == constants(x.recording, y).references)


# Simplification


def test_zeros_and_ones_vanish(xyz: tuple[Values, ...]) -> None:
    x, y, _ = xyz
    for same in (x + 0, 0 + x, x - 0, x * 1, 1 * x, x / 1, operator.neg(-x), 0 - (-x), x * -1 * -1, x / -1 / -1, x + (y - y)):
        assert is_same(same, x)
    for minus in (-x, x * -1, -1 * x, 0 - x, x / -1):
        assert is_same(minus, -x)
    for zero in (x * 0, 0 * x, 0 / x, x - x, -x + x, x * 0 * y, x * (y - y)):
        assert is_same(zero, 0)


def test_constants_are_folded_exactly(xyz: tuple[Values, ...]) -> None:
    x, *_ = xyz
    third = constants(x.recording, Fraction(1, 3))
    assert is_same(third + third + third, 1)
    assert is_same(third - 1, Fraction(-2, 3))
    assert is_same(-third * third, Fraction(-1, 9))
    assert is_same(third / -7, Fraction(-1, 21))
    assert is_same(-third / third, -1)
    assert is_same(x * (third - Fraction(1, 3)), 0)
    assert ops(x / 4, x * Fraction(1, 4)) == ["MUL"]
    zero = x * 0
    for value, known in ((np.cos(zero), 1), (np.sin(zero), 0), (np.sqrt(zero), 0), (np.sqrt(zero + 1), 1), (np.sign(zero), 0)):
        assert is_same(value, known)


def test_negations_cost_nothing_inside_a_program(xyz: tuple[Values, ...]) -> None:
    x, y, z = xyz
    assert ops(-x + -y) == ["ADD", "NEG"], "only an output is negated"
    assert ops(x - -y) == ["ADD"]
    assert ops(-x * -y) == ["MUL"]
    assert ops(-x / y * -z) == ["DIV", "MUL"]
    assert ops(np.cos(-x)) == ["COS"]
    assert ops(-np.sin(-x)) == ["SIN"]
    assert ops(-np.sign(-x)) == ["SIGN"]
    assert ops(z - (y - x) * 2) in (["SUB", "MUL", "ADD"], ["SUB", "MUL", "SUB"])


def test_equal_operations_are_one_instruction(xyz: tuple[Values, ...]) -> None:
    x, y, z = xyz
    assert ops((x + y) * z, (y + x) * z - z, z * (x + y)) == ["ADD", "MUL", "SUB"]
    assert ops((x - y) * z, z * (y - x)) == ["SUB", "MUL", "NEG"]
    assert ops(x * 2, 2 * x) == ["MUL"]
    assert ops(x / y, y / x) == ["DIV", "DIV"]
    assert ops(x + y, x - y) == ["ADD", "SUB"]
    assert ops(np.cos(x) * np.sin(x), np.cos(-x) * np.sin(-x)) == ["COS", "SIN", "MUL", "NEG"]
    assert ops(np.sqrt(x - y), np.sqrt(y - x)) == ["SUB", "NEG", "SQRT", "SQRT"]
    again = 1 - z * (y - x)
    assert len(ops(((x - y) * z + 1) / x, again / x, again / -x)) == 5


def test_what_no_output_needs_is_dropped(xyz: tuple[Values, ...]) -> None:
    x, y, z = xyz
    _ = np.sin((x * y) * z + x)
    assert ops(x + z) == ["ADD"]
    assert ops(x) == []


def test_instructions_stand_where_they_were_recorded_unless_a_place_is_given() -> None:
    """An operation recorded late can stand early, next to its operands, but never before them."""
    recording = Recording()
    x, y = recording.new_inputs(2)[:, None]
    early = recording.add(x, y)
    late = recording.multiply(early, early)
    moved = recording.multiply(early, x, place=recording.place[early])
    impossible = recording.multiply(late, moved, place=np.array([0]))
    made = assemble(recording, np.concatenate([late, moved, impossible]))
    assert [Op(op).name for op in made.code[:, 0]] == ["ADD", "MUL", "MUL", "MUL"]
    assert execute(made, [Fraction(2), Fraction(3)]) == [25, 10, 250]
    assert made.code[2, 1] == made.code[2, 2], "the square comes last but one"


# Functions


def test_a_recorded_function_takes_and_gives_batches() -> None:
    def function(recording: Recording, a: Values, b: Values) -> Values:
        return np.stack([a[0] * b[0, 1] - b[1, 0], 0 * a[1], a[1] / 3 + 0.1])  # type: ignore[no-any-return, return-value, call-overload]

    recorded = record(function, [(2,), (2, 2)])
    a, b = np.random.default_rng(0).normal(size=(5, 2)), np.random.default_rng(1).normal(size=(5, 2, 2))
    expected = np.stack([a[:, 0] * b[:, 0, 1] - b[:, 1, 0], 0 * a[:, 1], a[:, 1] / 3 + 0.1], 1)
    high, low = recorded(a, b)
    assert (recorded.shape, high.shape, low.shape) == ((3,), (5, 3), (5, 3))
    assert np.abs(high - expected).max() < 1e-15
    assert np.any(low)
    plain, none = recorded(a, b, precision="float64")
    assert np.abs(plain - expected).max() < 1e-15
    assert not np.any(none)


def test_functions_of_no_states_and_of_no_inputs() -> None:
    recorded = record(lambda recording, a: a * a, [(2, 3)])
    assert recorded(np.zeros((0, 2, 3)))[0].shape == (0, 2, 3)
    constant = record(lambda recording, a: constants(recording, np.eye(2, dtype=int) * 3), [(1,)])
    assert constant(np.zeros((4, 1)))[0].tolist() == [[[3, 0], [0, 3]]] * 4


def test_components_that_are_equal_are_computed_once() -> None:
    def function(recording: Recording, a: Values) -> Any:
        x = a[0] * a[1]
        return np.stack([x, 0 * x, -x, x, 0 * a[1]])  # type: ignore[call-overload]

    recorded = record(function, [(2,)])
    assert len(recorded.program.outputs) == 2
    assert recorded(np.array([[2.0, 5.0], [1.0, -1.0]]))[0].tolist() == [[10, 0, -10, 10, 0], [-1, 0, 1, -1, 0]]


# Any program

STEP = st.tuples(st.sampled_from(["+", "-", "*", "/", "negate"]), st.integers(0, 99), st.integers(0, 99))


def agree(steps: list[Any], outputs: list[int]) -> bool:
    """Whether the program for some of the values gives what the operations give in exact fractions."""
    inputs = Inputs()
    expected: list[Any] = [Fraction(2), Fraction(-1), Fraction(3, 5), Fraction(0), Fraction(1), Fraction(-3)]
    got: list[Any] = [*inputs.of(np.array(expected[:3])), *expected[3:]]
    act: dict[str, Callable[[Any, Any], Any]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / (b * b + 1),
        "negate": lambda a, b: -a,
    }
    for step, i, j in steps:
        for values in (expected, got):
            values.append(act[step](values[i % len(values)], values[j % len(values)]))
        if expected[-1].denominator.bit_length() > 400:
            break
    wanted = [k % len(got) for k in outputs]
    references = np.array([constants(inputs.recording, got[k]).references for k in wanted], np.int32)
    return execute(assemble(inputs.recording, references), inputs.given) == [expected[k] for k in wanted]


@pytest.mark.slow
@given(st.lists(STEP, max_size=40), st.lists(st.integers(0, 99), min_size=1, max_size=5))
@settings(max_examples=100)
def test_any_program_computes_what_its_operations_say(steps: list[Any], outputs: list[int]) -> None:
    assert agree(steps, outputs)


# Derivatives are those of the functions, which are differentiated by complex steps


def of(result: Values, points: Values, rates: Values) -> Values:
    """The rates of every component of ``result`` (…, directions) for the rates (…, directions) of the points."""
    directions = rates.shape[-1]
    moved = tangents(
        result.recording, result.references.ravel(), points.references.ravel(), rates.references.reshape(-1, directions)
    )
    return Values(result.recording, moved.reshape(*result.shape, directions))


def rational(seed: int) -> Callable[..., Any]:
    """A function of random operations on random earlier values, among them equal ones, and on zero and one."""

    def function(x: Any) -> Any:
        draw = np.random.default_rng(seed)
        values = [*x, 0 * x[0], 0 * x[0] + 1]
        for _ in range(12):
            a, b = (values[k] for k in draw.integers(0, len(values), 2))
            values.append((a + b, a - b, a * b / 4, a / (b * b + 1))[draw.integers(0, 4)])
        return values[-1] + values[-2]

    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sine": lambda x: np.sin(x[0] * x[1]) / x[2],
    "root": lambda x: np.sqrt(x[0] * x[0] + x[1] * x[1] + 2) * np.sin(x[2]),
    "root of a negated product": lambda x: np.sqrt(-((x[0] - 9) * (x[1] * x[1] + 1))),
    "quotient": lambda x: np.cos(x[0]) / (2 + np.sin(x[1]) * x[2]),
}


def error(function: Callable[..., Any]) -> float:
    x, h = np.random.default_rng(3).normal(size=(4, 3)), 2.0**-300
    recorded = record(lambda recording, q: of(np.stack([function(q)]), q, constants(recording, np.eye(3, dtype=int))), [(3,)])
    steps = np.eye(3) * 1j * h
    expected = np.stack([function((x + step).T).imag / h for step in steps], -1)
    return float(np.abs(recorded(x)[0][:, 0] - expected).max())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rates_of_functions(name: str) -> None:
    assert error(FUNCTIONS[name]) < 1e-14


@pytest.mark.slow
def test_rates_of_rational_functions() -> None:
    assert [seed for seed in range(60) if not error(rational(seed)) < 1e-14] == []


def test_second_derivatives_are_the_rates_of_rates() -> None:
    def second(recording: Recording, x: Values) -> Values:
        one = constants(recording, [1])
        first = of(np.stack([np.sin(x[0]) * x[0]]), x, one[:, None])
        return of(first[:, 0], x, one[:, None])[0]

    x = np.linspace(-2, 2, 9)[:, None]
    assert np.abs(record(second, [(1,)])(x)[0] - (2 * np.cos(x) - x * np.sin(x))).max() < 1e-14


def test_a_sign_is_exact_and_does_not_move() -> None:
    x = np.array([-np.inf, -2, -5e-324, -0.0, 0, 5e-324, 3, np.inf, np.nan])[:, None]
    recorded = record(lambda _, x: np.sign(x), [(1,)])
    for by in sorted({"numpy", backend()}):
        high, low = run(recorded.program, (x.T, 0 * np.nan_to_num(x.T)), by=by)
        finite = np.isfinite(x[:, 0])
        assert np.array_equal(high[0][finite], np.sign(x[finite, 0])) and not low[0][finite].any()
        assert np.array_equal(run(recorded.program, x.T, "float64", by=by)[0][0], np.sign(x[:, 0]), equal_nan=True)
    inputs = Inputs()
    points = inputs.of(fractions(2))
    rates = of(np.stack([np.sign(points[0]) * points[1]]), points, constants(inputs.recording, np.eye(2, dtype=int)))
    assert rates.references[0, 0] == 0 and rates.references[0, 1] != 0


def test_a_point_that_was_computed_from_another_moves_on_its_own() -> None:
    inputs = Inputs()
    x = inputs.of(np.array([Fraction(3)]))
    points = np.concatenate([x, -(x * x)])
    rates = of(points[:1] * points[1:], points, constants(inputs.recording, [[1], [5]]))
    assert inputs.execute(rates).tolist() == [[-9 + 3 * 5]]


def test_what_does_not_move_costs_nothing() -> None:
    recording = Recording()
    x = Values(recording, recording.new_inputs(3))
    still = np.sin(x[0]) * x[1]
    rates = of(np.stack([still, still * x[2]]), x[2:], constants(recording, [[1]]))
    assert rates.references[0, 0] == 0
    assert len(assemble(recording, rates.references.ravel()).code) == 2, "sin and product"


def test_a_constant_cannot_move() -> None:
    recording = Recording()
    x = Values(recording, recording.new_inputs(1))
    with pytest.raises(ValueError, match=r"^a constant cannot move; give recorded inputs$"):
        of(x * x, constants(recording, [0]), constants(recording, [[1]]))


def test_rates_stand_behind_their_values() -> None:
    inputs = Inputs()
    x = inputs.of(fractions(2))
    y = np.stack([x[0] / x[1], np.sin(x[0] * x[1]), np.sqrt(x[0] * x[0])])
    rates = of(y, x, constants(inputs.recording, np.eye(2, dtype=int)))
    place = inputs.recording.place
    moved = rates.references != 0
    assert np.array_equal(
        place[np.abs(rates.references)][moved], np.broadcast_to(place[y.references][:, None], moved.shape)[moved]
    )


def test_a_chain_needs_few_registers() -> None:
    """Those of a link and its predecessor, for every direction, not those of the chain."""

    def chain(recording: Recording, x: Values) -> Values:
        y = x[0]
        for _ in range(30):
            y = y * x[1] + x[0] * y
        return of(np.stack([y]), x, constants(recording, np.eye(2, dtype=int)))

    assert record(chain, [(2,)]).program.registers < 25
