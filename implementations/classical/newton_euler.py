"""The classical Newton–Euler recursion with 3-vectors in link frames.

J. Luh, M. Walker, R. Paul, "On-line computational scheme for mechanical manipulators", 1980; J. Craig, *Introduction to
Robotics* (3rd ed. 2005), eqs. 6.45–6.53 and 6.35; text 004, §§3, 4. λ is the parent of link i. R rotates vectors from the frame
of λ to the frame of i. P is the origin of i in the frame of λ, c the centre of mass in the frame of i. The joint's own angular
and linear velocities are w = Z q̇ and u = D q̇:

    ω_i = R ω_λ + w                                                                6.45         ω_0 = 0
    ω̇_i = R ω̇_λ + R ω_λ × w + ẇ                                                    6.46         ω̇_0 = 0
    v̇_i = R (ω̇_λ × P + ω_λ × (ω_λ × P) + v̇_λ) + (2 R ω_λ + w) × u + u̇              6.47, 6.35   v̇_0 = −g
    v̇_c = ω̇_i × c + ω_i × (ω_i × c) + v̇_i,    F = m v̇_c,    N = I ω̇_i + ω_i × I ω_i           6.48, 6.49, 6.50
    f_i = F + Σ Rᵀ f,    n_i = N + c × F + Σ (Rᵀ n + P × Rᵀ f)    over the children of i        6.51, 6.52
    τ = Zᵀ n_i + Dᵀ f_i                                                            6.53

Gravity compensation of a mass m' at c' adds m' g to F, and c' × m' g to n, with g in the frame of the link.

Craig's joints rotate about Ẑ (Z = Ẑ, D = 0) or slide along it (Z = 0, D = Ẑ). A helical joint does both, with D = pitch Z. In a
planar or free joint, Z and D have a column for each component of the link's own velocity, and u rotates with the link: this
gives the term w × u, which is zero for all other joints. This derivation shares no arithmetic with the other two, except the
elimination in forward dynamics.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.algorithms import Algorithmic, from_inverse_dynamics
from implementations.classical.link_frames import Chain, build, cross, joint_transform, mul, stretch
from implementations.field import Tensor, constant
from implementations.linear import solve


def inverse_dynamics(chain: Chain, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """τ (nv, batch) that causes the acceleration q̈ (nv, batch) at q (nq, batch) and q̇ (nv, batch).

    τ includes armature · q̈, damping · q̇, friction · sign(q̇) and stiffness · (q − rest).
    """
    zero, g = 0 * chain.gravity, [chain.gravity]
    ω, dω, dv, f, n = [zero], [zero], [-chain.gravity], [zero], [zero]
    links = [(link, *joint_transform(link, q[link.q], chain.field)) for link in chain.links]
    for link, R, P in links:
        λ, c, I = link.parent, link.c, link.I
        w, dw = link.Z @ qd[link.v], link.Z @ qdd[link.v]
        u, du = link.D @ qd[link.v], link.D @ qdd[link.v]
        ωλ = mul(R, ω[λ])
        ω.append(ωλ + w)
        dω.append(mul(R, dω[λ]) + cross(ωλ, w) + dw)
        dv.append(mul(R, cross(dω[λ], P) + cross(ω[λ], cross(ω[λ], P)) + dv[λ]) + cross(2 * ωλ + w, u) + du)
        F = link.m * (cross(dω[-1], c) + cross(ω[-1], cross(ω[-1], c)) + dv[-1])
        N = I @ dω[-1] + cross(ω[-1], I @ ω[-1])
        f.append(F)
        n.append(N + cross(c, F))
        g.append(mul(R, g[λ]))
        if link.lifted:
            mass, centre = link.lifted
            f[-1], n[-1] = f[-1] + mass * g[-1], n[-1] + cross(centre, mass * g[-1])

    τ = []
    for i, (link, R, P) in reversed(list(enumerate(links, 1))):
        τ.append(link.Z.T @ n[i] + link.D.T @ f[i])
        back = R.swapaxes(0, 1)
        force = mul(back, f[i])
        f[link.parent] = f[link.parent] + force
        n[link.parent] = n[link.parent] + mul(back, n[i]) + cross(P, force)
    total = np.concatenate(τ[::-1]) + chain.armature * qdd + chain.damping * qd
    if chain.friction is not None:
        total = total + chain.friction * chain.field.sign(qd)
    for spring in chain.springs:
        total[spring.v] = total[spring.v] + spring.stiffness * stretch(chain, spring, q)
    return total


def kinetic_energy(chain: Chain, q: Tensor, qd: Tensor) -> Tensor:
    """T = Σ (½ m v_cᵀ v_c + ½ ωᵀ I ω) + ½ Σ armature q̇² (batch,) (text 001), with the velocities of text 004, §3:

    v_i = R (v_λ + ω_λ × P) + u,    v_c = v_i + ω_i × c.
    """
    ω, v = [0 * chain.gravity], [0 * chain.gravity]
    twice_T: Any = (chain.armature * qd * qd).sum(axis=0)
    for link in chain.links:
        (R, P), λ = joint_transform(link, q[link.q], chain.field), link.parent
        v.append(mul(R, v[λ] + cross(ω[λ], P)) + link.D @ qd[link.v])
        ω.append(mul(R, ω[λ]) + link.Z @ qd[link.v])
        vc = v[-1] + cross(ω[-1], link.c)
        twice_T = twice_T + link.m * (vc * vc).sum(axis=0) + (ω[-1] * (link.I @ ω[-1])).sum(axis=0)
    return twice_T / 2


def potential_energy(chain: Chain, q: Tensor) -> Tensor:
    """V = −Σ m gᵀ p (batch,) (text 001), with p the centres of mass in the base's frame, and the energy of the springs.

    Masses that are lifted count with the opposite sign.
    """
    origin, rotation = [0 * chain.gravity], [constant(chain.field, np.eye(3, dtype=int))[..., None]]
    V: Any = 0
    for link in chain.links:
        (R, P), λ = joint_transform(link, q[link.q], chain.field), link.parent
        origin.append(origin[λ] + mul(rotation[λ], P))
        rotation.append(np.einsum("ij...,kj...->ik...", rotation[λ], R))
        for mass, centre in ((link.m, link.c), *([(-link.lifted[0], link.lifted[1])] if link.lifted else [])):
            V = V - mass * (chain.gravity * (origin[-1] + mul(rotation[-1], centre))).sum(axis=0)
    for spring in chain.springs:
        V = V + (spring.stiffness * stretch(chain, spring, q) * stretch(chain, spring, q)).sum(axis=0) / 2
    return V


ALGORITHMS = from_inverse_dynamics(inverse_dynamics)


def forward_dynamics(chain: Chain, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    """q̈ = M⁻¹ (τ − h) (nv, batch), in O(n³) operations: M. Walker, D. Orin, "Efficient dynamic computer simulation", 1982."""
    M, h = ALGORITHMS["mass_matrix"](chain, q), ALGORITHMS["nonlinear_effects"](chain, q, qd)
    return solve(M, tau - h)


ALGORITHMS |= {
    "forward_dynamics": forward_dynamics,
    "kinetic_energy": kinetic_energy,
    "potential_energy": potential_energy,
}

NEWTON_EULER = Algorithmic("newton-euler", build, ALGORITHMS)
