"""One quantity at one state as a program for Pinocchio alone, with the calls of the adapter, in Pinocchio's own conventions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from implementations.engines.pinocchio.coordinates import Coordinates
from implementations.engines.pinocchio.joint_models import model_of, turns
from implementations.engines.pinocchio.mimic import depth_first
from implementations.engines.pinocchio.parameters import parameters
from implementations.protocol import Array, Evaluation, Unsupported
from implementations.source import Source, written
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

CALLS = {
    "inverse_dynamics": "pin.rnea(model, data, q, v, a)",
    "mass_matrix": "pin.crba(model, data, q)",
    "forward_dynamics": "pin.aba(model, data, q, v, tau)",
    "nonlinear_effects": "pin.nonLinearEffects(model, data, q, v)",
    "gravity": "pin.computeGeneralizedGravity(model, data, q)",
    "kinetic_energy": "pin.computeKineticEnergy(model, data, q, v)",
    "potential_energy": "pin.computePotentialEnergy(model, data, q)",
    "center_of_mass": "pin.centerOfMass(model, data, q, False)",
    "centroidal_momentum": "pin.computeCentroidalMomentum(model, data, q, v).vector",
    "centroidal_momentum_matrix": "pin.ccrba(model, data, q, np.zeros(model.nv)).reshape(6, -1)",
    "inverse_dynamics_with_forces": "pin.rnea(model, data, q, v, a, forces)",
    "inverse_dynamics_dq": "pin.computeRNEADerivatives(model, data, q, v, a)[0]",
    "inverse_dynamics_dv": "pin.computeRNEADerivatives(model, data, q, v, 0 * v)[1]",
    "forward_dynamics_dq": "pin.computeABADerivatives(model, data, q, v, tau)[0]",
    "forward_dynamics_dv": "pin.computeABADerivatives(model, data, q, v, 0 * v)[1]",
    "forward_dynamics_dtau": "pin.computeMinverse(model, data, q)",
    "coriolis_matrix": "pin.computeCoriolisMatrix(model, data, q, v)",
    "joint_torque_regressor": "pin.computeJointTorqueRegressor(model, data, q, v, a).reshape(model.nv, -1)",
    "gravity_dq": "pin.computeGeneralizedGravityDerivatives(model, data, q)",
    "static_forces_dq": "pin.computeStaticTorqueDerivatives(model, data, q, forces)",
    "kinetic_energy_regressor": "pin.computeKineticEnergyRegressor(model, data, q, v)",
    "potential_energy_regressor": "pin.computePotentialEnergyRegressor(model, data, q)",
    "center_of_mass_velocity": "(pin.centerOfMass(model, data, q, v, False), data.vcom[0])[1]",
    "center_of_mass_acceleration": "(pin.centerOfMass(model, data, q, v, a, False), data.acom[0])[1]",
    "center_of_mass_jacobian": "pin.jacobianCenterOfMass(model, data, q, False).reshape(3, -1)",
    "centroidal_momentum_rate": "(pin.computeCentroidalMomentumTimeVariation(model, data, q, v, a), data.dhg.vector)[1]",
    "centroidal_momentum_matrix_rate": "pin.computeCentroidalMapTimeVariation(model, data, q, v).reshape(6, -1)",
    "centroidal_momentum_dq": "pin.computeCentroidalDynamicsDerivatives(model, data, q, v, 0 * v)[0].reshape(6, -1)",
    "centroidal_momentum_rate_dq": "pin.computeCentroidalDynamicsDerivatives(model, data, q, v, a)[1].reshape(6, -1)",
    "centroidal_momentum_rate_dv": "pin.computeCentroidalDynamicsDerivatives(model, data, q, v, 0 * v)[2].reshape(6, -1)",
}

OF_EVERY_JOINT = {
    "placements": ("pin.forwardKinematics(model, data, q)", "data.oMi[joint].homogeneous[:3]"),
    "jacobians": (
        "pin.computeJointJacobians(model, data, q)",
        "pin.getJointJacobian(model, data, joint, {frame}).reshape(6, -1)",
    ),
    "velocities": ("pin.forwardKinematics(model, data, q, v)", "pin.getVelocity(model, data, joint, {frame}).vector"),
    "accelerations": ("pin.forwardKinematics(model, data, q, v, a)", "pin.getAcceleration(model, data, joint, {frame}).vector"),
    "classical_accelerations": (
        "pin.forwardKinematics(model, data, q, v, a)",
        "pin.getClassicalAcceleration(model, data, joint, {frame}).vector",
    ),
    "drifts": (
        "pin.computeJointJacobiansTimeVariation(model, data, q, v)",
        "pin.getJointJacobianTimeVariation(model, data, joint, {frame}).reshape(6, -1) @ v",
    ),
}

FRAMES = {"local": "LOCAL", "world": "WORLD", "aligned": "LOCAL_WORLD_ALIGNED", None: "LOCAL_WORLD_ALIGNED"}

DAMPED = ("inverse_dynamics", "nonlinear_effects", "inverse_dynamics_with_forces")


def evaluation(mechanism: Mechanism, name: str, state: Mapping[str, Array], expected: Array, version: str) -> Evaluation:
    """The program for the quantity ``name``; ``state`` has its arguments, one state each, and ``expected`` is the right answer.

    Damping, which Pinocchio leaves out, is left out of the forces. For the Coriolis matrix, ``got`` and ``expected`` are the two
    sides [C + Cᵀ, C v] (nv, nv + 1). Raises :class:`Unsupported` where the adapter converts more than a program can show.
    """
    quantity = QUANTITIES[name]
    if name not in CALLS and quantity.family not in OF_EVERY_JOINT:
        raise Unsupported(f"a program for Pinocchio alone that asks for {quantity.title} is not written")
    if mechanism.has_mimics:
        raise Unsupported("a program for Pinocchio alone with mimic joints is not written")
    order = depth_first(mechanism)
    coordinates = Coordinates(mechanism, order)
    damping = mechanism.arrays.per_coordinate(mechanism.arrays.damping)
    source = Source(
        "# Inputs and the expected answer are in Pinocchio's own conventions.",
        "import numpy as np",
        "import pinocchio as pin",
        "",
    )
    model_of(source.module("pin"), mechanism, order)
    source.add("data = model.createData()")
    for argument in quantity.arguments:
        value = state[argument]
        if argument == "tau":
            value = value - damping * state["v"]
        if argument == "f":
            _forces(source, mechanism, order, value)
        else:
            converted = coordinates.position(value[None]) if argument == "q" else coordinates.to_pinocchio(value[None])
            source.add(f"{argument} = {written(converted[0] + 0.0)}")
    if name in DAMPED:
        expected = expected - damping * state["v"]
    elif name == "inverse_dynamics_dv":
        expected = expected - np.diag(damping)
    elif name == "forward_dynamics_dv" and damping.any():
        raise Unsupported("Pinocchio's ∂q̈/∂v has no damping, which cannot be taken out of the right answer")
    if name in CALLS:
        source.add(f"got = {CALLS[name]}")
    else:
        _of_every_joint(source, mechanism, order, quantity.family, quantity.frame)
    if name == "coriolis_matrix":
        source.add("got = np.column_stack([got + got.T, got @ v])")
        edge = coordinates.to_pinocchio(expected[:, -1][None])[0]
        return Evaluation(source.lines, np.column_stack([_both(coordinates, expected[:, :-1]), edge]))
    if "parameters" in quantity.axes:
        expected = expected @ np.linalg.inv(parameters(order, turns(mechanism)))
    if name.startswith("centroidal") or (quantity.family in OF_EVERY_JOINT and name != "placements"):
        # Pinocchio's motions and momenta are linear first.
        expected = np.roll(expected, 3, axis=-2 if quantity.axes[-1] == "nv" else -1)
    if quantity.axes == ("nv", "nv"):
        return Evaluation(source.lines, _both(coordinates, expected))
    if quantity.axes and quantity.axes[0] == "nv":
        expected = np.moveaxis(coordinates.to_pinocchio(np.moveaxis(expected, 0, -1).reshape(-1, mechanism.nv)), -1, 0)
        return Evaluation(source.lines, expected.reshape(mechanism.nv, *([] if len(quantity.axes) == 1 else [-1])))
    if quantity.axes and quantity.axes[-1] == "nv":
        expected = coordinates.to_pinocchio(expected.reshape(-1, mechanism.nv)).reshape(expected.shape)
    return Evaluation(source.lines, expected)


def _both(coordinates: Coordinates, matrix: Array) -> Array:
    return coordinates.to_pinocchio(coordinates.to_pinocchio(matrix).T).T


def _joints(mechanism: Mechanism, order: list[int]) -> list[int]:
    """Pinocchio's number of every body's joint, whose frame has to be the body's."""
    for body, R in zip(mechanism.bodies, turns(mechanism), strict=True):
        if not np.array_equal(R, np.eye(3)):
            raise Unsupported(f"in Pinocchio the frame of joint {body.joint.name!r} is rotated")
    return [1 + order.index(i) for i in range(len(order))]


def _of_every_joint(source: Source, mechanism: Mechanism, order: list[int], family: str, frame: str | None) -> None:
    prepare, ask = OF_EVERY_JOINT[family]
    source.add(prepare)
    each = ask.format(frame=f"pin.ReferenceFrame.{FRAMES[frame]}")
    source.add(f"got = np.array([{each} for joint in {_joints(mechanism, order)}])")


def _forces(source: Source, mechanism: Mechanism, order: list[int], f: Array) -> None:
    source.add("forces = pin.StdVec_Force([pin.Force.Zero()] * model.njoints)")
    for joint, force in zip(_joints(mechanism, order), f, strict=True):
        source.add(f"forces[{joint}] = pin.Force({written(np.roll(force, 3) + 0.0)})")
