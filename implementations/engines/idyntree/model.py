"""Builds iDynTree's model of a mechanism from iDynTree's own links and joints.

==================== ==========================================================================================
ours                 iDynTree's
==================== ==========================================================================================
revolute, prismatic  RevoluteJoint, PrismaticJoint, about or along any axis
continuous           RevoluteJoint; its class RevoluteSO2Joint is not in the Python module
spherical            SphericalJoint
free                 the base of the model, if the mechanism has one free joint, at the root's origin, and nothing
                     else hangs on the root; otherwise three PrismaticJoint and a SphericalJoint
helical              none
others               a RevoluteJoint or a PrismaticJoint for every angle and distance, with massless links between
==================== ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from implementations.protocol import Array, Unsupported
from mechanisms import Inertia, Joint, Mechanism
from mechanisms.geometry import Placement
from mechanisms.joint import Screw

ROOT = "root"


@dataclass(frozen=True)
class Built:
    """A model, with what is needed to ask it about our bodies."""

    model: Any
    base: str
    """The link that is the model's base."""
    floats: bool
    """Whether the base is the body of a free joint; otherwise it is the root."""
    links: list[str]
    """The link of every body."""
    frames: Sequence[str] = ()
    """iDynTree's frame for every frame of the mechanism, or none."""


def built(id: Any, mechanism: Mechanism) -> Built:
    """Raises :class:`Unsupported` for a helical joint."""
    model, floats = id.Model(), has_free_base(mechanism)
    links = [f"body{i}" for i in range(len(mechanism.bodies))]
    if not floats:
        model.addLink(ROOT, _link(id, Inertia.massless()))
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        if floats and i == 0:
            model.addLink(links[0], _link(id, body.inertia))
            continue
        at, placement = links[parent] if parent >= 0 else ROOT, body.joint.placement
        *before, last = motions(body.joint)
        for k, motion in enumerate(before):
            between = f"{links[i]} before {k}"
            model.addLink(between, _link(id, Inertia.massless()))
            _join(id, model, body.joint, motion, placement, at, between)
            at, placement = between, Placement()
        model.addLink(links[i], _link(id, body.inertia))
        _join(id, model, body.joint, last, placement, at, links[i])
    names = [f"frame{k}" for k in range(len(mechanism.frames))]
    for name, frame in zip(names, mechanism.frames, strict=True):
        if floats and frame.body < 0:
            # The root is no link of this model.
            return Built(model, links[0], floats, links)
        on = links[frame.body] if frame.body >= 0 else ROOT
        model.addAdditionalFrameToLink(on, name, _transform(id, frame.placement))
    return Built(model, links[0] if floats else ROOT, floats, links, names)


def has_free_base(mechanism: Mechanism) -> bool:
    """Whether the mechanism's free joint is iDynTree's free base: its pose and its velocity are those in the root's frame."""
    kinds = [body.joint.kind for body in mechanism.bodies]
    first = mechanism.bodies[0].joint
    return (
        kinds.count("free") == 1 and first.kind == "free" and mechanism.parents.count(-1) == 1 and first.placement == Placement()
    )


def motions(joint: Joint) -> Iterator[Screw | None]:
    """The motions of one joint in iDynTree, in the order of its position; None for a ball."""
    for slot in joint.slots:
        screw = None if slot.form == "quaternion" else joint.screws[slot.v.start]
        if screw and screw.turns and screw.advance:
            raise Unsupported(f"iDynTree has no helical joint, which joint {joint.name!r} is")
        yield screw


def _join(id: Any, model: Any, joint: Joint, motion: Screw | None, placement: Placement, parent: str, child: str) -> None:
    rest, link, other = _transform(id, placement), model.getLinkIndex(child), model.getLinkIndex(parent)
    made = id.SphericalJoint() if motion is None else id.RevoluteJoint() if motion.turns else id.PrismaticJoint()
    made.setAttachedLinks(other, link)
    made.setRestTransform(rest)
    if motion is None:
        made.setJointCenter(other, rest.getPosition())
    else:
        axis = id.Direction(*map(float, motion.axis))
        made.setAxis(id.Axis(axis, id.Position.Zero()), link, other)
    if joint.damping:
        made.setJointDynamicsType(id.URDFJointDynamics)
        made.setDamping(0, float(joint.damping))
    model.addJoint(f"to {child}", made)


def _link(id: Any, inertia: Inertia) -> Any:
    # A new Link has an inertia of whatever is in memory.
    link, spatial = id.Link(), id.SpatialInertia.Zero()
    if not inertia.is_massless:
        about_com = id.RotationalInertia(_floats(inertia.matrix))
        spatial.fromRotationalInertiaWrtCenterOfMass(float(inertia.mass), id.Position(*map(float, inertia.com)), about_com)
    link.setInertia(spatial)
    return link


def _transform(id: Any, placement: Placement) -> Any:
    rotation = id.Rotation.FromPython(_floats(placement.rotation.matrix))
    return id.Transform(rotation, id.Position(*map(float, placement.translation)))


def _floats(numbers: Any) -> Array:
    return np.array(numbers, dtype=float)
