"""The evidence of systematic errors says in words which errors of numbers explain them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import dalembert
from cross_check.exchange.results.objects import INFINITE, Cell, Sharpness
from cross_check.explain.diagnosis.causes.plain import systematic_causes
from cross_check.judge.history.replay import in_units
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism

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


class Growing:
    """Every call of gravity leaves a microgram on the last body, and the answers are within the bar at first."""

    name, version = "growing", "1"

    def load(self, mechanism: Mechanism) -> Any:
        loaded = SimpleNamespace(mechanism=mechanism)

        def grown(quantity: str, step: float, *arguments: Any) -> Any:
            *others, last = loaded.mechanism.bodies
            heavier = replace(last.inertia, mass=last.inertia.mass + Fraction(step))
            loaded.mechanism = replace(loaded.mechanism, bodies=(*others, replace(last, inertia=heavier)))
            return getattr(REFERENCE.load(loaded.mechanism), quantity)(*arguments)

        loaded.gravity = partial(grown, "gravity", 1e-9)
        loaded.inverse_dynamics = partial(grown, "inverse_dynamics", 0.0)
        return loaded


@pytest.mark.nightly
def test_a_number_that_earlier_calls_have_changed_is_not_called_wrong() -> None:
    results = dalembert.check(["cart-pole"], [Growing()], quantities=["inverse_dynamics", "gravity"], states=49, invariants=True)
    causes = results.causes
    assert [cause.kind for cause in causes] == ["history"], [cause.sentence for cause in causes]
    assert {cell.id for cell in results.cells if cell.verdict == "discrepancy"} <= set(causes[0].cells)
