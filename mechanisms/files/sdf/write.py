"""A mechanism as SDF text, which Gazebo and Drake read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mechanisms.body import GRAVITY_COMPENSATION, Body
from mechanisms.constraint import Constraint
from mechanisms.errors import MechanismError
from mechanisms.files.attributes import decimal, decimals, direction, unit_quaternion
from mechanisms.files.reading import poses_of
from mechanisms.files.sdf.documents import AXES
from mechanisms.files.sdf.joints import CLOSED, DYNAMICS, KINDS
from mechanisms.files.sdf.shapes import ENTRIES
from mechanisms.files.sdf.values import PI
from mechanisms.files.written import WORLD, element, plain_numbers, simplified
from mechanisms.geometry import Placement, basis
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import Kind
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.numbers.exact import Vector
from mechanisms.reading import ROOT_JOINT

VERSION = "1.11"
"""The first version that has <mimic>."""

TYPES: dict[Kind, str] = {kind: kind if kind in KINDS else type_ for type_, kind in KINDS.items()}
"""SDF's joint types."""

CLOSING = {directions: TYPES[kind] for kind, directions in CLOSED.items()}
"""The types of joints that close loops, by the directions in which they do not move."""

DRAKE = "http://drake.mit.edu"
"""The namespace of Drake's own elements."""


def write_sdf(mechanism: Mechanism) -> str:
    """``mechanism`` as SDF text: a model, in a world if gravity is unusual.

    Reading the text gives :func:`in_sdf` of the mechanism. Decimal numbers, axes and rotations are written exactly; only the
    length of a quaternion may change. Numbers that no decimal text can express are rounded to float64. A reader takes impossible
    inertias with ``physical=False`` only. Rotor inertia is Drake's ``<drake:rotor_inertia>``, which other readers skip.

    Raises :class:`MechanismError` for a mechanism with symbols, for names that XML cannot contain, and for what :func:`in_sdf`
    cannot say.
    """
    with plain_numbers(mechanism):
        return "\n".join(['<?xml version="1.0"?>', *_lines(in_sdf(mechanism))]) + "\n"


def in_sdf(mechanism: Mechanism) -> Mechanism:
    """The mechanism that :func:`write_sdf` describes: :func:`mechanisms.files.written.simplified`, with other names of joints.

    Links, joints and constraints have names of one kind in SDF; a joint or a constraint with the name of a link gets "_joint"
    behind it. A free joint is none in the file, and is named as the reader does.

    Raises :class:`MechanismError` for joints that SDF does not have, for reserved names, for gravity compensation of other than
    whole links, and for constraints that are no closed loop of joints: a constraint is a joint of SDF, whose frames coincide at
    position zero.
    """
    simple = simplified(mechanism, "SDF", (*TYPES, "free"))
    free = [body.name for body in simple.bodies if body.joint.kind == "free"]
    taken = {*(body.name for body in simple.unwelded), *[ROOT_JOINT][: len(free)]}
    names: dict[str, str] = {}
    for body in simple.unwelded:
        if body.is_lifted and body.lifted_part() != 1:
            other = "that is not its whole weight, which SDF cannot say"
            raise MechanismError(f"body {body.name!r} has {GRAVITY_COMPENSATION} {other}; remove it")
        root = ROOT_JOINT if free == [body.name] else body.name
        names[body.joint.name] = root if body.joint.kind == "free" else _apart(body.joint.name, taken)
    bodies = tuple(replace(body, joint=_renamed(body.joint, names)) for body in simple.unwelded)
    constraints = tuple(replace(one, name=_apart(one.name, taken)) for one in _closed(simple))
    for name in (simple.name, *sorted(taken)):
        if name == WORLD or "::" in name or (name.startswith("__") and name.endswith("__")):
            raise MechanismError(f"the name {name!r} is reserved in SDF; give another")
    return replace(simple, bodies=bodies, frames=(), constraints=constraints)


