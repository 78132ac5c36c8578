"""The laboratory asks a question once, and stops asking code that is slow, or that ends its process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from wrong_codes import Code

from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis import laboratory
from cross_check.explain.diagnosis.diagnose import candidates
from cross_check.explain.diagnosis.laboratory import LOOSE, MOST_ENDS, Laboratory, NoAnswer, try_sampled
from cross_check.explain.diagnosis.numbers.fits import pairs
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.families import of_bodies
from cross_check.explain.faults.fault import BY_UNIT_ACCELERATIONS, NO_FAULT, both
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.terms.factors import DERIVATIVES
from cross_check.explain.faults.typical import CONVENTIONS, FAULTS
from cross_check.judge.error_scale.sizes import EPSILON
from implementations.processes.subject import Answer, Failure, InProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism

PENDULUM = find_mechanism("pendulum")


class Counting:
    """Code that does ``loading`` and ``asking``; it counts them."""

    name = version = "code"

    def __init__(self, loading: Callable[[], Any] = lambda: None, asking: Callable[[], Any] = lambda: None) -> None:
        self._loading, self._asking = loading, asking
        self.loads = self.asks = 0

    def load(self, mechanism: Mechanism) -> Any:
        self.loads += 1
        self._loading()
        return self

    def offers(self, quantity: str) -> bool:
        return True

    def ask(self, quantity: str, q: Any) -> Answer:
        self.asks += 1
        self._asking()
        return Answer(0 * q, 0.0)

    def close(self) -> None:
        pass


def failing(error: Exception) -> Callable[[], Any]:
    def fail() -> None:
        raise error

    return fail


def why(laboratory: Laboratory, mechanism: Mechanism, q: float) -> str:
    """Why there is no answer; empty if there is one."""
    try:
        laboratory.ask(mechanism, "gravity", np.full((1, 1), q))
    except NoAnswer as reason:
        return str(reason)
    return ""


def others(count: int) -> list[Mechanism]:
    return [replace(PENDULUM, name=f"pendulum {k}") for k in range(count)]


@pytest.mark.parametrize("error", [Failure("it crashed", ended=True), Failure("it raised"), Unsupported("it cannot")])
def test_what_was_asked_is_not_asked_again(error: Exception) -> None:
    loading, asking = Counting(loading=failing(error)), Counting(asking=failing(error))
    for code in (loading, asking):
        tried = Laboratory(code, "code")
        assert [why(tried, PENDULUM, q) for q in (0, 1, 1)] == [str(error)] * 3
    assert why(Laboratory(Counting(), "code"), PENDULUM, 0) == ""
    assert (loading.loads, loading.asks, asking.loads, asking.asks) == (1, 0, 1, 2)


@pytest.mark.parametrize("where", ["loading", "asking"])
def test_code_that_ended_often_is_given_no_further_mechanism(where: str) -> None:
    code = Counting(**{where: failing(Failure("it hung", ended=True))})
    tried = Laboratory(code, "code")
    said = [why(tried, mechanism, 0) for mechanism in others(20)]
    assert said[:MOST_ENDS] == ["it hung"] * MOST_ENDS
    assert set(said[MOST_ENDS:]) == {"it is given no further mechanism, because it ended or hung 3 times"}
    assert code.loads == MOST_ENDS


def test_code_that_raises_often_is_still_asked() -> None:
    code = Counting(asking=failing(Failure("it raised")))
    assert {why(Laboratory(code, "code"), mechanism, 0) for mechanism in others(20)} == {"it raised"}
    assert code.loads == 20


def test_slow_code_is_waited_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laboratory, "MOST_WAITING", 0.02)
    code = Counting(asking=lambda: time.sleep(0.03))
    tried = Laboratory(code, "code")
    said = [why(tried, PENDULUM, q) for q in range(20)]
    assert said == ["", *["it is not asked any more, because its answers took more than 0.02 s in all"] * 19]
    assert code.asks == 1
    assert why(tried, PENDULUM, 0) == "", "what was answered before is still known"


def test_a_fault_that_acts_on_no_answer_explains_none() -> None:
    """Not on the larger scale of its own mechanism, and not beside a fault whose numbers stand elsewhere."""
    rng = np.random.default_rng(0)

    noisy_code = Code(lambda m, right: {"gravity": lambda q: right.gravity(q) * (1 + 1e-7 * rng.normal(size=q.shape))})
    bar = 1e7
    noisy = try_sampled(Laboratory(InProcess(noisy_code), "noisy", bar=bar), PENDULUM, 0, 18)
    along = int(np.abs(PENDULUM.arrays.axes[0]).argmax())
    far = next(of_bodies(PENDULUM))[1 + along].at(1000.0)  # The centre of mass, moved along the axis of the hinge.
    assert noisy.errors("gravity").max() > bar
    assert np.abs(noisy.residual("gravity", far)).max() <= bar, "on its own scale"
    assert not noisy.explains("gravity", far)
    damping = next(fault for fault in DERIVATIVES if fault.name == "damping is missing in ∂τ/∂v")
    order = next(fault for fault in CONVENTIONS if fault.name == "coordinates come in reverse")
    assert both(order, damping).answers("inverse_dynamics") and not both(order, damping).answers("velocities_local")


def test_a_fault_claims_wrong_answers_alone() -> None:
    trial = try_sampled(Laboratory(InProcess(REFERENCE), "right"), find_mechanism("spatial-3r"), 0, 6)
    damping = next(fault for fault in DERIVATIVES if fault.name == "damping is missing in ∂τ/∂v")
    assert trial.explains("gravity", damping) and not trial.claims("gravity", damping)


def test_rounding_above_the_bar_is_explained_by_no_fault_that_leaves_it() -> None:
    """Not singly and not in pairs: an explanation makes an error much smaller."""
    mechanism = find_mechanism("spatial-3r")
    right = try_sampled(Laboratory(InProcess(REFERENCE), "right"), mechanism, 0, 6)
    size = right.scale.size("mass_matrix", right.states.q)

    rounded = Code(lambda m, right: {"mass_matrix": lambda q: right.mass_matrix(q) + 40 * EPSILON * size})
    trial = try_sampled(Laboratory(InProcess(rounded), "rounded"), mechanism, 0, 6)
    assert BAR < trial.errors("mass_matrix").max() < LOOSE * BAR
    idle = [fault for fault in FAULTS if fault.group == "gravity"]
    assert not any(trial.explains("mass_matrix", fault) for fault in idle)
    symptom = Symptom(trial, "mass_matrix")
    assert not list(pairs(symptom, symptom, NO_FAULT, FAULTS, ()))


def test_code_without_a_mass_matrix_explains_no_acceleration() -> None:
    """S q̈ and the armature are left out, so that τ does not depend on q̈, and M is zero: any q̈ would do."""
    mechanism = find_mechanism("puma560")
    faults = {fault.name: fault for fault in candidates(mechanism)}
    crossed = faults["v ×* I v is left out"]
    nothing = both(both(faults["armature is ignored"], faults["S q̈ is left out"]), crossed)
    without = replace(nothing, edits=(*nothing.edits, *(e for e in BY_UNIT_ACCELERATIONS if e not in nothing.edits)))
    trial = try_sampled(Laboratory(InProcess(Mutant(faults["gravity is left out"])), "code"), mechanism, 0, 6)
    assert not trial.explains("forward_dynamics", without)
    assert np.isinf(trial.errors("forward_dynamics", without)).all()
