"""What is particular to Drake's adapter."""

from __future__ import annotations

import numpy as np
import pytest
from every_joint import chain, states

from implementations.engines.drake.adapter import Drake, engine
from implementations.spatial_algebra.reference import REFERENCE

pytestmark = pytest.mark.engines


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("pydrake", reason="Drake has no wheel for this platform, or is not installed")


def test_ball_joints_are_exact_where_pitch_is_a_quarter_turn() -> None:
    """Drake's ball joint has roll, pitch and yaw, which are singular there; its velocity is not."""
    mechanism = chain("spherical", "spherical")
    q = np.tile([0, np.sqrt(0.5), 0, np.sqrt(0.5)], (3, 2))
    q[1] += [1e-9, 0, 0, 0] * 2
    q[2, 4:] = [0.5, -0.5, 0.5, 0.5]
    q /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    _, v, a = states(mechanism, batch=3)
    got, expected = (x.load(mechanism).inverse_dynamics(q, v, a) for x in (Drake(), REFERENCE))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13 * abs(expected).max())


def test_drake_still_leaves_damping_out_of_its_power() -> None:
    """docs/findings/drake-nonconservative-power-damping.md; once it does not, the page needs the version."""
    drake = engine()
    plant = drake.MultibodyPlant(0.0)
    body = plant.AddRigidBody("wheel", drake.SpatialInertia.SolidSphereWithMass(1.0, 1.0))
    plant.AddJoint(drake.RevoluteJoint("axle", plant.world_frame(), body.body_frame(), [0, 0, 1], damping=2.0))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetVelocities(context, [3.0])
    omega, alpha = plant.EvalTimeDerivatives(context).CopyToVector()
    assert plant.CalcMassMatrix(context)[0, 0] * omega * alpha == pytest.approx(-18)
    assert plant.CalcNonConservativePower(context) == 0
