"""The numbers of DART's skeletons where every position is zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mechanisms.reading import Mass, Mimic, Reading, ReadJoint, ReadLink, combined, mass_about

KINDS = {
    "RevoluteJoint": "revolute",
    "PrismaticJoint": "prismatic",
    "ScrewJoint": "helical",
    "UniversalJoint": "universal",
    "TranslationalJoint": "translation",
    "BallJoint": "spherical",
    "PlanarJoint": "planar",
    "FreeJoint": "free",
}

AXES = {"UniversalJoint": "getAxis1", "PlanarJoint": "getRotationalAxis"}
"""The functions that give a joint's axis, where it is not ``getAxis``."""


def kind_of(joint: Any) -> str:
    """Our word for the kind of DART's joint, or its own."""
    return KINDS.get(joint.getType(), joint.getType())


def moving_nodes(skeletons: Sequence[Any]) -> list[Any]:
    """The nodes whose joints move, in the order of their coordinates."""
    moving: list[Any] = []
    for skeleton in skeletons:
        nodes = [node for node in skeleton.getBodyNodes() if node.getParentJoint().getNumDofs()]
        moving += sorted(nodes, key=lambda node: node.getParentJoint().getIndexInSkeleton(0))
    return moving


def reading_of(skeletons: Sequence[Any], said: tuple[str, ...]) -> Reading:
    """What DART made of a file, from its skeletons alone."""
    for skeleton in skeletons:
        # Its initial positions are within the limits, which may exclude zero.
        skeleton.setPositions(np.zeros(skeleton.getNumDofs()))
    nodes = [node for skeleton in skeletons for node in skeleton.getBodyNodes()]
    carriers = [carrier_of(node) for node in nodes]
    carried: dict[str, list[Any]] = {}
    for node, carrier in zip(nodes, carriers, strict=True):
        carried.setdefault(carrier, []).append(node)
    joints = []
    for node in moving_nodes(skeletons):
        joint, parent = node.getParentJoint(), node.getParentBodyNode()
        joints.append(_joint(joint, node, carrier_of(parent) if parent is not None else "", _mass(carried[joint.getName()])))
    links = tuple(ReadLink(node.getName(), carrier, _mass([node])) for node, carrier in zip(nodes, carriers, strict=True))
    gravity = tuple(map(float, skeletons[0].getGravity()))
    return Reading(skeletons[0].getName(), tuple(joints), gravity, links, said)


def carrier_of(node: Any) -> str:
    """The name of the joint that moves the node; empty if it does not move."""
    while node is not None:
        joint = node.getParentJoint()
        if joint.getNumDofs():
            return str(joint.getName())
        node = node.getParentBodyNode()
    return ""


def _joint(joint: Any, node: Any, parent: str, carries: Mass) -> ReadJoint:
    # The joint's frame in the body, from which the root's axes follow where every position is zero.
    place = node.getWorldTransform().multiply(joint.getTransformFromChildBodyNode())
    give = getattr(joint, AXES.get(joint.getType(), "getAxis"), None)
    single = joint.getNumDofs() == 1
    return ReadJoint(
        joint.getName(),
        kind_of(joint),
        parent,
        tuple(map(float, place.translation())),
        () if give is None else tuple(map(float, place.rotation() @ give())),
        carries,
        _limits(joint) if single else (None,) * 4,
        float(joint.getDampingCoefficient(0)) if single else None,
        None,
        float(joint.getCoulombFriction(0)) if single else None,
        _mimic(joint) if single else None,
    )


def _limits(joint: Any) -> tuple[float | None, ...]:
    limits = (
        joint.getPositionLowerLimit(0),
        joint.getPositionUpperLimit(0),
        joint.getVelocityUpperLimit(0),
        joint.getForceUpperLimit(0),
    )
    return tuple(float(limit) if np.isfinite(limit) else None for limit in limits)


def _mimic(joint: Any) -> Mimic | None:
    properties = getattr(joint, f"get{joint.getType()}Properties")().mMimicDofProps
    leaders = [one for one in properties if one.mReferenceJoint is not None]
    return Mimic(leaders[0].mReferenceJoint.getName(), leaders[0].mMultiplier, leaders[0].mOffset) if leaders else None


def _mass(nodes: Sequence[Any]) -> Mass:
    """Of nodes that are welded to each other: DART has no function that adds them."""
    turns = [node.getWorldTransform().rotation() for node in nodes]
    return combined(
        mass_about(node.getMass(), node.getCOM(), R @ node.getInertia().getMoment() @ R.T)
        for node, R in zip(nodes, turns, strict=True)
    )
