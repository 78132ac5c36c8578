"""The Jacobian of iDynTree's centre of mass, from iDynTree's own momentum matrix.

iDynTree takes the average velocity of the robot for it, which is multiplied by the inverse of the robot's inertia: this loses
digits where the inertia is large (docs/findings/idyntree-com-jacobian-digits.md). The linear rows of the momentum matrix, divided
by the mass, lose none. Only a loss of digits is undone: a larger difference of the two is another fault.
"""

from __future__ import annotations

import numpy as np

from cross_check.findings.repaired import Repaired
from implementations.protocol import Array, Dynamics
from mechanisms import Mechanism

LOST = 1e-8
"""The largest part of J_c, relative to its largest entry, that counts as lost digits: more than any state of a check loses."""


def from_momentum(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """``dynamics`` with the lost digits of J_c from its A_G, and the same in c̈ = J_c a + J̇_c v."""
    mass = mechanism.arrays.masses.sum()

    def lost(q: Array) -> Array:
        right = dynamics.centroidal_momentum_matrix(q)[:, 3:] / mass
        difference: Array = right - dynamics.center_of_mass_jacobian(q)
        digits = abs(difference).max(axis=(1, 2)) <= LOST * abs(right).max(axis=(1, 2))
        return difference * digits[:, None, None]

    def jacobian(q: Array) -> Array:
        return dynamics.center_of_mass_jacobian(q) + lost(q)

    def acceleration(q: Array, v: Array, a: Array) -> Array:
        return dynamics.center_of_mass_acceleration(q, v, a) + np.einsum("bik,bk->bi", lost(q), a)

    return Repaired(dynamics, center_of_mass_jacobian=jacobian, center_of_mass_acceleration=acceleration)
