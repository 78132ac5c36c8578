"""What we make of a mechanism's file, in the numbers that every reader must agree on (:mod:`mechanisms.reading`)."""

from __future__ import annotations

from mechanisms.body import Body
from mechanisms.geometry import Placement
from mechanisms.mechanism import Mechanism
from mechanisms.reading import Numbers, Reading, ReadJoint, ReadMimic, mass_about


def reading_of(mechanism: Mechanism) -> Reading:
    """The reading of the file that ``mechanism`` was read from, without limits, which no mechanism has."""
    names = [body.joint.name for body in mechanism.bodies]
    joints = tuple(
        _joint(body, names[parent] if parent >= 0 else "", pose)
        for body, parent, pose in zip(mechanism.bodies, mechanism.parents, poses_of(mechanism), strict=True)
    )
    return Reading(mechanism.name, joints, _floats(mechanism.gravity))


def poses_of(mechanism: Mechanism) -> list[Placement]:
    """Every body's frame in the root's, where every position is zero."""
    poses: list[Placement] = []
    for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True):
        placement = body.joint.placement
        # Along a chain, exact numbers grow without limit.
        poses.append((poses[parent] @ placement).shortened() if parent >= 0 else placement)
    return poses


def _joint(body: Body, parent: str, pose: Placement) -> ReadJoint:
    joint, carried = body.joint, body.inertia.placed(pose)
    single, mimic = joint.description.takes_armature_and_damping, joint.mimic
    return ReadJoint(
        joint.name,
        joint.kind,
        parent,
        _floats(pose.translation),
        _floats(pose.rotation(joint.axis)) if joint.description.has_axis else (),
        mass_about(carried.mass, carried.com, carried.matrix),
        damping=float(joint.damping) if single else None,
        armature=float(joint.armature) if single else None,
        # A reader of URDF keeps friction that ours leaves out.
        friction=float(joint.friction) or None,
        lifted=float(body.lifted.mass),
        mimic=ReadMimic(mimic.joint, float(mimic.multiplier), float(mimic.offset)) if mimic else None,
    )


def _floats(numbers: tuple[object, ...]) -> Numbers:
    return tuple(float(x) for x in numbers)  # type: ignore[arg-type]
