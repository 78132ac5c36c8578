"""The reference: the recursive algorithms of this folder, on batches of float64 or of another floating-point type."""

from __future__ import annotations

from implementations.algorithms import Algorithm, Algorithmic, AlgorithmicDynamics
from implementations.field import Real
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.bias import BIAS
from implementations.spatial_algebra.centroidal import CENTROIDAL
from implementations.spatial_algebra.centroidal_derivatives import CENTROIDAL_DERIVATIVES
from implementations.spatial_algebra.constrained_dynamics import algorithms
from implementations.spatial_algebra.constraints import CONSTRAINT_DERIVATIVES, CONSTRAINTS
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.derivatives import DERIVATIVES
from implementations.spatial_algebra.energy import ENERGIES
from implementations.spatial_algebra.energy_regressors import ENERGY_REGRESSORS
from implementations.spatial_algebra.forward_derivatives import FORWARD_DERIVATIVES
from implementations.spatial_algebra.frames import FRAMES
from implementations.spatial_algebra.integration import INTEGRATION
from implementations.spatial_algebra.joint_torque_regressor import joint_torque_regressor
from implementations.spatial_algebra.kinematics import KINEMATICS
from implementations.spatial_algebra.mimic import with_mimic, with_mimics
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.motion_derivatives import OF_BODIES, OF_FRAMES
from implementations.spatial_algebra.rnea import rnea
from mechanisms import Mechanism
from mechanisms.quantities import by_quantity

_FAMILIES: dict[str, Algorithm] = {
    "inverse_dynamics": rnea,
    "inverse_dynamics_with_forces": rnea,
    "mass_matrix": crba,
    "forward_dynamics": aba,
    "joint_torque_regressor": joint_torque_regressor,
    **BIAS,
    **ENERGIES,
    **ENERGY_REGRESSORS,
    **KINEMATICS,
    **CENTROIDAL,
    **CENTROIDAL_DERIVATIVES,
    **DERIVATIVES,
    **FORWARD_DERIVATIVES,
    **FRAMES,
    **OF_BODIES,
    **OF_FRAMES,
}

ALGORITHMS: dict[str, Algorithm] = with_mimics(by_quantity(_FAMILIES))
"""The algorithm of every quantity, by name."""

OF_CONSTRAINTS = {name: with_mimic(name, algorithm) for name, algorithm in CONSTRAINTS.items()}
"""The algorithms of a mechanism with constraints that compute over any field, by name."""

PROVABLE = ALGORITHMS | OF_CONSTRAINTS
"""All algorithms that compute over any field, by name."""

BY_PARTS = {name: with_mimic(name, algorithm) for name, algorithm in CONSTRAINT_DERIVATIVES.items()}
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
