"""Pinocchio's two faults of moving axes: still present, known only for joints whose axes move in the body, and hiding nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.explain.findings.finding import Repaired
from cross_check.explain.findings.fixed_axes import MISSING_TERMS
from cross_check.explain.findings.known import FINDINGS, findings_of
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from implementations.processes.subject import InProcess
from mechanisms import Mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import FRAMES

(DERIVATIVES,) = (finding for finding in FINDINGS if finding.name == "pinocchio-derivatives-subspace")
(DRIFTS,) = (finding for finding in FINDINGS if finding.name == "pinocchio-jacobian-time-variation-subspace")
WRONG = {DERIVATIVES.name: tuple(MISSING_TERMS), DRIFTS.name: tuple(f"drifts_{frame}" for frame in FRAMES)}
MOVE_THEIR_AXES = ("universal", "euler-xyz", "euler-yxz", "euler-zxy", "euler-zyx")
EACH = pytest.mark.parametrize("finding", [DERIVATIVES, DRIFTS], ids=lambda finding: finding.name)


def installed(finding: Any) -> Any:
    pin = pytest.importorskip("pinocchio", reason='pip install "dalembert[pinocchio]"')
    if finding not in findings_of("pinocchio", str(getattr(pin, "__version__", ""))):
        pytest.skip("the finding is about other versions than the one installed")
    return pin


class Spoilt:
    """Pinocchio with the answers of ``names`` multiplied by ``by``."""

    name = "pinocchio"

    def __init__(self, names: tuple[str, ...], by: float) -> None:
        from implementations.engines.pinocchio.adapter import Pinocchio

        self._engine, self._names, self._by, self.version = Pinocchio(), names, by, Pinocchio().version

    def load(self, mechanism: Mechanism) -> Any:
        dynamics = self._engine.load(mechanism)

        def times(name: str) -> Any:
            return lambda *state: self._by * getattr(dynamics, name)(*state)

        return Repaired(dynamics, **{name: times(name) for name in self._names})


def verdicts(finding: Any, mechanism: Mechanism, by: float = 1.0) -> dict[str, str]:
    wrong = WRONG[finding.name]
    settings = Settings(states=14, quantities=wrong, invariants=False)
    document = check(
        [("one", mechanism)],
        [Entry("pinocchio", "pinocchio", InProcess(Spoilt(wrong, by), engine="pinocchio"))],
        settings,
        explain=False,
    ).document()
    assert all(cell["message"].endswith(finding.page) == (cell["verdict"] == "known") for cell in document["cells"])
    return {cell["quantity"]: cell["verdict"] for cell in document["cells"]}


@pytest.mark.nightly
@pytest.mark.engines
@EACH
@pytest.mark.parametrize("kind", MOVING)
def test_the_engine_is_excused_where_axes_move_and_nowhere_else(finding: Any, kind: Any) -> None:
    installed(finding)
    mechanism = random_mechanism(7, 3, (kind,), shape="chain" if finding is DERIVATIVES else "tree")
    expected = "known" if kind in MOVE_THEIR_AXES else "agrees"
    assert verdicts(finding, mechanism) == dict.fromkeys(WRONG[finding.name], expected)


@pytest.mark.engines
@EACH
@pytest.mark.parametrize("kinds", [("universal",), ("revolute", "euler-zyx", "free")])
def test_another_fault_in_the_same_cell_is_not_excused(finding: Any, kinds: Any) -> None:
    installed(finding)
    spoilt = verdicts(finding, random_mechanism(7, 3, kinds), by=1.001)
    assert spoilt == dict.fromkeys(WRONG[finding.name], "discrepancy")


@pytest.mark.engines
def test_the_page_on_derivatives_is_still_true(capsys: pytest.CaptureFixture[str]) -> None:
    """Its script is the proof of the page on drifts, too."""
    installed(DERIVATIVES)
    (code,) = re.findall(r"```python\n(.*?)```", (Path(__file__).parents[2] / DERIVATIVES.page).read_text("utf-8"), re.S)
    exec(code, {})
    printed = re.findall(r"print\(.*  # (.*)", code)
    assert capsys.readouterr().out.splitlines() == printed
    assert len(printed) == 5


@pytest.mark.engines
@pytest.mark.parametrize("joint", ["universal", "two"])
def test_who_is_right_about_derivatives_by_the_engine_itself(joint: str) -> None:
    """Differences of the engine's own forces, and its own answers with two joints instead of one."""
    pin = installed(DERIVATIVES)
    m = pin.Model()
    if joint == "universal":
        last = m.addJoint(0, pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])), pin.SE3.Identity(), "gimbal")
    else:
        last = m.addJoint(m.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "x"), pin.JointModelRY(), pin.SE3.Identity(), "y")
    m.appendBodyToJoint(last, pin.Inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0])), pin.SE3.Identity())
    m.gravity.linear = np.zeros(3)
    data, q, v, a = m.createData(), np.array([0, np.pi / 4]), np.array([1.0, 1.0]), np.array([1.0, 0.0])

    def slopes(function: Any) -> Any:
        steps = 1e-5 * np.eye(2)
        return np.stack([(function(step) - function(-step)) / 2e-5 for step in steps], axis=1)

    by_hand = [[0, 2], [0, 0]], [[2, 2], [-2, 0]]
    np.testing.assert_allclose(slopes(lambda d: pin.rnea(m, data, q + d, v, a)), by_hand[0], atol=1e-9)
    np.testing.assert_allclose(slopes(lambda d: pin.rnea(m, data, q, v + d, a)), by_hand[1], atol=1e-9)
    np.testing.assert_allclose(pin.nonLinearEffects(m, data, q, v), [2, -1], atol=1e-14)
    dq, dv, _ = pin.computeRNEADerivatives(m, data, q, v, a)
    C = pin.computeCoriolisMatrix(m, data, q, v)
    right = np.allclose(dq, by_hand[0]), np.allclose(dv, by_hand[1]), np.allclose(C @ v, [2, -1])
    assert set(right) == {joint == "two"}


@pytest.mark.engines
def test_who_is_right_about_drifts_by_the_engine_itself() -> None:
    """J̇ v as a difference of the engine's own Jacobians equals its acceleration, and differs from its J̇ times v."""
    pin = installed(DRIFTS)
    m = pin.Model()
    i = m.addJoint(0, pin.JointModelSphericalZYX(), pin.SE3.Identity(), "j")
    m.appendBodyToJoint(i, pin.Inertia(1.0, np.zeros(3), np.eye(3)), pin.SE3.Identity())
    data, q, v, h = m.createData(), np.zeros(3), np.array([2.0, 0.0, 3.0]), 1e-5

    def jacobian(q: Any) -> Any:
        pin.computeJointJacobians(m, data, q)
        return pin.getJointJacobian(m, data, i, pin.ReferenceFrame.LOCAL)

    difference = (jacobian(q + h * v) - jacobian(q - h * v)) / (2 * h) @ v
    pin.forwardKinematics(m, data, q, v, np.zeros(3))
    np.testing.assert_allclose(difference, [0, 0, 0, 0, 6, 0], atol=1e-8)
    np.testing.assert_allclose(data.a[i].vector, [0, 0, 0, 0, 6, 0])
    pin.computeJointJacobiansTimeVariation(m, data, q, v)
    assert not (pin.getJointJacobianTimeVariation(m, data, i, pin.ReferenceFrame.LOCAL) @ v).any()
