"""Wrong algorithms that use their numbers only through arithmetic, and that were called proven: none is any more."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cross_check.proof.prove import prove
from cross_check.proof.rounds import rounds_for
from cross_check.proof.statement import ProofError
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import find_mechanism


def verdict(quantity: str, algorithm: Callable[..., Any], spec: str = "cart-pole", in_general: bool = True) -> str:
    certificate = prove(find_mechanism(spec), spec, in_general, algorithms={quantity: algorithm}, quantities=[quantity])
    return certificate.verdict


def almost_one(x: Any, one: Any) -> Any:
    """x^(p − 1) for p = 2⁶¹ − 1: one wherever x is not zero, with 61 doublings."""
    power = x
    for _ in range(61):
        power = power / one
        power = 1 / (1 / power - 1 / (power + one)) - power
    return power / (x * x)


@pytest.mark.parametrize("in_general", [True, False])
def test_writing_into_arguments_does_not_change_the_truth(in_general: bool) -> None:
    def nothing_moves(model: Any, q: Any, v: Any) -> Any:
        v *= 0
        return v[0]

    def without_velocities(model: Any, q: Any, v: Any, a: Any) -> Any:
        v *= 0
        return ALGORITHMS["inverse_dynamics"](model, q, v, a)

    assert verdict("kinetic_energy", nothing_moves, in_general=in_general) == "refuted"
    assert verdict("inverse_dynamics", without_velocities, in_general=in_general) == "refuted"


class Own:
    """A number class of the algorithm's own, whose arithmetic a degree would not see."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __radd__(self, other: Any) -> Any:
        return other + self.x

    def __rmul__(self, other: Any) -> Any:
        return other * self.x


class OwnFraction(Fraction):
    def __radd__(self, other: Any) -> Any:
        return other + OwnFraction.hidden  # type: ignore[attr-defined]


def test_arithmetic_of_other_classes_counts() -> None:
    def added(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + Own(10**6 * (almost_one(q[1, 0], model.field.number(1)) - 1))

    def multiplied(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) * Own(almost_one(q[1, 0], model.field.number(1)))

    def as_fraction(model: Any, q: Any) -> Any:
        OwnFraction.hidden = 10**6 * (almost_one(q[1, 0], model.field.number(1)) - 1)  # type: ignore[attr-defined]
        return ALGORITHMS["gravity"](model, q) + OwnFraction(1)

    for wrong in (added, multiplied, as_fraction):
        assert verdict("gravity", wrong) == "refuted", wrong.__name__


def test_an_angle_is_that_of_a_position() -> None:
    """The number that stands for an angle is a hash of its argument, which has no degree."""

    def wrong(model: Any, q: Any) -> Any:
        one = model.field.number(1)
        power = np.array([almost_one(q[1, 0], one)], dtype=object)
        hidden = model.field.angle(power) - model.field.angle(np.array([one], dtype=object))
        return ALGORITHMS["gravity"](model, q) + 10**6 * hidden

    def right_but_unknowable(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + model.field.angle(q[1]) + model.field.angle(-q[1])

    for algorithm in (wrong, right_but_unknowable):
        with pytest.raises(ProofError, match="takes the angle of a computed number"):
            verdict("gravity", algorithm)


def test_a_comparison_counts_even_if_its_error_is_caught() -> None:
    def wrong(model: Any, q: Any) -> Any:
        try:
            special = bool(q[0, 0] == 12345)
        except TypeError:
            special = False
        return ALGORITHMS["gravity"](model, q) + int(special)

    with pytest.raises(ProofError, match="compares numbers that are drawn"):
        verdict("gravity", wrong)


def test_powers_are_arithmetic() -> None:
    def right(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) * (1 + q[0] ** 2) / (1 + np.power(q[0], 2))

    def wrong(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + (q[0, 0] ** (2**61 - 2) - 1)

    assert verdict("gravity", right) == "proven"
    assert verdict("gravity", wrong) == "refuted"


@pytest.mark.parametrize(
    ("algorithm", "said"),
    [
        (lambda model, q: ALGORITHMS["gravity"](model, q) / (0 * q), "divides by the function zero"),
        (lambda model, q: 0.5 * ALGORITHMS["gravity"](model, q), "does more with its numbers than"),
        (lambda model, q: abs(q), "does more with its numbers than"),
        (lambda model, q: np.zeros((2, 1)), "computes with a float, which is no number of the field"),
    ],
)
def test_what_is_no_arithmetic_is_refused_in_a_sentence(algorithm: Any, said: str) -> None:
    with pytest.raises(ProofError, match=said):
        verdict("gravity", algorithm)


def test_a_degree_beyond_all_primes_is_refused() -> None:
    with pytest.raises(ProofError, match="too large for a proof"):
        rounds_for(2**20000, True)
