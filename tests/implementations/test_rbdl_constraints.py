"""Loop constraints in RBDL, through its own binding or through `biorbd`, and the known fault of their axes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from closed_trees import closed, differences
from every_joint import mended

import dalembert
from cross_check.explain.findings.known import findings_of
from implementations.engines.rbdl.adapter import RBDL, binding
from implementations.engines.rbdl.official import Official
from implementations.protocol import Missing, Unsupported
from mechanisms import POINT, WELD, Mechanism, random_mechanism

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("without_coverage")]

FINDING = "rbdl-loop-constraint-rows"
HINGE = tuple(name for name in WELD if name != "wy")
SLIDER = tuple(name for name in WELD if name != "vx")
TURNLESS, AXIS = WELD[:3], WELD[:2]
PAGE = Path(__file__).parents[2] / "docs" / "findings" / f"{FINDING}.md"
OFFICIAL = {"constraint_jacobian", "constrained_acceleration", "constraint_forces", "constraint_multipliers"}
BIORBD = {"constrained_acceleration", "impact_velocity_plastic"}


@pytest.fixture
def rbdl() -> RBDL:
    try:
        version = RBDL().version
    except Missing as reason:
        pytest.skip(str(reason))
    if FINDING not in [finding.name for finding in findings_of("rbdl", version)]:
        pytest.skip("the finding is about other versions than the one installed")
    return RBDL()


def offered() -> set[str]:
    return OFFICIAL if binding()[0] is Official else BIORBD


def tree(seed: int, free_base: bool = False) -> Mechanism:
    kinds: Any = ("revolute", "prismatic", "spherical", "planar", "universal")
    return random_mechanism(seed, 8, kinds, free_base, shape="chain", tilted_gravity=True, armature=False)


@pytest.mark.parametrize("directions", [POINT, HINGE, WELD, SLIDER, TURNLESS, AXIS], ids=lambda names: "".join(names))
def test_everything_agrees_once_the_known_fault_is_undone(rbdl: RBDL, directions: Any) -> None:
    for seed, ends in ((0, ("body8", "body2")), (1, ("world", "body8")), (2, ("body8", "world"))):
        others = (("body5", "world", HINGE), ("body8", "body2", SLIDER[3:])) if seed == 1 and directions == POINT else ()
        mechanism, state = closed(tree(seed, free_base=seed == 2), (*ends, directions), *others, seed=seed, apart=0.3)
        found = differences(mended(rbdl, mechanism), mechanism, state)
        assert set(found) == offered()
        assert not {name: error for name, error in found.items() if error > 1e-9}


def test_axes_are_wrong_where_a_direction_is_angular_and_motion_where_a_linear_one_is_free(rbdl: RBDL) -> None:
    motion = offered() - {"constraint_jacobian"}
    for directions, wrong in ((POINT, set()), (HINGE, set()), (TURNLESS, motion)):
        mechanism, state = closed(tree(0), ("body8", "body2", directions))
        found = differences(rbdl.load(mechanism), mechanism, state)
        wrong = wrong | ({"constraint_jacobian"} & offered() if directions != POINT else set())
        # Forces are those on bodies, which belong to right axes where the motion is right.
        assert {name for name, error in found.items() if error > 1e-9} == wrong


def test_armature_is_refused_in_motion(rbdl: RBDL) -> None:
    heavy = random_mechanism(0, 8, ("revolute",), shape="chain")
    assert any(body.joint.armature for body in heavy.bodies)
    mechanism, state = closed(heavy, ("body8", "world", POINT))
    with pytest.raises(Unsupported, match="has no armature"):
        rbdl.load(mechanism).constrained_acceleration(state["q"], state["v"], state["tau"])  # type: ignore[attr-defined]


def test_redundant_constraints_are_solved(rbdl: RBDL) -> None:
    found = dalembert.check("bricard", "rbdl", quantities=["constraints"], states=14, explain=False)
    verdicts = {cell.quantity: cell.verdict for cell in found.cells if cell.verdict in ("agrees", "known", "discrepancy")}
    assert verdicts == {
        **dict.fromkeys(offered(), "agrees"),
        **({"constraint_jacobian": "known"} if offered() == OFFICIAL else {}),
    }


def test_answers_do_not_depend_on_what_was_asked_before(rbdl: RBDL) -> None:
    mechanism, state = closed(tree(1), ("body8", "body2", POINT), ("body5", "world", HINGE))
    used: Any = rbdl.load(mechanism)
    given = (state["q"], state["v"], state["tau"])
    for name in sorted(offered() & {"constrained_acceleration", "constraint_forces", "constraint_multipliers"}):
        used.constrained_acceleration(state["q"], state["v_minus"], state["v"])
        used.mass_matrix(state["q"])
        fresh: Any = rbdl.load(mechanism)
        np.testing.assert_array_equal(getattr(used, name)(*given), getattr(fresh, name)(*given), err_msg=name)


def test_the_page_is_still_true(rbdl: RBDL, capsys: pytest.CaptureFixture[str]) -> None:
    if offered() != OFFICIAL:
        pytest.skip("the page's script needs RBDL's own binding; `tox -e rbdl` builds it and runs this")
    script = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)[1]  # type: ignore[index]
    exec(script, {})
    said = "".join(line[2:] + "\n" for line in script.splitlines() if line.startswith("# "))
    assert capsys.readouterr().out == said
