"""The rate of the centroidal momentum matrix, and derivatives of the centroidal momentum and of its rate, in the root's frame.

D. Orin, A. Goswami, S. Lee, "Centroidal dynamics of a humanoid robot" (2013), has Ȧ_G; J. Carpentier, N. Mansard, "Analytical
derivatives of rigid body dynamics algorithms" (RSS 2018), the derivatives of h and f. With s_k, ṡ_k, Ψ̇_k, Ψ̈_k, I, B and f of
:mod:`implementations.spatial_algebra.derivatives`, about the root's origin (docs/notes/derivatives.md, eqs. 36–39):

    A_0,k = Iᶜ s_k,                                             Ȧ_0,k = Iᶜ ṡ_k + (Bᶜ + Bᶜᵀ) s_k
    ∂h_0/∂q_k = Iᶜ Ψ̇_k + s_k ×* hᶜ
    ∂ḣ_0/∂q_k = Iᶜ Ψ̈_k + 2 Bᶜ Ψ̇_k + s_k ×* Fᶜ,                ∂ḣ_0/∂q̇_k = Iᶜ (Ψ̇_k + ṡ_k) + 2 Bᶜ s_k

The sums ᶜ are over the bodies that coordinate k moves, h = I v is the momentum of a body, and the force f = I a + v ×* I v is
without gravity. About the centre of mass, which moves, every derivative ∂ of a momentum has one term more (eq. 40):

    h_G = [k_0 − c × l; l],        ∂k = ∂k_0 − c × ∂l − ∂c × l
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor
from implementations.spatial_algebra.centroidal import momentum_about, total_mass
from implementations.spatial_algebra.derivatives import JointMotion, forward_pass, subtree_sums
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crf, cross, mul


def centroidal_momentum_matrix_rate(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Ȧ_G (6, nv, batch), with ḣ_G = A_G q̈ + Ȧ_G q̇."""
    joints = forward_pass(weightless(model), q, qd, 0 * qd)
    dA = subtree_columns(model, joints, lambda joint, I, B2: mul(I, joint.ds) + mul(B2 + B2.swapaxes(0, 1), joint.s) / 2)
    return about_moving_center(model, joints, dA, moving_center(model, joints))


def centroidal_momentum_dq(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """∂h_G/∂q (6, nv, batch) along the components of q̇, which are held fixed."""
    joints = forward_pass(weightless(model), q, qd, 0 * qd)
    dh = subtree_columns(model, joints, lambda joint, I, B2: mul(I, joint.dΨ))
    dh = dh + _turned(model, joints, [mul(joint.I, joint.v) for joint in joints])
    return about_moving_center(model, joints, dh, _moved(model, joints, momentum_of_all(joints)))


def centroidal_momentum_rate_dq(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """∂ḣ_G/∂q (6, nv, batch) along the components of q̇; the components of q̇ and q̈ are held fixed."""
    joints = forward_pass(weightless(model), q, qd, qdd)
    df = subtree_columns(model, joints, lambda joint, I, B2: mul(I, joint.ddΨ) + mul(B2, joint.dΨ))
    df = df + _turned(model, joints, [joint.f for joint in joints])
    force: Any = sum(joint.f for joint in joints)
    return about_moving_center(model, joints, df, _moved(model, joints, force))


def centroidal_momentum_rate_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """∂ḣ_G/∂q̇ (6, nv, batch). It is the same for every q̈."""
    joints = forward_pass(weightless(model), q, qd, 0 * qd)
    df = subtree_columns(model, joints, lambda joint, I, B2: mul(I, joint.dΨ + joint.ds) + mul(B2, joint.s))
    return about_moving_center(model, joints, df, 0 * df[:3])


def weightless(model: Model) -> Model:
    """The same model without gravity.

    The weight is constant and has no moment about the centre of mass, so that it would cancel in all derivatives, and be rounded.
    """
    return replace(model, gravity=0 * model.gravity)


def subtree_columns(model: Model, joints: list[JointMotion], of_joint: Callable[[JointMotion, Tensor, Tensor], Tensor]) -> Tensor:
    """The columns (6, nv, batch) of all joints, from their motion and the sums of I and 2 B over their subtrees."""
    I, B2 = (subtree_sums(model, list(terms)) for terms in zip(*((joint.I, joint.B2) for joint in joints), strict=True))
    return np.concatenate([of_joint(*parts) for parts in zip(joints, I, B2, strict=True)], axis=1)


def _turned(model: Model, joints: list[JointMotion], forces: list[Tensor]) -> Tensor:
    """s_k ×* of the sum of the bodies' ``forces`` over the subtree of k (6, nv, batch)."""
    sums = subtree_sums(model, forces)
    return np.concatenate([crf(joint.s, force) for joint, force in zip(joints, sums, strict=True)], axis=1)


def momentum_of_all(joints: list[JointMotion]) -> Tensor:
    """h_0 (6, batch) of all bodies."""
    total: Any = sum(mul(joint.I, joint.v) for joint in joints)
    return total


def moving_center(model: Model, joints: list[JointMotion]) -> Tensor:
    """ċ × l of the columns of A_G (3, nv, batch)."""
    A = subtree_columns(model, joints, lambda joint, I, B2: mul(I, joint.s))
    velocity = momentum_of_all(joints)[3:] / total_mass(model)
    return cross(velocity[:, None], A[3:])


def _moved(model: Model, joints: list[JointMotion], momentum: Tensor) -> Tensor:
    """∂c/∂q × l (3, nv, batch), with l of ``momentum`` (6, batch)."""
    dc = subtree_columns(model, joints, lambda joint, I, B2: mul(I, joint.s))[3:] / total_mass(model)
    return cross(dc, momentum[3:, None])


def about_moving_center(model: Model, joints: list[JointMotion], about_root: Tensor, moved: Tensor) -> Tensor:
    """The derivative (6, nv, batch) of a momentum about c, from that of the momentum about the root's origin and ∂c × l."""
    I: Any = sum(joint.I for joint in joints)
    c = np.stack([I[2, 4], I[0, 5], I[1, 3]]) / total_mass(model)
    derivative = momentum_about(c, about_root)
    return np.concatenate((derivative[:3] - moved, derivative[3:]))


CENTROIDAL_DERIVATIVES = by_name(
    centroidal_momentum_matrix_rate,
    centroidal_momentum_dq,
    centroidal_momentum_rate_dq,
    centroidal_momentum_rate_dv,
)
"""The algorithms of this module, by name."""
