"""Pinocchio's derivatives with axes that stay: still there, excused where axes move and nowhere else, and hiding nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.findings import FINDINGS, Repaired, findings_of
from cross_check.fixed_axes import LACKING
from cross_check.harness import Entry, Settings, check
from mechanisms import Mechanism, random_mechanism
from mechanisms.joint import MOVING

(FINDING,) = (finding for finding in FINDINGS if finding.name == "pinocchio-derivatives-subspace")
MOVE_THEIR_AXES = ("universal", "euler-xyz", "euler-yxz", "euler-zxy", "euler-zyx")


@pytest.fixture(scope="module")
def pin() -> Any:
    found = pytest.importorskip("pinocchio", reason='pip install "dalembert[pinocchio]"')
    if FINDING not in findings_of("pinocchio", str(getattr(found, "__version__", ""))):
        pytest.skip("the finding is about other versions than the one installed")
    return found


class Spoilt:
    """Pinocchio with its derivatives multiplied."""

    def __init__(self, by: float = 1.0) -> None:
        from implementations.engines.pinocchio import Pinocchio

        self._engine, self._by, self.version = Pinocchio(), by, Pinocchio().version

    def load(self, mechanism: Mechanism) -> Any:
        dynamics = self._engine.load(mechanism)

        def times(name: str) -> Any:
            return lambda *state: self._by * getattr(dynamics, name)(*state)

        return Repaired(dynamics, **{name: times(name) for name in LACKING})


def verdicts(mechanism: Mechanism, by: float = 1.0) -> dict[str, str]:
    settings = Settings(states=14, quantities=tuple(LACKING), invariants=False)
    document = check([("one", mechanism)], [Entry("pinocchio", "pinocchio", Spoilt(by))], settings).document()
    assert all(cell["message"].endswith(FINDING.page) == (cell["verdict"] == "known") for cell in document["cells"])
    return {cell["quantity"]: cell["verdict"] for cell in document["cells"]}


@pytest.mark.parametrize("kind", MOVING)
def test_the_engine_is_excused_where_axes_move_and_nowhere_else(pin: Any, kind: Any) -> None:
    mechanism = random_mechanism(7, 3, (kind,), shape="chain")
    assert verdicts(mechanism) == dict.fromkeys(LACKING, "known" if kind in MOVE_THEIR_AXES else "agrees")


@pytest.mark.parametrize("kinds", [("universal",), ("revolute", "euler-zyx", "free")])
def test_another_fault_in_the_same_cell_is_not_excused(pin: Any, kinds: Any) -> None:
    assert verdicts(random_mechanism(7, 3, kinds), by=1.001) == dict.fromkeys(LACKING, "discrepancy")


def test_the_page_is_still_true(pin: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (Path(__file__).parents[2] / FINDING.page).read_text("utf-8"), re.S)
    exec(code, {})
    printed = re.findall(r"print\(.*  # (.*)", code)
    assert capsys.readouterr().out.splitlines() == printed
    assert len(printed) == 3


@pytest.mark.parametrize("joint", ["universal", "two"])
def test_who_is_right_by_the_engine_itself(pin: Any, joint: str) -> None:
    """Differences of the engine's own forces, and its own answers with two joints for the one."""
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
