"""A mechanism over a field: the constants that the recursive algorithms read (Featherstone 2008, §4.6).

The symbols are the book's: λ the parent array, X_T the placement of every joint, S its motion subspace, I the
spatial inertias.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from implementations.field import Field, Tensor, constant
from implementations.spatial import Plucker
from mechanisms import Body, Inertia, Joint, Mechanism


@dataclass(frozen=True)
class Link:
    """One body and its joint; arrays are constants of the field."""

    joint: Joint
    q: slice
    """Where the joint's position stands in q."""
    v: slice
    """Where the joint's velocity stands in v, a and τ."""
    axis: Tensor
    """Unit axis (3, 1), the same in the joint's and the body's frame."""
    S: Tensor
    """Motion subspace (6, nv of the joint), constant in the body's frame for every kind of joint."""
    XT: Plucker
    """From the parent's frame to the joint's."""
    I: Tensor
    """Spatial inertia (6, 6, 1) about the body's origin."""
    mass: Tensor
    com: Tensor
    """Centre of mass (3, 1) in the body's frame."""
    armature: Tensor
    """Rotor inertia (nv of the joint, 1)."""
    damping: Tensor
    """Viscous coefficient (nv of the joint, 1)."""


@dataclass(frozen=True)
class Model:
    """Links parents first; ``parents[i]`` is λ(i), -1 for the root; ``gravity`` is a spatial acceleration (6, 1)."""

    field: Field
    links: tuple[Link, ...]
    parents: tuple[int, ...]
    gravity: Tensor
    nv: int


def build(mechanism: Mechanism, field: Field) -> Model:
    """The model of ``mechanism`` over ``field``."""
    links = tuple(
        _link(body, q, v, field) for body, q, v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)
    )
    gravity = constant(field, (Fraction(0),) * 3 + mechanism.gravity)[:, None]
    return Model(field, links, mechanism.parents, gravity, mechanism.nv)


def _link(body: Body, q: slice, v: slice, field: Field) -> Link:
    joint, inertia = body.joint, body.inertia
    R, p = joint.placement.rotation.matrix, joint.placement.translation
    XT = Plucker(constant(field, R).T[..., None], constant(field, p)[:, None])
    return Link(
        joint,
        q,
        v,
        constant(field, joint.axis)[:, None],
        motion_subspace(joint, field),
        XT,
        spatial_inertia(inertia, field),
        constant(field, inertia.mass),
        constant(field, inertia.com)[:, None],
        constant(field, [joint.armature] * joint.nv)[:, None],
        constant(field, [joint.damping] * joint.nv)[:, None],
    )


def motion_subspace(joint: Joint, field: Field) -> Tensor:
    """S (6, nv): the body's velocity relative to its parent is S q̇, in the body's frame."""
    none = (Fraction(0),) * 3
    if joint.kind == "free":
        return constant(field, [[Fraction(i == j) for j in range(6)] for i in range(6)])
    column = joint.axis + none if joint.kind == "revolute" else none + joint.axis
    return constant(field, column)[:, None]


def spatial_inertia(inertia: Inertia, field: Field) -> Tensor:
    """I = [[I_o, m c×], [m c×ᵀ, m 1]] (6, 6, 1) about the body's origin (seed 000, eqs. 17, 18)."""
    m, (x, y, z), o = inertia.mass, inertia.com, 0
    mcx = np.array([[o, -m * z, m * y], [m * z, o, -m * x], [-m * y, m * x, o]], dtype=object)
    m1 = np.array([[m * (i == j) for j in range(3)] for i in range(3)], dtype=object)
    I_o = np.array(inertia.about((o, o, o)), dtype=object)
    return constant(field, np.block([[I_o, mcx], [mcx.T, m1]]))[..., None]
