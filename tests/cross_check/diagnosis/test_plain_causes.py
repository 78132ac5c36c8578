"""Causes without a search: answers that depend on earlier calls name the two calls, systematic errors say what explains them."""

from __future__ import annotations

from typing import Any

import pytest
from stateful import Stateful, cache_by_position, reused_buffer
from test_history import ARM, SOME, case_of, history

from cross_check.exchange.results.objects import INFINITE, Cell, Sharpness
from cross_check.explain.diagnosis.causes.plain import cause_of_history, systematic_causes
from cross_check.judge.history.replay import in_units
from implementations.spatial_algebra.reference import REFERENCE


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (cache_by_position, "a call with the same q and other rates changes the answer"),
        (reused_buffer, "the array returned for"),
    ],
)
def test_what_is_found_becomes_a_cause(fault: Any, words: str) -> None:
    found = history(case_of(ARM), lambda: Stateful(fault, SOME), SOME)
    cause = cause_of_history(found, "mine", ARM, [f"{ARM}/mine/independent of history"])
    assert cause is not None
    assert (cause.kind, cause.id, cause.cells) == ("history", "mine/history", (f"{ARM}/mine/independent of history",))
    assert words in cause.sentence
    assert cause.evidence[0].seen == found.message


def test_code_that_remembers_nothing_has_no_such_cause() -> None:
    assert cause_of_history(history(case_of(ARM), lambda: REFERENCE, SOME), "mine", ARM, []) is None


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
