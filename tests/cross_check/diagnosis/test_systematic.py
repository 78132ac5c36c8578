"""The evidence of systematic errors says in words which errors of numbers explain them."""

from __future__ import annotations

import pytest

from cross_check.exchange.results.objects import INFINITE, Cell, Sharpness
from cross_check.explain.diagnosis.causes.plain import systematic_causes
from cross_check.judge.history.replay import in_units

SAID = {
    "this one, by +1e-11 of its size": Sharpness(INFINITE, 1e-16, 3, 10, "the mass of link", 1e-11),
    "all numbers together, by 64 ε of their sizes": Sharpness(64.0, 1e-16, 3, 10),
    "none, not even those of all numbers together": Sharpness(INFINITE, 1e-16, 3, 10),
}


@pytest.mark.parametrize("said", SAID)
def test_no_number_that_stands_for_infinity_is_printed(said: str) -> None:
    cell = Cell("arm/mine/gravity", "arm", "mine", "gravity", "discrepancy", "systematic", 3.0, sharpness=SAID[said])
    (cause,) = systematic_causes("mine", [cell])
    (seen,) = cause.evidence
    assert said in str(seen)
    assert "1e+99" not in f"{cause.sentence} {seen}"


def test_an_infinite_difference_is_said_in_words() -> None:
    assert (in_units(32.0), in_units(INFINITE)) == ("32 ε-units", "infinitely many ε-units")
