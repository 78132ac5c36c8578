"""Formulations of the equations: they are right, and their slips are what the table of their answers says."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.explain.diagnosis import formulated
from cross_check.explain.diagnosis.laboratory import Laboratory, try_sampled
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.fault import NO_FAULT, WHOLE, Edit, Fault, both, scaled
from cross_check.explain.faults.mutants import MutantDynamics, with_forces
from cross_check.explain.faults.terms.factors import FITTED, terms
from cross_check.explain.faults.terms.usual import TERMS
from cross_check.explain.formulations import ANSWERS, FORMULATIONS
from cross_check.explain.formulations.bodies import SingleJoints
from cross_check.explain.slips import table as tables
from cross_check.explain.slips.formulas import in_words
from cross_check.explain.slips.instead import bodies_of
from cross_check.explain.slips.single import slips_of
from cross_check.explain.slips.source import Slip, Source, source_of
from cross_check.explain.slips.table import Table, some_states, table
from cross_check.explain.slips.types import addends_of
from cross_check.judge.comparison.sampling import sample
from implementations.plugins.user_code import load_user
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from machine.caching.cached_programs import PERMISSION
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import QUANTITIES

SMALL = "random:38:3:prismatic,revolute"

ALL_JOINTS = [name for name in FORMULATIONS if not issubclass(bodies_of(name), SingleJoints)]

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
        states = with_forces(mechanism, sample(mechanism, 0, 18).pick(np.array([1, 7, 9, 12])))
        routes = (WHOLE,) if FORMULATIONS[module].stands_for == "energy" else ()
        right, wrong = REFERENCE.load(mechanism), MutantDynamics(same(module, *routes), mechanism)
        quantity = ANSWERS[FORMULATIONS[module].stands_for][-1]
        bound = 1e-11 if quantity == "forward_dynamics" else 1e-12
        given = states.arguments(QUANTITIES[quantity].arguments)
        expected = getattr(right, quantity)(*given)
        assert np.abs(getattr(wrong, quantity)(*given) - expected).max() < bound * np.abs(expected).max()


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


LONG = ("christoffel", "newton_euler", "uicker")
"""Their tables take as long as those of all others."""


@pytest.mark.parametrize("module", [pytest.param(one, marks=pytest.mark.nightly if one in LONG else ()) for one in FORMULATIONS])
def test_the_table_has_what_code_with_the_slip_answers(module: str) -> None:
    """The table executes statements; code with the fault is the whole source with the edit of its text."""
    mechanism = find_mechanism(SMALL)
    found, states = table(module, mechanism), some_states(mechanism)
    assert len(found.slips) > max(100, 2 * len(found.source.places))
    for k in np.random.default_rng(1).choice(len(found.slips), 25, replace=False):
        edits = edit_of(found.source, found.slips[k]), *((WHOLE,) if FORMULATIONS[module].stands_for == "energy" else ())
        fault = Fault("wrong", "wrong", edits)
        code: Any = MutantDynamics(fault, mechanism)
        answer = getattr(code, ANSWERS[FORMULATIONS[module].stands_for][-1].removesuffix("_with_forces"))
        # In a batch as large as that of the table: some slips take an element of the batch.
        given = [np.tile(x, (4, 1)) for x in (states.q, states.v, states.a)][: FORMULATIONS[module].takes]
        got, expected = answer(*given)[-len(states) :], found.answers[k, 3]
        assert np.abs(got - expected).max() <= 1e-12 * np.abs(expected).max(), in_words(found.source, found.slips[k])


@pytest.mark.slow
@pytest.mark.parametrize("module", ["jacobian_sums", "homogeneous"])
def test_a_second_run_reads_the_table(module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Unless the source files are others."""
    computed, compute = list[str](), tables._computed

    def noted(source: Source, mechanism: Mechanism) -> Table:
        computed.append(source.module)
        return compute(source, mechanism)

    def of_a_process() -> Table:
        return table.__wrapped__(module, find_mechanism("random:38:2:revolute"))

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("DALEMBERT_NO_CACHE", raising=False)
    monkeypatch.setattr(PERMISSION, "allowed", True)
    monkeypatch.setattr(tables, "_computed", noted)
    first, second = of_a_process(), of_a_process()
    assert computed == [module]
    assert second is not first
    assert second.slips == first.slips
    assert np.array_equal(second.answers, first.answers)
    assert np.array_equal(second.placements, first.placements)
    assert (len(first.placements) > 0) == (module == "homogeneous")
    monkeypatch.setattr(tables, "_made_from", lambda: "other source files")
    assert of_a_process().slips == first.slips
    assert computed == [module] * 2


def test_the_name_of_a_table_depends_on_the_source_files(monkeypatch: pytest.MonkeyPatch) -> None:
    read, one = Path.read_bytes, tables._made_from.__wrapped__()
    assert tables._made_from.__wrapped__() == one

    def other(path: Path) -> bytes:
        return read(path) + b"#" * (path.name == "homogeneous.py")

    monkeypatch.setattr(Path, "read_bytes", other)
    assert tables._made_from.__wrapped__() != one


