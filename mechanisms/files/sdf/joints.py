"""Joints of SDF as those of a mechanism, and joints that close loops as constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.constraint import POINT, WELD, Constraint
from mechanisms.errors import MechanismError
from mechanisms.files.sdf.documents import AXES, text_of
from mechanisms.files.sdf.frames import Node, between
from mechanisms.files.sdf.values import PI, number, vector
from mechanisms.files.untrusted_xml import attribute, place_of
from mechanisms.geometry import Placement, smallest_turn, unit_vector
from mechanisms.joint import Joint
from mechanisms.joint_kinds import Kind
from mechanisms.mimic import Mimic
from mechanisms.numbers.exact import Scalar, Vector, exact

KINDS: dict[str, Kind] = {
    "continuous": "revolute",
    "revolute": "revolute",
    "prismatic": "prismatic",
    "screw": "helical",
    "universal": "universal",
    "revolute2": "universal",
    "ball": "spherical",
    "fixed": "fixed",
}
"""The kind of joint for each type. A continuous joint is revolute: an angle has no bounds here."""

GEARBOX = "gearbox"
"""The type that is no joint, but says how one joint follows another."""

CLOSED: dict[Kind, tuple[str, ...]] = {
    "fixed": WELD,
    "spherical": POINT,
    "revolute": ("wx", "wy", *POINT),
    "prismatic": ("wx", "wy", "wz", "vx", "vy"),
}
"""The directions in which a joint that closes a loop, with the axis z, does not move."""


def type_of(node: Node) -> str:
    """The type of a <joint>. Raises :class:`MechanismError` for an unknown one."""
    type_ = attribute(node.element, "type", "<joint>").lower()
    if type_ not in (*KINDS, GEARBOX):
        raise MechanismError(f"its type {type_!r} is not supported; use one of {', '.join((*KINDS, GEARBOX))}")
    return type_


def joints_of(node: Node, placement: Placement, is_turned: bool, ignore_mimic: bool) -> list[Joint]:
    """The joint of a <joint>, in the frame ``placement`` of the body that carries it; two, if both axes have forces.

    ``is_turned`` if the parent moves on the child.
    """
    element, kind = node.element, KINDS[type_of(node)]
    if is_turned and kind in ("spherical", "universal"):
        raise MechanismError("its parent moves on its child; swap them")
    if kind == "spherical" and any(_forces(element, tag) for tag in AXES):
        raise MechanismError("it is a ball and has damping or a spring, which only joints with one velocity have; set them to 0")
    if kind in ("fixed", "spherical"):
        return [Joint(node.name, kind, placement=placement)]
    axes = [axis_of(node, tag) for tag in (AXES if kind == "universal" else AXES[:1])]
    if kind != "universal":
        (axis,) = axes
        made = Joint(
            node.name,
            kind,
            tuple(-x for x in axis) if is_turned else axis,
            placement,
            armature=_armature(element),
            **_forces(element, "axis"),
            pitch=_pitch(element) if kind == "helical" else 0,
            mimic=None if ignore_mimic else _mimic(node, "axis"),
        )
        return [made]
    mimics = [None if ignore_mimic else _mimic(node, tag) for tag in AXES]
    if not any(mimics) and not any(_forces(element, tag) for tag in AXES):
        return [Joint(node.name, kind, axes[0], placement, second_axis=axes[1])]
    names, places = (f"{node.name}.first", f"{node.name}.second"), (placement, Placement())
    return [
        Joint(name, "revolute", axis, place, mimic=mimic, **_forces(element, tag))
        for name, axis, place, tag, mimic in zip(names, axes, places, AXES, mimics, strict=True)
    ]


def closed_by(node: Node, parent: tuple[str, Placement], child: tuple[str, Placement]) -> Constraint:
    """The constraint of a joint that closes a loop; ``parent`` and ``child`` are bodies, and the joint's frame in each."""
    type_ = type_of(node)
    kind = KINDS[type_]
    if kind not in CLOSED:
        raise MechanismError(
            f"it closes a loop and is {type_}; only fixed, ball, revolute and prismatic joints can, so cut another"
        )
    if any(_forces(node.element, tag) for tag in AXES) or _armature(node.element) or _mimic(node, "axis"):
        raise MechanismError(
            "it closes a loop, where a joint has no damping, spring, rotor inertia and mimic; move it behind the others"
        )
    ends = [parent, child]
    if kind in ("revolute", "prismatic"):
        turn = Placement(smallest_turn(axis_of(node, "axis")))
        ends = [(name, placement @ turn) for name, placement in ends]
    (first, at), (second, to) = ends
    return Constraint(node.name, first, second, CLOSED[kind], at, to)


def axis_of(node: Node, tag: str) -> Vector:
    """The unit vector of an axis, in the joint's frame."""
    axis = node.element.find(tag)
    if axis is None:
        raise MechanismError(f"it is {type_of(node)} and has no <{tag}>; add one")
    direction, xyz = vector(axis, "xyz", (0, 0, 1)), axis.find("xyz")
    if (frame := "" if xyz is None else xyz.get("expressed_in", "")) and frame != node.element.get("name"):
        direction = between(node, node.named(frame, f"expressed_in of its <{tag}>")).rotation(direction)
    return unit_vector(direction, f"its <{tag}>", normalise=True)


