"""Terms that an engine leaves out of one quantity, or counts with the wrong sign: what is missing, by quantity."""

from __future__ import annotations

from functools import partial

import numpy as np

from cross_check.explain.findings.finding import Functions, lacking
from cross_check.explain.findings.fixed_axes import centroidal_momentum_matrix_rate
from implementations.field import Tensor
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.centroidal_derivatives import moving_center, weightless
from implementations.spatial_algebra.derivatives import forward_pass
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.kinematics import all_in_frame
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crm, mul
from mechanisms import Mechanism
from mechanisms.quantities import FRAMES

EULER = ("euler-xyz", "euler-yxz", "euler-zyx")
"""The joints that the adapter gives RBDL as one joint whose axes move in the body. It makes a chain of euler-zxy."""


def without_unaligned_armature(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Pinocchio's T, without the ½ armature q̇² of revolute and helical joints about any axis but +x, +y and +z."""
    joints = [body.joint for body in mechanism.bodies]
    unaligned = [joint.kind in ("revolute", "helical") and sorted(joint.axis) != [0, 0, 1] for joint in joints]
    missing = mechanism.arrays.per_coordinate(mechanism.arrays.armature * unaligned)
    return {"kinetic_energy": lambda q, v: right.kinetic_energy(q, v) - (missing * v * v).sum(axis=1) / 2}


def with_reversed_damping(mechanism: Mechanism, right: Dynamics) -> Functions:
    """biorbd's inverse dynamics, which subtracts damping · v instead of adding it."""
    twice = 2 * mechanism.arrays.per_coordinate(mechanism.arrays.damping)

    def wrong(name: str, q: Array, v: Array, *rest: Array) -> Array:
        return np.asarray(getattr(right, name)(q, v, *rest) - twice * v)

    return {name: partial(wrong, name) for name in ("inverse_dynamics", "inverse_dynamics_with_forces")}


def without_turning_base(mechanism: Mechanism, right: Dynamics) -> Functions:
    """iDynTree's Coriolis matrix, without what is due to axes of the base that turn with it.

    For bodies i with Jacobians J, C = Σ Jᵀ (I J̇ + B J), where the columns of J̇ are the rates of screws that move with their
    bodies (docs/conventions.md). The screws of a free base are the unit motions along its own axes, and their rates are v₀ ×.
    iDynTree takes them as zero. What is missing is Σ Jᵀ I X [v₀×] in the base's columns, and Σ Jᵀ I X are these columns of M.
    """
    if mechanism.bodies[0].joint.kind != "free":
        return {}

    def coriolis_matrix(q: Array, v: Array) -> Array:
        C, crossing = right.coriolis_matrix(q, v), crm(v[:, :6].T[:, None], np.eye(6)[..., None])
        C[:, :, :6] -= right.mass_matrix(q)[:, :, :6] @ np.moveaxis(crossing, -1, 0)
        return C

    return {"coriolis_matrix": coriolis_matrix}


def _subspace_rates(model: Model, q: Tensor, qd: Tensor, frame: str) -> Tensor:
    """Σ Ṡ q̇ over the joints on the path from the root to every body (bodies, 6, batch)."""
    X, S = transforms(model, q)
    sums: list[Tensor] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        own = velocity_product(S[i], qd[link.v]) if link.compound else np.zeros((6, q.shape[-1]))
        sums.append(own if λ < 0 else X[i] @ sums[λ] + own)
    return all_in_frame(frame, model, X, sums)


def _of_first_joints(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Σ Sᵀ I a over the subtrees of Euler joints at the root (nv, batch); a is c_J of the joint, carried to every body."""
    X, S = transforms(model, q)
    a: list[Tensor] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        wrong = λ < 0 and link.joint.kind in EULER
        own = velocity_product(S[i], qd[link.v]) if wrong else np.zeros((6, q.shape[-1]))
        a.append(own if λ < 0 else X[i] @ a[λ])
    f = [mul(link.I, a[i]) for i, link in enumerate(model.links)]
    τ = []
    for i, λ in reversed(list(enumerate(model.parents))):
        τ.append(mul(S[i].swapaxes(0, 1), f[i]))
        if λ >= 0:
            f[λ] = f[λ] + X[i].T @ f[i]
    return np.concatenate(τ[::-1])


def _of_moving_center(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Both faults of Pinocchio's rate of the centroidal momentum matrix (6, nv, batch).

    Pinocchio takes the velocity of the centre of mass from another call, and it is zero where there was none. So the answer
    lacks −ċ × l in the angular rows of every column (docs/findings/pinocchio-centroidal-map-rate.md). For joints whose axes move
    in the body it lacks Iᶜ Δṡ, too (docs/findings/pinocchio-jacobian-time-variation-subspace.md).
    """
    moved = moving_center(model, forward_pass(weightless(model), q, qd, 0 * qd))
    return centroidal_momentum_matrix_rate(model, q, qd) - np.concatenate((moved, 0 * moved))


without_subspace_rates = lacking({f"drifts_{frame}": partial(_subspace_rates, frame=frame) for frame in FRAMES})
"""Pinocchio's J̇ v without Ṡ q̇, for joints whose axes move in the body's frame."""

without_first_velocity_products = lacking({"nonlinear_effects": _of_first_joints})
"""h without the forces of the accelerations c_J of joints at the root, which RBDL's ``NonlinearEffects`` leaves out."""

about_still_center = lacking({"centroidal_momentum_matrix_rate": _of_moving_center})
"""Pinocchio's Ȧ without the missing terms."""
