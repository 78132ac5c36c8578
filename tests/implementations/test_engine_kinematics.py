"""Kinematics of the engines' adapters: conversions of frames, orders and axes, against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from every_joint import calls_of, states

from implementations.engines.rbdl.adapter import RBDL, Biorbd, binding
from implementations.protocol import Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.joint import Kind


@pytest.fixture
def rbdl() -> Any:
    return installed(RBDL())


def installed(engine: Any) -> Any:
    try:
        engine.version  # noqa: B018
    except Missing as missing:
        pytest.skip(str(missing))
    if engine.name == "rbdl" and binding()[0] is not Biorbd:
        pytest.skip("this is about biorbd; test_rbdl_binding.py is about RBDL's own binding")
    return engine


@pytest.mark.engines
@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_biorbd_still_puts_forces_on_other_bodies_behind_a_quaternion(rbdl: Any, kind: Kind) -> None:
    """Once it does not, there is no reason any more to call them unsupported."""
    ball = Inertia(1, (0, 0, 0), (1, 1, 1, 0, 0, 0))
    bodies = (Body("base", "world", Joint("ball", kind), ball), Body("arm", "base", Joint("hinge", "revolute"), ball))
    mechanism = Mechanism("arm on a ball", bodies, gravity=(0, 0, 0))
    dynamics = rbdl.load(mechanism)
    q, v, a = states(mechanism, batch=1)
    f = np.zeros((1, 2, 6))
    f[0, 1] = 1, 2, 3, 4, 5, 6
    with pytest.raises(Unsupported, match="quaternion, as in 'ball'"):
        dynamics.inverse_dynamics_with_forces(q, v, a, f)
    model, biorbd = calls_of(dynamics).model, binding()[1]
    still = np.zeros(mechanism.nv)
    forces = model.externalForceSet()
    forces.addInSegmentReferenceFrame(biorbd.String("segment1"), biorbd.SpatialVector(*f[0, 1]), biorbd.Vector3d(0, 0, 0))
    # RBDL has the scalar part at the end of q.
    there = np.array([*q[0, : mechanism.nv - 1], q[0, -1], q[0, mechanism.nv - 1]])
    assert not model.InverseDynamics(there, still, still, forces).to_array()[-1], "the hinge does not feel it"
    assert REFERENCE.load(mechanism).inverse_dynamics_with_forces(q, 0 * v, 0 * a, f)[0, -1] == pytest.approx(-3)
