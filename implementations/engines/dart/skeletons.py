"""Builds DART's skeleton of a mechanism from DART's own joints.

=========== ===================================================================================================
ours        DART's
=========== ===================================================================================================
revolute    RevoluteJoint, as is continuous
prismatic   PrismaticJoint
helical     ScrewJoint
universal   UniversalJoint
translation TranslationalJoint, along x, y, z of a joint's frame that is rotated
euler-xyz   EulerJoint with the order XYZ, about x, y, z of a joint's frame that is rotated; as is euler-zxy
spherical   BallJoint
planar      PlanarJoint
free        FreeJoint
others      a chain: one joint for every angle and distance, with bodies of no mass between
=========== ===================================================================================================

A joint of DART sits at one frame in its parent body and at another in its child body. Both are rotated alike to give a joint
other axes; the frame of the body is ours. ``dartpy`` has no way to set the order of an EulerJoint's axes, which is XYZ at first.
Three axes in this order are right-handed for euler-xyz and euler-zxy, and left-handed for euler-zyx and euler-yxz.

DART takes the length of axis · angle for the angle. About a skew axis it is rounded, and at a thousand radians the turn has lost
three digits (docs/findings/dart-skew-axes-at-large-angles.md). So an axis is made x, y or z by rotating the joint's frame,
in exact numbers: DART takes a length of 1 − 10⁻¹⁶ for a smaller angle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from implementations.engines.segments import Segment, motions, segments, turn_to
from implementations.protocol import Array, Unsupported
from mechanisms import Joint, Mechanism, Placement, Rotation
from mechanisms.joint import Screw

SINGLE = {"translation": "Translational", "euler-xyz": "Euler", "euler-zxy": "Euler", "spherical": "Ball", "free": "Free"}
"""Our kinds that are one joint of DART without an axis of its own."""


def skeleton_of(dart: Any, mechanism: Mechanism) -> tuple[Any, list[Any]]:
    """The ``dartpy.dynamics.Skeleton`` of ``mechanism``, and the node of each of its bodies.

    DART's coordinates come in the order in which joints are made, which is ours.
    """
    skeleton = dart.dynamics.Skeleton(mechanism.name)
    skeleton.setGravity(mechanism.arrays.gravity)
    tree, ends = segments(mechanism, _motions)
    nodes: list[Any] = []
    for segment in tree:
        joint, node = _pair(dart, skeleton, nodes[segment.parent] if segment.parent >= 0 else None, segment)
        R, p = (np.array(x, dtype=float) for x in (segment.placement.rotation.matrix, segment.placement.translation))
        joint.setTransformFromParentBodyNode(dart.math.Isometry3(R, p).multiply(joint.getTransformFromParentBodyNode()))
        for made in (joint, node):
            # A number, because DART would rename the second of two that have the same name.
            made.setName(segment.name)
        for index in range(joint.getNumDofs()):
            joint.setDampingCoefficient(index, float(segment.joint.damping))
            joint.setSpringStiffness(index, float(segment.joint.stiffness))
            joint.setRestPosition(index, float(segment.joint.rest))
        inertia = segment.inertia
        about_com, com = np.array(inertia.matrix, dtype=float), np.array(inertia.com, dtype=float)
        node.setInertia(dart.dynamics.Inertia(float(inertia.mass), com, about_com))
        nodes.append(node)
    for body, end in zip(mechanism.bodies, ends, strict=True):
        if body.is_lifted:
            if body.lifted_part() != 1:
                raise Unsupported(
                    f"DART lifts whole bodies alone, and body {body.name!r} has gravity compensation of another part"
                )
            nodes[end.segment].setGravityMode(False)
    return skeleton, [nodes[end.segment] for end in ends]


def _motions(joint: Joint) -> list[tuple[Screw | None, Placement]]:
    """The motions of DART's joints for ``joint``; None where DART has a joint with all coordinates."""
    has_own = joint.kind in (*SINGLE, "planar", "universal")
    return [(screw, Placement()) for screw in ([None] if has_own else motions(joint))]


def _pair(dart: Any, skeleton: Any, parent: Any, segment: Segment[Screw | None]) -> tuple[Any, Any]:
    """DART's joint for a segment and the node that it carries, placed on the frame of the ``parent``."""
    joint, screw = segment.joint, segment.motion
    if screw:
        family = "Prismatic" if not screw.turns else "Screw" if screw.advance else "Revolute"
    else:
        family = SINGLE.get(joint.kind, joint.kind.capitalize())
    made, node = getattr(skeleton, f"create{family}JointAndBodyNodePair")(parent)
    axes = [np.array(one.axis, dtype=float) for one in joint.screws]
    if screw:
        made.setAxis(_seen(_align(dart, made, screw), screw))
        if family == "Screw":
            made.setPitch(2 * math.pi * float(screw.advance))
    elif joint.kind == "planar":
        _turn(dart, made, np.column_stack([*axes[1:], axes[0]]))
    elif joint.kind == "universal":
        turn = _align(dart, made, joint.screws[1])
        made.setAxis1(_seen(turn, joint.screws[0]))
        made.setAxis2(_seen(turn, joint.screws[1]))
    elif not joint.velocity_is_body_twist:
        _turn(dart, made, np.column_stack(axes))
    return made, node


def _align(dart: Any, joint: Any, screw: Screw) -> Rotation:
    """Rotate the joint's frame until the axis of a turn is x, y or z of it; the rotation."""
    if not screw.turns or sorted(map(abs, screw.axis)) == [0, 0, 1]:
        return Rotation.identity()
    turn = turn_to(screw.axis).rotation
    _turn(dart, joint, np.array(turn.matrix, dtype=float))
    return turn


def _seen(turn: Rotation, screw: Screw) -> Array:
    """The axis (3,) in the joint's frame after the ``turn``."""
    return np.array(turn.inverse()(screw.axis), dtype=float)


def _turn(dart: Any, joint: Any, R: Array) -> None:
    """Rotate the joint's frame by R, in the parent body and in the child body."""
    turn = dart.math.Isometry3(R, np.zeros(3))
    joint.setTransformFromParentBodyNode(turn)
    joint.setTransformFromChildBodyNode(turn)
