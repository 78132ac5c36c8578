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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from implementations.engines.segments import Segment, floats, motions, segments
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
    model, floats = id.Model(), mechanism.has_free_base
    tree, ends = segments(mechanism, _motions)
    names = [f"segment{k}" for k in range(len(tree))]
    if not floats:
        model.addLink(ROOT, _link(id, Inertia.massless()))
    # A free base has no joint, and so no segments before its own.
    for k, segment in enumerate(tree):
        if floats and k < ends[0].segment:
            continue
        model.addLink(names[k], _link(id, segment.inertia))
        if not (floats and k == ends[0].segment):
            _join(id, model, segment, names[segment.parent] if segment.parent >= 0 else ROOT, names[k])
    links = [names[end.segment] for end in ends]
    frames = [f"frame{k}" for k in range(len(mechanism.frames))]
    for name, frame in zip(frames, mechanism.frames, strict=True):
        if floats and frame.body < 0:
            # The root is no link of this model.
            return Built(model, links[0], floats, links)
        on = links[frame.body] if frame.body >= 0 else ROOT
        model.addAdditionalFrameToLink(on, name, _transform(id, frame.placement))
    return Built(model, links[0] if floats else ROOT, floats, links, frames)


def _motions(joint: Joint) -> list[tuple[Screw | None, Placement]]:
    return [(screw, Placement()) for screw in motions(joint, without_helix="iDynTree")]


def _join(id: Any, model: Any, segment: Segment[Screw | None], parent: str, child: str) -> None:
    rest, link, other = _transform(id, segment.placement), model.getLinkIndex(child), model.getLinkIndex(parent)
    motion, damping = segment.motion, segment.joint.damping
    made = id.SphericalJoint() if motion is None else id.RevoluteJoint() if motion.turns else id.PrismaticJoint()
    made.setAttachedLinks(other, link)
    made.setRestTransform(rest)
    if motion is None:
        made.setJointCenter(other, rest.getPosition())
    else:
        axis = id.Direction(*map(float, motion.axis))
        made.setAxis(id.Axis(axis, id.Position.Zero()), link, other)
    if damping:
        made.setJointDynamicsType(id.URDFJointDynamics)
        made.setDamping(0, float(damping))
    model.addJoint(f"to {child}", made)


def _link(id: Any, inertia: Inertia) -> Any:
    # A new Link has an inertia of whatever is in memory.
    link, spatial = id.Link(), id.SpatialInertia.Zero()
    if not inertia.is_massless:
        about_com = id.RotationalInertia(floats(inertia.matrix))
        spatial.fromRotationalInertiaWrtCenterOfMass(float(inertia.mass), id.Position(*map(float, inertia.com)), about_com)
    link.setInertia(spatial)
    return link


def _transform(id: Any, placement: Placement) -> Any:
    rotation = id.Rotation.FromPython(floats(placement.rotation.matrix))
    return id.Transform(rotation, id.Position(*map(float, placement.translation)))
