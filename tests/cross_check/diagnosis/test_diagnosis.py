"""The diagnosis names the planted fault, where it is, and nothing else."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from diagnosed import DYNAMICS, diagnosed, fault_called, wrong_cells
from wrong_codes import Changed

from cross_check.entry import Entry
from cross_check.exchange.results.objects import Cell
from cross_check.explain.diagnosis import diagnose
from cross_check.explain.diagnosis.causes.of_run import causes_of
from cross_check.explain.diagnosis.diagnose import Diagnosis, Tried
from cross_check.explain.diagnosis.laboratory import Run
from cross_check.explain.diagnosis.probes import Decided
from cross_check.explain.diagnosis.search import Explanation, Search
from cross_check.explain.diagnosis.stages import Stages
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.fault import Fault, both
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.readings.mechanisms import misreadings
from cross_check.judge.settings import Settings
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism

ARM, TREE = "stanford-arm", "random:5:6:all"
SMALL = "random:3:3:all"
"""A joint with damping, one with armature, and one with several angles: a diagnosis takes a quarter of the time."""


@pytest.mark.parametrize(
    ("name", "tree"),
    [
        ("gravity has the wrong sign", SMALL),
        ("ω × I ω is left out", SMALL),
        ("Ixy has the wrong sign", SMALL),
        pytest.param("Ixy has the wrong sign", TREE, marks=pytest.mark.nightly),
    ],
)
def test_one_fault_is_named_and_nothing_else(name: str, tree: str) -> None:
    results, causes = diagnosed(Mutant(fault_called(name)), tree, quantities=(*DYNAMICS, "forward_dynamics"))
    assert [cause.sentence.partition(" (")[0] for cause in causes] == [f"In code, {name}"]
    assert set(causes[0].cells) == wrong_cells(results)
    assert causes[0].is_certain


@pytest.mark.nightly
def test_a_wrong_sign_of_all_terms_with_velocities_is_one_cause() -> None:
    """Not two: that of v × S q̇, and that of v ×* I v."""

    def change(mechanism: Mechanism, quantity: str, answer: Any, arguments: Any) -> Any:
        q, v, *_ = arguments
        right = REFERENCE.load(mechanism)
        friction = mechanism.arrays.per_coordinate(mechanism.arrays.damping) * v
        return answer - 2 * (right.inverse_dynamics(q, v, 0 * v) - friction - right.inverse_dynamics(q, 0 * v, 0 * v))

    _, (cause,) = diagnosed(Changed(change), ARM, quantities=("inverse_dynamics", "nonlinear_effects"))
    assert cause.sentence.partition(" (")[0] == "In code, all Coriolis and centrifugal forces, C v, have the wrong sign"


@pytest.mark.parametrize(("order", "said"), [((0, 2, 1), "v and a are exchanged"), ((1, 0, 2), "q and v are exchanged")])
def test_arguments_in_another_order_are_named(order: tuple[int, ...], said: str) -> None:
    def change(mechanism: Mechanism, quantity: str, answer: Any, arguments: Any) -> Any:
        return REFERENCE.load(mechanism).inverse_dynamics(*(arguments[k] for k in order))

    _, causes = diagnosed(Changed(change), "furuta-pendulum", quantities=("inverse_dynamics",))
    assert [cause.sentence for cause in causes] == [f"In code, {said}"]


def test_what_is_wrong_beyond_an_angle_is_a_condition_and_no_sine() -> None:
    """A pendulum's torque at rest is a sine, and beyond 1 rad it is a part in a million too large, as the rest is."""

    def change(mechanism: Mechanism, quantity: str, answer: Any, arguments: Any) -> Any:
        return answer * np.where(arguments[0][:, :1] > 1, 1 + 1e-6, 1.0)

    _, (cause,) = diagnosed(Changed(change), "pendulum", quantities=("inverse_dynamics",))
    assert cause.sentence == "In code, inverse dynamics is multiplied by 1 + 1e-06 where q of 'pivot' > 1"


