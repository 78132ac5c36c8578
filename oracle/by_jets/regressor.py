"""The regressors from energy: the Lagrangian is linear in the pseudo-inertias J of the bodies.

    L = ½ Σᵦ tr(Ṫᵦ Jᵦ Ṫᵦᵀ) + Σᵦ [gᵀ 0] Tᵦ Jᵦ e₄,        Jᵦ = Σₖ Ĵₖ πₖ

so ∂τ/∂πₖ is what the Euler–Lagrange equations give for the unit pseudo-inertia Ĵₖ of body b alone, without armature and
damping. :mod:`oracle.by_jets.variation` has the equations; only the joints that carry body b have a torque. ∂T/∂πₖ and ∂V/∂πₖ are
the two terms of L themselves. With the inertia I about the body's origin, J = [[½ tr(I) 1 − I, m c], [m cᵀ, m]].
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechanisms.quantities import PARAMETERS
from oracle.by_jets.jets import mul, outward, outward_rate, outward_series, product, trace
from oracle.by_jets.system import System
from oracle.by_jets.transforms import transforms
from oracle.fields import Array, Field, array


def joint_torque_regressor(system: System, q: Array, v: Array, a: Array) -> Array:
    """Y (nv, 10 · bodies, batch) with τ = Y π + armature · a + damping · v, π as in :data:`mechanisms.quantities.PARAMETERS`."""
    T, A, Q = transforms(system, q, v, a)
    J = unit_pseudo_inertias(system.field)
    n = len(PARAMETERS)
    Y = np.stack([0 * v] * (n * len(system.links)), axis=1)
    for b in range(len(system.links)):
        # As in variation.euler_lagrange, with an axis for the ten parameters.
        X = T[b].rate.each(lambda rate: mul(rate[:, :, None], J).swapaxes(0, 1))
        W = mul(J[:, 3:], system.gravity[None, :, None])
        i = b
        while i >= 0:
            link = system.links[i]
            partials = Q[i].each(lambda x: x[:, :, :, None])
            momenta = X.each(lambda x: x[:, :, None])
            dL_dv = product(trace, partials, momenta)
            dL_dq = trace(partials.rate.now, momenta.now) + trace(partials.now, W[:, :, None])
            block = slice(n * b, n * (b + 1))
            Y[link.v, block] = Y[link.v, block] + dL_dv.rate.now - dL_dq
            to_parent = A[i].each(lambda x: x[:, :, None])
            X, W = outward_series(to_parent, X), outward_rate(to_parent.rate.now, X.now) + outward(to_parent.now, W)
            i = link.parent
    return Y


def kinetic_energy_regressor(system: System, q: Array, v: Array) -> Array:
    """Y (10 · bodies, batch) with T = Y π + ½ Σ armature · v²."""
    J = unit_pseudo_inertias(system.field)
    rates = (T.rate.now[:, :, None] for T in transforms(system, q, v)[0])
    return np.concatenate([trace(mul(rate, J), rate.swapaxes(0, 1)) / 2 for rate in rates])


def potential_energy_regressor(system: System, q: Array) -> Array:
    """Y (10 · bodies, batch) with V = Y π."""
    first = unit_pseudo_inertias(system.field)[:, 3:]
    places = (T.now[:, :, None] for T in transforms(system, q)[0])
    return np.concatenate([-(system.gravity[:, None] * mul(T, first)[:, 0]).sum(0) for T in places])


def unit_pseudo_inertias(field: Field) -> Array:
    """Ĵ (4, 4, 10, 1)."""
    units = []
    for k in range(len(PARAMETERS)):
        m, x, y, z, xx, yy, zz, xy, xz, yz = (Fraction(int(i == k)) for i in range(len(PARAMETERS)))
        half = (xx + yy + zz) / 2
        units.append(((half - xx, -xy, -xz, x), (-xy, half - yy, -yz, y), (-xz, -yz, half - zz, z), (x, y, z, m)))
    return np.stack([array(field, J)[..., None] for J in units], axis=2)
