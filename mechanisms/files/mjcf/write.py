"""A mechanism as MJCF text, which MuJoCo reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from mechanisms.body import GRAVITY_COMPENSATION, Body
from mechanisms.constraint import POINT, WELD, Constraint
from mechanisms.errors import MechanismError
from mechanisms.files.attributes import are_decimals, decimal, decimals, direction, unit_quaternion
from mechanisms.files.mjcf.inertias import is_semidefinite
from mechanisms.files.mjcf.joints import KINDS
from mechanisms.files.written import WORLD, element, plain_numbers, simplified, static
from mechanisms.geometry import Placement, Rotation
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_forces import NO_DYNAMICS
from mechanisms.joint_kinds import Kind
from mechanisms.limits import MOST_XML_LEVELS
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.numbers.exact import Vector

TYPES: dict[Kind, str] = {kind: type_ for type_, kind in KINDS.items()}
"""MJCF's joint types."""

FORCES = {name: name for name in NO_DYNAMICS} | {"rest": "springref", "friction": "frictionloss"}
"""What a joint does besides moving, and MJCF's attributes."""

TAGS = {POINT: "connect", WELD: "weld"}
"""MJCF's constraints, by the directions in which the frames coincide."""

Children = Mapping[str, Sequence[Body]]
"""The bodies on a body, by its name."""

Sites = Mapping[str, list[str]]
"""The lines of the sites on a body, by its name."""


def write_mjcf(mechanism: Mechanism) -> str:
    """``mechanism`` as MJCF text.

    Reading the text gives :func:`in_mjcf` of the mechanism. Decimal numbers, axes and rotations are written exactly; only the
    length of a quaternion may change. Numbers that no decimal text can express are rounded to float64. A reader takes impossible
    inertias with ``physical=False`` only, and MuJoCo takes no moving body without mass, and none with an impossible inertia.

    Raises :class:`MechanismError` for a mechanism with symbols, for names that XML cannot contain, and for what
    :func:`in_mjcf` cannot say.
    """
    with plain_numbers(mechanism):
        return "\n".join(['<?xml version="1.0"?>', *_lines(in_mjcf(mechanism))]) + "\n"


def in_mjcf(mechanism: Mechanism) -> Mechanism:
    """The mechanism that :func:`write_mjcf` describes: :func:`mechanisms.files.written.simplified`, in the order in which bodies
    are nested, a body's subtree right after it.

    Raises :class:`MechanismError` for joints that MJCF does not have, for constraints other than points and welds, for inertias
    that are not positive semidefinite, and for chains of more bodies than XML may have levels.
    """
    for constraint in mechanism.constraints:
        if constraint.directions not in TAGS:
            raise MechanismError(
                f"constraint {constraint.name!r} is neither a point nor a weld, which MJCF cannot say; remove it"
            )
    simple = simplified(mechanism, "MJCF", (*TYPES, "fixed"))
    still = static(simple.unwelded, WORLD)
    for body in simple.unwelded:
        if body.name not in still and not is_semidefinite(body.inertia.matrix):
            raise MechanismError(f"body {body.name!r} has a negative moment of inertia, which MJCF cannot say; correct it")
        if body.is_lifted and body.lifted_part() is None:
            where = "at another point than its centre of mass, which MJCF cannot say"
            raise MechanismError(f"body {body.name!r} has {GRAVITY_COMPENSATION} {where}; let it act there")
    children, nested = _children(simple), list[Body]()
    waiting = children[WORLD][::-1]
    while waiting:
        nested.append(waiting.pop())
        waiting += reversed(children[nested[-1].name])
    return Mechanism(
        simple.name,
        tuple(nested),
        simple.gravity,
        WORLD,
        physical=simple.physical,
        constraints=simple.constraints,
        precision=simple.precision,
    )


def _children(mechanism: Mechanism) -> dict[str, list[Body]]:
    children: dict[str, list[Body]] = defaultdict(list)
    for body in mechanism.unwelded:
        children[body.parent].append(body)
    return children


