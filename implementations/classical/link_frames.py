"""Links and joints of the classical recursion: a frame in every link, with rotation matrices and 3-vectors between them.

Craig's joints turn about Ẑ or slide along it. These joints have any axis, and some do both. A compound joint becomes several
links, all but the last without mass (:func:`mechanisms.split_joints.elementary`). A spherical, planar or free joint is one link:
its rotation is given by a quaternion or an angle, and its velocity is given in the link's frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from implementations.field import Field, Tensor, constant
from mechanisms import Body, Mechanism
from mechanisms.joint_kinds import Slot
from mechanisms.split_joints import elementary


@dataclass(frozen=True)
class Link:
    """One link and its joint, in constants of the field; ``parent`` is 0 for the base."""

    parent: int
    slots: tuple[Slot, ...]
    q: slice
    v: slice
    R: Tensor
    """(3, 3): from the joint's frame to the parent's."""
    P: Tensor
    """(3, 1): the joint's origin in the parent's frame."""
    Z: Tensor
    """(3, nv of the joint): the axis of each turning coordinate, zero for the others."""
    D: Tensor
    """(3, nv of the joint): the axis of each sliding coordinate times its advance, zero for the others."""
    m: Tensor
    c: Tensor
    I: Tensor
    """Mass, centre of mass (3, 1), inertia about it (3, 3)."""
    lifted: tuple[Tensor, Tensor] | None = None
    """The mass that gravity compensation lifts, and its centre (3, 1)."""


@dataclass(frozen=True)
class Spring:
    """A spring that pulls the coordinate ``q`` (one number), whose velocity is ``v``, to the position ``rest`` (1, 1)."""

    q: slice
    v: slice
    is_angle: bool
    stiffness: Tensor
    rest: Tensor


@dataclass(frozen=True)
class Chain:
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


def build(mechanism: Mechanism, field: Field) -> Chain:
    """The links of ``mechanism`` over ``field``."""
    simple = elementary(mechanism)
    links = tuple(
        _link(body, λ + 1, q, v, field)
        for body, λ, q, v in zip(simple.bodies, simple.parents, simple.q_slices, simple.v_slices, strict=True)
    )
    joints = [body.joint for body in simple.bodies for _ in range(body.joint.nv)]
    columns = (simple.gravity, *([getattr(joint, name) for joint in joints] for name in ("armature", "damping", "friction")))
    gravity, armature, damping, friction = (constant(field, column)[:, None] for column in columns)
    places = zip(simple.bodies, simple.q_slices, simple.v_slices, strict=True)
    springs = tuple(
        Spring(
            q, v, body.joint.slots[0].form == "angle", *(constant(field, [[x]]) for x in (body.joint.stiffness, body.joint.rest))
        )
        for body, q, v in places
        if body.joint.stiffness != 0
    )
    rubs = any(joint.friction != 0 for joint in joints)
    return Chain(field, links, gravity, armature, damping, friction if rubs else None, simple.nv, springs)


def stretch(chain: Chain, spring: Spring, q: Tensor) -> Tensor:
    """By how much a spring is longer, or turned further, than at rest (1, batch)."""
    return (chain.field.angle(q[spring.q]) if spring.is_angle else q[spring.q]) - spring.rest


def _link(body: Body, parent: int, q: slice, v: slice, field: Field) -> Link:
    joint, inertia = body.joint, body.inertia
    # The products of axes and advances are rounded in the field; screw.twist would round them differently.
    axes, turns, advance = (constant(field, part).T for part in zip(*joint.screws, strict=True))
    R, P = constant(field, joint.placement.rotation.matrix), constant(field, joint.placement.translation)[:, None]
    m, c, I = (constant(field, part) for part in (inertia.mass, inertia.com, inertia.matrix))
    own, at = (constant(field, part) for part in (body.lifted.mass, body.lifted.com))
    lifted = (own, at[:, None]) if body.is_lifted else None
    return Link(parent, joint.slots, q, v, R, P, axes * turns, axes * advance, m, c[:, None], I, lifted)


def joint_transform(link: Link, q: Tensor, field: Field) -> tuple[Tensor, Tensor]:
    """R (3, 3, batch), from the parent's frame to the link's, and P (3, batch), the link's origin in the parent's.

    q (nq of the joint, batch) is the joint's position.
    """
    R, p = motion(link, q, field)
    return np.einsum("kj...,ik->ji...", R, link.R), link.P + link.R @ p


def motion(link: Link, q: Tensor, field: Field) -> tuple[Tensor, Tensor]:
    """The link's rotation (3, 3, batch) and displacement (3, batch) in the joint's frame."""
    *distances, last = link.slots
    if last.form == "distance":
        return constant(field, np.eye(3, dtype=int))[..., None], link.D * q
    n, axis = len(distances), link.Z[:, :1]
    match last.form:
        case "angle":
            R = about(axis, *field.cos_sin(q[n:]))
        case "circle":
            R = about(axis, q[:1], q[1:])
        case _:
            R = by_euler_parameters(q[n:])
    if n:
        return R, link.D[:, -n:] @ q[:n]
    return R, link.D * field.angle(q) if last.advances else 0 * link.P


def about(axis: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """R_K(θ) (3, 3, batch), the turn about K (3, 1) by the angle with this cosine and sine (1, batch) (Craig, eq. 2.80)."""
    (kx, ky, kz), (c,), (s,) = axis, cosine, sine
    v = 1 - c
    rows = (
        (kx * kx * v + c, kx * ky * v - kz * s, kx * kz * v + ky * s),
        (kx * ky * v + kz * s, ky * ky * v + c, ky * kz * v - kx * s),
        (kx * kz * v - ky * s, ky * kz * v + kx * s, kz * kz * v + c),
    )
    return np.stack([np.stack(row) for row in rows])


def by_euler_parameters(e: Tensor) -> Tensor:
    """The rotation (3, 3, batch) of a quaternion x y z w of any length (Craig, eq. 2.91, divided by the length's square)."""
    x, y, z, w = e
    k = 2 / (x * x + y * y + z * z + w * w)
    rows = (
        (1 - k * (y * y + z * z), k * (x * y - z * w), k * (x * z + y * w)),
        (k * (x * y + z * w), 1 - k * (x * x + z * z), k * (y * z - x * w)),
        (k * (x * z - y * w), k * (y * z + x * w), 1 - k * (x * x + y * y)),
    )
    return np.stack([np.stack(row) for row in rows])


def cross(a: Tensor, b: Tensor) -> Tensor:
    """The vector product a × b of (3, batch) arrays."""
    return np.cross(a, b, axis=0)


def mul(R: Tensor, x: Tensor) -> Tensor:
    """R x, for R (3, 3, batch) and x (3, batch)."""
    return np.einsum("ij...,j...->i...", R, x)
