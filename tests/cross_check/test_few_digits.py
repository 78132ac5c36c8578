"""Faults of float32 code are named where float64 would show them by digits that float32 does not have."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from inexact_code import ID, Array, Trigonometry, explained, trial_of
from wrong_codes import Code

from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.conditions.sometimes import condition_of
from cross_check.explain.diagnosis.diagnose import Diagnosis, candidates
from cross_check.explain.diagnosis.digits.deviation import Deviation
from cross_check.explain.diagnosis.digits.rounding import roundings
from cross_check.explain.diagnosis.laboratory import Laboratory
from cross_check.explain.diagnosis.numbers.bodies import misread_bodies
from cross_check.explain.diagnosis.numbers.fits import _chosen, fit
from cross_check.explain.diagnosis.probes import _same
from cross_check.explain.diagnosis.search import Explanation
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults import families
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import MASS, times
from cross_check.explain.faults.fault import Fault, scaled
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.terms.factors import terms
from cross_check.judge.sharpness.judged import largest
from implementations.field import Real
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import Reference
from mechanisms import Mechanism, find_mechanism
from mechanisms.numbers.precision import FLOAT64, PRECISIONS

FLOAT32 = PRECISIONS["float32"]
SINGLE = Reference(Real(np.float32))


def single(make: Any) -> Code:
    """Code made of the reference in float32."""
    return Code(make, right=SINGLE)


# Finite differences


def difference(by: str, points: tuple[int, int], step: float) -> Code:
    """Gravity by q, or inverse dynamics by v, as differences of what the code has."""
    h = np.float32(step)

    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        steps = h * np.eye(mechanism.nv, dtype=np.float32)

        def differenced(f: Any, x: Array) -> Array:
            ahead, behind = points
            return np.stack([(f(x + ahead * one) - f(x + behind * one)) / ((ahead - behind) * h) for one in steps], axis=-1)

        return {
            "gravity": lambda q: differenced(right.potential_energy, q),
            "inverse_dynamics_dv": lambda q, v: differenced(lambda x: right.inverse_dynamics(q, x, 0 * x), v),
        }

    return single(make)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "points"), [("forward", (1, 0)), ("backward", (0, -1)), ("central", (1, -1))])
@pytest.mark.parametrize(
    ("quantity", "by", "step"),
    [("gravity", "the potential energy by q", 1e-5), ("inverse_dynamics_dv", "the inverse dynamics by v", 1e-5)],
)
def test_a_difference_of_float32_shows_where_its_step_vanishes(
    quantity: str, by: str, step: float, scheme: str, points: tuple[int, int]
) -> None:
    """Rounding hides the truncation error; the spacing of numbers is wider above a power of two than below."""
    found = explained(difference(by[-1], points, step), quantity, precision=FLOAT32)
    assert found.sentence == f"{quantity} is a {scheme} difference of {by} with the step {step:.4g}"


# Sines


def taylor(angle: Array) -> tuple[Array, Array]:
    """Of the ninth and the eighth order, with the angle within ±π in float32."""
    pi = np.float32(np.pi)
    x = np.remainder(angle + pi, 2 * pi) - pi
    sine = x * (1 - x**2 / 6 * (1 - x**2 / 20 * (1 - x**2 / 42 * (1 - x**2 / 72))))
    return 1 - x**2 / 2 * (1 - x**2 / 12 * (1 - x**2 / 30 * (1 - x**2 / 56))), sine


@pytest.mark.parametrize("quantity", ["gravity", ID])
def test_approximate_sines_of_float32_are_measured(quantity: str) -> None:
    """At −π, float32 wraps to another side than float64."""
    code = Reference(Trigonometry(taylor, np.float32))
    found = explained(code, quantity, precision=FLOAT32)
    assert "sin q is taken as its Taylor polynomial of order 9, cos q as its Taylor polynomial of order 8" in found.sentence
    assert found.faults


def test_arguments_that_are_rounded_to_float16_stay_where_they_change_by_few_roundings() -> None:
    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def gravity(q: Array) -> Array:
            q = q.copy()
            q[:, 1] = q[:, 1].astype(np.float16)
            return right.gravity(q)

        return {"gravity": gravity}

    found = explained(single(make), "gravity", precision=FLOAT32)
    assert "is rounded to float16" in found.sentence and "inputs" not in found.sentence


def test_float32_code_is_not_tried_with_numbers_rounded_to_float32() -> None:
    tried = [one.words for one in roundings(Deviation(trial_of(SINGLE, precision=FLOAT32), "gravity"))]
    assert any("float16" in words for words in tried)
    assert not any("float32" in words for words in tried)


# Numbers


def test_factors_are_fitted_whose_effects_are_a_few_times_the_bar() -> None:
    """At joints 4 and 5 the term is less than the bar of a loose fit."""
    mechanism = find_mechanism("stanford-arm")
    (term,) = (one for one in terms() if one.name == "ω × I ω, the gyroscopic moment,")
    fault = scaled(term, 0.0, ("joint4", "joint5", "joint6"))

    def make(m: Mechanism, right: Any) -> dict[str, Any]:
        return {"nonlinear_effects": lambda q, v: Mutant(fault).load(m).nonlinear_effects(q, v).astype(np.float32)}

    trial = trial_of(single(make), mechanism, 98, FLOAT32)
    worst = np.sort(np.argsort(-trial.errors("nonlinear_effects"))[:8])
    symptom = Symptom(trial.pick(worst), "nonlinear_effects")
    found = fit(symptom, families.of_term(term, trial.mechanism), similar=0.8)
    assert found is not None
    assert found[1] == (1, 1, 1, 0, 0, 0)


def test_an_inertia_is_read_without_the_roundings_of_what_cancels() -> None:
    """Forces contain gravity, whose roundings are no wrong moments."""
    mechanism, asked = find_mechanism("stanford-arm"), list[Mechanism]()

    def make(m: Mechanism, right: Any) -> dict[str, Any]:
        heavier = wm.every(times(MASS, Fraction(4251, 4250)), lambda body: body.name == "link3")(m)

        def inverse_dynamics(*given: Array) -> Array:
            asked.append(m)
            return SINGLE.load(heavier).inverse_dynamics(*given)

        return {"inverse_dynamics": inverse_dynamics}

    (found,) = misread_bodies(Laboratory(InProcess(single(make)), "mine", FLOAT32), mechanism)
    assert found.name == "the mass of link3 is 4.251 kg instead of 4.25 kg (+0.0235 %)"
    assert asked and not any(any(m.gravity) for m in asked)


def test_what_code_answers_beside_a_right_zero_is_rounded_itself() -> None:
    """At rest, right accelerations are zero, and have no size."""
    weight = np.array([0, 0, 0, 0, 0, 9.81], dtype=np.float32)

    def make(m: Mechanism, right: Any) -> dict[str, Any]:
        return {"classical_accelerations": lambda q, v, a: right.classical_accelerations(q, v, a) + weight}

    trial = trial_of(single(make), precision=FLOAT32)
    (fault,) = (
        one for one in candidates(trial.mechanism) if one.name == "accelerations of bodies contain gravity, upwards at rest"
    )
    assert trial.explains("classical_accelerations", fault)


@pytest.mark.parametrize(("precision", "most"), [("float64", 1e-5), ("float32", 1024 * 2**-23), ("bfloat16", 2**-3.5)])
def test_a_fit_names_errors_of_numbers_that_have_few_digits(precision: str, most: float) -> None:
    assert largest(PRECISIONS[precision].epsilon) == pytest.approx(most)


@pytest.mark.parametrize(("factor", "is_taken"), [(1 + 1e-6, True), (1 - 1e-6, False)])
def test_systematic_errors_within_the_bar_are_those_of_a_fault_that_makes_them_smaller(factor: float, is_taken: bool) -> None:
    def gravity_times(k: float) -> Fault:
        return Fault(f"gravity is multiplied by {k}", "gravity", mechanism=wm.gravity((Fraction(k),) * 3))

    def make(m: Mechanism, right: Any) -> dict[str, Any]:
        return {"gravity": lambda q: Mutant(gravity_times(1 + 1e-6)).load(m).gravity(q).astype(np.float32)}

    trial = trial_of(single(make), precision=FLOAT32)
    assert 1 < trial.errors("gravity").max() < BAR
    cell = SimpleNamespace(id="the cell", mechanism="arm", quantity="gravity", verdict="discrepancy", sharpness=True)
    one = SimpleNamespace(explanation=Explanation((gravity_times(factor),)), cells={})
    diagnosis = SimpleNamespace(cells={cell.id: cell}, _verdicts=["discrepancy"], trials={"arm": trial}, found=[one])
    Diagnosis._take_systematic(diagnosis)  # type: ignore[arg-type]
    assert list(one.cells) == (["the cell"] if is_taken else [])


def test_bodies_are_told_apart_by_effects_of_few_digits() -> None:
    effects = 100 * np.eye(24, 3)
    errors = np.random.default_rng(0).uniform(-1, 1, 24)
    seen = -effects[:, 0] - effects[:, 2] + errors
    assert _chosen(effects, seen, FLOAT32) == [0, 2]
    assert _chosen(effects, seen, FLOAT64) == ()


def test_predictions_are_the_same_that_float32_cannot_tell_apart() -> None:
    little = Explanation((Fault("gravity is a little larger", "gravity", mechanism=wm.gravity((1 + 1e-7,) * 3)),))
    same = [_same(trial_of(SINGLE, precision=one), "gravity", Explanation(()), little) for one in (FLOAT32, FLOAT64)]
    assert same == [True, False]


# Conditions


@pytest.mark.parametrize(("change", "text"), [(np.abs, "q of {} < 0"), (lambda x: np.clip(x, -1, 1), "|q of {}| > 1")])
def test_a_condition_is_found_though_errors_beside_its_threshold_are_below_the_arithmetic(change: Any, text: str) -> None:
    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def gravity(q: Array) -> Array:
            q = q.copy()
            q[:, 2] = change(q[:, 2])
            return right.gravity(q)

        return {"gravity": gravity}

    trial = trial_of(single(make), precision=FLOAT32)
    found = condition_of(Symptom(trial, "gravity"), trial.errors("gravity") > BAR)
    assert found is not None
    assert found.text == text.format(repr(trial.mechanism.positions[2]))
