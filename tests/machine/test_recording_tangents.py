"""Derivatives of recordings are those of the functions: exactly for rational ones, by complex steps for the others."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_arrays import Inputs, fractions

from machine.recording.assemble import assemble
from machine.recording.recorded_function import record
from machine.recording.recording import Recording
from machine.recording.tangents import tangents
from machine.recording.values import Values, constants


def of(result: Values, points: Values, rates: Values) -> Values:
    """The rates of every component of ``result`` (…, directions) for the rates (…, directions) of the points."""
    directions = rates.shape[-1]
    moved = tangents(
        result.recording, result.references.ravel(), points.references.ravel(), rates.references.reshape(-1, directions)
    )
    return Values(result.recording, moved.reshape(*result.shape, directions))


class Dual:
    """A fraction and its derivative, by hand."""

    def __init__(self, x: Any, dx: Any = 0) -> None:
        self.x, self.dx = Fraction(x), Fraction(dx)

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.x + other.x, self.dx + other.dx)

    def __sub__(self, other: Dual) -> Dual:
        return Dual(self.x - other.x, self.dx - other.dx)

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.x * other.x, self.x * other.dx + self.dx * other.x)

    def __truediv__(self, other: Dual) -> Dual:
        return Dual(self.x / other.x, (self.dx * other.x - self.x * other.dx) / other.x**2)


STEP = st.tuples(st.sampled_from("+-*/"), st.integers(0, 99), st.integers(0, 99))


def rational(values: list[Any], one: Any, steps: list[Any]) -> list[Any]:
    for step, i, j in steps:
        a, b = values[i % len(values)], values[j % len(values)]
        values.append(a + b if step == "+" else a - b if step == "-" else a * b if step == "*" else a / (b * b + one))
    return values


def agree(steps: list[Any], seed: int) -> bool:
    inputs, x = Inputs(), fractions(3, seed=seed)
    points, dx = inputs.of(x), fractions(3, 2, seed=seed + 1, zeros=True)
    one = constants(inputs.recording, 1)
    results = np.stack(rational(list(points), one, steps))
    got = inputs.execute(of(results, points, constants(inputs.recording, dx)))
    expected = [rational([Dual(a, b) for a, b in zip(x, dx[:, k], strict=True)], Dual(1), steps) for k in range(2)]
    return bool(np.array_equal(got, np.array([[dual.dx for dual in column] for column in expected]).T))


@pytest.mark.slow
@given(st.lists(STEP, max_size=12), st.integers(0, 99))
@settings(max_examples=60)
def test_rates_of_rational_functions_are_exact(steps: list[Any], seed: int) -> None:
    assert agree(steps, seed)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cosine": lambda x: np.cos(2 * x[0]) * x[1],
    "sine": lambda x: np.sin(x[0] * x[1]) / x[2],
    "sine of a negative": lambda x: np.sin(-x[0]) - np.cos(-x[1]),
    "root": lambda x: np.sqrt(x[0] * x[0] + x[1] * x[1] + 2) * np.sin(x[2]),
    "root of a negated difference": lambda x: np.sqrt(-(x[1] * x[1] - 9 - x[0] * x[0])),
    "quotient": lambda x: np.cos(x[0]) / (2 + np.sin(x[1]) * x[2]),
    "composed": lambda x: np.sin(np.cos(x[0] - x[1]) * np.sqrt(x[2] * x[2] + 1)),
}


def error(function: Callable[..., Any]) -> float:
    x, h = np.random.default_rng(3).normal(size=(4, 3)), 2.0**-300
    recorded = record(lambda recording, q: of(np.stack([function(q)]), q, constants(recording, np.eye(3, dtype=int))), [(3,)])
    steps = np.eye(3) * 1j * h
    expected = np.stack([function((x + step).T).imag / h for step in steps], -1)
    return float(np.abs(recorded(x)[0][:, 0] - expected).max())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rates_of_other_functions(name: str) -> None:
    assert error(FUNCTIONS[name]) < 1e-14


def test_second_derivatives_are_the_rates_of_rates() -> None:
    def second(recording: Recording, x: Values) -> Values:
        one = constants(recording, [1])
        first = of(np.stack([np.sin(x[0]) * x[0]]), x, one[:, None])
        return of(first[:, 0], x, one[:, None])[0]

    x = np.linspace(-2, 2, 9)[:, None]
    assert np.abs(record(second, [(1,)])(x)[0] - (2 * np.cos(x) - x * np.sin(x))).max() < 1e-14


def test_a_point_moves_as_it_is_told_whatever_it_was_computed_from() -> None:
    inputs = Inputs()
    x = inputs.of(np.array([Fraction(3), Fraction(5)]))
    y = -(x * x)
    rates = of(np.stack([y[0] * y[1], x[0]]), y, constants(inputs.recording, [[1], [0]]))
    assert inputs.execute(rates).tolist() == [[-25], [0]]


def test_a_point_that_was_computed_from_another_moves_on_its_own() -> None:
    inputs = Inputs()
    x = inputs.of(np.array([Fraction(3)]))
    points = np.concatenate([x, x * x])
    rates = of(points[:1] * points[1:], points, constants(inputs.recording, [[1], [5]]))
    assert inputs.execute(rates).tolist() == [[9 + 3 * 5]]


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
