"""The equations of motion of a floating base (text 001; Featherstone 2008, §9.4, Tables 9.5, 9.6).

    [I₀ᶜ F; Fᵀ H] [a₀; q̈] + [p₀ᶜ; C] = [0; τ]

The base is body 0; it carries the bodies i, j > 0. I₀ᶜ is the inertia of the whole mechanism. p₀ᶜ is the force on the base
for which a₀ and q̈ are zero. H and C are the mass matrix and the nonlinear effects of the joints for a base at rest. F_i is the
force on the base that a unit q̈_i needs. All are in the base's frame:

    a₀ = −⁰a_g,   f₀ = I₀ a₀ + v₀ ×* I₀ v₀            f_i as in RNEA,   C_i = S_iᵀ f_i,   p₀ᶜ = f₀ at the end
    I^c_λ(i) += X_iᵀ I^c_i X_i,   F_i = I^c_i S_i,   H_ii = S_iᵀ F_i
    while λ(j) ≠ 0:  F_i = X_jᵀ F_i,  j = λ(j),  H_ij = F_iᵀ S_j              F_i = X_jᵀ F_i at the end

Text 001 has two slips here. It starts I₀ᶜ from zero, but the correct start is I₀. It subtracts ⁰f_i^x from f_i without a
transform, but the force must be transformed to body i by ⁱX*_0. Armature adds to H and damping to C, as in RNEA.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from implementations.field import Tensor, constant
from implementations.linear import solve
from implementations.protocol import Unsupported
from implementations.spatial_algebra.external_forces import generalised_forces
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crf, crm, mul

BASE = 6
"""The number of components of v that belong to the base; they come first."""


class FloatingBase(NamedTuple):
    """I₀ᶜ (6, 6, batch), F (6, n, batch), H (n, n, batch), p₀ᶜ (6, batch), C (n, batch), for n = nv − 6."""

    I0c: Tensor
    F: Tensor
    H: Tensor
    p0c: Tensor
    C: Tensor

    def forward(self, tau: Tensor) -> tuple[Tensor, Tensor]:
        """a₀ (6, batch) and q̈ (n, batch) for the joint forces τ (n, batch); a₀ is the rate [ω̇; v̇] of the base's velocity."""
        M = np.concatenate([np.concatenate([self.I0c, self.F], 1), np.concatenate([self.F.swapaxes(0, 1), self.H], 1)])
        x = solve(M, np.concatenate([-self.p0c, tau - self.C]))
        return x[:BASE], x[BASE:]

    def inverse(self, qdd: Tensor) -> tuple[Tensor, Tensor]:
        """a₀ (6, batch) and τ (n, batch) for the joint accelerations q̈ (n, batch) (Featherstone 2008, §9.5)."""
        a0 = -solve(self.I0c, mul(self.F, qdd) + self.p0c)
        return a0, mul(self.F.swapaxes(0, 1), a0) + mul(self.H, qdd) + self.C


def floating_base(model: Model, q: Tensor, qd: Tensor, fx: Tensor | None = None) -> FloatingBase:
    """The equations at q (nq, batch) and v = [v₀; q̇] (nv, batch).

    ``fx`` (bodies, 6, batch) are external forces in the bodies' frames. Raises :class:`Unsupported` unless the first body is on
    a free joint and carries all others.
    """
    if model.links[0].joint.kind != "free" or -1 in model.parents[1:]:
        raise Unsupported("a floating base is on a free joint and carries all other bodies; put the mechanism on a free joint")
    X, S = transforms(model, q)
    p0c, C = _bias(model, X, S, qd)
    if fx is not None:
        taken = generalised_forces(model, q, fx)
        p0c, C = p0c - taken[:BASE], C - taken[BASE:]
    return FloatingBase(*_inertia(model, X, S, q.shape[-1]), p0c, C)


def selection(model: Model) -> Tensor:
    """S (n, nv) in M u̇ + h = Sᵀ τ and q̇ = S u: forces act on the joints, but not on the base (text 001)."""
    return np.eye(model.nv, dtype=int)[BASE:]


def _bias(model: Model, X: list, S: list[Tensor], qd: Tensor) -> tuple[Tensor, Tensor]:
    """p₀ᶜ and C."""
    base, *links = model.links
    v, a = [qd[base.v]], [X[0] @ -model.gravity]
    f = [mul(base.I, a[0]) + crf(v[0], mul(base.I, v[0]))]
    for i, link in enumerate(links, 1):
        λ, vJ = model.parents[i], mul(S[i], qd[link.v])
        v.append(X[i] @ v[λ] + vJ)
        a.append(X[i] @ a[λ] + crm(v[i], vJ))
        if link.compound:
            a[i] = a[i] + velocity_product(S[i], qd[link.v])
        f.append(mul(link.I, a[i]) + crf(v[i], mul(link.I, v[i])))
    C = []
    for i, link in reversed(list(enumerate(links, 1))):
        C.append(mul(S[i].swapaxes(0, 1), f[i]) + link.damping * qd[link.v])
        f[model.parents[i]] = f[model.parents[i]] + X[i].T @ f[i]
    return f[0], np.concatenate(C[::-1]) if C else qd[BASE:]


def _inertia(model: Model, X: list, S: list[Tensor], batch: int) -> tuple[Tensor, Tensor, Tensor]:
    """I₀ᶜ, F and H."""
    n, Ic = model.nv - BASE, [link.I for link in model.links]
    F, H = (np.broadcast_to(constant(model.field, 0), (rows, n, batch)).copy() for rows in (BASE, n))
    for i, link in reversed(list(enumerate(model.links))[1:]):
        here, λ = slice(link.v.start - BASE, link.v.stop - BASE), model.parents[i]
        Ic[λ] = Ic[λ] + X[i].carry(Ic[i])
        Fi = mul(Ic[i], S[i])
        H[here, here] = mul(S[i].swapaxes(0, 1), Fi) + np.eye(link.joint.nv, dtype=int)[..., None] * link.armature
        j = i
        while (λ := model.parents[j]) != 0:
            Fi, j = X[j].T @ Fi, λ
            there = slice(model.links[j].v.start - BASE, model.links[j].v.stop - BASE)
            H[there, here] = mul(S[j].swapaxes(0, 1), Fi)
            H[here, there] = H[there, here].swapaxes(0, 1)
        F[:, here] = X[j].T @ Fi
    return np.broadcast_to(Ic[0], (BASE, BASE, batch)), F, H
