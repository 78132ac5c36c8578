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

from typing import NamedTuple

import numpy as np

from mechanisms import Inertia, Mechanism
from oracle.by_jets.jets import Jet, mul, product, trace
from oracle.by_jets.joint_jets import JointConstants, joint_constants, motion, series
from oracle.fields import Array, Field, array


class Link(NamedTuple):
    """One body and its joint; J (4, 4, 1) is the body's pseudo-inertia, ``parent`` −1 for the root."""

    joint: JointConstants
    parent: int
    q: slice
    v: slice
    J: Array


class System(NamedTuple):
    """A mechanism over a field; parents come before children, gravity is (3, 1), armature and damping are (nv, 1)."""

    field: Field
    links: tuple[Link, ...]
    gravity: Array
    armature: Array
    damping: Array


def build(mechanism: Mechanism, field: Field) -> System:
    """``mechanism`` over ``field``. Raises :class:`~oracle.errors.OracleError` if a number of the
    mechanism does not exist in the field."""
    parts = zip(mechanism.bodies, mechanism.parents, mechanism.q_slices, mechanism.v_slices, strict=True)
    links = tuple(
        Link(joint_constants(body.joint, field), λ, q, v, pseudo_inertia(field, body.inertia)) for body, λ, q, v in parts
    )
    joints = [body.joint for body in mechanism.bodies for _ in range(body.joint.nv)]
    constants = (mechanism.gravity, [joint.armature for joint in joints], [joint.damping for joint in joints])
    return System(field, links, *(array(field, values)[:, None] for values in constants))


def pseudo_inertia(field: Field, inertia: Inertia) -> Array:
    """J = ∫ x xᵀ dm = [[Σ + m c cᵀ, m c], [m cᵀ, m]] (4, 4, 1), Σ = ½ tr(I) 1 − I with I about the centre of mass."""
    c, I = (*inertia.com, 1), inertia.matrix
    half_trace = (I[0][0] + I[1][1] + I[2][2]) / 2
    J = [[inertia.mass * x * y for y in c] for x in c]
    for i in range(3):
        for j in range(3):
            J[i][j] = J[i][j] + (half_trace if i == j else 0) - I[i][j]
    return array(field, J)[..., None]


def transforms(system: System, q: Array, v: Array, a: Array) -> tuple[list[Jet], list[Jet], list[Jet]]:
    """Along q + v t + ½ a t²: T (3, 4, batch) and A (4, 4, batch) to second order in t, Q (3, 4, nv, batch) to first.

    T is the transform from the body to the root, without its last row, which enters no energy. A is that from the body to its
    parent.
    """
    one = array(system.field, np.eye(3, 4, dtype=int))[..., None]
    root = Jet(one, 0 * one, 0 * one)
    T: list[Jet] = []
    A: list[Jet] = []
    Q: list[Jet] = []
    for link in system.links:
        joint_transform, partials = series(*motion(link.joint, q[link.q], system.field), v[link.v], a[link.v])
        T_parent = root if link.parent < 0 else T[link.parent]
        T.append(T_parent @ joint_transform)
        A.append(joint_transform)
        Q.append(T_parent @ partials)
    return T, A, Q


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
            X[link.parent] = X[link.parent] + A[i] @ X[i]
            Y[link.parent] = Y[link.parent] + mul(A[i].rate.now, X[i].now) + mul(A[i].now, Y[i])
    return τ


def momentum(link: Link, T: Jet) -> Jet:
    """J Ṫᵀ (4, 3, batch), the derivative of the body's energy by Ṫ, transposed."""
    return T.rate.each(lambda rate: mul(rate, link.J).swapaxes(0, 1))


def gravity(system: System, q: Array) -> Array:
    """g = ∂V/∂q (nv, batch), which is τ at rest."""
    return euler_lagrange(system, q, rest(system, q), rest(system, q))


def rest(system: System, q: Array) -> Array:
    """Zero velocity or acceleration (nv, batch)."""
    return array(system.field, np.zeros((len(system.armature), q.shape[1]), int))


def mass_matrix(system: System, q: Array) -> Array:
    """M (nv, nv, batch), the Hessian of the kinetic energy by q̇, from composite pseudo-inertias 𝒥.

    Mₗₖ = tr(Qₗ Aⱼᵢ 𝒥ᵢ Qₖᵀ) for k of joint i, and l of a joint j on the way from i to the root (docs/notes/variation.md, eqs. 12,
    13).
    """
    zero = rest(system, q)
    _, A, Q = transforms(system, q, zero, zero)
    M = zero * zero[:, None]
    J = [link.J for link in system.links]
    for i, link in reversed(list(enumerate(system.links))):
        W, j = mul(J[i], Q[i].now.swapaxes(0, 1)), i
        while j >= 0:
            rows, cols = system.links[j].v, link.v
            M[rows, cols] = trace(Q[j].now[:, :, :, None], W[:, :, None])
            M[cols, rows] = M[rows, cols].swapaxes(0, 1)
            W, j = mul(A[j].now, W), system.links[j].parent
        if link.parent >= 0:
            J[link.parent] = J[link.parent] + mul(mul(A[i].now, J[i]), A[i].now.swapaxes(0, 1))
    for k, armature in enumerate(system.armature):
        M[k, k] = M[k, k] + armature
    return M


def kinetic_energy(system: System, q: Array, v: Array) -> Array:
    """E_kin = ½ Σ tr(Ṫ J Ṫᵀ) + ½ Σ armature q̇² (batch,); T are transforms."""
    twice = (system.armature * v * v).sum(0)
    for link, T in zip(system.links, transforms(system, q, v, 0 * v)[0], strict=True):
        twice = twice + trace(T.rate.now, momentum(link, T).now)
    return twice / 2


def potential_energy(system: System, q: Array) -> Array:
    """V = −Σ [gᵀ 0] T J e₄ (batch,), zero at the root's origin."""
    zero = rest(system, q)
    V = zero[0]
    for link, T in zip(system.links, transforms(system, q, zero, zero)[0], strict=True):
        V = V - (system.gravity * mul(T.now, link.J[:, 3:])[:, 0]).sum(0)
    return V
