"""Kinematics of the engines' adapters: conversions of frames, orders and axes, against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, calls_of, chain, mended, states

from implementations.engines.pinocchio.adapter import Pinocchio
from implementations.engines.rbdl.adapter import RBDL, Biorbd, binding
from implementations.protocol import Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, random_mechanism
from mechanisms.joint import MOVING, Kind
from mechanisms.quantities import QUANTITIES

KINEMATICS = [name for name, quantity in QUANTITIES.items() if quantity.group == "kinematics"]

THROUGH_BIORBD = {
    "placements",
    "velocities_aligned",
    "center_of_mass",
    "centroidal_momentum",
    "inverse_dynamics_with_forces",
}

AXES_MOVE = ("universal", "euler-xyz", "euler-yxz", "euler-zxy", "euler-zyx")
"""Joints for which Pinocchio's J̇ lacks a term: see docs/findings."""


@pytest.fixture(params=[Pinocchio, RBDL], ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> Any:
    return installed(request.param())


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


def hold(engine: Any, mechanism: Mechanism) -> set[str]:
    """Every quantity that is offered agrees with the reference, relative to the largest component; their names."""
    dynamics = mended(engine, mechanism) if engine.name == "rbdl" else engine.load(mechanism)
    axes_move = engine.name == "pinocchio" and {body.joint.kind for body in mechanism.bodies} & set(AXES_MOVE)
    return agreeing(dynamics, mechanism, [name for name in KINEMATICS if not (axes_move and name.startswith("drifts"))])


@pytest.mark.engines
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_alone_and_behind_its_like(engine: Any, kind: Kind) -> None:
    if engine.name == "rbdl" and kind == "helical":
        with pytest.raises(Unsupported, match="no helical joint"):
            engine.load(chain(kind))
        return
    hold(engine, chain(kind))
    hold(engine, chain(kind, kind, seed=1))


@pytest.mark.engines
def test_a_tree_of_all(engine: Any) -> None:
    """Branches, in an order of bodies that no engine keeps."""
    kinds = [kind for kind in MOVING if kind != "helical"]
    offered = hold(engine, random_mechanism(3, 14, kinds))
    quaternions = {"inverse_dynamics_with_forces", "centroidal_momentum"}
    drifts = {name for name in KINEMATICS if name.startswith("drifts")}
    assert offered == (THROUGH_BIORBD - quaternions if engine.name == "rbdl" else set(KINEMATICS) - drifts)


@pytest.mark.engines
def test_a_tree_of_axes(engine: Any) -> None:
    offered = hold(engine, random_mechanism(3, 9))
    assert offered == (THROUGH_BIORBD if engine.name == "rbdl" else set(KINEMATICS))


@pytest.mark.engines
def test_what_has_no_mass_has_no_centre_of_mass(engine: Any) -> None:
    dynamics = engine.load(Mechanism("rotor", (Body("disc", "world", Joint("axle", "revolute")),)))
    with pytest.raises(Unsupported, match="no centre of mass"):
        dynamics.center_of_mass(np.zeros((1, 1)))
    with pytest.raises(Unsupported, match="no centre of mass"):
        dynamics.centroidal_momentum(np.zeros((1, 1)), np.zeros((1, 1)))


@pytest.mark.engines
def test_the_momentum_that_biorbd_reads_from_memory_is_not_asked_for(rbdl: Any) -> None:
    with pytest.raises(Unsupported, match="'joint1'"):
        mechanism = random_mechanism(1, 2, free_base=True)
        rbdl.load(mechanism).centroidal_momentum(*states(mechanism)[:2])


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
