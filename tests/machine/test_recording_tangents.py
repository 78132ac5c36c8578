"""Derivatives of recordings are those of the functions, which are differentiated by complex steps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
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
    "root of a negated difference": lambda x: np.sqrt(-(x[1] * x[1] - 9 - x[0] * x[0])),
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


def test_rates_of_rational_functions() -> None:
    assert [seed for seed in range(60) if not error(rational(seed)) < 1e-14] == []


def test_second_derivatives_are_the_rates_of_rates() -> None:
    def second(recording: Recording, x: Values) -> Values:
        one = constants(recording, [1])
        first = of(np.stack([np.sin(x[0]) * x[0]]), x, one[:, None])
        return of(first[:, 0], x, one[:, None])[0]

    x = np.linspace(-2, 2, 9)[:, None]
    assert np.abs(record(second, [(1,)])(x)[0] - (2 * np.cos(x) - x * np.sin(x))).max() < 1e-14


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
