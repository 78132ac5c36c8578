"""A mechanism over a field: the constants of the recursive algorithms (Featherstone 2008, §4.6).

The symbols are the book's: λ the parent array, X_T the placement of every joint, S its motion subspace, I the
spatial inertias.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from implementations.field import Field, Tensor, constant
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Body, Constraint, Inertia, Joint, Mechanism, Placement


class Turn(NamedTuple):
    """Of a unit axis u, the constants (3, 3, 1) of Rodrigues' formula: u uᵀ, 1 − u uᵀ and u×."""

    along: Tensor
    across: Tensor
    cross: Tensor


@dataclass(frozen=True)
class Link:
    """One body and its joint; arrays are constants of the field."""

    joint: Joint
    q: slice
    """The part of q that is the joint's position."""
    v: slice
    """The part of v, a and τ that belongs to the joint."""
    axes: Tensor
    """Unit axes (3, nv of the joint, 1) of the joint's screws, where its position is zero."""
    S: Tensor
    """Unit screws (6, nv of the joint, 1) at position zero: the motion subspace in the body's frame, if not compound."""
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
    stiffness: Tensor
    """Of the joint's spring (nv of the joint, 1)."""
    rest: Tensor
    """The position where the spring has no force (1, 1)."""
    friction: Tensor
    """Of Coulomb's law (nv of the joint, 1)."""

    @property
    def compound(self) -> bool:
        """Whether the joint makes several motions, one after the other, so that its motion subspace depends on q."""
        return self.joint.compound

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Of every axis. For small batches, to make them again took a fifth of the time of inverse dynamics."""
        return tuple(map(turn_about, self.axes.swapaxes(0, 1)))


@dataclass(frozen=True)
class Closure:
    """A constraint: the indices of its bodies, -1 for the root, its constrained rows, and the transforms to its frames."""

    first: int
    second: int
    rows: tuple[int, ...]
    to_first: Plucker
    """From the first body's frame to the constraint's first frame."""
    to_second: Plucker


@dataclass(frozen=True)
class Model:
    """Links parents first; ``parents[i]`` is λ(i), -1 for the root; ``gravity`` is a spatial acceleration (6, 1)."""

    field: Field
    links: tuple[Link, ...]
    parents: tuple[int, ...]
    gravity: Tensor
    nv: int
    frames: tuple[tuple[int, Plucker], ...] = ()
    """Every frame that is fixed to a body, or to the root (-1): the body, and the transform from it to the frame."""
    closures: tuple[Closure, ...] = ()
    lifted: Model | None = None
    """The masses that gravity compensation lifts, on the same tree; None if there are none."""


def build(mechanism: Mechanism, field: Field, made: Callable[[Body, slice, slice, Field], Link] | None = None) -> Model:
    """The model of ``mechanism`` over ``field``; ``made`` makes links, by default :func:`link_of`."""
    slices = zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)
    links = tuple((made or link_of)(body, q, v, field) for body, q, v in slices)
    frames = frames_of(mechanism, field)
    closures = tuple(closure_of(constraint, mechanism, field) for constraint in mechanism.constraints)
    lifted = build(mechanism.lifted, field, made) if mechanism.lifted else None
    return Model(field, links, mechanism.parents, gravity_of(mechanism, field), mechanism.nv, frames, closures, lifted)


def gravity_of(mechanism: Mechanism, field: Field) -> Tensor:
    """a_g (6, 1): the spatial acceleration of free fall."""
    return constant(field, (Fraction(0),) * 3 + mechanism.gravity)[:, None]


def frames_of(mechanism: Mechanism, field: Field) -> tuple[tuple[int, Plucker], ...]:
    """The body and the transform of every frame of the mechanism."""
    return tuple((frame.body, transform_to(frame.placement, field)) for frame in mechanism.frames)


def link_of(body: Body, q: slice, v: slice, field: Field) -> Link:
    """One body with its joint, which has these parts of q and of v."""
    joint, inertia = body.joint, body.inertia
    return Link(
        joint,
        q,
        v,
        constant(field, [screw.axis for screw in joint.screws]).T[..., None],
        unit_screws(joint, field),
        transform_to(joint.placement, field),
        spatial_inertia(inertia, field),
        constant(field, inertia.mass),
        constant(field, inertia.com)[:, None],
        constant(field, [joint.armature] * joint.nv)[:, None],
        constant(field, [joint.damping] * joint.nv)[:, None],
        constant(field, [joint.stiffness] * joint.nv)[:, None],
        constant(field, [joint.rest])[:, None],
        constant(field, [joint.friction] * joint.nv)[:, None],
    )


def closure_of(constraint: Constraint, mechanism: Mechanism, field: Field) -> Closure:
    """One constraint."""
    index = {mechanism.root: -1, **{body.name: i for i, body in enumerate(mechanism.bodies)}}
    to_first, to_second = (transform_to(x, field) for x in (constraint.first_placement, constraint.second_placement))
    return Closure(index[constraint.first], index[constraint.second], constraint.rows, to_first, to_second)


def transform_to(placement: Placement, field: Field) -> Plucker:
    """The transform from a frame to one that is placed there, as a constant (batch 1)."""
    R, p = placement.rotation.matrix, placement.translation
    return Plucker(constant(field, R).T[..., None], constant(field, p)[:, None])


def unit_screws(joint: Joint, field: Field) -> Tensor:
    """(6, nv, 1): the twist of every coordinate, where its rate is one and the position is zero."""
    return constant(field, [screw.twist for screw in joint.screws]).T[..., None]


def turn_about(u: Tensor) -> Turn:
    """The constants of turns about the unit axis u (3, 1)."""
    uuT = u[:, None] * u
    (x, y, z), o = u, 0 * u[0]
    ux = np.stack([np.stack(row) for row in ((o, -z, y), (z, o, -x), (-y, x, o))])
    return Turn(uuT, np.eye(3, dtype=int)[..., None] - uuT, ux)


def spatial_inertia(inertia: Inertia, field: Field) -> Tensor:
    """I = [[I_o, m c×], [m c×ᵀ, m 1]] (6, 6, 1) about the body's origin (text 000, eqs. 17, 18)."""
    m, (x, y, z), o = inertia.mass, inertia.com, 0
    mcx = np.array([[o, -m * z, m * y], [m * z, o, -m * x], [-m * y, m * x, o]], dtype=object)
    m1 = np.array([[m * (i == j) for j in range(3)] for i in range(3)], dtype=object)
    I_o = np.array(inertia.about((o, o, o)), dtype=object)
    return constant(field, np.block([[I_o, mcx], [mcx.T, m1]]))[..., None]