def geared(node: Node, edges: Sequence[tuple[Node, Node, Node]]) -> tuple[Node, Mimic]:
    """The joint that a gearbox makes follow another, and how.

    ``edges`` are the joints with the links that are their parents and children. With the angles θ₁ of the parent and θ₂ of the
    child relative to the reference body, about <axis> and <axis2>, θ₂ = −ratio θ₁.
    """
    element = node.element
    body = node.named(text_of(element, "gearbox_reference_body"), "its gearbox_reference_body").carrier
    found, signs = list[Node](), list[int]()
    for tag, axis in (("parent", "axis"), ("child", "axis2")):
        link = node.named(text_of(element, tag), f"its {tag}").carrier
        candidates = [(joint, {(body, link): 1, (link, body): -1}.get((one, other))) for joint, one, other in edges]
        joints = [(joint, sign) for joint, sign in candidates if sign and KINDS[type_of(joint)] == "revolute"]
        if len(joints) != 1:
            raise MechanismError(f"its {tag} is on no revolute joint of its gearbox_reference_body, or on several; add one joint")
        ((joint, sign),) = joints
        theirs = between(node, joint).rotation(axis_of(joint, "axis"))
        cosine = sum(a * b for a, b in zip(axis_of(node, axis), theirs, strict=True))
        if abs(abs(cosine) - 1) > Fraction(1, 10**9):
            raise MechanismError(f"its <{axis}> is not along that of joint {joint.name!r}; turn it")
        found.append(joint)
        signs.append(sign if cosine > 0 else -sign)
    ratio = number(element, "gearbox_ratio", 1)
    return found[1], Mimic(found[0].name, -ratio * signs[0] * signs[1])


def with_mimic(joint: Joint, mimic: Mimic) -> Joint:
    """The joint, following another. Raises :class:`MechanismError` if it follows one already."""
    if joint.mimic:
        raise MechanismError(f"joint {joint.name!r} follows {joint.mimic.joint!r} and {mimic.joint!r}; remove one")
    return replace(joint, mimic=mimic)


DYNAMICS = {"damping": "damping", "friction": "friction", "stiffness": "spring_stiffness", "rest": "spring_reference"}
"""The parameters of :mod:`mechanisms.joint_forces`, and what they are called in <dynamics>."""


def _forces(joint: Element, axis: str) -> dict[str, Scalar]:
    """The parameters of :mod:`mechanisms.joint_forces` that <dynamics> has, by name, where they are not zero."""
    dynamics = joint.find(f"{axis}/dynamics")
    if dynamics is None:
        return {}
    found = {name: number(dynamics, tag) for name, tag in DYNAMICS.items()}
    if found["stiffness"] == 0:
        del found["rest"]
    return {name: value for name, value in found.items() if value != 0}


def _armature(joint: Element) -> Scalar:
    """Drake's rotor inertia behind the gears; a joint whose effort limit is zero has no motor there."""
    limit = joint.find("axis/limit")
    if (
        limit is not None
        and text_of(limit, "effort", "inf").lower() not in ("inf", "-inf", "+inf")
        and number(limit, "effort") == 0
    ):
        return Fraction(0)
    return number(joint, "drake:rotor_inertia") * number(joint, "drake:gear_ratio", 1) ** 2


def _pitch(joint: Element) -> Scalar:
    """The advance per angle (m/rad) of a right-handed thread."""
    if joint.find("screw_thread_pitch") is None and joint.find("thread_pitch") is not None:
        old = number(joint, "thread_pitch", 1)
        if old == 0:
            raise MechanismError("its thread_pitch is zero; give any other")
        return -1 / old
    return number(joint, "screw_thread_pitch", 1) / (2 * PI)


def _mimic(node: Node, tag: str) -> Mimic | None:
    """What an axis follows."""
    element = node.element
    mimic, drake = element.find(f"{tag}/mimic"), element.find("drake:mimic") if tag == "axis" else None
    given = mimic if mimic is not None else drake
    if given is None:
        return None
    if mimic is not None and drake is not None:
        raise MechanismError("it has <mimic> and <drake:mimic>; remove one", place_of(drake))
    leader = node.named(attribute(given, "joint", f"<{given.tag}>"), "the joint of its mimic")
    if leader.element.tag != "joint" or given.get("axis", "axis") != "axis" or KINDS.get(type_of(leader)) == "universal":
        raise MechanismError(
            "it mimics no joint of one axis; let it follow a revolute, prismatic or screw joint", place_of(given)
        )
    if drake is not None:
        ratio, offset = (exact(attribute(given, name, "<drake:mimic>"), name) for name in ("multiplier", "offset"))
        return Mimic(leader.name, ratio, offset)
    ratio = number(given, "multiplier", 1)
    return Mimic(leader.name, ratio, number(given, "offset") - ratio * number(given, "reference"))
