"""Which algorithm of the reference answers a quantity, in code that has one for several."""

from __future__ import annotations

from cross_check.explain.faults.fault import Edit

BY_UNIT_ACCELERATIONS = (
    Edit(
        "reference",
        "from implementations.algorithms import Algorithm, Algorithmic, AlgorithmicDynamics",
        "from implementations.algorithms import Algorithm, Algorithmic, AlgorithmicDynamics, from_inverse_dynamics",
    ),
    Edit("reference", '"mass_matrix": crba', '"mass_matrix": from_inverse_dynamics(rnea)["mass_matrix"]'),
)
"""M is computed from inverse dynamics, so that it has the faults of it."""

WHOLE = Edit("reference", "", "", at=0)
"""All that a formulation has is computed from it: placements, Jacobians, M, C, energies, and q̈ by M and τ."""
