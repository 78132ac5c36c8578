"""Forward kinematics: placements and motions of all bodies (text 001; text 000, eqs. 30–35 without gravity).

    ^iX_0 = ^iX_λ(i) ^λ(i)X_0
    v_i = X_i v_λ(i) + v_J                          v_J = S_i q̇_i,  v_0 = 0
    a_i = X_i a_λ(i) + S_i q̈_i + c_J + v_i × v_J        c_J = S̊_i q̇_i,  a_0 = 0
    J_i = X_i J_λ(i), and S_i in the columns of joint i     (text 003, §25)

These are motions in the local frame, the body's own. Two more frames are offered (text 003, §13):

- world: the frame of the root. ^0X_i transforms motion vectors to it. The columns ^0X_j S_j of joint j are the same for all
  bodies of its subtree.
- aligned: the axes of the root at the body's origin p. Its linear velocity is v + ω × p, with v of the world frame.

Velocities v = J q̇ and spatial accelerations a = J q̈ + J̇ q̇ are motion vectors. The classical acceleration [ω̇; p̈] is not
(text 003, §30): it is the rate of the aligned velocity [ω; ṗ], and its linear part is the spatial one plus ω × ṗ.
"""

from __future__ import annotations

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor, constant
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root, velocity_product
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import Plucker, crm, cross, mul


def placements(model: Model, q: Tensor) -> Tensor:
    """[R p] (bodies, 3, 4, batch): from each body's frame to the root's, x ↦ R x + p."""
    return poses(transforms_from_root(model, transforms(model, q)[0]), q)


def jacobians(model: Model, q: Tensor, frame: str) -> Tensor:
    """J (bodies, 6, nv, batch): the geometric Jacobian of every body."""
    X, S = transforms(model, q)
    X0 = transforms_from_root(model, X)
    zero = np.broadcast_to(constant(model.field, 0), (6, model.nv, q.shape[-1]))
    J: list[Tensor] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        inherited = zero if λ < 0 else X[i] @ J[λ] if frame == "local" else J[λ]
        J.append(full_batch(inherited, q))
        J[i][:, link.v] = S[i] if frame == "local" else in_frame("world", X0[i], S[i])
    if frame == "aligned":
        J = [np.concatenate((Ji[:3], Ji[3:] + cross(Ji[:3], X.r[:, None]))) for X, Ji in zip(X0, J, strict=True)]
    return np.stack(J)


def velocities(model: Model, q: Tensor, qd: Tensor, frame: str) -> Tensor:
    """v (bodies, 6, batch)."""
    X, S = transforms(model, q)
    v: list[Tensor] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        vJ = mul(S[i], qd[link.v])
        v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)
    return all_in_frame(frame, model, X, v)


def accelerations(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, frame: str) -> Tensor:
    """a (bodies, 6, batch): the spatial acceleration, without gravity."""
    X, S = transforms(model, q)
    v: list[Tensor] = []
    a: list[Tensor] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        vJ = mul(S[i], qd[link.v])
        v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)
        aJ = mul(S[i], qdd[link.v]) + crm(v[i], vJ)
        if link.compound:
            aJ = aJ + velocity_product(S[i], qd[link.v])
        a.append(aJ if λ < 0 else X[i] @ a[λ] + aJ)
    return all_in_frame(frame, model, X, a)


def classical_accelerations(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """[ω̇; p̈] (bodies, 6, batch), in the aligned frame."""
    return classical(velocities(model, q, qd, "aligned"), accelerations(model, q, qd, qdd, "aligned"))


def drifts(model: Model, q: Tensor, qd: Tensor, frame: str) -> Tensor:
    """J̇ q̇ (bodies, 6, batch); J̇ is the rate of the Jacobian in that frame. In the aligned frame, J q̈ + J̇ q̇ = [ω̇; p̈]."""
    if frame == "aligned":
        return classical_accelerations(model, q, qd, 0 * qd)
    return accelerations(model, q, qd, 0 * qd, frame)


def poses(X0: list[Plucker], q: Tensor) -> Tensor:
    """[R p] (…, 3, 4, batch), from the frames of these transforms ^iX_0 to the root's."""
    return np.stack([full_batch(np.concatenate((X.E.swapaxes(0, 1), X.r[:, None] + 0 * X.E[:, :1]), 1), q) for X in X0])


def classical(v: Tensor, a: Tensor) -> Tensor:
    """[ω̇; p̈] (…, 6, batch), from velocities and spatial accelerations in the aligned frame."""
    return np.stack([np.concatenate((ai[:3], ai[3:] + cross(vi[:3], vi[3:]))) for vi, ai in zip(v, a, strict=True)])


def all_in_frame(frame: str, model: Model, X: list[Plucker], local: list[Tensor]) -> Tensor:
    """Motion vectors of all bodies in ``frame`` (bodies, 6, batch); ``local`` has them in the bodies' own frames."""
    X0 = transforms_from_root(model, X)
    return np.stack(np.broadcast_arrays(*(in_frame(frame, Xi, m) for Xi, m in zip(X0, local, strict=True))))


def in_frame(frame: str, X0: Plucker, m: Tensor) -> Tensor:
    """The motion vector m (6, …, batch), given in a body's own frame, in ``frame``; ``X0`` is the body's ^iX_0."""
    if frame == "local":
        return m
    back = X0.E.swapaxes(0, 1)
    ω, v = mul(back, m[:3]), mul(back, m[3:])
    return np.concatenate((ω, v + cross(X0.r, ω) if frame == "world" else v))


def full_batch(x: Tensor, q: Tensor) -> Tensor:
    """A copy of ``x`` (…, batch or 1) with the batch of q."""
    return np.broadcast_to(x, (*x.shape[:-1], q.shape[-1])).copy()


KINEMATICS = by_name(placements, jacobians, velocities, accelerations, classical_accelerations, drifts)
"""The algorithms of this module, by name."""
