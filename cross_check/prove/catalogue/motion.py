"""Mechanisms that move: the positions q(t) that follow from the velocities v(t) (docs/notes/catalogue-points.md, eqs. 7, 10).

The conventions of positions and velocities are those of :mod:`mechanisms.joint`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cross_check.prove.catalogue.frames import Frame, matrix, pose_of
from cross_check.prove.catalogue.notation import Ad, body_twist, cross, join, point, space_twist, vector, zero
from cross_check.prove.catalogue.point import Point, rotation_matrix
from cross_check.prove.catalogue.series import flow, rate
from implementations.field import Tensor
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.model import Model
from mechanisms import Joint, Mechanism
from mechanisms.joint import Kind
from mechanisms.joint_forces import NO_DYNAMICS
from mechanisms.joint_kinds import Form


@dataclass(frozen=True)
class Motion:
    """A moving mechanism: the reference's model, q (nq, 1) and qd = q̇ (nv, 1), and for each body matrices without a batch."""

    mechanism: Mechanism
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
    def state(self) -> tuple[Model, Tensor, Tensor]:
        return self.model, self.q, self.qd

    @property
    def qdd(self) -> Tensor:
        return rate(self.qd)

    @property
    def inertias(self) -> list[Tensor]:
        """The reference's Î_i (6, 6)."""
        return [link.I[..., 0] for link in self.model.links]

    @property
    def M(self) -> Tensor:
        """The reference's mass matrix (nv, nv)."""
        return crba(self.model, self.q)[..., 0]

    @property
    def g(self) -> Tensor:
        """Gravity, as a 3-vector in the root's frame."""
        return self.model.gravity[3:, 0]

    @property
    def frames(self) -> list[Frame]:
        """The bodies' frames in the root's frame."""
        return [Frame(T[:3, :3], T[:3, 3]) for T in self.T]

    @property
    def v(self) -> list[Tensor]:
        """ᵢv̂_i, computed from the poses alone."""
        return [body_twist(T) for T in self.T]

    @property
    def space_twists(self) -> list[Tensor]:
        """v̂_i in the root's frame, computed from the poses alone."""
        return [space_twist(T) for T in self.T]

    @property
    def centres(self) -> list[Tensor]:
        """Centres of mass in the root's frame."""
        return [(T @ point(link.com[:, 0]))[:3] for T, link in zip(self.T, self.model.links, strict=True)]

    @property
    def jacobians(self) -> list[Tensor]:
        """Geometric Jacobians (6, nv) of all bodies in the root's frame; columns [Ad_T] ŝ for the joints on its path."""
        jacobians: list[Tensor] = []
        for i, λ in enumerate(self.model.parents):
            J = jacobians[λ].copy() if λ >= 0 else zero(6, self.model.nv)
            J[:, self.model.links[i].v] = Ad(self.T[i]) @ self.S[i]
            jacobians.append(J)
        return jacobians

    def joint(self, i: int) -> Tensor:
        """v̂_J = Ŝ q̇ of joint i."""
        return self.S[i] @ self.qd[self.model.links[i].v, 0]

    def taken(self, forces: Tensor) -> Tensor:
        """Σ Jᵀ F (nv, 1) for ``forces`` (bodies, 6) in the root's frame."""
        return sum(J.T @ f for J, f in zip(self.jacobians, forces, strict=True))[:, None]


def motion_of(p: Point, mechanism: Mechanism) -> Motion:
    """A random motion of ``mechanism``: v is a random path, and q(0) is random."""
    model, v = p.model(mechanism), p.path(mechanism.nv)
    q = [_position(p, body.joint, v[part]) for body, part in zip(mechanism.bodies, mechanism.v_slices, strict=True)]
    position = np.concatenate(q)[:, None]
    X, S = transforms(model, position)
    poses = [pose_of(X0) for X0 in transforms_from_root(model, X)]
    return Motion(mechanism, model, position, v[:, None], [matrix(Xi) for Xi in X], [Si[..., 0] for Si in S], poses)


def moving(parents: Sequence[int], kinds: Sequence[Kind], losses: bool = True, gravity: bool = True) -> Callable[[Point], Motion]:
    """Draws a random motion of a mechanism with this tree and these kinds of joints.

    The equations of the texts have no ``losses``: neither armature nor forces of joints.
    """

    def draw(p: Point) -> Motion:
        mechanism = p.mechanism(parents, kinds) if losses else without_losses(p.mechanism(parents, kinds))
        return motion_of(p, mechanism if gravity else replace(mechanism, gravity=(0, 0, 0)))

    return draw


def without_losses(mechanism: Mechanism) -> Mechanism:
    """``mechanism`` without armature and forces of joints."""
    joints = (replace(body.joint, **NO_DYNAMICS) for body in mechanism.bodies)
    bodies = tuple(replace(body, joint=joint) for body, joint in zip(mechanism.bodies, joints, strict=True))
    return replace(mechanism, bodies=bodies)


FORK: tuple[Sequence[int], Sequence[Kind]] = ([-1, 0, 1, 0], ["revolute", "helical", "prismatic", "revolute"])
"""Parents and kinds of joints of a tree of four bodies; the first body carries two others."""

CHAIN: tuple[Sequence[int], Sequence[Kind]] = ([-1, 0, 1], ["revolute", "prismatic", "helical"])
"""Parents and kinds of joints of a chain of three bodies."""


def _position(p: Point, joint: Joint, v: Tensor) -> Tensor:
    if not joint.velocity_is_body_twist:
        return join(*(_slot(p, slot.form, v[slot.v]) for slot in joint.slots))
    if joint.slots[-1].form == "angle":
        angle = p.angle(v[0])
        c, s = angle.c, angle.s
        return join(_distance(p, vector(c * v[1] - s * v[2], s * v[1] + c * v[2])), vector(angle.t))
    e = _quaternion(p, v[:3])
    return join(_distance(p, rotation_matrix(e[[3, 0, 1, 2]]) @ v[3:]), e) if joint.description.distances else e


def _slot(p: Point, form: Form, v: Tensor) -> Tensor:
    if form == "distance":
        return _distance(p, v)
    angle = p.angle(v[0])
    return vector(angle.c, angle.s) if form == "circle" else vector(angle.t)


def _distance(p: Point, speed: Tensor) -> Tensor:
    """Distances with the rates ``speed``."""
    return flow(p.vector(len(speed)), lambda x: speed + 0 * x, p.order)


def _quaternion(p: Point, w: Tensor) -> Tensor:
    """The quaternion e = (x, y, z, w) with ė = ½ e ω, where w = ω is the angular velocity in the body's frame."""

    def velocity(e: Tensor) -> Tensor:
        x, u = e[:3], e[3]
        half: Any = p.fraction(1, 2)
        return join(w * u + cross(x, w), vector(-(x @ w))) * half

    return flow(p.vector(4), velocity, p.order)
