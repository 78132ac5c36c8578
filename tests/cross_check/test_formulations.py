"""Formulations of the equations: they are right, and their slips are what the table of their answers says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert
from cross_check.explain.diagnosis import formulated
from cross_check.explain.diagnosis.laboratory import Laboratory, try_sampled
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.fault import NO_FAULT, Edit, Fault, both
from cross_check.explain.faults.joint_forces import spring
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.explain.faults.routes import WHOLE
from cross_check.explain.faults.scaled import scaled
from cross_check.explain.faults.supposition import with_forces
from cross_check.explain.faults.terms import TERMS
from cross_check.explain.faults.wrong_terms import terms
from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.formulations.formulas import in_words
from cross_check.explain.formulations.slips import slips_of
from cross_check.explain.formulations.source import Slip, Source, source_of
from cross_check.explain.formulations.table import Table, some_states, table
from cross_check.explain.formulations.terms import addends_of
from cross_check.judge.comparison.sampling import sample
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import QUANTITIES

SMALL = "random:38:3:prismatic,revolute"

ALL_JOINTS = [name for name in FORMULATIONS if name != "christoffel"]

WHOLES = [name for name, formulation in FORMULATIONS.items() if formulation.computes]


def edit_of(source: Source, slip: Slip) -> Edit:
    start, end = slip.place.start, slip.place.end
    return Edit(source.module, source.text[start:end].decode(), f"({slip.text})", at=start)


def same(module: str, *others: Edit) -> Fault:
    """The formulation itself in the place of the reference."""
    source = source_of(module)
    name = source.functions[-1].name.encode()
    text = b"def " + name
    return Fault("nothing", "nothing", (Edit(module, text.decode(), text.decode(), at=source.text.index(text)), *others))


@pytest.mark.parametrize("module", FORMULATIONS)
def test_a_formulation_is_right(module: str) -> None:
    names = ("every-joint", "wall-arms") if module in ALL_JOINTS else ("stanford-arm", "branched-tree")
    for mechanism in map(find_mechanism, names):
        states, right = sample(mechanism, 0, 18), REFERENCE.load(mechanism)
        wrong = MutantDynamics(same(module), mechanism)
        quantity = "mass_matrix" if FORMULATIONS[module].stands_for == "crba" else "inverse_dynamics_with_forces"
        given = states.arguments(QUANTITIES[quantity].arguments)
        expected = getattr(right, quantity)(*given)
        assert np.abs(getattr(wrong, quantity)(*given) - expected).max() < 1e-12 * np.abs(expected).max()


def test_a_formulation_for_some_joints_refuses_others() -> None:
    with pytest.raises(Unsupported, match="for revolute and prismatic joints"):
        table("christoffel", find_mechanism("satellite"))


@pytest.mark.parametrize("module", WHOLES)
def test_all_that_follows_from_a_formulation_is_right(module: str) -> None:
    mechanism = find_mechanism("random:38:3:prismatic,revolute")
    states, right = with_forces(mechanism, some_states(mechanism)), REFERENCE.load(mechanism)
    whole = MutantDynamics(same(module, WHOLE), mechanism)
    for quantity in FORMULATIONS[module].computes:
        given = states.arguments(QUANTITIES[quantity].arguments)
        expected = getattr(right, quantity)(*given)
        assert np.abs(getattr(whole, quantity)(*given) - expected).max() < 1e-11 * max(1.0, np.abs(expected).max()), quantity


@pytest.mark.parametrize("module", FORMULATIONS)
def test_the_table_has_what_code_with_the_slip_answers(module: str) -> None:
    """The table executes statements; code with the fault is the whole source with the edit of its text."""
    mechanism = find_mechanism(SMALL)
    found, states = table(module, mechanism), some_states(mechanism)
    assert len(found.slips) > 300
    for k in np.random.default_rng(1).choice(len(found.slips), 25, replace=False):
        fault = Fault("wrong", "wrong", (edit_of(found.source, found.slips[k]),))
        code: Any = MutantDynamics(fault, mechanism)
        is_matrix = FORMULATIONS[module].stands_for == "crba"
        # In a batch as large as that of the table: some slips take an element of the batch.
        q, v, a = (np.tile(x, (1 if is_matrix else 4, 1)) for x in (states.q, states.v, states.a))
        got = (code.mass_matrix(q) if is_matrix else code.inverse_dynamics(q, v, a))[: len(states)]
        expected = found.answers[k, 0 if is_matrix else 3]
        assert np.abs(got - expected).max() <= 1e-12 * np.abs(expected).max(), in_words(found.source, found.slips[k])


def test_names_stand_for_names_with_the_same_units() -> None:
    source = source_of("newton_euler")
    texts = {slip.text for slip in slips_of(source) if source.text[slip.place.start : slip.place.end] == "ω[i]".encode()}
    assert {"ωλ", "ωp", "turn", "ω[i].mT"} <= texts
    assert not texts & {"α[i]", "αλ", "r[i]", "m.coms[i]", "m.zero", "m.inertias[i]"}


@pytest.mark.parametrize(
    ("module", "right", "wrong", "words"),
    [
        (
            "newton_euler",
            "cross(ωλ, cross(ωλ, r[i]))",
            "0.5 * cross(ωλ, cross(ωλ, r[i]))",
            "ω of the parent × (ω of the parent × r), the centripetal acceleration of the joint, is halved",
        ),
        (
            "root_frame",
            "R[i] @ m.inertias[i] @ R[i].mT",
            "R[i].mT @ m.inertias[i] @ R[i].mT.mT",
            "the inertia along the root's axes is computed as Rᵀ I R instead of R I Rᵀ",
        ),
    ],
)
def test_a_slip_in_words(module: str, right: str, wrong: str, words: str) -> None:
    source = source_of(module)
    slips = [s for s in slips_of(source) if source.text[s.place.start : s.place.end].decode() == right and s.text == wrong]
    assert in_words(source, slips[0])[0] == words


def test_a_term_is_a_named_addend_of_a_motion_or_a_force() -> None:
    named = {addend.comment: addend for addend in addends_of("newton_euler")}
    assert named["the gyroscopic moment"].name == "ω × I ω, the gyroscopic moment,"
    assert not named["the gyroscopic moment"].in_mass_matrix
    assert named["the tangential acceleration of the joint"].in_mass_matrix
    # A length is a number of the mechanism; two addends have the name of the angular velocity.
    assert not {"the displacement of the joint", "the angular velocity"} & set(named)
    assert addends_of("jacobian_sums") == ()


def test_factors_of_one_term_at_several_joints_multiply_it_there_alone() -> None:
    mechanism = find_mechanism(SMALL)
    (term,) = (one for one in terms() if one.group == "force of the damping")
    q, v, a = some_states(mechanism).arguments(("q", "v", "a"))
    first, *_, last = (body.joint.name for body in mechanism.bodies)
    fault = both(scaled(term, 3, (first,)), scaled(term, -1, (last,)))
    off = MutantDynamics(fault, mechanism).inverse_dynamics(q, v, a) - REFERENCE.load(mechanism).inverse_dynamics(q, v, a)
    damping = mechanism.arrays.per_coordinate(mechanism.arrays.damping)
    assert np.allclose(off, np.array([2, *[0] * (mechanism.nv - 2), -2]) * damping * v, atol=1e-9)


def test_errors_of_the_reference_and_of_a_formulation_add_up() -> None:
    mechanism = find_mechanism(SMALL)
    states, right = some_states(mechanism), REFERENCE.load(mechanism)
    (term,) = (one for one in terms() if one.group == "gyroscopic moment")
    pair = spring("", 7), scaled(term, 0)
    given = states.arguments(("q", "v", "a"))
    expected = right.inverse_dynamics(*given)
    one, other, together = (MutantDynamics(fault, mechanism).inverse_dynamics(*given) for fault in (*pair, both(*pair)))
    assert np.abs(one - expected).max() > 0.1
    assert np.abs(other - expected).max() > 0.001
    assert np.allclose(together - expected, one - expected + other - expected, atol=1e-9)


@pytest.mark.parametrize(("bodies", "is_tried"), [(3, True), (30, False)])
def test_slips_are_not_tried_on_a_large_robot(monkeypatch: pytest.MonkeyPatch, bodies: int, is_tried: bool) -> None:
    """Of code for one robot: with thirty bodies the tables would take an hour."""
    robot, tried = find_mechanism(f"random:5:{bodies}:revolute"), []
    weightless = next(fault for fault in TERMS if fault.name == "gravity is left out")

    class Code:
        name = "code"

        def load(self, mechanism: Mechanism) -> Any:
            if mechanism is not robot:
                raise Unsupported("this code knows one robot")
            return MutantDynamics(weightless, robot)

    def no_table(module: str, mechanism: Mechanism) -> Table:
        tried.append(module)
        return Table(source_of(module), (), np.zeros(0), np.zeros(0))

    monkeypatch.setattr(formulated, "table", no_table)
    trial = try_sampled(Laboratory(InProcess(Code()), "code"), robot, 0, 4)
    assert [*formulated.slips_like(Symptom(trial, "inverse_dynamics", ""), NO_FAULT, lambda: False)] == []
    assert bool(tried) == is_tried


EXAMPLE = (Path(__file__).parents[2] / "docs" / "example.py").read_text("utf-8")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        (
            "np.cross(w[i], m.inertias[i] @ w[i])",
            "np.cross(w[i], m.inertias[i] @ w1)",
            "as ω × I ω of the parent, along the body's axes",
        ),
        ("f[k] = f[k] + R[i] @ f[i]", "f[k] = f[k] + R[i].T @ f[i]", "the force of an outboard body is computed as"),
    ],
)
def test_a_slip_that_no_list_has_is_named(tmp_path: Path, right: str, wrong: str, words: str) -> None:
    assert EXAMPLE.count(right) == 1
    code = tmp_path / "code.py"
    code.write_text(EXAMPLE.replace(right, wrong), "utf-8")
    results = dalembert.check("stanford-arm", [str(code)], quantities=("inverse_dynamics",))
    assert [words in cause.sentence for cause in results.causes] == [True], [cause.sentence for cause in results.causes]
