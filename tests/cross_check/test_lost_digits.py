"""Amplified rounding is told apart from wrong terms, also from terms that are wrong by a part in a thousand million."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from inexact_code import AsTheBookPrintsIt

from cross_check.comparison.case import Case, prepare
from cross_check.comparison.invariants import with_lost_digits
from cross_check.comparison.measure import measure
from cross_check.harness import Entry, check
from cross_check.results import Cell, Invariant, Results, RunSettings, verdict_of
from cross_check.results.objects import BAR, ImplementationSummary
from cross_check.settings import Settings
from implementations.processes.subject import InProcess, LoadedInProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import random_mechanism
from mechanisms.quantities import QUANTITIES

Array = np.ndarray[Any, Any]

BALLS = random_mechanism(7, 14, ("spherical",), shape="chain")


@pytest.fixture(scope="module")
def balls() -> Case:
    return prepare(BALLS, 0, 28)


def cell_of(case: Case, implementation: Any) -> Cell:
    loaded = LoadedInProcess(implementation.load(case.mechanism), case.mechanism)
    return measure(case, loaded, "mine", QUANTITIES["forward_dynamics"], BAR).cell


@pytest.mark.slow
def test_an_unstable_algorithm_loses_digits_and_the_reference_does_not(balls: Case) -> None:
    cell = cell_of(balls, AsTheBookPrintsIt())
    # How many they are depends on the order in which the machine sums.
    assert cell.verdict == "lost digits"
    assert re.fullmatch(r"rounding is amplified: [2-4] of 16 digits are lost", cell.message)
    assert cell_of(balls, REFERENCE).verdict == "agrees"


FAULTS: dict[str, Callable[..., Array]] = {
    "a billionth": lambda a, q, v: a * (1 + 1e-9),
    "a billionth of one joint": lambda a, q, v: a * (1 + 1e-9 * (np.arange(a.shape[1]) == 5)),
    "a billionth of what depends on q": lambda a, q, v: a + 1e-9 * np.abs(a).max() * np.sin(3 * q[:, :1]),
    "a billionth in one state": lambda a, q, v: np.where(np.abs(v).sum(axis=1, keepdims=True) == 0, a * (1 + 1e-9), a),
    "single precision of the answer": lambda a, q, v: a.astype(np.float32).astype(float),
    "single precision of an angle": lambda a, q, v: a + 1e-7 * np.abs(a).max() * np.sin(1e3 * q[:, :1].astype(np.float32)),
    "erratic from the fourth digit on": lambda a, q, v: a * (1 + 1e-3 * np.sin(1e20 * a)),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("wrapped", [AsTheBookPrintsIt, None])
def test_a_wrong_term_is_no_rounding(balls: Case, fault: str, wrapped: Any) -> None:
    """Whether it occurs in code that loses digits or in code that does not."""
    right = AsTheBookPrintsIt(FAULTS[fault]) if wrapped else Changed(FAULTS[fault])
    assert cell_of(balls, right).verdict == "discrepancy"


class Changed(AsTheBookPrintsIt):
    """The reference with another answer."""

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return self._change(self._dynamics.forward_dynamics(q, v, tau), q, v)


@pytest.mark.slow
def test_code_that_answers_these_states_alone_is_wrong(balls: Case) -> None:
    """Nothing is known of it elsewhere."""
    asked: list[Array] = []

    def once(a: Array, q: Array, v: Array) -> Array:
        asked.append(a)
        if len(asked) > 1:
            raise ValueError("no such state")
        return a

    assert cell_of(balls, AsTheBookPrintsIt(once)).verdict == "discrepancy"


@pytest.mark.slow
def test_a_run_that_loses_digits_is_right_and_says_so() -> None:
    run = check([("balls", BALLS)], [Entry("mine", "mine", InProcess(AsTheBookPrintsIt()))], Settings(states=28), explain=False)
    judged = {item.id.removeprefix(f"{BALLS.name}/mine/"): item.verdict for item in run.items}
    assert judged["forward_dynamics"] == judged["ID∘FD = identity"] == "lost digits"
    assert judged["inverse_dynamics"] == "agrees"
    verdict = verdict_of(run)
    assert verdict.exit_code == 0
    assert "mine agrees with the truth on 1 mechanism; mine loses digits to rounding in 1 comparison" in verdict.headline


LOST = Cell("m/i/forward_dynamics", "m", "i", "forward_dynamics", "lost digits", error=500.0)
AGREES = Cell("m/i/inverse_dynamics", "m", "i", "inverse_dynamics", "agrees", error=2.0)
BROKEN = Invariant("m/i/ID∘FD = identity", "m", "i", "ID∘FD = identity", "discrepancy", error=501.0)


def test_an_invariant_is_broken_by_no_more_than_forward_dynamics_lost() -> None:
    assert with_lost_digits(BROKEN, [LOST, AGREES], 16.0).verdict == "lost digits"
    others = [
        (replace(BROKEN, error=600.0), [LOST, AGREES]),
        (replace(BROKEN, name="M = Mᵀ"), [LOST, AGREES]),
        (BROKEN, [replace(LOST, verdict="discrepancy"), AGREES]),
        (BROKEN, [LOST, replace(AGREES, verdict="discrepancy")]),
        (BROKEN, [AGREES]),
    ]
    assert {with_lost_digits(invariant, cells, 16.0).verdict for invariant, cells in others} == {"discrepancy"}


def test_digits_that_are_lost_do_not_hide_behind_what_is_wrong() -> None:
    wrong = replace(AGREES, verdict="discrepancy", error=1e9)
    verdict = verdict_of(Results(RunSettings("0", 0, 1, 16.0), [ImplementationSummary("i", "i", "1")], cells=[LOST, wrong]))
    assert (verdict.exit_code, *verdict.sentences) == (
        1,
        "i disagrees with the truth in 1 of 2 comparisons",
        "i loses digits to rounding in 1 comparison",
    )
