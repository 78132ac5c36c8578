"""The energy regressors: kinetic and potential energy are linear in the inertial parameters π of the bodies.

M. Gautier, W. Khalil, "On the identification of the inertial parameters of robots" (CDC 1988):

    T = Y_T π + ½ Σ armature q̇²        Y_T,ik = ½ v_iᵀ Î_k v_i
    V = Y_V π + ½ Σ stiffness (q − rest)² − V(lifted)     Y_V,i  = −[gᵀ r_i, gᵀ R_i, 0]     for m, m c and I of body i

Î_k is the spatial inertia of a unit of the k-th parameter, r_i the body's origin, and R_i turns its axes to the root's; V is zero
at the root's origin. π has ten parameters per body, in the order of :data:`mechanisms.quantities.PARAMETERS`.
"""

from __future__ import annotations

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.joint_torque_regressor import unit_inertias
from implementations.spatial_algebra.kinematics import velocities
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import mul


def kinetic_energy_regressor(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Y_T (10 · bodies, batch) at q (nq, batch) and q̇ (nv, batch)."""
    units = unit_inertias(model.field)
    return np.stack([(v * mul(I, v)).sum(axis=0) / 2 for v in velocities(model, q, qd, "local") for I in units])


def potential_energy_regressor(model: Model, q: Tensor) -> Tensor:
    """Y_V (10 · bodies, batch) at q (nq, batch)."""
    g = model.gravity[3:]
    Y: list[Tensor] = []
    for X in transforms_from_root(model, transforms(model, q)[0]):
        mass, first_moment = -(g * X.r).sum(axis=0), -mul(X.E, g)
        Y += [mass, *first_moment, *[0 * mass] * 6]
    return np.stack(np.broadcast_arrays(*Y))


ENERGY_REGRESSORS = by_name(kinetic_energy_regressor, potential_energy_regressor)
"""The algorithms of this module, by name."""
