"""Screws: home poses, exponentials and adjoints (K. Lynch, F. Park, *Modern Robotics*, 2017, ch. 3 and 8; text 003).

Poses are homogeneous matrices T (4, 4, batch). Twists 𝒱 = (ω, v) and wrenches ℱ = (m, f) are (6, batch). The frame {i} of a
link has its origin in the centre of mass, and the axes of the body's frame. In the home position, where q is zero, M is the pose
in {i} of the parent link's frame. The joint's screws are the columns of A, also in {i}.

The book's joints have one screw. A compound joint becomes several links, all but the last without mass
(:func:`mechanisms.split_joints.elementary`). A spherical, planar or free joint is one link. Its velocity is given in {i} along
the columns of A, and its motion is a product of exponentials too: a slide, then a turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from implementations.field import Field, Tensor, constant
from mechanisms import Body, Mechanism
from mechanisms.joint_kinds import Slot
from mechanisms.split_joints import elementary

ONE = np.eye(4, dtype=int)[..., None]


@dataclass(frozen=True)
class Link:
    """One link and its joint, in constants of the field; ``parent`` is 0 for the base."""

    parent: int
    slots: tuple[Slot, ...]
    q: slice
    v: slice
    M: Tensor
    """(4, 4, 1)"""
    A: Tensor
    """(6, nv of the joint)"""
    along: Tensor
    """(6, 1): (0, h ω), of a helical joint with the pitch h (m/rad)."""
    G: Tensor
    """𝒢 = diag(I, m 1) (6, 6), the inertia in {i}."""
    lifted: tuple[Tensor, Tensor] | None = None
    """The mass that gravity compensation lifts, and its centre (3, 1) in {i}."""


@dataclass(frozen=True)
class Spring:
    """stiffness · (θ − θ₀) of the joint of a link, with θ₀ (1, 1) the position in which it has no force."""

    link: Link
    stiffness: Tensor
    θ0: Tensor

    def turned(self, q: Tensor, field: Field) -> Tensor:
        """θ − θ₀ (1, batch)."""
        own = q[self.link.q]
        return (own if self.link.slots[0].form == "distance" else field.angle(own)) - self.θ0


@dataclass(frozen=True)
class Tree:
    """Links 1, 2, …, each after its parent; ``gravity`` is (3, 1), ``armature``, ``damping`` and ``friction`` are (nv, 1)."""

    field: Field
    links: tuple[Link, ...]
    gravity: Tensor
    armature: Tensor
    damping: Tensor
    friction: Tensor | None
    """None if no joint has any: fields without signs have the other forces."""
    nv: int
    springs: tuple[Spring, ...] = ()


def build(mechanism: Mechanism, field: Field) -> Tree:
    """The screws of ``mechanism`` over ``field``."""
    simple = elementary(mechanism)
    c = [constant(field, centre) for centre in ((0, 0, 0), *(body.inertia.com for body in simple.bodies))]
    places = zip(simple.bodies, simple.parents, simple.q_slices, simple.v_slices, c[1:], strict=True)
    links = tuple(_link(body, λ + 1, q, v, c[λ + 1], c_i, field) for body, λ, q, v, c_i in places)
    joints = [body.joint for body in simple.bodies for _ in range(body.joint.nv)]
    columns = (simple.gravity, *([getattr(joint, name) for joint in joints] for name in ("armature", "damping", "friction")))
    gravity, armature, damping, friction = (constant(field, column)[:, None] for column in columns)
    pairs = [(link, body.joint) for link, body in zip(links, simple.bodies, strict=True) if body.joint.stiffness != 0]
    springs = tuple(Spring(link, constant(field, [[j.stiffness]]), constant(field, [[j.rest]])) for link, j in pairs)
    rubs = any(joint.friction != 0 for joint in joints)
    return Tree(field, links, gravity, armature, damping, friction if rubs else None, simple.nv, springs)


def _link(body: Body, parent: int, q: slice, v: slice, c_parent: Tensor, c: Tensor, field: Field) -> Link:
    joint, one = body.joint, constant(field, np.eye(3, dtype=int))
    R, p = constant(field, joint.placement.rotation.matrix), constant(field, joint.placement.translation)
    M = pose(R.T, R.T @ (c_parent - p) - c)
    # The products of axes and advances are rounded in the field; screw.twist would round them differently.
    axes, turns, advance = (constant(field, part).T for part in zip(*joint.screws, strict=True))
    A = Ad(pose(one, -c))[..., 0] @ np.concatenate((axes * turns, axes * advance))
    along = np.concatenate((0 * axes, axes * advance))[:, :1]
    G = blocks(constant(field, body.inertia.matrix), 0 * one, 0 * one, constant(field, body.inertia.mass) * one)
    mass, at = (constant(field, part) for part in (body.lifted.mass, body.lifted.com))
    lifted = (mass, (at - c)[:, None]) if body.is_lifted else None
    return Link(parent, joint.slots, q, v, M, A, along, G, lifted)


def pose(R: Tensor, p: Tensor) -> Tensor:
    """T = [[R, p], [0, 1]] (4, 4, 1) of constants R (3, 3) and p (3,)."""
    return blocks(R, p[:, None], 0 * R[:1], 1 + 0 * R[:1, :1])[..., None]


def displacement(link: Link, q: Tensor, field: Field) -> Tensor:
    """e^{−[A] q} (4, 4, batch), 1 − [A] q for a slide: it takes the link home from q (nq of the joint, batch)."""
    *distances, last = link.slots
    if last.form == "distance":
        return ONE - bracket(link.A * q)
    n = len(distances)
    A, x = link.A[:, last.v], q[last.q]
    match last.form:
        case "angle":
            c, s = field.cos_sin(x)
            T = turn(A, c, s)
            if last.advances:
                T = T + (s - field.angle(x)) * bracket(link.along)
        case "circle":
            T = turn(A, x[:1], x[1:])
        case _:
            T = turn_by_quaternion(A, x)
    return mul(T, ONE - bracket(link.A[:, -n:] @ q[:n])) if n else T


def turn(A: Tensor, c: Tensor, s: Tensor) -> Tensor:
    """e^{−[A] θ} = 1 − sin θ [A] + (1 − cos θ) [A]² for a screw A (6, 1) of pitch zero, since then [A]³ = −[A].

    A pitch h adds (sin θ − θ) [(0, h ω)]. Together that is eq. 3.88 and text 003, §8, but without θ where there is no pitch.
    """
    N = bracket(A)
    return ONE - s * N + (1 - c) * mul(N, N)


def turn_by_quaternion(A: Tensor, e: Tensor) -> Tensor:
    """The same for a quaternion e = (x, w), about A x/|x| with |x| = |e| sin(θ/2): 1 − 2 w/|e|² [A x] + 2/|e|² [A x]²."""
    N, k = bracket(A @ e[:3]), 2 / (e * e).sum(axis=0)
    return ONE - k * e[3] * N + k * mul(N, N)


def skew(w: Tensor) -> Tensor:
    """[ω] (3, 3, batch)."""
    (x, y, z), o = w, 0 * w[0]
    return np.stack([np.stack(row) for row in ((o, -z, y), (z, o, -x), (-y, x, o))])


def bracket(V: Tensor) -> Tensor:
    """[𝒱] = [[[ω], v], [0, 0]] (4, 4, batch) (text 003, §8)."""
    return blocks(skew(V[:3]), V[3:, None], 0 * V[None, :3], 0 * V[None, :1])


def Ad(T: Tensor) -> Tensor:
    """[Ad_T] = [[R, 0], [[p] R, R]] (6, 6, batch) (Definition 3.20; text 003, §13)."""
    R, p = T[:3, :3], T[:3, 3]
    return blocks(R, 0 * R, mul(skew(p), R), R)


def ad(V: Tensor) -> Tensor:
    """[ad_𝒱] = [[[ω], 0], [[v], [ω]]] (6, 6, batch) (text 003, §35)."""
    w, v = skew(V[:3]), skew(V[3:])
    return blocks(w, 0 * w, v, w)


def blocks(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    """[[a, b], [c, d]], over the two leading axes."""
    return np.concatenate((np.concatenate((a, b), axis=1), np.concatenate((c, d), axis=1)))


def mul(A: Tensor, B: Tensor) -> Tensor:
    """The product of matrices (m, n, batch) and (n, k, batch), or of a matrix and a vector (n, batch)."""
    return np.einsum("ij...,jk...->ik..." if B.ndim == 3 else "ij...,j...->i...", A, B)
