"""The Newton–Euler recursion with screws: products of exponentials, adjoints and wrenches.

K. Lynch, F. Park, *Modern Robotics* (2017), eqs. 8.50–8.54; text 003, §§8, 10, 13, 20, 22–25, 29. The frame of a
link has its origin in the centre of mass. :mod:`implementations.screws.adjoints` defines M, A and 𝒢.

    T = e^{−[A] q} M                                      8.50
    𝒱_i = Ad_T 𝒱_λ + A q̇                                  8.51    𝒱_0 = 0
    𝒱̇_i = Ad_T 𝒱̇_λ + ad_𝒱 A q̇ + A q̈                       8.52    𝒱̇_0 = (0, −g)
    ℱ_i = 𝒢 𝒱̇_i − adᵀ_𝒱 𝒢 𝒱_i + Σ Adᵀ_T ℱ                 8.53    over the children of i
    τ = Aᵀ ℱ_i                                            8.54    text 003, §29

Gravity compensation adds the wrench that holds the mass that it lifts, m ([r] g, g) for a mass at r in {i}.

Text 003, §22 gives the product of exponentials. Its §23 writes it as the exponential of a sum, which holds only for screws that
commute. This derivation shares no arithmetic with the other two. It offers no forward dynamics.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.algorithms import Algorithmic, from_inverse_dynamics
from implementations.field import Tensor, constant
from implementations.screws.adjoints import Ad, Link, Tree, ad, build, displacement, mul, skew


def joint_transform(tree: Tree, link: Link, q: Tensor) -> Tensor:
    """T = T_{i,λ} (4, 4, batch): the pose of the parent's frame in the link's frame, at q (nq of the mechanism, batch)."""
    return mul(displacement(link, q[link.q], tree.field), link.M)


def inverse_dynamics(tree: Tree, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """τ (nv, batch) that causes the acceleration q̈ (nv, batch) at q (nq, batch) and q̇ (nv, batch).

    τ includes armature · q̈, damping · q̇, friction · sign(q̇) and stiffness · (θ − θ₀).
    """
    zero, g = 0 * tree.gravity, [tree.gravity]
    V, dV, F = ([np.concatenate((zero, linear))] for linear in (zero, -tree.gravity, zero))
    links = [(link, Ad(joint_transform(tree, link, q))) for link in tree.links]
    for link, Ad_T in links:
        A, G, λ = link.A, link.G, link.parent
        V.append(mul(Ad_T, V[λ]) + A @ qd[link.v])
        ad_V = ad(V[-1])
        dV.append(mul(Ad_T, dV[λ]) + mul(ad_V, A @ qd[link.v]) + A @ qdd[link.v])
        F.append(G @ dV[-1] - mul(ad_V.swapaxes(0, 1), G @ V[-1]))
        g.append(mul(Ad_T[:3, :3], g[λ]))
        if link.lifted:
            mass, r = link.lifted
            F[-1] = F[-1] + mass * np.concatenate((mul(skew(r), g[-1]), g[-1]))

    τ = []
    for i, (link, Ad_T) in reversed(list(enumerate(links, 1))):
        τ.append(link.A.T @ F[i])
        F[link.parent] = F[link.parent] + mul(Ad_T.swapaxes(0, 1), F[i])
    joint_forces = np.concatenate(τ[::-1]) + tree.armature * qdd + tree.damping * qd
    if tree.friction is not None:
        joint_forces = joint_forces + tree.friction * tree.field.sign(qd)
    for spring in tree.springs:
        own = spring.link.v
        joint_forces[own] = joint_forces[own] + spring.stiffness * spring.turned(q, tree.field)
    return joint_forces


def kinetic_energy(tree: Tree, q: Tensor, qd: Tensor) -> Tensor:
    """T = ½ Σ 𝒱ᵀ 𝒢 𝒱 + ½ Σ armature q̇² (batch,)."""
    V = [np.concatenate((0 * tree.gravity, 0 * tree.gravity))]
    twice_T: Any = (tree.armature * qd * qd).sum(axis=0)
    for link in tree.links:
        V.append(mul(Ad(joint_transform(tree, link, q)), V[link.parent]) + link.A @ qd[link.v])
        twice_T = twice_T + (V[-1] * (link.G @ V[-1])).sum(axis=0)
    return twice_T / 2


def potential_energy(tree: Tree, q: Tensor) -> Tensor:
    """V = −Σ m gᵀ c (batch,) (text 001), with c the centres of mass in the base's frame, and ½ Σ stiffness (θ − θ₀)².

    The pose of the base in link i is a product of exponentials T = (R, p) (text 003, §22). As p = −R c, −gᵀ c = (R g)ᵀ p.
    A mass that is lifted counts with the opposite sign; at r in {i} it has (R g)ᵀ (p − r).
    """
    T = [constant(tree.field, np.eye(4, dtype=int))[..., None]]
    V: Any = 0
    for link in tree.links:
        T.append(mul(joint_transform(tree, link, q), T[link.parent]))
        R, p, m = T[-1][:3, :3], T[-1][:3, 3], link.G[5:, 5]
        g = mul(R, tree.gravity)
        V = V + m * (g * p).sum(axis=0)
        if link.lifted:
            V = V - link.lifted[0] * (g * (p - link.lifted[1])).sum(axis=0)
    for spring in tree.springs:
        V = V + (spring.stiffness * spring.turned(q, tree.field) ** 2).sum(axis=0) / 2
    return V


ALGORITHMS = from_inverse_dynamics(inverse_dynamics) | {"kinetic_energy": kinetic_energy, "potential_energy": potential_energy}

SCREWS = Algorithmic("screws", build, ALGORITHMS)
