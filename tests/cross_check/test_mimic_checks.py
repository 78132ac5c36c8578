"""Mimic joints are proven and checked like any joint, and planted faults are caught by both."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results import ResultsError
from cross_check.exchange.results.objects import BAR, Cell
from cross_check.exchange.vectors.document import _mechanism
from cross_check.explain.diagnosis.causes.usual_faults import OF_MIMIC_JOINTS
from cross_check.explain.faults.edits import MIMIC_FAULTS
from cross_check.explain.faults.fault import Edit
from cross_check.explain.faults.mutants import Mutant, edited
from cross_check.harness import Entry
from cross_check.judge.comparison.case import prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.judge.relations.check import check_relations
from cross_check.judge.relations.table import USUAL as METAMORPHIC
from cross_check.judge.settings import Settings
from cross_check.prove.proof.certificates import prove_again, read_stored, write_certificates
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.prove import prove
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, MechanismError, find_mechanism, random_mechanism
from mechanisms.quantities import QUANTITIES, USUAL

KINDS = ("revolute", "prismatic", "helical")

CHAIN = tree([-1, 0, 1], ["revolute", "revolute", "prismatic"], [0, 0, 2])
"""A leader, a mimic joint that it carries, and a joint behind both."""

BRANCHES = tree([-1, -1, 0], ["prismatic", "helical", "revolute"], [2, 1, 2])
"""A mimic joint that carries its leader."""


def with_armature_and_damping(mechanism: Mechanism) -> Mechanism:
    """On every joint: no fault finds a zero to hide in."""
    bodies = tuple(replace(body, joint=replace(body.joint, armature="0.3", damping="0.7")) for body in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


RANDOM = with_armature_and_damping(random_mechanism(5, 6, KINDS, mimics=True))

PLANTED = {
    "multiplier ignored in the position": Edit("mimic", "own = multiplier(model, link) * (", "own = ("),
    "offset ignored": Edit("mimic", " + offset(model, link)\n", "\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [CHAIN, BRANCHES], ids=["carried", "carrying"])
def test_mimic_joints_are_proven_in_every_quantity(mechanism: Mechanism) -> None:
    certificate = prove(mechanism, "it", quantities=USUAL)
    assert set(certificate.quantities) == set(USUAL)
    assert certificate.verdict == "proven"
    assert tuple(certificate.leaders) == mechanism.leaders


@pytest.mark.parametrize(("leader", "follower"), [("revolute", "helical"), ("prismatic", "revolute"), ("helical", "prismatic")])
def test_any_joint_with_one_angle_or_distance_may_follow_any_other(leader: Any, follower: Any) -> None:
    assert prove(tree([-1, -1], [leader, follower], [0, 0]), "it", quantities=["inverse_dynamics"]).verdict == "proven"


def test_a_given_mechanism_with_mimic_joints_is_proven() -> None:
    assert prove(random_mechanism(3, 3, KINDS, mimics=True), "it", in_general=False).verdict == "proven"


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_faults_are_refuted_by_a_proof(fault: str) -> None:
    wrong = edited((PLANTED[fault],))
    certificate = prove(CHAIN, "it", algorithms=wrong.ALGORITHMS, build=wrong.build)
    assert certificate.verdict == "refuted", fault


@pytest.mark.slow
def test_correct_code_stays_within_the_bar_in_every_quantity() -> None:
    case = prepare(random_mechanism(0, 6, (*KINDS, "free"), mimics=True), 0, 18)
    loaded = InProcess(REFERENCE).load(case.mechanism)
    assert [name for name in USUAL if not right(case, loaded, name)] == []


def test_sizes_have_the_shape_of_the_answers_and_grow_with_the_multiplier() -> None:
    case = prepare(RANDOM, 0, 18)
    body = next(body for body in RANDOM.bodies if body.joint.mimic)
    mimic = replace(body.joint.mimic, multiplier=1000)  # type: ignore[type-var]
    geared = replace(
        RANDOM, bodies=tuple(replace(b, joint=replace(b.joint, mimic=mimic)) if b is body else b for b in RANDOM.bodies)
    )
    for name in ("inverse_dynamics", "mass_matrix", "jacobians_world", "joint_torque_regressor", "inverse_dynamics_dq"):
        state = case.states.arguments(QUANTITIES[name].arguments)
        usual, large = ErrorScale(RANDOM).size(name, *state), ErrorScale(geared).size(name, *state)
        assert usual.shape == large.shape == (18, *QUANTITIES[name].dimensions(RANDOM))
        assert (large >= usual * (1 - 1e-12)).all()
        assert large.max() > 10 * usual.max()


def test_certificates_say_who_follows_and_are_proven_again(tmp_path: Any) -> None:
    path = tmp_path / "certificates.json"
    certificate = prove(CHAIN, "a chain", quantities=["gravity"])
    write_certificates([certificate], path)
    (stored,) = read_stored(path)
    assert prove_again(stored).differences == ()
    document = json.loads(path.read_text())
    for leaders in ([0, 0], [1, 0, 2], [0, 3, 2], [1, 2, 2]):
        document["certificates"][0]["leaders"] = leaders
        path.write_text(json.dumps(document))
        with pytest.raises(ResultsError, match="the parents, leaders, kinds and constraints of 'a chain' do not describe a tree"):
            read_stored(path)
    document["certificates"][0]["leaders"] = [1, 1, 1]
    path.write_text(json.dumps(document))
    assert "quantities/gravity/values" in prove_again(read_stored(path)[0]).differences


class Declared(Mutant):
    mimic_joints = True


def causes_of(code: Any, *names: str) -> list[tuple[str, int]]:
    """The sentences of the causes, and how many cells each has, for code that is wrong in these quantities."""
    wrong = [Cell(f"{RANDOM.name}/wrong/{name}", RANDOM.name, "wrong", name, "discrepancy", "") for name in names]
    causes = OF_MIMIC_JOINTS.causes(Entry("wrong", "wrong", InProcess(code)), wrong, [RANDOM], Settings())
    return [(cause.sentence, len(cause.cells)) for cause in causes]


@pytest.mark.slow
@pytest.mark.parametrize("fault", MIMIC_FAULTS, ids=lambda fault: fault.name)
def test_every_usual_fault_with_mimic_joints_is_wrong_and_named(fault: Any) -> None:
    case, loaded = prepare(RANDOM, 0, 18), InProcess(Declared(fault)).load(RANDOM)
    wrong = [name for name in ("inverse_dynamics", "mass_matrix") if not right(case, loaded, name)]
    assert wrong
    assert causes_of(Declared(fault), *wrong) == [(fault.name, len(wrong))]


@pytest.mark.slow
def test_forward_dynamics_that_solves_its_own_wrong_equation_is_named() -> None:
    """M comes from the code's own inverse dynamics, so that the accelerations are not those of a wrong M of ours."""
    (fault,) = (one for one in MIMIC_FAULTS if one.name == "the multiplier is missing in the velocity of mimic joints")

    class Solving(Declared):
        def load(self, mechanism: Mechanism) -> Any:
            own = super().load(mechanism)

            def forward_dynamics(q: Any, v: Any, tau: Any) -> Any:
                still = 0 * v
                at_rest = own.inverse_dynamics(q, still, still)
                columns = [own.inverse_dynamics(q, still, still + unit) - at_rest for unit in np.eye(mechanism.nv)]
                bias = own.inverse_dynamics(q, v, still)
                return np.linalg.solve(np.stack(columns, axis=-1), (tau - bias)[..., None])[..., 0]

            return SimpleNamespace(inverse_dynamics=own.inverse_dynamics, forward_dynamics=forward_dynamics)

    assert causes_of(Solving(fault), "inverse_dynamics", "forward_dynamics") == [(fault.name, 2)]


def right(case: Any, loaded: Any, name: str) -> bool:
    answer = loaded.ask(name, *case.states.arguments(QUANTITIES[name].arguments)).value
    return bool(compare(case, QUANTITIES[name], answer).units.max() < BAR / 2)


def test_relations_hold_for_mimic_joints_or_say_nothing_about_them() -> None:
    subject, case = InProcess(REFERENCE), prepare(RANDOM, 0, 6)
    found, _ = check_relations(case, subject.load(RANDOM), subject.load, "mine", BAR, tuple(METAMORPHIC))
    expected = {name: "agrees" if one.holds_with_mimics else "unsupported" for name, one in METAMORPHIC.items()}
    assert {one.name: one.verdict for one in found} == expected


def test_vectors_of_mimic_joints_are_refused() -> None:
    with pytest.raises(MechanismError, match="the format of vectors has no mimic joints, and its readers would let"):
        _mechanism(find_mechanism("random:3:8:mimic"))
