"""The Jacobian of iDynTree's centre of mass, from iDynTree's own momentum matrix.

iDynTree takes the average velocity of the robot for it, which is multiplied by the inverse of the robot's inertia: this loses
digits where the inertia is large (docs/findings/idyntree-com-jacobian-digits.md). The linear rows of the momentum matrix, divided
by the mass, lose none.
"""

from __future__ import annotations

import numpy as np

from cross_check.findings.repaired import Repaired
from implementations.protocol import Array, Dynamics
from mechanisms import Mechanism


def from_momentum(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """``dynamics`` with J_c of its A_G, and the same in c̈ = J_c a + J̇_c v."""
    mass = mechanism.arrays.masses.sum()

    def jacobian(q: Array) -> Array:
        rows: Array = dynamics.centroidal_momentum_matrix(q)[:, 3:] / mass
        return rows

    def acceleration(q: Array, v: Array, a: Array) -> Array:
        return dynamics.center_of_mass_acceleration(q, v, 0 * a) + np.einsum("bik,bk->bi", jacobian(q), a)

    return Repaired(dynamics, center_of_mass_jacobian=jacobian, center_of_mass_acceleration=acceleration)
