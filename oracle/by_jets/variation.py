"""The Euler–Lagrange equations of a mechanism of any size, evaluated over any field, without symbols.

    Eᵢ = d/dt ∂L/∂q̇ᵢ − ∂L/∂qᵢ,        L = ½ Σᵦ tr(Ṫᵦ Jᵦ Ṫᵦᵀ) + Σᵦ [gᵀ 0] Tᵦ Jᵦ e₄,        τ = E + armature · q̈ + ∂R/∂q̇

R = Σ ½ damping q̇² + friction |q̇| is Rayleigh's dissipation function, with the rates of the joints. A spring adds
−½ stiffness (q − rest)² to L, which is no function of q̇. So it adds its own slope to ∂V/∂q. With gravity compensation, J e₄ of
what is lifted is subtracted from that of the body.

T are the homogeneous transforms and J the pseudo-inertias of the bodies (docs/notes/energies.md). A joint whose velocity is the
body's own twist has displacements δ in place of q. The transforms are series in time, and both terms of Eᵢ are read from them.
B is the joint's placement and D its motion (docs/notes/variation.md, eqs. 7–11):

    Qᵢ = T_λ(j) B ∂ᵢD                         for coordinate i of joint j
    Xⱼ = Σᵦ Aⱼᵦ Jᵦ Ṫᵦᵀ                        over the bodies of the subtree of j, with Aⱼᵦ from body b to body j
    Yⱼ = Σᵦ Ȧⱼᵦ Jᵦ Ṫᵦᵀ + Aⱼᵦ Jᵦ e₄ [gᵀ 0]
    ∂L/∂q̇ᵢ = tr(Qᵢ Xⱼ),        ∂L/∂qᵢ = tr(Q̇ᵢ Xⱼ) + tr(Qᵢ Yⱼ)

d/dt ∂L/∂q̇ᵢ and ∂L/∂qᵢ have terms in common. If we cancelled them by hand, we would get d'Alembert's principle. The
implementations start from that, so the two derivations would not be independent.

The regressors follow because L is linear in the pseudo-inertias. With Jᵦ = Σₖ Ĵₖ πₖ, ∂τ/∂πₖ is what the Euler–Lagrange
equations give for the unit pseudo-inertia Ĵₖ of body b alone, without armature and damping. Only the joints that carry body b
have a torque. For Ĵₖ, the two terms of L themselves are ∂E_kin/∂πₖ and −∂V/∂πₖ. With the inertia I about the body's origin,
J = [[½ tr(I) 1 − I, m c], [m cᵀ, m]].
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechanisms.quantities import PARAMETERS
from oracle.by_jets.jets import Jet, mul, outward, outward_rate, outward_series, product, trace
from oracle.by_jets.joint_jets import own_position
from oracle.by_jets.system import Link, System, rest
from oracle.by_jets.transforms import transforms
from oracle.fields import Array, Field, array


def euler_lagrange(system: System, q: Array, v: Array, a: Array) -> Array:
    """τ (nv, batch) at the position q (nq, batch), the velocity v and the acceleration a (nv, batch)."""
    T, A, Q = transforms(system, q, v, a)
    X = [momentum(link, Ti) for link, Ti in zip(system.links, T, strict=True)]
    Y = [weight(link, system) for link in system.links]
    τ = system.armature * a + dissipative_forces(system, v) + elastic_forces(system, q)
    for i, link in reversed(list(enumerate(system.links))):
        τ[link.v] = with_joint_force(τ[link.v], Q[i], X[i], Y[i])
        if (λ := link.parent) >= 0:
            X[λ], Y[λ] = with_subtree(X[λ], Y[λ], A[i], X[i], Y[i])
    return τ


def nonlinear_effects(system: System, q: Array, v: Array) -> Array:
    """h = C v + g + ∂R/∂v, τ at a = 0 (nv, batch)."""
    return euler_lagrange(system, q, v, rest(system, q))


def with_joint_force(τ: Array, Q: Jet, X: Jet, Y: Array) -> Array:
    """τ + E of the coordinates of one joint (nv of the joint, batch), from X and Y of its subtree."""
    dL_dv = product(trace, Q, X)
    dL_dq = trace(Q.rate.now, X.now) + trace(Q.now, Y)
    return τ + dL_dv.rate.now - dL_dq


def with_subtree(X_parent: Jet, Y_parent: Array, A: Jet, X: Jet, Y: Array) -> tuple[Jet, Array]:
    """X and Y of the parent, to which those of the subtree of one child are added."""
    return X_parent + outward_series(A, X), Y_parent + outward_rate(A.rate.now, X.now) + outward(A.now, Y)


def momentum(link: Link, T: Jet) -> Jet:
    """J Ṫᵀ (4, 3, batch), the derivative of the body's energy by Ṫ, transposed."""
    return T.rate.each(lambda rate: mul(rate, link.J).swapaxes(0, 1))


