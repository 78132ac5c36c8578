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

from implementations.engines.turned import turn_to
from implementations.protocol import Array
from mechanisms import Joint, Mechanism, Rotation
from mechanisms.joint import Screw

SINGLE = {"translation": "Translational", "euler-xyz": "Euler", "euler-zxy": "Euler", "spherical": "Ball", "free": "Free"}
"""Our kinds that are one joint of DART without an axis of its own."""


def skeleton_of(dart: Any, mechanism: Mechanism) -> tuple[Any, list[Any]]:
    """The ``dartpy.dynamics.Skeleton`` of ``mechanism``, and the node of each of its bodies.

    DART's coordinates come in the order in which joints are made, which is ours.
    """
    skeleton, data = dart.dynamics.Skeleton(mechanism.name), mechanism.arrays
    skeleton.setGravity(data.gravity)
    nodes: list[Any] = []
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        made = _joints(dart, skeleton, nodes[parent] if parent >= 0 else None, body.joint)
        first, _ = made[0]
        place = dart.math.Isometry3(data.rotations[i], data.translations[i])
        first.setTransformFromParentBodyNode(place.multiply(first.getTransformFromParentBodyNode()))
        for k, (joint, node) in enumerate(made):
            # A number, because DART would rename the second of two that have the same name.
            joint.setName(f"{i}.{k}")
            node.setName(f"{i}.{k}")
            for index in range(joint.getNumDofs()):
                joint.setDampingCoefficient(index, data.damping[i])
        for _, node in made[:-1]:
            node.setInertia(dart.dynamics.Inertia(0.0, np.zeros(3), np.zeros((3, 3))))
        nodes.append(made[-1][1])
        nodes[-1].setInertia(dart.dynamics.Inertia(data.masses[i], data.coms[i], data.inertias[i]))
    return skeleton, nodes


def _joints(dart: Any, skeleton: Any, parent: Any, joint: Joint) -> list[tuple[Any, Any]]:
    """DART's joints for ``joint``, each with the node that it carries, placed on the frame of the ``parent``."""
    axes = [np.array(screw.axis, dtype=float) for screw in joint.screws]
    if name := SINGLE.get(joint.kind):
        made = getattr(skeleton, f"create{name}JointAndBodyNodePair")(parent)
        if not joint.velocity_is_body_twist:
            _turn(dart, made[0], np.column_stack(axes))
        return [made]
    if joint.kind == "planar":
        made = skeleton.createPlanarJointAndBodyNodePair(parent)
        _turn(dart, made[0], np.column_stack([*axes[1:], axes[0]]))
        return [made]
    if joint.kind == "universal":
        made = skeleton.createUniversalJointAndBodyNodePair(parent)
        turn = _align(dart, made[0], joint.screws[1])
        made[0].setAxis1(_seen(turn, joint.screws[0]))
        made[0].setAxis2(_seen(turn, joint.screws[1]))
        return [made]
    chain: list[tuple[Any, Any]] = []
    for screw in joint.screws:
        family = "Prismatic" if not screw.turns else "Screw" if screw.advance else "Revolute"
        made = getattr(skeleton, f"create{family}JointAndBodyNodePair")(chain[-1][1] if chain else parent)
        made[0].setAxis(_seen(_align(dart, made[0], screw), screw))
        if family == "Screw":
            made[0].setPitch(2 * math.pi * float(screw.advance))
        chain.append(made)
    return chain


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
