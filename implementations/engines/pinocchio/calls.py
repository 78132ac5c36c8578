"""What Pinocchio is asked, as expressions of one state, which the adapter evaluates and programs for Pinocchio alone contain.

==================== ========================================== ======================================================
derivatives          Pinocchio                                  conversion
==================== ========================================== ======================================================
∂/∂q                 along its v, in the body's frame           rows and columns permuted to our order of v
∂/∂v, damping        none                                       D added to ∂τ/∂v, M⁻¹ D subtracted from ∂q̈/∂v
∂q̈/∂q, damping       none                                       damping · v subtracted from τ
M⁻¹                  by ``computeMinverse``                     none
external forces      in the joint's frame, held fixed there     transformed from the body's frame
π                    one body after the other, in its order     by a constant matrix
==================== ========================================== ======================================================

One difference is a fault of Pinocchio, which the adapter does not correct: ``computeRNEADerivatives``,
``computeABADerivatives`` and ``computeCoriolisMatrix`` assume that every joint's motion subspace is constant in the body's frame.
That of universal, spherical ZYX and composite joints is not (docs/findings/pinocchio-derivatives-subspace.md).

``computeMinverse`` and ``computeABADerivatives`` store articulated inertias in the root's frame. They lose digits with the square
of the distance from the root: a 6R arm at one kilometre has eight right digits of sixteen. ``aba`` loses none.

==================== ========================================== ======================================================
centre of mass       Pinocchio                                  conversion
==================== ========================================== ======================================================
momenta              linear first, [l; k]                       exchanged
ḣ                    about the moving centre of mass, without   none
                     gravity
∂/∂q                 along its v, in the body's frame, about a  columns permuted to our order of v
                     centre of mass that moves with q
==================== ========================================== ======================================================

Ȧ is asked of ``computeCentroidalMapTimeVariation``, which reads a velocity of the centre of mass that it does not compute
(docs/findings/pinocchio-centroidal-map-rate.md). It has data of its own, in which that velocity is always zero, so that its
answers depend on the state alone. Derivatives and Ȧ assume that every joint's motion subspace is constant in the body's frame
(docs/findings/pinocchio-derivatives-subspace.md).

==================== ========================================== ======================================================
positions            Pinocchio                                  conversion
==================== ========================================== ======================================================
q ⊕ dv, to ⊖ q       of the same motions: screws in the body's  dv permuted to linear first, answers permuted back
                     frame
planar: q            cosine and sine of the angle               the angle is their atan2, between −π and π
derivatives          ``dIntegrate``, ``dDifference``: along     rows and columns permuted
                     motions in the bodies' frames
==================== ========================================== ======================================================
"""

from __future__ import annotations

from typing import NamedTuple

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

INTEGRATION = {
    "integrate": "pin.integrate(model, q, dv)",
    "integrate_dq": "pin.dIntegrate(model, q, dv, pin.ArgumentPosition.ARG0)",
    "integrate_dv": "pin.dIntegrate(model, q, dv, pin.ArgumentPosition.ARG1)",
    "difference": "pin.difference(model, q, to)",
    "difference_dq": "pin.dDifference(model, q, to, pin.ArgumentPosition.ARG0)",
    "difference_dto": "pin.dDifference(model, q, to, pin.ArgumentPosition.ARG1)",
}
"""Programs do not ask for these."""

WITH_NEW_DATA = "pin.crba(model, model.createData(), q)"
"""M of a model with mimic joints: ``crba`` adds to what its last call left."""

REFUSED = "Pinocchio's algorithm refuses models with mimic joints"

WITH_DERIVATIVES = ("derivatives", "regressors", "statics", "energy-regressors")
"""The groups whose quantities share data of Pinocchio."""

NOT_OFFERED = {
    **{name: REFUSED for name, quantity in QUANTITIES.items() if quantity.group in WITH_DERIVATIVES},
    **dict.fromkeys(("forward_dynamics", "kinetic_energy", "potential_energy"), REFUSED),
    **dict.fromkeys(("centroidal_momentum_matrix_rate", "centroidal_momentum_dq"), REFUSED),
    **dict.fromkeys(("centroidal_momentum_rate_dq", "centroidal_momentum_rate_dv"), REFUSED),
    "coriolis_matrix": "with mimic joints Pinocchio's computeCoriolisMatrix answers, but wrongly",
    "drifts_local": "with mimic joints Pinocchio's getFrameJacobianTimeVariation answers, but wrongly",
    "drifts_aligned": "with mimic joints Pinocchio's getFrameJacobianTimeVariation answers, but wrongly",
}
"""The quantities that Pinocchio 4.1 does not have for mimic joints, and why (docs/findings/pinocchio-mimic-joints.md)."""


class OfPlaces(NamedTuple):
    """A quantity of every joint or every frame: a call for the state, and the expression for one place after it.

    ``needs_placements`` says that placements of frames have to be updated between them.
    """

    at_state: str
    of_place: str
    needs_placements: bool = False

    def of_joints(self, joints: str, reference: str) -> tuple[str, str]:
        """The call, and the list for the numbers that the text ``joints`` gives, in the frame of ``reference``."""
        ask = self.of_place.format(of="", jacobian_of="Joint", place="joint", pose="oMi", reference=reference)
        return self.at_state, f"[{ask} for joint in {joints}]"

    def of_frames(self, frames: str, reference: str) -> str:
        """The list for operational frames, as one expression."""
        ask = self.of_place.format(of="Frame", jacobian_of="Frame", place="frame", pose="oMf", reference=reference)
        update = ", pin.updateFramePlacements(model, data)" if self.needs_placements else ""
        return f"({self.at_state}{update}, [{ask} for frame in {frames}])[-1]"


OF_EVERY_PLACE = {
    "placements": OfPlaces("pin.forwardKinematics(model, data, q)", "data.{pose}[{place}].homogeneous[:3]", True),
    "jacobians": OfPlaces(
        "pin.computeJointJacobians(model, data, q)",
        "pin.get{jacobian_of}Jacobian(model, data, {place}, {reference}).reshape(6, -1)",
        True,
    ),
    "velocities": OfPlaces(
        "pin.forwardKinematics(model, data, q, v)", "pin.get{of}Velocity(model, data, {place}, {reference}).vector"
    ),
    "accelerations": OfPlaces(
        "pin.forwardKinematics(model, data, q, v, a)", "pin.get{of}Acceleration(model, data, {place}, {reference}).vector"
    ),
    "classical_accelerations": OfPlaces(
        "pin.forwardKinematics(model, data, q, v, a)",
        "pin.get{of}ClassicalAcceleration(model, data, {place}, {reference}).vector",
    ),
    "drifts": OfPlaces(
        "pin.computeJointJacobiansTimeVariation(model, data, q, v)",
        "pin.get{jacobian_of}JacobianTimeVariation(model, data, {place}, {reference}).reshape(6, -1) @ v",
        True,
    ),
}

REFERENCES = {"local": "LOCAL", "world": "WORLD", "aligned": "LOCAL_WORLD_ALIGNED", None: "LOCAL_WORLD_ALIGNED"}
"""Pinocchio's words for our frames of a motion."""
