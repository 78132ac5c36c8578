"""What derivatives lack where a joint's axes are taken for fixed in the body: what a known fault of an engine leaves out.

With its screws s moved as if by the body, or by what comes before the joint, alone,

    ṡ = v × s,        Ψ̇ = v_λ × s,        Ψ̈ = a_λ × s + v_λ × Ψ̇,        and no s_i before another s_k of the joint

:mod:`implementations.spatial_algebra.derivatives` is right for all joints but those of several angles. What it has more is linear in the
differences of ṡ, Ψ̇, Ψ̈, and of one joint's own s_iᵀ (s_k ×* f).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.derivatives import Moving, beyond, motion, projected
from implementations.spatial_algebra.forward_derivatives import accelerations
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crf, crm, mul


def inverse_dynamics_dq(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    at = motion(model, q, qd, qdd)
    lacking = projected(model, at, [(joint.ddΨ - fixed.ddΨ, joint.dΨ - fixed.dΨ) for joint, fixed in paired(model, at)])
    f = beyond(model, [joint.f for joint in at])
    for link, joint, fk in zip(model.links, at, f, strict=True):
        if link.compound:
            n = link.joint.nv
            lacking[link.v, link.v] += np.triu(np.ones((n, n)), 1)[..., None] * mul(joint.s.swapaxes(0, 1), crf(joint.s, fk))
    return lacking


def inverse_dynamics_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    at = motion(model, q, qd, 0 * qd)
    columns = [(joint.dΨ - fixed.dΨ + joint.ds - fixed.ds, 0 * joint.s) for joint, fixed in paired(model, at)]
    return projected(model, at, columns)


def forward_dynamics_dq(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    return accelerations(model, q, -inverse_dynamics_dq(model, q, qd, aba(model, q, qd, tau)))


def forward_dynamics_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    return accelerations(model, q, -inverse_dynamics_dv(model, q, qd))


def coriolis_matrix(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    at = motion(model, q, qd, 0 * qd)
    return projected(model, at, [(joint.ds - fixed.ds, 0 * joint.s) for joint, fixed in paired(model, at)])


def paired(model: Model, at: list[Moving]) -> list[tuple[Moving, Moving]]:
    """Every joint as it moves, and as if its axes were fixed in the body."""
    pairs = []
    for λ, joint in zip(model.parents, at, strict=True):
        v, a = (0 * model.gravity, -model.gravity) if λ < 0 else (at[λ].v, at[λ].a)
        dΨ = crm(v, joint.s)
        pairs.append((joint, joint._replace(ds=crm(joint.v, joint.s), dΨ=dΨ, ddΨ=crm(a, joint.s) + crm(v, dΨ))))
    return pairs


LACKING: dict[str, Callable[..., Tensor]] = {
    "inverse_dynamics_dq": inverse_dynamics_dq,
    "inverse_dynamics_dv": inverse_dynamics_dv,
    "forward_dynamics_dq": forward_dynamics_dq,
    "forward_dynamics_dv": forward_dynamics_dv,
    "coriolis_matrix": coriolis_matrix,
}
"""By quantity: what is lacking (nv, nv, batch)."""
