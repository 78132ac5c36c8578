"""The joint-torque regressor: τ = Y π + armature · a + damping · v, by forces, by energy, and in Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.case import prepare
from cross_check.judge.comparison.measure import measure
from cross_check.prove.proof.prove import prove
from implementations.processes.subject import InProcess, LoadedInProcess
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE
from mechanisms import find_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import PARAMETERS, QUANTITIES

REGRESSOR = QUANTITIES["joint_torque_regressor"]


def test_a_pendulum_by_hand() -> None:
    """τ = I_zz a + m c · g terms: a unit of Iyy about the joint's axis y needs the torque a, and of m c_x the weight's lever."""
    mechanism = find_mechanism("pendulum")
    axis = [float(x) for x in mechanism.bodies[0].joint.axis]
    moments = dict(zip(("Ixx", "Iyy", "Izz"), axis, strict=True))
    q, v, a = np.array([[0.3]]), np.array([[2.0]]), np.array([[5.0]])
    Y = REFERENCE.load(mechanism).joint_torque_regressor(q, v, a)[0, 0]
    for name, component in moments.items():
        assert Y[PARAMETERS.index(name)] == pytest.approx(component**2 * 5.0)
    assert Y[PARAMETERS.index("m")] == 0, "a mass in the axis needs no torque"


def test_components_are_named_after_bodies_and_parameters() -> None:
    mechanism = find_mechanism("cart-pole")
    assert REGRESSOR.dimensions(mechanism) == (2, 20)
    second = mechanism.bodies[1].name
    assert REGRESSOR.component(mechanism, (1, 17)) == f"{mechanism.coordinates[1]}, {second}.Ixy"


def test_a_wrong_sign_is_refuted_and_measured() -> None:
    """The sign of Ixy, the commonest slip of conventions."""
    wrong = {**ALGORITHMS, "joint_torque_regressor": lambda *state: _with_sign(ALGORITHMS["joint_torque_regressor"](*state))}
    certificate = prove(find_mechanism("random:1:3"), "mine", algorithms=wrong, quantities=["joint_torque_regressor"])
    assert certificate.verdict == "refuted"

    class Wrong:
        def joint_torque_regressor(self, *state: Any) -> Any:
            right = REFERENCE.load(case.mechanism).joint_torque_regressor(*state)
            return np.moveaxis(_with_sign(np.moveaxis(right, 0, -1)), -1, 0)

    case = prepare(find_mechanism("random:1:3"), 0, 7)
    cell = measure(case, LoadedInProcess(Wrong(), case.mechanism), "mine", REGRESSOR, BAR).cell
    assert cell.verdict == "discrepancy"
    assert cell.worst is not None
    assert cell.worst.coordinate.endswith(".Ixy")


def _with_sign(Y: Any) -> Any:
    """Y (nv, parameters, …) with the columns of Ixy negated."""
    Y = Y.copy()
    Y[:, PARAMETERS.index("Ixy") :: len(PARAMETERS)] *= -1
    return Y
@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_it_is_proven_for_every_kind_of_joint(kind: str) -> None:
    certificate = prove(find_mechanism(f"random:1:3:{kind}"), kind, quantities=["joint_torque_regressor"])
    assert certificate.quantities["joint_torque_regressor"].verdict == "proven"


@pytest.mark.engines
@pytest.mark.parametrize("spec", ["ur5", "every-joint", "free:random:3:7:all", "anymal-c"])
def test_pinocchio_agrees(spec: str) -> None:
    pytest.importorskip("pinocchio")
    from implementations.engines.pinocchio.adapter import Pinocchio

    case = prepare(find_mechanism(spec), 0, 14)
    cell = measure(case, InProcess(Pinocchio()).load(case.mechanism), "pinocchio", REGRESSOR, BAR).cell
    assert cell.verdict == "agrees", cell.message
