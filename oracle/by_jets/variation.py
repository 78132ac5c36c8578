"""The Euler–Lagrange equations of a mechanism of any size, evaluated over any field, without symbols.

    Eᵢ = d/dt ∂L/∂q̇ᵢ − ∂L/∂qᵢ,        L = ½ Σᵦ tr(Ṫᵦ Jᵦ Ṫᵦᵀ) + Σᵦ [gᵀ 0] Tᵦ Jᵦ e₄,        τ = E + armature · q̈ + damping · q̇

T are the homogeneous transforms and J the pseudo-inertias of the bodies (docs/notes/energies.md). q is δ for a joint whose
velocity is the body's own. The transforms are series in time, and both terms of Eᵢ are read from them (docs/notes/variation.md,
eqs. 7–11):

    Qᵢ = T_λ(j) B ∂ᵢD                         for coordinate i of joint j
    Xⱼ = Σᵦ Aⱼᵦ Jᵦ Ṫᵦᵀ                        over the bodies of the subtree of j, with Aⱼᵦ from body b to body j
    Yⱼ = Σᵦ Ȧⱼᵦ Jᵦ Ṫᵦᵀ + Aⱼᵦ Jᵦ e₄ [gᵀ 0]
    ∂L/∂q̇ᵢ = tr(Qᵢ Xⱼ),        ∂L/∂qᵢ = tr(Q̇ᵢ Xⱼ) + tr(Qᵢ Yⱼ)

d/dt ∂L/∂q̇ᵢ and ∂L/∂qᵢ have terms in common. If we cancelled them by hand, we would get d'Alembert's principle. The
implementations start from that, so the two derivations would not be independent.
"""

from __future__ import annotations

from oracle.by_jets.jets import Jet, mul, product, trace
from oracle.by_jets.motion import transforms
from oracle.by_jets.system import Link, System, rest
from oracle.by_jets.transforms import outward, outward_rate, outward_series
from oracle.fields import Array


def euler_lagrange(system: System, q: Array, v: Array, a: Array) -> Array:
    """τ (nv, batch) at the position q (nq, batch), the velocity v and the acceleration a (nv, batch)."""
    T, A, Q = transforms(system, q, v, a)
    X = [momentum(link, Ti) for link, Ti in zip(system.links, T, strict=True)]
    Y = [mul(link.J[:, 3:], system.gravity[None]) for link in system.links]
    τ = system.armature * a + system.damping * v
    for i, link in reversed(list(enumerate(system.links))):
        dL_dv = product(trace, Q[i], X[i])
        dL_dq = trace(Q[i].rate.now, X[i].now) + trace(Q[i].now, Y[i])
        τ[link.v] = τ[link.v] + dL_dv.rate.now - dL_dq
        if link.parent >= 0:
            X[link.parent] = X[link.parent] + outward_series(A[i], X[i])
            Y[link.parent] = Y[link.parent] + outward_rate(A[i].rate.now, X[i].now) + outward(A[i].now, Y[i])
    return τ


def momentum(link: Link, T: Jet) -> Jet:
    """J Ṫᵀ (4, 3, batch), the derivative of the body's energy by Ṫ, transposed."""
    return T.rate.each(lambda rate: mul(rate, link.J).swapaxes(0, 1))


def gravity(system: System, q: Array) -> Array:
    """g = ∂V/∂q (nv, batch): ∂L/∂q = tr(Q Y) at rest, with the opposite sign."""
    _, A, Q = transforms(system, q)
    Y = [mul(link.J[:, 3:], system.gravity[None]) for link in system.links]
    g = rest(system, q).copy()
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
        W, j = mul(J[i], Q[i].now.swapaxes(0, 1)), i
        while j >= 0:
            rows, cols = system.links[j].v, link.v
            entries = trace(Q[j].now[:, :, :, None], W[:, :, None])
            M[rows, cols] = M[rows, cols] + entries
            if i != j:
                M[cols, rows] = M[cols, rows] + entries.swapaxes(0, 1)
            W, j = outward(A[j].now, W), system.links[j].parent
        if link.parent >= 0:
            moved = outward(A[i].now, J[i]).swapaxes(0, 1)
            J[link.parent] = J[link.parent] + outward(A[i].now, moved).swapaxes(0, 1)
    for k, armature in enumerate(system.armature):
        M[k, k] = M[k, k] + armature
    return M


def kinetic_energy(system: System, q: Array, v: Array) -> Array:
    """E_kin = ½ Σ tr(Ṫ J Ṫᵀ) + ½ Σ armature q̇² (batch,); T are transforms."""
    twice = (system.armature * v * v).sum(0)
    for link, T in zip(system.links, transforms(system, q, v)[0], strict=True):
        twice = twice + trace(T.rate.now, momentum(link, T).now)
    return twice / 2


def potential_energy(system: System, q: Array) -> Array:
    """V = −Σ [gᵀ 0] T J e₄ (batch,), zero at the root's origin."""
    V = rest(system, q)[0]
    for link, T in zip(system.links, transforms(system, q)[0], strict=True):
        V = V - (system.gravity * mul(T.now, link.J[:, 3:])[:, 0]).sum(0)
    return V
