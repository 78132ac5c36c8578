"""Constraints in Pinocchio: every direction between any two bodies, redundant ones, and the known fault of impacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from closed_trees import closed, differences

import dalembert
from cross_check.explain.findings.finding import Prediction
from cross_check.explain.findings.known import findings_of
from implementations.engines.pinocchio.adapter import Pinocchio
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import POINT, WELD, Mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.joint_kinds import Kind
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.quantities import CONSTRAINT_QUANTITIES

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("without_coverage")]

HINGE = tuple(name for name in WELD if name != "wy")
WITHOUT = {"constraint_forces_dx", "constraint_forces_dv"}
"""What Pinocchio does not offer."""

DERIVATIVES = {name for name in CONSTRAINT_QUANTITIES if name.endswith(("_dx", "_dv"))} - WITHOUT
COLUMN = {"constrained_acceleration_dx", "constraint_multipliers_dx"}
"""What has a wrong first column in loops of points."""

OFFERED = set(CONSTRAINT_QUANTITIES) - WITHOUT
FINDING = "pinocchio-impulse-second-joint"
IMPACTS = {name for name in CONSTRAINT_QUANTITIES if name.startswith("impact")}


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("pinocchio")


@pytest.fixture
def _with_the_fault() -> None:
    if FINDING not in [finding.name for finding in findings_of("pinocchio", Pinocchio().version)]:
        pytest.skip("the finding is about other versions than the one installed")


def tree(seed: int, kinds: tuple[Kind, ...], free_base: bool = False) -> Mechanism:
    return random_mechanism(seed, 9, kinds, free_base, shape="chain", tilted_gravity=True)


@pytest.mark.nightly
@pytest.mark.parametrize("directions", [POINT, WELD, HINGE], ids=["point", "weld", "hinge"])
@pytest.mark.parametrize("ends", [("body9", "body2"), ("world", "body9"), ("body9", "world")])
@pytest.mark.parametrize("kinds", [("revolute", "helical"), MOVING], ids=["one axis", "every kind"])
def test_everything_agrees_once_the_known_fault_is_undone(directions: Any, ends: Any, kinds: Any) -> None:
    for seed, free_base in ((0, False), (2, True)) if len(kinds) == 2 else ((1, True),):
        mechanism, state = closed(tree(seed, kinds, free_base), (*ends, directions), seed=seed)
        findings = findings_of("pinocchio", Pinocchio().version)
        repaired = Prediction(findings, mechanism).without(Pinocchio().load(mechanism))
        found = differences(repaired, mechanism, state)
        # A hinge has five directions of a weld; Pinocchio's derivatives are about six.
        assert set(found) == (OFFERED - DERIVATIVES if directions == HINGE else OFFERED)
        assert not {name: error for name, error in found.items() if error > 1e-9}


def test_several_constraints_keep_their_rows() -> None:
    loops = ("body9", "body2", POINT), ("body5", "world", HINGE), ("body7", "body1", POINT)
    mechanism, state = closed(tree(1, MOVING), *loops)
    found = differences(Pinocchio().load(mechanism), mechanism, state)
    assert set(found) == OFFERED - DERIVATIVES
    assert not {name: error for name, error in found.items() if error > 1e-9}


@pytest.mark.usefixtures("_with_the_fault")
def test_only_impacts_are_wrong_and_only_where_the_second_frame_moves() -> None:
    for ends, wrong in ((("body9", "body2"), IMPACTS), (("world", "body9"), IMPACTS), (("body9", "world"), set())):
        mechanism, state = closed(tree(0, ("revolute", "helical")), (*ends, POINT))
        found = differences(Pinocchio().load(mechanism), mechanism, state)
        assert {name for name, error in found.items() if error > 1e-9} - DERIVATIVES == wrong


def test_redundant_constraints_are_solved_and_impacts_are_not() -> None:
    found = dalembert.check("bricard", "pinocchio", quantities=["constraints"], states=14, explain=False)
    assert {cell.quantity for cell in found.cells if cell.verdict == "agrees"} == OFFERED - IMPACTS - {
        "constraint_multipliers_dx"
    }
    unsupported = {cell.quantity: cell.message for cell in found.cells if cell.verdict == "unsupported"}
    assert "λ is not unique" in unsupported.pop("constraint_multipliers_dx")
    assert set(unsupported) == IMPACTS
    assert all("does not iterate" in reason for reason in unsupported.values())


def test_planar_loops_take_rows_of_point_constraints() -> None:
    found = dalembert.check("four-bar", "pinocchio", quantities=["constraints"], states=14)
    assert {cell.quantity for cell in found.cells if cell.verdict == "agrees"} == OFFERED - {"delassus_matrix"} - COLUMN
    assert {cell.quantity for cell in found.cells if cell.verdict == "known"} == COLUMN
    (cause,) = found.causes
    assert cause.sentence.endswith("derivatives of constrained dynamics by q have a wrong first column for loops of points")


def test_derivatives_have_converged_where_no_force_is_needed() -> None:
    """At rest, the four-bar needs no λ: docs/findings/pinocchio-constraint-derivatives-iterations.md."""
    mechanism = LOOPS["four-bar"]()
    state = {"q": np.array([[1.3114229363810022, -0.8226450598245456, 1.8855861259777738]]), "v": np.zeros((1, 3))}
    state |= {"v_minus": state["v"], "tau": REFERENCE.load(mechanism).gravity(state["q"])}
    dynamics: Any = Pinocchio().load(mechanism)
    repaired = Prediction(findings_of("pinocchio", Pinocchio().version), mechanism).without(dynamics)
    assert all(error < 1e-9 for name, error in differences(repaired, mechanism, state).items() if name in DERIVATIVES)


def test_what_it_cannot_do_has_a_reason() -> None:
    slider = tuple(name for name in WELD if name != "vx")
    mechanism, state = closed(tree(0, MOVING), ("body9", "world", slider), apart=0.2)
    with pytest.raises(Unsupported, match="keep points together, and those of 'loop0' come apart"):
        Pinocchio().load(mechanism).constraint_jacobian(state["q"])  # type: ignore[union-attr]
    together, state = closed(tree(0, MOVING), ("body9", "world", slider))
    with pytest.raises(Unsupported, match="come apart"):
        Pinocchio().load(together).constraint_drift(state["q"], state["v"])  # type: ignore[union-attr]
    following = random_mechanism(4, 9, ("revolute",), mimics=True)
    assert following.has_mimics
    constrained, _ = closed(following, ("body9", "world", POINT))
    with pytest.raises(Unsupported, match="refuse models with mimic joints"):
        Pinocchio().load(constrained)


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    mechanism, state = closed(tree(2, MOVING), ("body9", "body2", POINT), ("body5", "world", WELD))
    used: Any = Pinocchio().load(mechanism)
    for name in sorted(OFFERED):
        quantity = CONSTRAINT_QUANTITIES[name]
        fresh: Any = Pinocchio().load(mechanism)
        arguments = [state[x] for x in quantity.arguments]
        used.impact_velocity_half(state["q"], state["tau"])
        used.constrained_acceleration(state["q"], state["v_minus"], state["v"])
        np.testing.assert_array_equal(getattr(used, name)(*arguments), getattr(fresh, name)(*arguments), err_msg=name)