def _apart(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_joint"
    taken.add(name)
    return name


def _renamed(joint: Joint, names: Mapping[str, str]) -> Joint:
    mimic = joint.mimic and replace(joint.mimic, joint=names[joint.mimic.joint])
    return replace(joint, name=names[joint.name], mimic=mimic)


def _closed(mechanism: Mechanism) -> tuple[Constraint, ...]:
    """The constraints. Raises :class:`MechanismError` for one that no joint of SDF is."""
    bases, poses = {WORLD: WORLD}, {WORLD: Placement()}
    for body, pose in zip(mechanism.bodies, poses_of(mechanism), strict=True):
        bases[body.name], poses[body.name] = body.name if body.joint.kind == "free" else bases[body.parent], pose
    for one in mechanism.constraints:
        first, second = poses[one.first] @ one.first_placement, poses[one.second] @ one.second_placement
        if one.directions not in CLOSING:
            problem = "is no joint's"
        elif one.second == WORLD or bases[one.first] != bases[one.second]:
            problem = "closes no loop of joints, or is on the world second"
        elif (first.translation, first.rotation.matrix) != (second.translation, second.rotation.matrix):
            problem = "has frames that do not coincide at position zero"
        else:
            continue
        raise MechanismError(f"constraint {one.name!r} {problem}, which SDF cannot say; remove it")
    return mechanism.constraints


def _lines(mechanism: Mechanism) -> list[str]:
    inside = [line for body in mechanism.unwelded for line in _link(body)]
    inside += [line for body in mechanism.unwelded if body.joint.kind != "free" for line in _joint(body)]
    inside += [line for constraint in mechanism.constraints for line in _closing(constraint)]
    model = element("model", inside, name=mechanism.name)
    if mechanism.gravity != EARTH:
        model = element("world", [*element("gravity", decimals(mechanism.gravity)), *model], name=mechanism.name)
    return element("sdf", model, version=VERSION, **{"xmlns:drake": DRAKE})


def _link(body: Body) -> list[str]:
    pose = [] if body.joint.kind == "free" else _pose(body.joint.placement, None if body.parent == WORLD else body.parent)
    weight = element("gravity", "false") if body.is_lifted else []
    return element("link", pose + weight + _inertial(body.inertia), name=body.name)


def _inertial(inertia: Inertia) -> list[str]:
    entries = zip(ENTRIES, inertia.about_com, strict=True)
    moments = [line for entry, value in entries for line in element(f"i{entry}", decimal(value))]
    at = _pose(Placement(translation=inertia.com)) if any(inertia.com) else []
    return element("inertial", [*element("mass", decimal(inertia.mass)), *at, *element("inertia", moments)])


def _pose(placement: Placement, relative_to: str | None = None) -> list[str]:
    rotation, numbers = placement.rotation, decimals(placement.translation)
    if rotation.rpy or rotation.is_one:
        return element("pose", f"{numbers} {decimals(rotation.rpy or (0, 0, 0))}", relative_to=relative_to)
    w, *vector = unit_quaternion(rotation)
    return element("pose", f"{numbers} {decimals((*vector, w))}", relative_to=relative_to, rotation_format="quat_xyzw")


def _joint(body: Body) -> list[str]:
    joint = body.joint
    axes = [joint.axis] if joint.description.has_axis else []
    axes += [joint.second_axis] if joint.second_axis else []
    inside = [line for tag, axis in zip(AXES, axes, strict=False) for line in _axis(tag, axis, joint)]
    if joint.kind == "helical":
        inside += element("screw_thread_pitch", decimal(joint.pitch * 2 * PI))
    if joint.armature:
        inside += element("drake:rotor_inertia", decimal(joint.armature))
    return _between(joint.name, TYPES[joint.kind], body.parent, body.name, inside)


def _axis(tag: str, axis: Vector, joint: Joint) -> list[str]:
    inside = element("xyz", direction(axis))
    if mimic := joint.mimic:
        follows = (("multiplier", mimic.multiplier), ("offset", mimic.offset), ("reference", 0))
        numbers = [line for name, value in follows for line in element(name, decimal(value))]
        inside += element("mimic", numbers, joint=mimic.joint)
    forces = [line for name, tag in DYNAMICS.items() if (value := getattr(joint, name)) for line in element(tag, decimal(value))]
    inside += element("dynamics", forces) if forces else []
    return element(tag, inside)


def _closing(constraint: Constraint) -> list[str]:
    type_ = CLOSING[constraint.directions]
    inside = _pose(constraint.second_placement)
    if type_ not in ("fixed", "ball"):
        inside += element("axis", element("xyz", direction(basis()[2])))
    return _between(constraint.name, type_, constraint.first, constraint.second, inside)


def _between(name: str, type_: str, parent: str, child: str, inside: Sequence[str]) -> list[str]:
    return element("joint", [*element("parent", parent), *element("child", child), *inside], name=name, type=type_)
