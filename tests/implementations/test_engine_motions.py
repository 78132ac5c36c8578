"""Frames and derivatives of motions in the engines, against the reference; and what Pinocchio's known faults are."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from every_joint import agreeing, chain, states

from cross_check.explain.findings.finding import Finding, Prediction, Repaired
from cross_check.explain.findings.known import FINDINGS, findings_of
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from implementations.engines.mujoco.adapter import MuJoCo
from implementations.engines.pinocchio.adapter import Pinocchio
from implementations.engines.rbdl.adapter import RBDL
from implementations.processes.subject import InProcess
from implementations.protocol import Missing
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Frame, Mechanism, Placement, Rotation, find_mechanism
from mechanisms.extended import framed
from mechanisms.joint import Kind
from mechanisms.quantities import GROUPS, QUANTITIES

pytestmark = pytest.mark.engines

NEW = (*GROUPS["frames"], *GROUPS["motion-derivatives"])
NAMES = ("acceleration-derivatives-world", "motion-derivatives-aligned", "kinematic-hessian-order", "kinematic-hessian-local")
KNOWN = {name: next(finding for finding in FINDINGS if finding.name == f"pinocchio-{name}") for name in NAMES}


def offered(engine: Any, mechanism: Mechanism) -> set[str]:
    """Every new quantity that is offered agrees with the reference, relative to the largest component; their names."""
    try:
        dynamics = engine.load(mechanism)
    except Missing as missing:
        pytest.skip(str(missing))
    return agreeing(dynamics, mechanism, NEW)


def test_frames_in_rbdl() -> None:
    robot = framed(find_mechanism("ur5"))
    assert not offered(RBDL(), robot), "a frame on the root is no point of a body"
    on_bodies = replace(robot, frames=tuple(frame for frame in robot.frames if frame.body >= 0))
    assert "frame_velocities_aligned" in offered(RBDL(), on_bodies)


def verdicts(mechanism: Mechanism, names: tuple[str, ...], by: float = 1.0) -> dict[str, tuple[str, str]]:
    """By quantity: the verdict about Pinocchio's answers, multiplied by ``by``, and the page that explains it."""

    class Spoilt:
        name, version = "pinocchio", Pinocchio().version

        def load(self, mechanism: Mechanism) -> Any:
            dynamics = Pinocchio().load(mechanism)
            return Repaired(dynamics, **{name: lambda *x, name=name: by * getattr(dynamics, name)(*x) for name in names})

    settings = Settings(states=6, quantities=names, invariants=False)
    results = check(
        [("one", mechanism)], [Entry("pinocchio", "pinocchio", InProcess(Spoilt(), engine="pinocchio"))], settings, explain=False
    )
    pages = {cell.quantity: re.search(r"docs/findings/pinocchio-(.*)\.md", cell.message) for cell in results.cells}
    return {cell.quantity: (cell.verdict, page.group(1) if (page := pages[cell.quantity]) else "") for cell in results.cells}


@pytest.fixture
def pinocchio() -> Any:
    pin = pytest.importorskip("pinocchio", reason='pip install "dalembert[pinocchio]"')
    if not all(re.fullmatch(finding.versions, str(pin.__version__)) for finding in KNOWN.values()):
        pytest.skip("the findings are about other versions than the one installed")
    return pin