def _lines(mechanism: Mechanism) -> list[str]:
    children, sites = _children(mechanism), defaultdict[str, list[str]](list)
    for one in mechanism.constraints:
        sites[one.first] += element("site", name=f"{one.name}.first", **_placed(one.first_placement))
        sites[one.second] += element("site", name=f"{one.name}.second", **_placed(one.second_placement))
    lines = element("compiler", angle="radian", eulerseq="XYZ")
    if mechanism.gravity != EARTH:
        lines += element("option", gravity=decimals(mechanism.gravity))
    on_world = [line for body in children[WORLD] for line in _body(body, children, sites)]
    lines += element("worldbody", [*sites[WORLD], *on_world])
    closed = [line for body in mechanism.bodies if body.joint.mimic for line in _mimic(body.joint)]
    closed += [line for constraint in mechanism.constraints for line in _constraint(constraint)]
    return element("mujoco", lines + (element("equality", closed) if closed else []), model=mechanism.name)


def _body(first: Body, children: Children, sites: Sites, level: int = 3) -> list[str]:
    if level > MOST_XML_LEVELS - 2:
        raise MechanismError(f"body {first.name!r} is on more than {level} others, and MJCF nests bodies; give shorter chains")
    *_, last = several = _in_one_body(first, children, sites)
    inside = [line for body in several if body.joint.kind != "fixed" for line in _joint(body.joint)]
    inside += [*_inertial(last.inertia), *sites[last.name]]
    has_frame = first.joint.kind == "fixed" and first.joint.name != first.name
    for child in children[last.name]:
        inside += _body(child, children, sites, level + 1 + has_frame)
    gravcomp = decimal(last.lifted_part()) if last.is_lifted else None
    lines = element("body", inside, name=last.name, **_placed(first.joint.placement), gravcomp=gravcomp)
    # A weld has no name of its own.
    return element("frame", lines, name=first.joint.name) if has_frame else lines


def _in_one_body(first: Body, children: Children, sites: Sites) -> list[Body]:
    """The bodies without mass that differ from their only child by its motion alone, and that child: in MJCF one body with
    several joints. Our reader gives them names."""
    several = [first]
    while len(onward := children[several[-1].name]) == 1 and _only_carries(several[-1], onward[0], sites):
        several += onward
    names = [f"{several[-1].name}/{body.joint.name}" for body in several[:-1]]
    return several if names == [body.name for body in several[:-1]] else [first]


def _only_carries(body: Body, child: Body, sites: Sites) -> bool:
    moves = all(joint.kind not in ("fixed", "free") for joint in (body.joint, child.joint))
    return moves and body.inertia.is_massless and child.joint.placement == Placement() and not sites[body.name]


def _joint(joint: Joint) -> list[str]:
    if joint.kind == "free":
        return element("freejoint", name=joint.name)
    axis = direction(joint.axis) if joint.description.has_axis else None
    forces = {attribute: decimal(value) for name, attribute in FORCES.items() if (value := getattr(joint, name))}
    return element("joint", name=joint.name, type=TYPES[joint.kind], axis=axis, **forces)


def _inertial(inertia: Inertia) -> list[str]:
    if inertia.is_massless:
        return []
    pos, mass, full = decimals(inertia.com), decimal(inertia.mass), decimals(inertia.about_com)
    return element("inertial", pos=pos, mass=mass, fullinertia=full)


def _placed(placement: Placement) -> dict[str, str]:
    rotation = placement.rotation
    placed = {"pos": decimals(placement.translation)} if any(placement.translation) else {}
    if rotation.is_one:
        return placed
    return placed | ({"euler": decimals(rotation.rpy)} if rotation.rpy else {"quat": decimals(_quaternion(rotation))})


def _quaternion(rotation: Rotation) -> Vector:
    """Its own, of any length, if that has a text."""
    own = rotation.quaternion
    return own if are_decimals(own) else unit_quaternion(rotation)


def _mimic(joint: Joint) -> list[str]:
    assert joint.mimic
    coefficients = f"{decimal(joint.mimic.offset)} {decimal(joint.mimic.multiplier)} 0 0 0"
    return element("joint", joint1=joint.name, joint2=joint.mimic.joint, polycoef=coefficients)


def _constraint(constraint: Constraint) -> list[str]:
    site1, site2 = f"{constraint.name}.first", f"{constraint.name}.second"
    return element(TAGS[constraint.directions], name=constraint.name, site1=site1, site2=site2)
