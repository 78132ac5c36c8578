"""What RBDL's nonlinear effects and biorbd's inverse dynamics lack."""

from __future__ import annotations

import numpy as np

from cross_check.explain.findings.finding import Functions, without_terms
from implementations.field import Tensor
from implementations.protocol import Dynamics
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import mul
from mechanisms import Mechanism

EULER = ("euler-xyz", "euler-yxz", "euler-zyx")
"""The joints that the adapter gives RBDL as one joint whose axes move in the body. It makes a chain of euler-zxy."""


def without_first_velocity_products(mechanism: Mechanism, right: Dynamics) -> Functions:
    """h without the forces of the accelerations c_J of joints at the root, which ``NonlinearEffects`` leaves out."""
    return without_terms(mechanism, right, {"nonlinear_effects": _of_first_joints})


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


def with_reversed_damping(mechanism: Mechanism, right: Dynamics) -> Functions:
    """biorbd's inverse dynamics, which subtracts damping · v instead of adding it."""
    twice = 2 * mechanism.arrays.per_coordinate(mechanism.arrays.damping)
    return {
        "inverse_dynamics": lambda q, v, a: right.inverse_dynamics(q, v, a) - twice * v,
        "inverse_dynamics_with_forces": lambda q, v, a, f: right.inverse_dynamics_with_forces(q, v, a, f) - twice * v,
    }