WRONG = (
    "velocities_dq_aligned",
    "accelerations_dq_local",
    "accelerations_dq_world",
    "jacobians_dq_local",
    "frame_accelerations_dq_aligned",
    "frame_jacobians_dq_local",
)
PAGES: dict[str, tuple[str, ...]] = {
    "helical": ("motion-derivatives-aligned", "", "", "kinematic-hessian-order"),
    "spherical": ("motion-derivatives-aligned", "", "acceleration-derivatives-world", "kinematic-hessian-local"),
    "planar": ("motion-derivatives-aligned", "", "acceleration-derivatives-world", "kinematic-hessian-local"),
    "free": ("motion-derivatives-aligned", "", "acceleration-derivatives-world", "kinematic-hessian-local"),
    "euler-zyx": (
        "motion-derivatives-aligned",
        "derivatives-subspace",
        "acceleration-derivatives-world",
        "kinematic-hessian-local",
    ),
}
"""By kind: the pages that explain the first four of these quantities, behind a hinge."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", PAGES)
def test_every_fault_of_pinocchio_is_known_and_undone_exactly(pinocchio: Any, kind: Kind) -> None:
    found = verdicts(framed(chain("revolute", kind, seed=3)), WRONG)
    assert [page for _, page in found.values()][:4] == list(PAGES[kind])
    assert {verdict for verdict, _ in found.values()} <= {"agrees", "known"}


@pytest.mark.parametrize("kinds", [("revolute", "free"), ("universal", "spherical")])
def test_another_fault_in_the_same_cell_is_not_excused(pinocchio: Any, kinds: Any) -> None:
    names = ("velocities_dq_aligned", "accelerations_dq_world", "frame_accelerations_dq_aligned", "jacobians_dq_local")
    assert {verdict for verdict, _ in verdicts(framed(chain(*kinds)), names, by=1.001).values()} == {"discrepancy"}


def test_pinocchio_answers_for_a_model_of_one_coordinate(pinocchio: Any) -> None:
    """Pinocchio gives single columns as vectors."""
    names = ("classical_accelerations_dq", "classical_accelerations_dv")
    found = verdicts(find_mechanism("pendulum"), names)
    assert set(found) == set(names)
    assert {verdict for verdict, _ in found.values()} == {"agrees"}


def test_pinocchio_refuses_derivatives_of_motions_with_mimic_joints(pinocchio: Any) -> None:
    mechanism = find_mechanism("framed:random:4:4:all,mimic")
    got = offered(Pinocchio(), mechanism)
    assert got == {name for name in GROUPS["frames"] if not QUANTITIES[name].family.endswith(("_dq", "_dv"))}


def test_a_repair_of_another_finding_explains_nothing(pinocchio: Any) -> None:
    """The faults are told apart: undoing the order of Hessians does not excuse a wrong derivative of a velocity."""
    arm = chain("revolute", "revolute")
    dynamics, (q, v, _) = Pinocchio().load(arm), states(arm)
    wrong = dynamics.velocities_dq_aligned(q, v)
    finding: Finding = KNOWN["kinematic-hessian-order"]
    assert (Prediction([finding], arm).without(dynamics).velocities_dq_aligned(q, v) == wrong).all()
    other = Prediction([KNOWN["motion-derivatives-aligned"]], arm).without(dynamics)
    assert abs(other.velocities_dq_aligned(q, v) - wrong).max() > 1e-3


@pytest.mark.parametrize("turn", [1e-6, 3e-6])
def test_mujoco_takes_nearly_the_same_frame_for_the_body_s_and_the_finding_undoes_it(turn: float) -> None:
    """Once it does not, the finding's versions must not include that release."""
    pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    place = Placement(Rotation(1, turn / 4, 0, -turn / 2), (Fraction(1, 2_000_000), 0, Fraction(-1, 3_000_000)))
    far = replace(place, translation=(Fraction(1), Fraction(-1), Fraction(2)))
    arm = chain("revolute", "free")
    mechanism = replace(arm, frames=(Frame("root", "a", -1, place), Frame("near", "b", 1, place), Frame("far", "c", 1, far)))
    dynamics, (q, v, a), reference = MuJoCo().load(mechanism), states(arm), REFERENCE.load(mechanism)
    (finding,) = (finding for finding in findings_of("mujoco", MuJoCo().version) if "same-frame" in finding.name)
    repaired = Prediction([finding], mechanism).without(dynamics)
    names = ("frame_placements", "frame_velocities_local", "frame_velocities_aligned", "frame_jacobians_aligned")
    for name in (*names, "frame_classical_accelerations"):
        given = (q, v, a)[: len(QUANTITIES[name].arguments)]
        expected = getattr(reference, name)(*given)
        off, mended = (abs(getattr(x, name)(*given) - expected).max() for x in (dynamics, repaired))
        assert mended < 1e-12 * max(1, abs(expected).max())
        if turn < 2e-6:
            assert off > 1e-8, name
        else:
            assert off == mended
