"""The joint-torque regressor: τ = Y π + armature · a + damping · v, by forces, by energy, and in Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cross_check.comparison.case import prepare
from cross_check.comparison.measure import measure
from cross_check.proof.prove import prove
from cross_check.results.objects import BAR
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import PARAMETERS, QUANTITIES

REGRESSOR = QUANTITIES["joint_torque_regressor"]


def parameters(mechanism: Mechanism) -> np.ndarray[Any, Any]:
    """π (10 · bodies,), from the bodies' own data."""
    columns = []
    for body in mechanism.bodies:
        inertia = body.inertia
        I = inertia.about((0, 0, 0))
        columns += [inertia.mass, *(inertia.mass * c for c in inertia.com)]
        columns += [I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]]
    return np.array(columns, dtype=float)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["cart-pole", "every-joint", "random:7:9:all", "free:random:3:7:all"])
def test_times_the_parameters_it_is_inverse_dynamics(spec: str) -> None:
    mechanism = find_mechanism(spec)
    case = prepare(mechanism, 0, 14)
    q, v, a = case.states.arguments(("q", "v", "a"))
    dynamics, data = REFERENCE.load(mechanism), mechanism.arrays
    forces = dynamics.joint_torque_regressor(q, v, a) @ parameters(mechanism)
    forces += data.per_coordinate(data.armature) * a + data.per_coordinate(data.damping) * v
    np.testing.assert_allclose(forces, dynamics.inverse_dynamics(q, v, a), rtol=1e-9, atol=1e-9 * abs(forces).max())


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
