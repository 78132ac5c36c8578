"""The centre of mass and the momentum about it, and their rates.

D. Orin, A. Goswami, S. Lee, "Centroidal dynamics of a humanoid robot", 2013:

    c = Σ m_i c_i / Σ m_i
    h_0 = Σ X_iᵀ I_i v_i,   h_G = X_G* h_0 = [k_0 − c × l; l]        X_i from the root's frame to body i's
    A_G = X_G* [… X_jᵀ I_c,j S_j …],   I_c,j the composite inertia of the subtree of joint j
    ḣ_G = X_G* Σ X_iᵀ (I_i a_i + v_i ×* I_i v_i)                     a_i without gravity; ċ × l = 0, since l = Σ m_i ċ
    ċ = l / Σ m_i,   c̈ = l̇ / Σ m_i,   J_c = the linear rows of A_G / Σ m_i

All components are along the root's axes. Only bodies have momentum here; rotors, which armature represents, have none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.kinematics import accelerations, velocities
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import Plucker, crf, cross, mul


def center_of_mass(model: Model, q: Tensor) -> Tensor:
    """c (3, batch) of all moving bodies, in the root's frame."""
    return _center_of_mass(model, transforms_from_root(model, transforms(model, q)[0]))


def centroidal_momentum(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """h_G (6, batch): the angular momentum about the centre of mass, then the linear momentum."""
    X0 = transforms_from_root(model, transforms(model, q)[0])
    v = velocities(model, q, qd, "local")
    h: Any = 0
    for i, link in enumerate(model.links):
        h = h + X0[i].T @ mul(link.I, v[i])
    return momentum_about(_center_of_mass(model, X0), h)


def centroidal_momentum_matrix(model: Model, q: Tensor) -> Tensor:
    """A_G (6, nv, batch), h_G = A_G q̇."""
    X, S = transforms(model, q)
    X0 = transforms_from_root(model, X)
    Ic = [link.I for link in model.links]
    A: list[Tensor] = []
    for i, λ in reversed(list(enumerate(model.parents))):
        if λ >= 0:
            Ic[λ] = Ic[λ] + X[i].carry(Ic[i])
        A.append(X0[i].T @ mul(Ic[i], S[i]))
    return momentum_about(_center_of_mass(model, X0), np.concatenate(A[::-1], axis=1))


def centroidal_momentum_rate(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """ḣ_G (6, batch), the rate of [k; l]."""
    X0 = transforms_from_root(model, transforms(model, q)[0])
    v, a = velocities(model, q, qd, "local"), accelerations(model, q, qd, qdd, "local")
    f: Any = 0
    for link, X, vi, ai in zip(model.links, X0, v, a, strict=True):
        f = f + X.T @ (mul(link.I, ai) + crf(vi, mul(link.I, vi)))
    return momentum_about(_center_of_mass(model, X0), f)


def center_of_mass_velocity(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """ċ (3, batch)."""
    return centroidal_momentum(model, q, qd)[3:] / total_mass(model)


def center_of_mass_acceleration(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """c̈ (3, batch), without gravity."""
    return centroidal_momentum_rate(model, q, qd, qdd)[3:] / total_mass(model)


def center_of_mass_jacobian(model: Model, q: Tensor) -> Tensor:
    """J_c (3, nv, batch), ċ = J_c q̇."""
    return centroidal_momentum_matrix(model, q)[3:] / total_mass(model)


def total_mass(model: Model) -> Any:
    """Σ m_i."""
    return sum(link.mass for link in model.links)


def _center_of_mass(model: Model, X0: list[Plucker]) -> Tensor:
    """c (3, batch) from every body's ^iX_0."""
    links = model.links
    first_moment: Any = sum(link.mass * (X.r + mul(X.E.swapaxes(0, 1), link.com)) for X, link in zip(X0, links, strict=True))
    return first_moment / total_mass(model)


def momentum_about(c: Tensor, h: Tensor) -> Tensor:
    """Momenta (6, …, batch) about the point c, from momenta h about the root's origin."""
    return np.concatenate((h[:3] - cross(c, h[3:]), h[3:]))


CENTROIDAL = by_name(
    center_of_mass,
    center_of_mass_velocity,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    centroidal_momentum,
    centroidal_momentum_rate,
    centroidal_momentum_matrix,
)
"""The algorithms of this module, by name."""