@pytest.mark.slow
def test_a_shortcut_is_a_condition() -> None:
    def change(mechanism: Mechanism, quantity: str, answer: Any, arguments: Any) -> Any:
        _, v, a = arguments
        return answer - mechanism.arrays.damping * v * ~a.any(axis=1, keepdims=True)

    _, (cause,) = diagnosed(Changed(change), "cart-pole", quantities=("inverse_dynamics",))
    assert (cause.kind, cause.sentence) == ("condition", "In code, damping is ignored where a is exactly zero")


@pytest.mark.nightly
def test_what_nothing_explains_is_unknown_with_evidence() -> None:
    def change(mechanism: Mechanism, quantity: str, answer: Any, arguments: Any) -> Any:
        return answer + 0.1 * np.cos(3 * arguments[0]) * arguments[1] ** 3 if quantity == "inverse_dynamics" else answer

    _, (cause,) = diagnosed(Changed(change), ARM)
    assert cause.kind == "unknown"
    assert not cause.is_certain
    seen = {observation.asked: observation.seen for observation in cause.evidence}
    assert seen["nothing moves"] == seen["accelerations alone"] == "agrees"
    assert seen["velocities twice as large"] == "8 times as far off"
    assert cause.example
    assert cause.example.bodies <= 2
    assert any("single faults" in what for what in cause.ruled_out)
    # What the time did not suffice for is said, and not taken for refuted.
    left = " ".join(cause.untried)
    assert not any(what in left for what in cause.ruled_out)
    assert "pairs of faults" in {*cause.ruled_out} or "pairs of faults" in left


@pytest.mark.nightly
def test_explanations_that_probes_refute_are_ruled_out() -> None:
    """The placement turns by a right angle, so that turned inertias have the numbers of some with exchanged moments."""
    turned = "the rotational inertia of link2 is read in the parent's axes"
    fault = next(fault for fault in misreadings(find_mechanism(ARM)) if fault.name == turned)
    _, (cause,) = diagnosed(Mutant(fault), ARM, quantities=("nonlinear_effects", "mass_matrix"))
    assert turned in cause.sentence
    assert any(what.startswith("Iyy and Izz of link2 are exchanged: ") for what in cause.ruled_out)


def test_a_fault_of_all_mechanisms_is_not_blamed_on_one_body() -> None:
    """On a pendulum alone, twice the mass matrix is that of a body with twice the inertia."""
    _, (cause,) = diagnosed(Changed(lambda m, name, answer, given: 2 * answer), "pendulum", quantities=("mass_matrix",))
    assert cause.sentence == "In code, mass matrix counts twice"
    assert cause.where == ()


@pytest.mark.parametrize("other", ["unexplained", "not searched", "explained"])
def test_numbers_that_fit_on_one_mechanism_alone_are_given_up(other: str) -> None:
    """A wrong answer that is linear in v looks like the damping of a pendulum. The same code is wrong about another mechanism."""
    cells = [
        Cell(f"{name}/code/nonlinear_effects", name, "code", "nonlinear_effects", "discrepancy", "", 1e9, [1e9], [1e9])
        for name in ("pendulum", "cart-pole")
    ]
    diagnosis = Diagnosis(Run(Entry("code", "code", InProcess(REFERENCE)), cells, (), Settings(states=18)))
    trials = [diagnosis._trial(find_mechanism(cell.mechanism)) for cell in cells]
    diagnosis.trials = {cell.mechanism: trial for cell, trial in zip(cells, trials, strict=True)}
    damping = Fault("the damping of pivot is 0.5 N m s", "damping", where=("pivot",))
    diagnosis.found = [Tried(Decided(Explanation((damping,)), (), ()), {cells[0].id: None}, 18, trials[0])]
    if other != "explained":
        diagnosis.unexplained = {cells[1].id: Symptom(trials[1], "nonlinear_effects")}
    if other != "not searched":
        stages = Stages(diagnosis.laboratory, find_mechanism("cart-pole"), [])
        diagnosis.searches = {"cart-pole": Search(stages), "pendulum": Search(stages)}
    diagnosis._give_up_coincidences()
    assert bool(diagnosis.found) == (other != "unexplained")
    assert (cells[0].id in diagnosis.unexplained) == (other == "unexplained")
    if other == "unexplained":
        (said,) = diagnosis.searches["pendulum"].finished["nonlinear_effects"]
        assert said == f"the damping of pivot is 0.5 N m s: it explains nothing of {cells[1].id}"