def test_only_vectors_have_components() -> None:
    """A matrix of joints has three rows by chance alone: for a mechanism with three joints."""
    changed = {ast.unparse(slip.place.node) for slip in slips_of(source_of("christoffel")) if slip.text.startswith("(m.only")}
    assert "cross(turn, Z_ω)" in changed
    assert not {"diagonal(m.dampers)", "contract(dM, v)"} & changed


@pytest.mark.parametrize(
    ("module", "part", "wanted", "unwanted"),
    [
        # Of three bodies, −1 is the last, so that a sign would exchange two of them.
        ("uicker", "i", {"(i - 1)"}, {"-i", "i.mT"}),
        # Names stand for names with the same units.
        ("newton_euler", "ω[i]", {"ωλ", "ωp", "turn", "ω[i].mT"}, {"α[i]", "αλ", "r[i]", "m.coms[i]", "m.zero", "m.inertias[i]"}),
        # A name that is used twice may be wrong in one place alone.
        ("newton_euler", "Fp", {"(R[i].mT @ F[i])", "F[i]"}, set()),
    ],
)
def test_what_stands_for_a_part(module: str, part: str, wanted: set[str], unwanted: set[str]) -> None:
    source = source_of(module)
    texts = {slip.text for slip in slips_of(source) if source.text[slip.place.start : slip.place.end] == part.encode()}
    assert wanted <= texts
    assert not texts & unwanted


@pytest.mark.parametrize(
    ("module", "right", "wrong", "words"),
    [
        (
            "newton_euler",
            "cross(ωλ, cross(ωλ, r[i]))",
            "0.5 * cross(ωλ, cross(ωλ, r[i]))",
            "ω_parent × (ω_parent × r), the centripetal acceleration of the joint, is halved",
        ),
        (
            "root_frame",
            "R[i] @ m.inertias[i] @ R[i].mT",
            "R[i].mT @ m.inertias[i] @ R[i].mT.mT",
            "the inertia along the root's axes is computed as Rᵀ I R instead of R I Rᵀ",
        ),
        ("root_frame", "oλ + r[i]", "(r[i])", "o_parent, the origin of the body from the root, is left out"),
        (
            "newton_euler",
            "m.placed_r[i]",
            "m.coms[i]",
            "the origin of the joint is computed as c instead of r_T: the centre of mass is taken for the origin of the joint",
        ),
        (
            "newton_euler",
            "Fp",
            "F[i]",
            "the force of an outboard body is computed as F_parent + F instead of F_parent + R F: a rotation is left out",
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
    """Also at a joint whose name is a word of the code."""
    mechanism = find_mechanism(SMALL)
    first, *_, last = mechanism.bodies
    renamed = replace(first, joint=replace(first.joint, name="link of K"))
    mechanism = replace(mechanism, bodies=(renamed, *mechanism.bodies[1:]))
    (term,) = (one for one in terms() if one.group == "force of the damping")
    q, v, a = some_states(mechanism).arguments(("q", "v", "a"))
    fault = both(scaled(term, 3, ("link of K",)), scaled(term, -1, (last.joint.name,)))
    off = MutantDynamics(fault, mechanism).inverse_dynamics(q, v, a) - REFERENCE.load(mechanism).inverse_dynamics(q, v, a)
    damping = mechanism.arrays.per_coordinate(mechanism.arrays.damping)
    assert np.allclose(off, np.array([2, *[0] * (mechanism.nv - 2), -2]) * damping * v, atol=1e-9)
    assert off[:, [0, -1]].all()


def test_errors_of_the_reference_and_of_a_formulation_add_up() -> None:
    mechanism = find_mechanism(SMALL)
    states, right = some_states(mechanism), REFERENCE.load(mechanism)
    (term,) = (one for one in terms() if one.group == "gyroscopic moment")
    pair = FITTED[0][1]("", 7), scaled(term, 0)
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

    def no_table(module: str, mechanism: Mechanism, changes: Any) -> Table:
        tried.append(module)
        return Table(source_of(module), (), np.zeros(0), np.zeros(0))

    monkeypatch.setattr(formulated, "table", no_table)
    trial = try_sampled(Laboratory(InProcess(Code()), "code"), robot, 0, 4)
    assert [*formulated.slips_like(Symptom(trial, "inverse_dynamics", ""), NO_FAULT)] == []
    assert bool(tried) == is_tried


@pytest.mark.nightly
def test_two_slips_of_which_one_shows_on_simpler_mechanisms_are_found(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    slips = [("2 * np.cross(", "np.cross("), ("np.cross(w[i], m.inertias[i] @ w[i])", "np.cross(m.inertias[i] @ w[i], w[i])")]
    assert all(EXAMPLE.count(right) == 1 for right, _ in slips)
    code.write_text(reduce(lambda text, slip: text.replace(*slip), slips, EXAMPLE), "utf-8")
    trial = try_sampled(Laboratory(InProcess(load_user(str(code))), "code"), find_mechanism("stanford-arm"), 0, 4)
    moving = Symptom(trial, "inverse_dynamics", "")
    assert not [*formulated.slips_like(moving, NO_FAULT)]
    first, second = next(formulated.pairs_like(moving))
    assert "the gyroscopic moment" in first.name
    assert "the Coriolis acceleration of a sliding joint" in second.name
    assert trial.explains("inverse_dynamics", both(first, second))


EXAMPLE = (Path(__file__).parents[2] / "docs" / "example.py").read_text("utf-8")
