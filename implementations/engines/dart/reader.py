"""Files as DART's own readers of URDF, SDF and MJCF understand them.

All give a link without inertia one kilogram, with its centre at the link's origin and with moments of 1 kg m². They keep welded
links apart, and damping, friction and limits of joints; DART has no armature. They take gravity from no file.

A link called "world" is the world. A mesh that is not there makes DART refuse a URDF, so elements with meshes are cut out of the
text before. The reader of SDF reads the versions 1.4 to 1.6, and does not rotate moments by the orientation of the inertial
frame. The reader of MJCF takes every moment for 1 kg m², ignores masses beside ``diaginertia``, and welds what moves freely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from implementations.engines.dart.adapter import dynamics_of, engine
from implementations.engines.files import (
    FileModel,
    as_file,
    limits_of,
    numbers,
    placed,
    require_kinds,
    with_what_it_said,
    without_meshes,
)
from implementations.protocol import Dynamics, Unsupported
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, ReadLink, ReadMimic, combined

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


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    dart = engine()
    edited, cut = without_meshes(text) if form != "mjcf" else (text, 0)
    elements = "element with a mesh was" if cut == 1 else "elements with meshes were"
    said = (f"{cut} {elements} cut out of the text, because DART refuses meshes that are not there",) if cut else ()
    skeletons, printed = with_what_it_said(lambda: _skeletons(dart, edited, form, free_base))
    printed = tuple(dict.fromkeys(map(_plain, printed)))
    if not skeletons:
        raise Unsupported(f"DART refuses the file: {one_line('; '.join(printed), 300) or 'it does not say why'}")
    if free_base and not any(joint.getName() == ROOT_JOINT for joint in skeletons[0].getJoints()):
        remedy = "give the link another name"
        raise Unsupported(f'DART takes a link called "world" for the world itself, which cannot move; {remedy}')
    reading, _ = with_what_it_said(lambda: reading_of(skeletons, (*said, *printed)))
    return FileModel(reading, partial(_dynamics, dart, skeletons))


def _dynamics(dart: Any, skeletons: Sequence[Any], mechanism: Mechanism, order: list[int]) -> Dynamics:
    (skeleton,) = skeletons
    nodes = moving_nodes(skeletons)
    kinds = [kind_of(node.getParentJoint()) for node in nodes]
    require_kinds("DART", mechanism, zip(order, kinds, strict=True))
    skeleton.setGravity(mechanism.arrays.gravity)
    with_what_it_said(partial(_release, dart, skeleton))
    return dynamics_of(dart, mechanism, skeleton, nodes, order)


def _release(dart: Any, skeleton: Any) -> None:
    """Take the masses of what does not move away, and let mimic joints move like all others."""
    for node in skeleton.getBodyNodes():
        if not carrier_of(node):
            node.setInertia(dart.dynamics.Inertia(0.0, np.zeros(3), np.zeros((3, 3))))
        elif node.getParentJoint().getNumDofs():
            node.getParentJoint().setActuatorType(dart.dynamics.ActuatorType.FORCE)


def _skeletons(dart: Any, text: str, form: Form, free_base: bool) -> list[Any]:
    """What DART makes of the text; nothing if it refuses it."""
    if form == "urdf":
        root_type = dart.utils.DartLoaderRootJointType
        options = dart.utils.DartLoaderOptions()
        options.mDefaultRootJointType = root_type.FLOATING if free_base else root_type.FIXED
        loader = dart.utils.DartLoader()
        loader.setOptions(options)
        found = [loader.parseSkeletonString(text, dart.common.Uri())]
    else:
        with as_file(text, "model.xml") as path:
            found = _of_file(dart, dart.common.Uri(path.as_uri()), form)
    skeletons = [skeleton for skeleton in found if skeleton is not None and skeleton.getNumBodyNodes()]
    for joint in (skeleton.getRootJoint() for skeleton in skeletons):
        if joint.getType() == "FreeJoint" and joint.getName() in ("rootJoint", "root"):
            joint.setName(ROOT_JOINT)
    return skeletons


def _of_file(dart: Any, uri: Any, form: Form) -> list[Any]:
    if form == "sdf":
        return [dart.utils.SdfParser.readSkeleton(uri)]
    try:
        world = dart.utils.MjcfParser.readWorld(uri)
    except RuntimeError as error:
        raise Unsupported(f"DART refuses the file: {one_line(str(error))}") from error
    return [] if world is None else [world.getSkeleton(k) for k in range(world.getNumSkeletons())]


def _plain(line: str) -> str:
    """A line that DART printed, without colours, the time and the path of our temporary file."""
    line = re.sub("\ufffd?\\[[0-9;]*m", "", line)
    line = re.sub(r"^\[\d{4}-\d\d-\d\d [\d:.]+\] ", "", line)
    return re.sub(r"file://\S*/dalembert-[^/\s]*/model\.xml", "the file", line)


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
        joints.append(_joint(joint, node, carrier_of(parent) if parent is not None else "", carried[joint.getName()]))
    links = tuple(ReadLink(node.getName(), carrier, _mass([node])) for node, carrier in zip(nodes, carriers, strict=True))
    gravity = numbers(skeletons[0].getGravity())
    return Reading(skeletons[0].getName(), tuple(joints), gravity, links, said)


def carrier_of(node: Any) -> str:
    """The name of the joint that moves the node; empty if it does not move."""
    while node is not None:
        joint = node.getParentJoint()
        if joint.getNumDofs():
            return str(joint.getName())
        node = node.getParentBodyNode()
    return ""


def _joint(joint: Any, node: Any, parent: str, carried: Sequence[Any]) -> ReadJoint:
    # The joint's frame in the body, from which the root's axes follow where every position is zero.
    place = node.getWorldTransform().multiply(joint.getTransformFromChildBodyNode())
    give = getattr(joint, AXES.get(joint.getType(), "getAxis"), None)
    single = joint.getNumDofs() == 1
    return ReadJoint(
        joint.getName(),
        kind_of(joint),
        parent,
        numbers(place.translation()),
        () if give is None else numbers(place.rotation() @ give()),
        _mass(carried),
        _limits(joint) if single else (None,) * 4,
        float(joint.getDampingCoefficient(0)) if single else None,
        None,
        float(joint.getCoulombFriction(0)) if single else None,
        _mimic(joint) if single else None,
        sum(node.getMass() for node in carried if not node.getGravityMode()),
    )


def _limits(joint: Any) -> tuple[float | None, ...]:
    ends = (joint.getPositionLowerLimit(0), joint.getPositionUpperLimit(0))
    return limits_of(*ends, joint.getVelocityUpperLimit(0), joint.getForceUpperLimit(0))


def _mimic(joint: Any) -> ReadMimic | None:
    properties = getattr(joint, f"get{joint.getType()}Properties")().mMimicDofProps
    leaders = [one for one in properties if one.mReferenceJoint is not None]
    return ReadMimic(leaders[0].mReferenceJoint.getName(), leaders[0].mMultiplier, leaders[0].mOffset) if leaders else None


def _mass(nodes: Sequence[Any]) -> Mass:
    """Of nodes that are welded to each other: DART has no function that adds them."""
    places = [node.getWorldTransform() for node in nodes]
    return combined(
        placed(node.getMass(), node.getLocalCOM(), node.getInertia().getMoment(), place.rotation(), place.translation())
        for node, place in zip(nodes, places, strict=True)
    )