def test_a_fault_that_another_mechanism_showed_keeps_its_name() -> None:
    """As one of two faults, too; a fault that answers otherwise stays what it is."""
    shown, beside, other = (fault_called(f"{name} the wrong sign") for name in ("ω × I ω has", "gravity has", "Ixy has"))
    same = replace(shown, name="the same in other words")
    code = Mutant(both(shown, beside))
    diagnosis = Diagnosis(Run(Entry("code", "code", InProcess(code)), (), (), Settings(states=18)))
    trial = diagnosis._trial(find_mechanism("spatial-3r"))
    diagnosis.found = [Tried(Decided(Explanation((one,)), (), ()), {}, 18, trial) for one in (other, shown)]
    explanation = Explanation((same, beside), (Symptom(trial, "nonlinear_effects"),))
    assert diagnosis._as_elsewhere(explanation).faults == (shown, beside)


def test_what_is_not_searched_any_more_belongs_to_the_unknown_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of mechanisms for which no experiments are left must not be without a cause."""
    monkeypatch.setattr(diagnose, "MOST", 1)

    def change(mechanism: Mechanism, quantity: str, answer: Any, arguments: Any) -> Any:
        return answer + 0.1 * np.cos(3 * arguments[0])

    results, (cause,) = diagnosed(Changed(change), "pendulum", "cart-pole", quantities=("gravity",))
    assert (cause.kind, {*cause.cells}) == ("unknown", wrong_cells(results))


def test_one_mechanism_leaves_alternatives_that_others_would_decide() -> None:
    """Generated code for a pendulum: M alone does not tell a wrong mass from a wrong length."""
    only = find_mechanism("pendulum")
    _, (cause,) = diagnosed(
        Changed(lambda m, quantity, answer, arguments: 2 * answer, "pendulum"), "pendulum", quantities=("mass_matrix",)
    )
    assert only.name == "pendulum"
    assert cause.alternatives or "mass matrix counts twice" in cause.sentence


def test_what_is_grossly_wrong_heads_the_causes_and_what_is_nearly_right_follows() -> None:
    """Nothing explains the tiny error of gravity; the search for it does not keep the gross one from being explained."""

    def change(m: Mechanism, name: str, x: Any, given: Any) -> Any:
        return {"mass_matrix": 11.0, "gravity": 1 + 3e-14}.get(name, 1.0) * x

    results, causes = diagnosed(Changed(change), "furuta-pendulum", quantities=("gravity", "mass_matrix"))
    assert [cause.sentence for cause in causes][:1] == ["In code, mass matrix is multiplied by 11"]
    assert [cause.id for cause in results.causes] == [cause.id for cause in causes]
    assert {cell for cause in causes[1:] for cell in cause.cells} == {"furuta-pendulum/code/gravity"}


@pytest.mark.nightly
def test_what_nothing_explains_is_headed_by_what_is_grossly_wrong() -> None:
    def change(m: Mechanism, name: str, x: Any, given: Any) -> Any:
        size = {"mass_matrix": 0.1, "gravity": 1e-11}.get(name, 0.0)
        return x * (1 + size * np.sin(7 * given[0][:, 1])).reshape(-1, *[1] * (x.ndim - 1))

    _, (cause,) = diagnosed(Changed(change), "furuta-pendulum", quantities=("gravity", "mass_matrix"))
    assert cause.kind == "unknown" and cause.sentence.startswith("In code, mass matrix is wrong")
    assert cause.example and cause.example.quantity == "mass_matrix"


@pytest.mark.nightly
def test_a_machine_that_is_busy_finds_the_same_causes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every clock but that of the limit for hanging code runs a thousand times as fast."""
    code = Changed(lambda m, name, x, given: x + 0.01 * np.sin(given[0]) if name == "inverse_dynamics" else x)
    fault = Mutant(fault_called("ω × I ω is left out"))
    asked = [(code, "furuta-pendulum"), (fault, SMALL)]
    idle = [diagnosed(*one, quantities=("inverse_dynamics",))[1] for one in asked]
    for name, module in list(sys.modules.items()):
        for clock in ("monotonic", "process_time", "perf_counter"):
            if name.startswith("cross_check") and not name.endswith("laboratory") and hasattr(module, clock):
                monkeypatch.setattr(module, clock, lambda: 1000 * time.process_time())
    assert [diagnosed(*one, quantities=("inverse_dynamics",))[1] for one in asked] == idle