def weight(link: Link, system: System) -> Array:
    """W [gᵀ 0] (4, 3, 1), without its last column; W is J e₄, less that of what is lifted."""
    return mul(link.W, system.gravity[None])


def gravity(system: System, q: Array) -> Array:
    """g = ∂V/∂q (nv, batch): ∂L/∂q = tr(Q Y) at rest, with the opposite sign."""
    _, A, Q = transforms(system, q)
    Y = [weight(link, system) for link in system.links]
    g = rest(system, q) + elastic_forces(system, q)
    for i, link in reversed(list(enumerate(system.links))):
        g[link.v] = g[link.v] - trace(Q[i].now, Y[i])
        if link.parent >= 0:
            Y[link.parent] = Y[link.parent] + outward(A[i].now, Y[i])
    return g


def mass_matrix(system: System, q: Array) -> Array:
    """M (nv, nv, batch), the Hessian of the kinetic energy by q̇, from composite pseudo-inertias 𝒥.

    Mₗₖ = tr(Qₗ Aⱼᵢ 𝒥ᵢ Qₖᵀ) for k of joint i, and l of a joint j on the way from i to the root (docs/notes/variation.md, eqs. 12,
    13). A coordinate that moves several joints has a term for each two of them.
    """
    zero = rest(system, q)
    _, A, Q = transforms(system, q)
    M = zero * zero[:, None]
    J = [link.J for link in system.links]
    for i, link in reversed(list(enumerate(system.links))):
        W, j = unit_momenta(J[i], Q[i].now), i
        while j >= 0:
            rows, cols = system.links[j].v, link.v
            entries = mass_matrix_entries(Q[j].now, W)
            M[rows, cols] = M[rows, cols] + entries
            if i != j:
                M[cols, rows] = M[cols, rows] + entries.swapaxes(0, 1)
            W, j = outward(A[j].now, W), system.links[j].parent
        if link.parent >= 0:
            J[link.parent] = with_pseudo_inertia(J[link.parent], A[i].now, J[i])
    for k, armature in enumerate(system.armature):
        M[k, k] = M[k, k] + armature
    return M


def unit_momenta(J: Array, Q: Array) -> Array:
    """W = 𝒥 Qₖᵀ (4, 3, nv of the joint, batch)."""
    return mul(J, Q.swapaxes(0, 1))


def mass_matrix_entries(Q: Array, W: Array) -> Array:
    """tr(Qₗ Wₖ) of all coordinates l of one joint and k of another one, or of the same."""
    return trace(Q[:, :, :, None], W[:, :, None])


def with_pseudo_inertia(J_parent: Array, A: Array, J: Array) -> Array:
    """𝒥 of the parent, to which that of the subtree of one child is added: 𝒥_λ + A 𝒥 Aᵀ."""
    moved = outward(A, J).swapaxes(0, 1)
    return J_parent + outward(A, moved).swapaxes(0, 1)


def kinetic_energy(system: System, q: Array, v: Array) -> Array:
    """E_kin = ½ Σ tr(Ṫ J Ṫᵀ) + ½ Σ armature q̇² (batch,)."""
    twice = (system.armature * v * v).sum(0)
    for link, T in zip(system.links, transforms(system, q, v)[0], strict=True):
        twice = twice + trace(T.rate.now, momentum(link, T).now)
    return twice / 2


def potential_energy(system: System, q: Array) -> Array:
    """V = −Σ [gᵀ 0] T W + ½ Σ stiffness (q − rest)² (batch,)."""
    V = rest(system, q)[0]
    for link, T in zip(system.links, transforms(system, q)[0], strict=True):
        V = V - (system.gravity * mul(T.now, link.W)[:, 0]).sum(0)
    for link in system.links:
        if link.spring:
            stretch = elongation(system, link, q)
            V = V + (link.spring[0] * stretch * stretch)[0] / 2
    return V


