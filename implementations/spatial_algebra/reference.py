"""The reference: the recursive algorithms of this folder, on batches of float64 or of another floating-point type."""

from __future__ import annotations

from implementations.algorithms import Algorithm, Algorithmic, AlgorithmicDynamics
from implementations.field import Real
from implementations.spatial_algebra import frames, motion_derivatives
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.bias import gravity, gravity_dq, nonlinear_effects, static_forces_dq
from implementations.spatial_algebra.centroidal import (
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
    centroidal_momentum,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
)
from implementations.spatial_algebra.centroidal_derivatives import (
    centroidal_momentum_dq,
    centroidal_momentum_matrix_rate,
    centroidal_momentum_rate_dq,
    centroidal_momentum_rate_dv,
)
from implementations.spatial_algebra.constrained_dynamics import algorithms
from implementations.spatial_algebra.constraint_derivatives import (
    constraint_drift_dq,
    constraint_drift_dv,
    constraint_jacobian_dq,
)
from implementations.spatial_algebra.constraints import constraint_drift, constraint_jacobian
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.derivatives import coriolis_matrix, inverse_dynamics_dq, inverse_dynamics_dv
from implementations.spatial_algebra.energy import kinetic_energy, potential_energy
from implementations.spatial_algebra.energy_regressors import kinetic_energy_regressor, potential_energy_regressor
from implementations.spatial_algebra.forward_derivatives import forward_dynamics_dq, forward_dynamics_dtau, forward_dynamics_dv
from implementations.spatial_algebra.integration import INTEGRATION
from implementations.spatial_algebra.joint_torque_regressor import joint_torque_regressor
from implementations.spatial_algebra.kinematics import (
    accelerations,
    classical_accelerations,
    drifts,
    jacobians,
    placements,
    velocities,
)
from implementations.spatial_algebra.mimic import with_mimic, with_mimics
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.rnea import rnea
from mechanisms import Mechanism
from mechanisms.quantities import by_quantity

ALGORITHMS: dict[str, Algorithm] = with_mimics(
    by_quantity(
        {
            "inverse_dynamics": rnea,
            "mass_matrix": crba,
            "forward_dynamics": aba,
            "nonlinear_effects": nonlinear_effects,
            "gravity": gravity,
            "kinetic_energy": kinetic_energy,
            "potential_energy": potential_energy,
            "placements": placements,
            "jacobians": jacobians,
            "velocities": velocities,
            "accelerations": accelerations,
            "classical_accelerations": classical_accelerations,
            "drifts": drifts,
            "center_of_mass": center_of_mass,
            "centroidal_momentum": centroidal_momentum,
            "centroidal_momentum_matrix": centroidal_momentum_matrix,
            "inverse_dynamics_with_forces": rnea,
            "inverse_dynamics_dq": inverse_dynamics_dq,
            "inverse_dynamics_dv": inverse_dynamics_dv,
            "forward_dynamics_dq": forward_dynamics_dq,
            "forward_dynamics_dv": forward_dynamics_dv,
            "forward_dynamics_dtau": forward_dynamics_dtau,
            "coriolis_matrix": coriolis_matrix,
            "joint_torque_regressor": joint_torque_regressor,
            "frame_placements": frames.frame_placements,
            "frame_jacobians": frames.frame_jacobians,
            "frame_velocities": frames.frame_velocities,
            "frame_accelerations": frames.frame_accelerations,
            "frame_classical_accelerations": frames.frame_classical_accelerations,
            **motion_derivatives.OF_BODIES,
            **motion_derivatives.OF_FRAMES,
            "gravity_dq": gravity_dq,
            "static_forces_dq": static_forces_dq,
            "kinetic_energy_regressor": kinetic_energy_regressor,
            "potential_energy_regressor": potential_energy_regressor,
            "center_of_mass_velocity": center_of_mass_velocity,
            "center_of_mass_acceleration": center_of_mass_acceleration,
            "center_of_mass_jacobian": center_of_mass_jacobian,
            "centroidal_momentum_rate": centroidal_momentum_rate,
            "centroidal_momentum_matrix_rate": centroidal_momentum_matrix_rate,
            "centroidal_momentum_dq": centroidal_momentum_dq,
            "centroidal_momentum_rate_dq": centroidal_momentum_rate_dq,
            "centroidal_momentum_rate_dv": centroidal_momentum_rate_dv,
        }
    )
)
"""The algorithm of every quantity, by name."""


OF_CONSTRAINTS: dict[str, Algorithm] = {
    name: with_mimic(name, algorithm)
    for name, algorithm in (("constraint_jacobian", constraint_jacobian), ("constraint_drift", constraint_drift))
}
"""The algorithms of a mechanism with constraints that compute over any field, by name."""

PROVABLE = ALGORITHMS | OF_CONSTRAINTS
"""All algorithms that compute over any field, by name."""

BY_PARTS: dict[str, Algorithm] = {
    function.__name__: with_mimic(function.__name__, function)
    for function in (constraint_jacobian_dq, constraint_drift_dq, constraint_drift_dv)
}
"""The derivatives of J and of the drift, by name; over any field."""

CONSTRAINED = algorithms(ALGORITHMS, OF_CONSTRAINTS["constraint_jacobian"], OF_CONSTRAINTS["constraint_drift"], BY_PARTS)
"""The algorithms of a mechanism with constraints, by name; in float64 only."""


class ReferenceDynamics(AlgorithmicDynamics):
    """The reference for one mechanism over ``field``."""

    def __init__(self, mechanism: Mechanism, field: Real) -> None:
        super().__init__(mechanism, build(mechanism, field), {**ALGORITHMS, **INTEGRATION})


class Reference(Algorithmic):
    """The implementation "reference" over ``field``, float64 unless another field is given."""

    def __init__(self, field: Real | None = None) -> None:
        super().__init__("reference", build, {**ALGORITHMS, **CONSTRAINED, **INTEGRATION}, field, mimic_joints=True)


REFERENCE = Reference()
