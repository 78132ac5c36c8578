"""Recorded equations are the equations: their programs, executed over balls, give what the oracle gives over balls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
from recorded_arrays import execute
from sympy import Symbol

import oracle
from mechanisms import Mechanism, find_mechanism
from mechanisms.library import textbook
from mechanisms.quantities import QUANTITIES
from oracle.fields import Balls
from oracle.recorded import BY_JETS, SYMBOLIC, RecordedQuantities, Source

MECHANISM = find_mechanism("framed:random:3:4:all,mimic")
APART = BY_JETS._replace(derive=oracle.EulerLagrange)
"""Quantities that share nothing."""


def arguments(mechanism: Mechanism, quantity: str) -> list[np.ndarray[Any, Any]]:
    """One state of float64 numbers for every argument."""
    random = np.random.default_rng(5)
    shapes = {"q": (mechanism.nq,), "v": (mechanism.nv,), "f": (len(mechanism.bodies), 6)}
    return [random.normal(size=(1, *shapes[kind])) for kind in QUANTITIES[quantity].inputs]


def balls(x: np.ndarray[Any, Any]) -> list[flint.arb]:
    return [flint.arb(value) for value in x.ravel().tolist()]


def number(x: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


@pytest.mark.slow
@pytest.mark.parametrize("quantity", sorted(BY_JETS.quantities & {*QUANTITIES}))
def test_jets_recorded_are_jets(quantity: str) -> None:
    state = arguments(MECHANISM, quantity)
    program = RecordedQuantities(MECHANISM, APART).function(quantity)
    with flint.ctx.workprec(300):
        exact = [np.array(balls(x), object).reshape(x.shape) for x in state]
        expected = getattr(oracle.EulerLagrange(MECHANISM, Balls()), quantity)(*exact)
        outputs = execute(program.program, [value for x in exact for value in x.flat], number)
        got = [outputs[k] if k >= 0 else flint.arb(0) for k in program.rows]
        assert program.shape == expected.shape[1:]
        assert all(x.overlaps(y) for x, y in zip(got, expected.flat, strict=True))
        assert max(abs(x - y).upper() for x, y in zip(got, expected.flat, strict=True)) < 1e-60


@pytest.mark.slow
@pytest.mark.parametrize("quantity", sorted(SYMBOLIC.quantities))
@pytest.mark.parametrize("name", ["free:pendulum", "random:3:2:universal,spherical"])
def test_symbolic_equations_recorded_are_what_they_are_in_extended_precision(name: str, quantity: str) -> None:
    mechanism = find_mechanism(name)
    equations, state = oracle.derive(mechanism), arguments(mechanism, quantity)
    high, low = RecordedQuantities(mechanism, SYMBOLIC).high_low(quantity, *state)
    expected = getattr(oracle.Evaluator(equations, np.longdouble), quantity)(*state)
    assert high.shape == expected.shape
    assert np.abs(high.astype(np.longdouble) + low - expected).max() <= 50 * np.finfo(np.longdouble).eps * np.abs(expected).max()


def test_what_cannot_be_recorded_is_known_or_refused() -> None:
    mechanism = find_mechanism("free:pendulum")
    recorded = RecordedQuantities(mechanism, BY_JETS)
    assert recorded.has("inverse_dynamics_dq") and not recorded.has("forward_dynamics")
    with pytest.raises(oracle.OracleError, match=r"^a quaternion of joint .* is zero; give any other$"):
        recorded.high_low("gravity", np.zeros((2, mechanism.nq)))
    with pytest.raises(oracle.OracleError, match="is no number of"):
        RecordedQuantities(textbook.pendulum(mass=Symbol("m")), BY_JETS).function("gravity")


def at_zero(mechanism: Mechanism, quantity: str) -> list[np.ndarray[Any, Any]]:
    """States with zeros, where differences are zero, too, and zeros have signs."""
    ordinary = arguments(mechanism, quantity)
    return [
        np.concatenate([0 * x, x * (np.arange(x.size) % 2).reshape(x.shape), x]) + (k == 0) * 1e-3 for k, x in enumerate(ordinary)
    ]


def bits_of(recorded: RecordedQuantities, quantity: str) -> bytes:
    return b"".join(x.tobytes() for x in recorded.high_low(quantity, *at_zero(recorded.mechanism, quantity)))


@pytest.mark.slow
@pytest.mark.parametrize("source", [BY_JETS, SYMBOLIC], ids=["jets", "symbolic"])
def test_bits_do_not_depend_on_what_was_recorded_before(source: Source) -> None:
    """Not even the signs of zeros, so that it does not matter which process recorded a program that was kept."""
    mechanism = find_mechanism("framed:random:3:2:all" if source is BY_JETS else "scara")
    quantities = sorted(source.quantities & {*QUANTITIES})
    together = RecordedQuantities(mechanism, source)
    expected = {quantity: bits_of(together, quantity) for quantity in quantities}
    alone = {quantity: bits_of(RecordedQuantities(mechanism, source), quantity) for quantity in quantities}
    assert [quantity for quantity in quantities if alone[quantity] != expected[quantity]] == []
