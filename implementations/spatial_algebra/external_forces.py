"""External forces, in the root's frame or in the bodies', and their effect on the joint forces.

    f_i^x = ⁱX*_0 ⁰f_i^x                                                   text 000, eqs. 14, 37
    τ = ID(q, q̇, q̈, f) = M q̈ + h − Σ J_iᵀ f_i^x                           text 001
    Σ J_iᵀ f_i^x:   τ_i = S_iᵀ f_i,   f_λ(i) += X_iᵀ f_i                   eqs. 37, 38 without inertia

Forces are (bodies, 6, batch): [n; f] (N m, N), which acts on a body in addition to gravity and joint forces. In the root's
frame, n is the moment about the root's origin. In a body's frame, n is the moment about the body's origin;
:func:`implementations.spatial_algebra.rnea.rnea` takes forces in bodies' frames.
"""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import Plucker, mul


def rnea_with_external_forces(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, f: Tensor) -> Tensor:
    """τ (nv, batch) that causes the acceleration q̈ when the forces ``f``, given in the root's frame, also act.

    The other arguments are those of :func:`implementations.spatial_algebra.rnea.rnea`.
    """
    return rnea(model, q, qd, qdd, in_bodies(model, q, f))


def in_bodies(model: Model, q: Tensor, f: Tensor) -> Tensor:
    """The forces ``f``, given in the root's frame, in the frames of their bodies at q (nq, batch)."""
    X0 = transforms_from_root(model, transforms(model, q)[0])
    return np.stack([inverse(X).T @ fi for X, fi in zip(X0, f, strict=True)])


def generalised_forces(model: Model, q: Tensor, fx: Tensor) -> Tensor:
    """Σ J_iᵀ f_i (nv, batch) at q (nq, batch); the forces ``fx`` are given in the frames of their bodies."""
    X, S = transforms(model, q)
    f, τ = list(fx), []
    for i, λ in reversed(list(enumerate(model.parents))):
        τ.append(mul(S[i].swapaxes(0, 1), f[i]))
        if λ >= 0:
            f[λ] = f[λ] + X[i].T @ f[i]
    return np.concatenate(τ[::-1])


def inverse(X: Plucker) -> Plucker:
    """^AX_B of ^BX_A (text 000, eq. 13); its transpose is ^BX*_A (eq. 14)."""
    return Plucker(X.E.swapaxes(0, 1), -mul(X.E, X.r))
