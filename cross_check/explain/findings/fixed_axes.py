"""The terms that derivatives lack if every joint's axes are taken as fixed in the joint's body.

An engine with this fault computes, for all screws s of a joint alike, with the velocity v of its body and the velocity v_λ
and the acceleration a_λ of its parent body (docs/notes/derivatives.md, eq. 24):

    ṡ = v × s,        Ψ̇ = v_λ × s,        Ψ̈ = a_λ × s + v_λ × Ψ̇

This is wrong only for joints with several angles, in which each axis moves with the angles before it. The right derivatives
(:mod:`implementations.spatial_algebra.derivatives`) are linear in ṡ, Ψ̇ and Ψ̈. So the missing terms are the right formulas with
the differences Δṡ, ΔΨ̇ and ΔΨ̈ (right minus fixed) in place of ṡ, Ψ̇ and Ψ̈ (eqs. 25–27).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.centroidal_derivatives import about_moving_center, subtree_columns, weightless
from implementations.spatial_algebra.derivatives import JointMotion, forward_pass, project_on_screws, transmitted_forces
from implementations.spatial_algebra.forward_derivatives import accelerations
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crf, crm, mul


def inverse_dynamics_dq(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, fx: Tensor | None = None) -> Tensor:
    """Eq. 25."""
    joints = forward_pass(model, q, qd, qdd)
    pairs = zip(joints, with_fixed_axes(model, joints), strict=True)
    missing = project_on_screws(model, joints, [(right.ddΨ - fixed.ddΨ, right.dΨ - fixed.dΨ) for right, fixed in pairs])
    forces = transmitted_forces(model, q, joints, fx)
    for link, joint, F in zip(model.links, joints, forces, strict=True):
        if link.compound:
            # Earlier components of the joint precede the later ones.
            earlier = np.triu(np.ones((link.joint.nv, link.joint.nv)), 1)[..., None]
            missing[link.v, link.v] += earlier * mul(joint.s.swapaxes(0, 1), crf(joint.s, F))
    return missing


def inverse_dynamics_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Eq. 26."""
    joints = forward_pass(model, q, qd, 0 * qd)
    pairs = zip(joints, with_fixed_axes(model, joints), strict=True)
    columns = [(right.dΨ - fixed.dΨ + right.ds - fixed.ds, 0 * right.s) for right, fixed in pairs]
    return project_on_screws(model, joints, columns)


def forward_dynamics_dq(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    """−M⁻¹ times eq. 25, at q̈ = FD(q, q̇, τ)."""
    return accelerations(model, q, -inverse_dynamics_dq(model, q, qd, aba(model, q, qd, tau)))


def forward_dynamics_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """−M⁻¹ times eq. 26."""
    return accelerations(model, q, -inverse_dynamics_dv(model, q, qd))


def coriolis_matrix(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Eq. 27."""
    joints = forward_pass(model, q, qd, 0 * qd)
    pairs = zip(joints, with_fixed_axes(model, joints), strict=True)
    return project_on_screws(model, joints, [(right.ds - fixed.ds, 0 * right.s) for right, fixed in pairs])


def gravity_dq(model: Model, q: Tensor) -> Tensor:
    """Eq. 25 at rest."""
    return static_forces_dq(model, q, None)


def static_forces_dq(model: Model, q: Tensor, fx: Tensor | None) -> Tensor:
    """Eq. 25 at rest, under external forces."""
    still = np.zeros((model.nv, 1))
    return inverse_dynamics_dq(model, q, still, still, fx)


def centroidal_momentum_matrix_rate(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Eq. 41: Iᶜ Δṡ."""
    return _of_momentum(model, q, qd, 0 * qd, lambda right, fixed, I, B2: mul(I, right.ds - fixed.ds))


def centroidal_momentum_dq(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Eq. 41: Iᶜ ΔΨ̇."""
    return _of_momentum(model, q, qd, 0 * qd, lambda right, fixed, I, B2: mul(I, right.dΨ - fixed.dΨ))


def centroidal_momentum_rate_dq(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """Eq. 41: Iᶜ ΔΨ̈ + 2 Bᶜ ΔΨ̇."""

    def column(right: JointMotion, fixed: JointMotion, I: Tensor, B2: Tensor) -> Tensor:
        return mul(I, right.ddΨ - fixed.ddΨ) + mul(B2, right.dΨ - fixed.dΨ)

    return _of_momentum(model, q, qd, qdd, column)


def centroidal_momentum_rate_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Eq. 41: Iᶜ (ΔΨ̇ + Δṡ)."""

    def column(right: JointMotion, fixed: JointMotion, I: Tensor, B2: Tensor) -> Tensor:
        return mul(I, right.dΨ - fixed.dΨ + right.ds - fixed.ds)

    return _of_momentum(model, q, qd, 0 * qd, column)


def _of_momentum(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, column: Callable[..., Tensor]) -> Tensor:
    """The missing columns (6, nv, batch) of all joints, about the centre of mass."""
    model = weightless(model)
    joints = forward_pass(model, q, qd, qdd)
    fixed = iter(with_fixed_axes(model, joints))
    missing = subtree_columns(model, joints, lambda right, I, B2: column(right, next(fixed), I, B2))
    return about_moving_center(model, joints, missing, 0 * missing[:3])


def with_fixed_axes(model: Model, joints: list[JointMotion]) -> list[JointMotion]:
    """The same joints with ṡ, Ψ̇ and Ψ̈ of axes that are fixed in the body (eq. 24)."""
    fixed = []
    for λ, joint in zip(model.parents, joints, strict=True):
        v, a = (0 * model.gravity, -model.gravity) if λ < 0 else (joints[λ].v, joints[λ].a)
        dΨ = crm(v, joint.s)
        fixed.append(joint._replace(ds=crm(joint.v, joint.s), dΨ=dΨ, ddΨ=crm(a, joint.s) + crm(v, dΨ)))
    return fixed


MISSING_TERMS: dict[str, Callable[..., Tensor]] = {
    "inverse_dynamics_dq": inverse_dynamics_dq,
    "inverse_dynamics_dv": inverse_dynamics_dv,
    "forward_dynamics_dq": forward_dynamics_dq,
    "forward_dynamics_dv": forward_dynamics_dv,
    "coriolis_matrix": coriolis_matrix,
    "gravity_dq": gravity_dq,
    "static_forces_dq": static_forces_dq,
    "centroidal_momentum_dq": centroidal_momentum_dq,
    "centroidal_momentum_rate_dq": centroidal_momentum_rate_dq,
    "centroidal_momentum_rate_dv": centroidal_momentum_rate_dv,
}
"""By quantity: the missing terms (nv, nv, batch), or (6, nv, batch) of a momentum."""
