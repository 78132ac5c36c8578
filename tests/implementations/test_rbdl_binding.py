"""RBDL's own Python binding, as `tox -e rbdl` builds it: every joint, every quantity, its limits, and its known faults."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from every_joint import agreeing, chain, mended, states

from cross_check.explain.findings.known import FINDINGS, findings_of
from implementations.engines.rbdl.adapter import RBDL
from implementations.protocol import Unsupported
from mechanisms import Body, Joint, Mechanism, random_mechanism
from mechanisms.joint import MOVING, Kind
from mechanisms.quantities import QUANTITIES, USUAL

pytestmark = pytest.mark.engines

FINDING = next(finding for finding in FINDINGS if finding.name == "rbdl-nonlinear-effects-euler-at-root")
PAGES = Path(__file__).parents[2] / "docs" / "findings"
OFFERED = {
    *("inverse_dynamics", "mass_matrix", "forward_dynamics", "nonlinear_effects", "gravity", "potential_energy", "placements"),
    *("jacobians_local", "jacobians_world", "jacobians_aligned", "velocities_local", "velocities_world", "velocities_aligned"),
    *("accelerations_local", "classical_accelerations", "drifts_local", "center_of_mass", "centroidal_momentum"),
    "inverse_dynamics_with_forces",
}
EULER = ("euler-xyz", "euler-yxz", "euler-zyx")
"""Joints whose axes move, and that RBDL has as one joint."""


@pytest.fixture(scope="module")
def rbdl() -> RBDL:
    binding = pytest.importorskip("rbdl", reason="RBDL's own binding is not installed; `tox -e rbdl` builds it and runs this")
    if not hasattr(binding, "NonlinearEffects"):
        pytest.skip("`rbdl` is a folder; RBDL's own binding is not installed")
    return RBDL()


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_agrees_alone_and_beside_every_other(rbdl: RBDL, kind: Kind) -> None:
    without = {"jacobians_local"} if kind in ("free", "spherical") else set()
    alone = chain(kind, armature=False)
    assert agreeing(mended(rbdl, alone), alone) == OFFERED - without
    for other in MOVING:
        mechanism = chain(kind, other, armature=False)
        agreeing(mended(rbdl, mechanism), mechanism)


@pytest.mark.slow
@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_trees_of_every_joint_agreeing(rbdl: RBDL, seed: int, free_base: bool) -> None:
    for armature in (False, True):
        mechanism = random_mechanism(seed, 10, MOVING, free_base, armature=armature, tilted_gravity=True)
        left_out = {"jacobians_local"} | ({"forward_dynamics"} if any(b.joint.armature for b in mechanism.bodies) else set())
        assert agreeing(mended(rbdl, mechanism), mechanism) == OFFERED - left_out


def test_the_version_is_that_of_the_library_and_findings_match_it(rbdl: RBDL) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", rbdl.version)
    if rbdl.version == "3.3.1":
        assert {finding.name for finding in findings_of("rbdl", rbdl.version)} == {FINDING.name, "rbdl-loop-constraint-rows"}


def test_what_it_cannot_do_has_a_reason_that_names_the_joint(rbdl: RBDL) -> None:
    mechanism = chain("revolute", "spherical")
    q, v, _ = states(mechanism)
    with pytest.raises(Unsupported, match=r"behind the body's Jacobian where there is a quaternion, as in 'joint1'"):
        rbdl.load(mechanism).jacobians_local(q)
    with pytest.raises(Unsupported, match="offers no kinetic energy"):
        rbdl.load(mechanism).kinetic_energy(q, v)
    rotor = Mechanism("rotor", (Body("disc", "world", Joint("axle", "revolute")),))
    with pytest.raises(Unsupported, match="no centre of mass"):
        rbdl.load(rotor).centroidal_momentum(np.zeros((1, 1)), np.zeros((1, 1)))


def test_answers_do_not_depend_on_what_was_asked_before(rbdl: RBDL) -> None:
    """RBDL keeps kinematics between calls; none may be stale."""
    mechanism = random_mechanism(5, 6, MOVING, armature=False)
    q, v, a = states(mechanism)
    given = {"q": q, "v": v, "a": a, "tau": a, "f": np.ones((len(q), len(mechanism.bodies), 6))}
    used, before = rbdl.load(mechanism), rbdl.load(mechanism)
    for name in sorted(OFFERED - {"jacobians_local"}):
        arguments = [given[x] for x in QUANTITIES[name].arguments]
        used.forward_dynamics(q[::-1], a, v)
        used.classical_accelerations(q[::-1], a, v)
        np.testing.assert_array_equal(getattr(used, name)(*arguments), getattr(before, name)(*arguments), err_msg=name)


# The known faults


@pytest.fixture
def faulty(rbdl: RBDL) -> RBDL:
    if not list(findings_of("rbdl", rbdl.version)):
        pytest.skip("the finding is about other versions than the one installed")
    return rbdl


@pytest.mark.parametrize("page", [FINDING.name, "rbdl-body-spatial-jacobian-quaternion"])
def test_the_page_is_still_true(faulty: RBDL, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = re.search(r"```python\n(.*?)```", (PAGES / f"{page}.md").read_text("utf-8"), re.S)[1]  # type: ignore[index]
    exec(script, {})
    said = "".join(line[2:] + "\n" for line in script.splitlines() if line.startswith("# "))
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("kind", MOVING)
def test_nonlinear_effects_are_wrong_for_joints_at_the_root_whose_axes_move(faulty: RBDL, kind: Kind) -> None:
    first, behind = chain(kind, "revolute", armature=False), chain("revolute", kind, armature=False)
    agreeing(faulty.load(first), first, [name for name in USUAL if name != "nonlinear_effects" or kind not in EULER])
    if kind in EULER:
        with pytest.raises(AssertionError, match="nonlinear_effects"):
            agreeing(faulty.load(first), first, ["nonlinear_effects"])
    agreeing(faulty.load(behind), behind)
