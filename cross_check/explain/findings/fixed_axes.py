"""The terms that derivatives lack if every joint's axes are taken as fixed in the joint's body.

An engine with this fault computes, for all screws s of a joint alike, with the velocity v of its body and the velocity v_λ
and the acceleration a_λ of its parent body (docs/notes/derivatives.md, eq. 24):

    ṡ = v × s,        Ψ̇ = v_λ × s,        Ψ̈ = a_λ × s + v_λ × Ψ̇

This is wrong only for joints with several angles, in which each axis moves with the angles before it. The right derivatives
(:mod:`implementations.spatial_algebra.derivatives`) are linear in ṡ, Ψ̇ and Ψ̈. So the missing terms are the right formulas with
the differences Δṡ, ΔΨ̇ and ΔΨ̈ (right minus fixed) in place of ṡ, Ψ̇ and Ψ̈ (eqs. 25–27, and eq. 41 of momenta).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.centroidal_derivatives import about_moving_center, subtree_columns, weightless
from implementations.spatial_algebra.derivatives import JointMotion, forward_pass, project_on_screws, transmitted_forces
from implementations.spatial_algebra.forward_derivatives import accelerations
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crf, crm, mul

Columns = Callable[[JointMotion], tuple[Tensor, Tensor]]
"""Of the differences of a joint's motion: m and n of the terms Iᶜ m + 2 Bᶜ n, each (6, nv of the joint, batch)."""


def _of_positions(Δ: JointMotion) -> tuple[Tensor, Tensor]:
    return Δ.ddΨ, Δ.dΨ


def _of_velocities(Δ: JointMotion) -> tuple[Tensor, Tensor]:
    return Δ.dΨ + Δ.ds, 0 * Δ.ds


def _of_rates(Δ: JointMotion) -> tuple[Tensor, Tensor]:
    return Δ.ds, 0 * Δ.ds


def _of_momentum(Δ: JointMotion) -> tuple[Tensor, Tensor]:
    return Δ.dΨ, 0 * Δ.dΨ


def _in_forces(columns: Columns, model: Model, q: Tensor, qd: Tensor, qdd: Tensor | int = 0) -> Tensor:
    """The missing terms (nv, nv, batch) of a derivative of forces, without those of eq. 18."""
    joints = forward_pass(model, q, qd, qdd + 0 * qd)
    return project_on_screws(model, joints, [columns(Δ) for Δ in _differences(model, joints)])


def inverse_dynamics_dq(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, fx: Tensor | None = None) -> Tensor:
    """Eq. 25."""
    missing, joints = _in_forces(_of_positions, model, q, qd, qdd), forward_pass(model, q, qd, qdd)
    for link, joint, F in zip(model.links, joints, transmitted_forces(model, q, joints, fx), strict=True):
        if link.compound:
            # Earlier components of the joint precede the later ones.
            earlier = np.triu(np.ones((link.joint.nv, link.joint.nv)), 1)[..., None]
            missing[link.v, link.v] += earlier * mul(joint.s.swapaxes(0, 1), crf(joint.s, F))
    return missing


inverse_dynamics_dv = partial(_in_forces, _of_velocities)
"""Eq. 26."""


def forward_dynamics_dq(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    """−M⁻¹ times eq. 25, at q̈ = FD(q, q̇, τ)."""
    return accelerations(model, q, -inverse_dynamics_dq(model, q, qd, aba(model, q, qd, tau)))


def forward_dynamics_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """−M⁻¹ times eq. 26."""
    return accelerations(model, q, -inverse_dynamics_dv(model, q, qd))


def static_forces_dq(model: Model, q: Tensor, fx: Tensor | None = None) -> Tensor:
    """Eq. 25 at rest, under external forces."""
    still = np.zeros((model.nv, 1))
    return inverse_dynamics_dq(model, q, still, still, fx)


def _in_momentum(columns: Columns, model: Model, q: Tensor, qd: Tensor, qdd: Tensor | int = 0) -> Tensor:
    """Eq. 41: the missing columns (6, nv, batch) of all joints, about the centre of mass."""
    model = weightless(model)
    joints = forward_pass(model, q, qd, qdd + 0 * qd)
    differences = iter(_differences(model, joints))

    def column(joint: JointMotion, I: Tensor, B2: Tensor) -> Tensor:
        m, n = columns(next(differences))
        return mul(I, m) + mul(B2, n)

    missing = subtree_columns(model, joints, column)
    return about_moving_center(model, joints, missing, 0 * missing[:3])


centroidal_momentum_matrix_rate = partial(_in_momentum, _of_rates)


def with_fixed_axes(model: Model, joints: list[JointMotion]) -> list[JointMotion]:
    """The same joints with ṡ, Ψ̇ and Ψ̈ of axes that are fixed in the body (eq. 24)."""
    fixed = []
    for λ, joint in zip(model.parents, joints, strict=True):
        v, a = (0 * model.gravity, -model.gravity) if λ < 0 else (joints[λ].v, joints[λ].a)
        dΨ = crm(v, joint.s)
        fixed.append(joint._replace(ds=crm(joint.v, joint.s), dΨ=dΨ, ddΨ=crm(a, joint.s) + crm(v, dΨ)))
    return fixed


def _differences(model: Model, joints: list[JointMotion]) -> list[JointMotion]:
    """Δṡ, ΔΨ̇ and ΔΨ̈ of the joints, in place of ṡ, Ψ̇ and Ψ̈."""
    pairs = zip(joints, with_fixed_axes(model, joints), strict=True)
    return [right._replace(**{name: getattr(right, name) - getattr(fixed, name) for name in RATES}) for right, fixed in pairs]


RATES = ("ds", "dΨ", "ddΨ")

MISSING_TERMS: dict[str, Callable[..., Tensor]] = {
    "inverse_dynamics_dq": inverse_dynamics_dq,
    "inverse_dynamics_dv": inverse_dynamics_dv,
    "forward_dynamics_dq": forward_dynamics_dq,
    "forward_dynamics_dv": forward_dynamics_dv,
    "coriolis_matrix": partial(_in_forces, _of_rates),
    "gravity_dq": static_forces_dq,
    "static_forces_dq": static_forces_dq,
    "centroidal_momentum_dq": partial(_in_momentum, _of_momentum),
    "centroidal_momentum_rate_dq": partial(_in_momentum, _of_positions),
    "centroidal_momentum_rate_dv": partial(_in_momentum, _of_velocities),
}
"""By quantity: the missing terms (nv, nv, batch), or (6, nv, batch) of a momentum."""
