"""The recursive Newton–Euler algorithm of text 000, eqs. 30–38, in 6×6 matrices, for moving mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cross_check.catalogue.notation import ad, ad_star, undo, unhat, zero
from cross_check.catalogue.point import Point, matrix, pose_of
from cross_check.catalogue.series import rate
from cross_check.catalogue.travel import travel
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.model import Model
from mechanisms import Mechanism
from mechanisms.joint import Kind

FORK: tuple[Sequence[int], Sequence[Kind]] = ([-1, 0, 1, 0], ["revolute", "helical", "prismatic", "revolute"])
"""Parents and kinds of joints of a tree of four bodies; the first body carries two others."""

CHAIN: tuple[Sequence[int], Sequence[Kind]] = ([-1, 0, 1], ["revolute", "prismatic", "helical"])
"""Parents and kinds of joints of a chain of three bodies."""


class Motion(NamedTuple):
    """A moving mechanism: the reference's model, q (nq, 1) and qd = q̇ (nv, 1), and for each body matrices without a batch."""

    model: Model
    q: Tensor
    qd: Tensor
    X: list[Tensor]
    """ⁱX_λ(i) (6, 6)."""
    S: list[Tensor]
    """Ŝ_i (6, nv of the joint)."""
    T: list[Tensor]
    """The pose of body i in the root's frame (4, 4)."""

    @property
    def v(self) -> list[Tensor]:
        """ᵢv̂_i, computed from the poses alone: [V] = T⁻¹ Ṫ."""
        return [unhat(undo(T) @ rate(T)) for T in self.T]

    @property
    def qdd(self) -> Tensor:
        return rate(self.qd)

    def joint(self, i: int) -> Tensor:
        """v̂_J = Ŝ q̇ of joint i."""
        return self.S[i] @ self.qd[self.model.links[i].v, 0]


def moving(p: Point, mechanism: Mechanism) -> Motion:
    """A random motion of ``mechanism``."""
    model, (q, qd) = p.model(mechanism), travel(p, mechanism)
    X, S = transforms(model, q)
    poses = [pose_of(X0) for X0 in transforms_from_root(model, X)]
    return Motion(model, q, qd, [matrix(Xi) for Xi in X], [Si[..., 0] for Si in S], poses)


def newton_euler(
    m: Motion, a0: Tensor, external: Sequence[Tensor] = (), product: Callable[[Tensor], Tensor] = ad_star
) -> tuple[list[Tensor], list[Tensor], Tensor]:
    """â_i, f̂_i^net and τ for the acceleration ``a0`` of the root and the ``external`` forces in the bodies' own frames.

    ``product`` makes the matrix of the product in eq. 36 from v̂; the correct one is v̂×*.
    """
    v: list[Tensor] = []
    a: list[Tensor] = []
    for i, λ in enumerate(m.model.parents):
        own, vJ = m.model.links[i].v, m.joint(i)
        v.append((m.X[i] @ v[λ] if λ >= 0 else zero(6)) + vJ)
        joint = m.S[i] @ m.qdd[own, 0] + rate(m.S[i]) @ m.qd[own, 0] + ad(v[i]) @ vJ
        a.append(m.X[i] @ (a[λ] if λ >= 0 else a0) + joint)
    I = [link.I[..., 0] for link in m.model.links]
    net = [I[i] @ a[i] + product(v[i]) @ (I[i] @ v[i]) for i in range(len(v))]
    f = [net[i] - external[i] if len(external) else net[i] for i in range(len(net))]
    for i, λ in reversed(list(enumerate(m.model.parents))):
        if λ >= 0:
            f[λ] = f[λ] + m.X[i].T @ f[i]
    return a, net, np.concatenate([S.T @ f_i for S, f_i in zip(m.S, f, strict=True)])


def without_losses(mechanism: Mechanism) -> Mechanism:
    """``mechanism`` without armature and damping, because the equations of the texts have neither."""
    joints = (replace(body.joint, armature=0, damping=0) for body in mechanism.bodies)
    bodies = tuple(replace(body, joint=joint) for body, joint in zip(mechanism.bodies, joints, strict=True))
    return replace(mechanism, bodies=bodies)
