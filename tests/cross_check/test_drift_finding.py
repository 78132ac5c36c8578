"""Pinocchio's J̇ without Ṡ: still there, excused where axes move in the body's frame and nowhere else, and hiding nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.findings import FINDINGS, Repaired, findings_of
from cross_check.harness import Entry, Settings, check
from implementations.quantities import FRAMES
from mechanisms import Mechanism, random_mechanism
from mechanisms.joint import MOVING

(FINDING,) = (finding for finding in FINDINGS if finding.name == "pinocchio-jacobian-time-variation-subspace")
DRIFTS = tuple(f"drifts_{frame}" for frame in FRAMES)
MOVE_THEIR_AXES = ("universal", "euler-xyz", "euler-yxz", "euler-zxy", "euler-zyx")


@pytest.fixture(scope="module")
def pin() -> Any:
    found = pytest.importorskip("pinocchio", reason='pip install "dalembert[pinocchio]"')
    if FINDING not in findings_of("pinocchio", str(getattr(found, "__version__", ""))):
        pytest.skip("the finding is about other versions than the one installed")
    return found


class Spoilt:
    """Pinocchio with its drifts multiplied."""

    def __init__(self, by: float = 1.0) -> None:
        from implementations.engines.pinocchio import Pinocchio

        self._engine, self._by, self.version = Pinocchio(), by, Pinocchio().version

    def load(self, mechanism: Mechanism) -> Any:
        dynamics = self._engine.load(mechanism)

        def times(name: str) -> Any:
            return lambda q, v: self._by * getattr(dynamics, name)(q, v)

        return Repaired(dynamics, **{name: times(name) for name in DRIFTS})


def verdicts(mechanism: Mechanism, by: float = 1.0) -> set[str]:
    settings = Settings(states=14, quantities=DRIFTS, invariants=False)
    document = check([("one", mechanism)], [Entry("pinocchio", "pinocchio", Spoilt(by))], settings).document()
    assert all(cell["message"].endswith(FINDING.page) == (cell["verdict"] == "known") for cell in document["cells"])
    return {cell["verdict"] for cell in document["cells"]}


@pytest.mark.parametrize("kind", MOVING)
def test_the_engine_is_excused_where_axes_move_and_nowhere_else(pin: Any, kind: Any) -> None:
    assert verdicts(random_mechanism(7, 3, (kind,))) == {"known" if kind in MOVE_THEIR_AXES else "agrees"}


@pytest.mark.parametrize("kinds", [("universal",), ("revolute", "euler-zyx", "free")])
def test_another_fault_in_the_same_cell_is_not_excused(pin: Any, kinds: Any) -> None:
    assert verdicts(random_mechanism(7, 3, kinds), by=1.001) == {"discrepancy"}


def test_the_page_is_still_true(pin: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (Path(__file__).parents[2] / FINDING.page).read_text("utf-8"), re.S)
    exec(code, {})
    assert capsys.readouterr().out.split() == ["0.0", "6.0"]


def test_who_is_right_by_the_engine_itself(pin: Any) -> None:
    """J̇ v as a difference of the engine's own Jacobians is what it says of the acceleration, and not what it says of J̇."""
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