def elongation(system: System, link: Link, q: Array) -> Array:
    """The position of a joint less that in which its spring has no force (1, batch)."""
    assert link.spring
    own = own_position(link.mimic, q[link.q], system.field)
    return (system.field.angle(own) if link.joint.joint.slots[0].form == "angle" else own) - link.spring[1]


def elastic_forces(system: System, q: Array) -> Array:
    """∂V/∂q (nv, batch) of the springs; ∂position/∂q is the multiplier of a mimic joint."""
    forces = rest(system, q).copy()
    for link in system.links:
        if link.spring:
            force = link.spring[0] * elongation(system, link, q)
            forces[link.v] = forces[link.v] + (link.mimic.k * force if link.mimic else force)
    return forces


def dissipative_forces(system: System, v: Array) -> Array:
    """∂R/∂v (nv, batch): damping · v, and friction · sign(rate) · ∂rate/∂v for the rate of every joint with friction."""
    forces = system.damping * v
    for link in system.links:
        if link.friction is not None:
            k = link.mimic.k if link.mimic else 1
            forces[link.v] = forces[link.v] + link.friction * (k * system.field.sign(k * v[link.v]))
    return forces


def joint_torque_regressor(system: System, q: Array, v: Array, a: Array) -> Array:
    """Y (nv, 10 · bodies, batch) with τ = Y π + armature · a + the forces of damping, friction, springs and gravity compensation.

    π is as in :data:`mechanisms.quantities.PARAMETERS`.
    """
    T, A, Q = transforms(system, q, v, a)
    J = unit_pseudo_inertias(system.field)
    n = len(PARAMETERS)
    Y = np.stack([0 * v] * (n * len(system.links)), axis=1)
    for b in range(len(system.links)):
        # As in euler_lagrange, with an axis for the ten parameters. W is its Y, because Y is the regressor here.
        X = T[b].rate.each(lambda rate: mul(rate[:, :, None], J).swapaxes(0, 1))
        W = mul(J[:, 3:], system.gravity[None, :, None])
        i = b
        while i >= 0:
            link = system.links[i]
            partials = Q[i].each(lambda x: x[:, :, :, None])
            momenta = X.each(lambda x: x[:, :, None])
            dL_dv = product(trace, partials, momenta)
            dL_dq = trace(partials.rate.now, momenta.now) + trace(partials.now, W[:, :, None])
            block = slice(n * b, n * (b + 1))
            Y[link.v, block] = Y[link.v, block] + dL_dv.rate.now - dL_dq
            to_parent = A[i].each(lambda x: x[:, :, None])
            X, W = outward_series(to_parent, X), outward_rate(to_parent.rate.now, X.now) + outward(to_parent.now, W)
            i = link.parent
    return Y


def kinetic_energy_regressor(system: System, q: Array, v: Array) -> Array:
    """Y (10 · bodies, batch) with E_kin = Y π + ½ Σ armature · v²."""
    J = unit_pseudo_inertias(system.field)
    rates = (T.rate.now[:, :, None] for T in transforms(system, q, v)[0])
    return np.concatenate([trace(mul(rate, J), rate.swapaxes(0, 1)) / 2 for rate in rates])


def potential_energy_regressor(system: System, q: Array) -> Array:
    """Y (10 · bodies, batch) with V = Y π + ½ Σ stiffness (q − rest)² + the energy of gravity compensation."""
    first = unit_pseudo_inertias(system.field)[:, 3:]
    places = (T.now[:, :, None] for T in transforms(system, q)[0])
    return np.concatenate([-(system.gravity[:, None] * mul(T, first)[:, 0]).sum(0) for T in places])


def unit_pseudo_inertias(field: Field) -> Array:
    """Ĵ (4, 4, 10, 1)."""
    units = []
    for k in range(len(PARAMETERS)):
        m, x, y, z, xx, yy, zz, xy, xz, yz = (Fraction(int(i == k)) for i in range(len(PARAMETERS)))
        half = (xx + yy + zz) / 2
        units.append(((half - xx, -xy, -xz, x), (-xy, half - yy, -yz, y), (-xz, -yz, half - zz, z), (x, y, z, m)))
    return np.stack([array(field, J)[..., None] for J in units], axis=2)
