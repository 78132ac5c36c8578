"""The same joints, their axes written in other ways. The frames of joints are turned, so that coordinates keep their meaning."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from xml.etree.ElementTree import Element, SubElement

from cross_check.read.as_read.elements import drop, each, origin_of
from cross_check.read.as_read.misread_inertials import turned_origins
from cross_check.read.as_read.rewriting import Edit, Rewrite, Rewritten, edited, is_held, written
from mechanisms import Mechanism, Placement, Rotation, parse_urdf
from mechanisms.errors import Unsupported
from mechanisms.files.attributes import decimals
from mechanisms.files.untrusted_xml import vector
from mechanisms.files.urdf.read import KINDS
from mechanisms.geometry import smallest_turn
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.numbers.exact import Vector

NEGATIVE: tuple[Vector, ...] = ((0, 0, -1), (0, -1, 0), (-1, 0, 0))
SEVENTHS = tuple(Fraction(k, 7) for k in (2, -3, 6))
OBLIQUE: tuple[Vector, ...] = (SEVENTHS, (-SEVENTHS[2], SEVENTHS[0], -SEVENTHS[1]))
LONGER, SHORTER = "2.5", "0.4"
"""The lengths of axes that are not normalised."""


def _has_axis(type_: str | None) -> bool:
    return JOINT_KINDS[KINDS[type_]].has_axis if type_ in KINDS else False


def _require_axes(mechanism: Mechanism) -> None:
    if not any(body.joint.description.has_axis for body in mechanism.bodies):
        raise Unsupported("its joints have no axes")


def turned(mechanism: Mechanism, axes: Sequence[Vector]) -> Rewritten:
    """Every joint that has an axis gets one of ``axes``, in turn, in a frame that is turned accordingly."""
    _require_axes(mechanism)
    turns: dict[str, Rotation] = {}
    bodies = []
    for body in mechanism.bodies:
        joint, back = body.joint, Placement(turns.get(body.parent, Rotation.identity()).inverse())
        turn = Rotation.identity()
        if joint.description.has_axis:
            axis = axes[len(turns) % len(axes)]
            # From the triad about the new axis to the triad about the old one: a planar joint keeps its directions, too.
            turn = turns[body.name] = smallest_turn(joint.axis) @ smallest_turn(axis).inverse()
            joint = dataclasses.replace(joint, axis=axis)
        joint = dataclasses.replace(joint, placement=back @ joint.placement @ Placement(turn))
        bodies.append(dataclasses.replace(body, joint=joint, inertia=body.inertia.placed(Placement(turn.inverse()))))
    changed = dataclasses.replace(mechanism, bodies=tuple(bodies))
    return dataclasses.replace(written(changed, is_held(mechanism)), turns=turns)


def _left_out(mechanism: Mechanism) -> Rewritten:
    made = turned(mechanism, [(1, 0, 0)])
    read = parse_urdf(made.text, free_base=made.free_base, physical=False)
    return dataclasses.replace(made, text=edited(read, drop("joint/axis")).text)


def _of_length(length: str) -> Rewrite:
    def rewrite(mechanism: Mechanism) -> Rewritten:
        _require_axes(mechanism)
        return edited(mechanism, joints_by(lambda axis: tuple(Fraction(length) * x for x in axis)))

    return rewrite


# What faulty readers make of a file.


def joints_by(change: Callable[[Vector], Vector], only: Callable[[Element], bool] = lambda joint: True) -> Edit:
    """Changes the axis of every joint that has one, written or not."""

    def edit(robot: Element) -> None:
        for joint, axis in _axes(robot):
            if only(joint):
                axis.set("xyz", decimals(change(vector(axis, "xyz", "<axis>"))))

    return edit


def _axes(robot: Element) -> Iterator[tuple[Element, Element]]:
    """Every joint that has an axis, and its element <axis>; one that was left out is added."""
    for joint in robot.findall("joint"):
        if _has_axis(joint.get("type")):
            if joint.find("axis") is None:
                SubElement(joint, "axis", xyz="1 0 0")
            yield from ((joint, axis) for axis in joint.findall("axis"))


def _snapped(axis: Vector) -> Vector:
    k = max(range(3), key=lambda i: abs(axis[i]))
    return tuple((1 if axis[k] > 0 else -1) * int(i == k) for i in range(3))


def _in_parents_frame(robot: Element) -> None:
    for joint, axis in _axes(robot):
        axis.set("xyz", decimals(origin_of(joint).rotation.inverse()(vector(axis, "xyz", "<axis>"))))


def _lacks_axis(joint: Element) -> bool:
    return joint.find("axis") is None and _has_axis(joint.get("type"))


EDITS: dict[str, Edit] = {
    "unsigned-axes": joints_by(lambda axis: tuple(map(abs, axis))),
    "snapped-axes": joints_by(_snapped),
    "unsigned-snapped-axes": joints_by(lambda axis: tuple(map(abs, _snapped(axis)))),
    "axes-in-parent": _in_parents_frame,
    "always-z": joints_by(lambda axis: (0, 0, 1)),
    "planar-z": joints_by(lambda axis: (0, 0, 1), lambda joint: joint.get("type") == "planar"),
    "default-z": each("joint", lambda joint: SubElement(joint, "axis", xyz="0 0 1"), _lacks_axis),
    "opposite-rpy-of-joints": turned_origins,
}

REWRITES: dict[str, Rewrite] = {
    "negative_axes": partial(turned, axes=NEGATIVE),
    "oblique_axes": partial(turned, axes=OBLIQUE),
    "no_axis": _left_out,
    "longer_axes": _of_length(LONGER),
    "shorter_axes": _of_length(SHORTER),
}