@pytest.mark.nightly
def test_a_cause_of_one_mechanism_is_tried_first_on_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """There another fault is beside it, and each hides the other."""
    tried: dict[str, list[str]] = {}
    listed = Stages.listed

    def noted(self: Stages, symptom: Any, given: Any) -> Any:
        tried.setdefault(self.mechanism.name, [fault.name for fault in self.candidates])
        return listed(self, symptom, given)

    monkeypatch.setattr(Stages, "listed", noted)
    first, second = fault_called("gravity has the wrong sign"), fault_called("armature is ignored")
    diagnosed(Mutant(both(first, second)), "pendulum", "furuta-pendulum", quantities=("inverse_dynamics", "gravity"))
    assert tried["pendulum"][0] != first.name == tried["furuta-pendulum"][0]


def test_right_code_has_no_cause() -> None:
    results, causes = diagnosed(REFERENCE, ARM, TREE)
    assert (wrong_cells(results), causes) == (set(), ())


def test_a_diagnosis_that_fails_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> Any:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("cross_check.explain.diagnosis.diagnose.symptoms", broken)
    results, (cause,) = diagnosed(Mutant(fault_called("gravity has the wrong sign")), "pendulum")
    assert "dalembert failed to find out why (ZeroDivisionError: planted)" in cause.sentence
    assert set(cause.cells) == wrong_cells(results)


def test_an_interrupted_diagnosis_keeps_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    results, _ = diagnosed(Mutant(fault_called("gravity has the wrong sign")), "pendulum")
    monkeypatch.setattr("cross_check.explain.diagnosis.diagnose.symptoms", interrupted)
    entry = Entry("code", "code", InProcess(Mutant(fault_called("gravity has the wrong sign"))))
    assert causes_of(results, [("pendulum", find_mechanism("pendulum"))], [entry], Settings()) == ((), True)


@pytest.mark.slow
def test_a_coincidence_on_one_mechanism_is_not_named() -> None:
    """The pendulum's arm is level, so that gravity on masses at the origins is zero there. In general it is not."""
    centred = fault_called("the centre of mass is ignored")

    def change(mechanism: Mechanism, quantity: str, answer: Any, arguments: Any) -> Any:
        wrong = Mutant(centred).load(mechanism).gravity(arguments[0])
        return answer + wrong - REFERENCE.load(mechanism).gravity(arguments[0]) if quantity != "mass_matrix" else answer

    _, (cause,) = diagnosed(Changed(change), "furuta-pendulum", quantities=("gravity", "nonlinear_effects", "mass_matrix"))
    assert "gravity is left out" not in cause.sentence
    assert cause.kind == "unknown" or "centre of mass" in cause.sentence


@pytest.mark.nightly
def test_joints_of_other_mechanisms_with_the_same_name_raise_no_doubt() -> None:
    """Spatial-3r has a joint3, too, and the code is right on it."""
    fault = next(one for one in misreadings(find_mechanism(ARM)) if one.name == "the origin of joint3 is ignored")

    @dataclass
    class OfThisArm:
        name: str = "code"

        def load(self, mechanism: Mechanism) -> Any:
            return (Mutant(fault) if mechanism.name.startswith(ARM) else REFERENCE).load(mechanism)

    _, (cause,) = diagnosed(OfThisArm(), ARM, quantities=("gravity", "mass_matrix"))
    assert cause.where == ("joint3",)
    assert cause.alternatives == ()
