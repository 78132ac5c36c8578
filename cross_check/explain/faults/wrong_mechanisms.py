"""Mechanisms that are read wrongly: each function returns its mechanism with one number, sign or axis changed.

They stand for code that ignores a parameter, or reads it in another frame or unit. A mechanism without the parameter comes back
as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.geometry import Placement, Rotation, basis, cross
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.numbers import Scalar, Vector, dot

Wrong = Callable[[Mechanism], Mechanism]


def with_bodies(mechanism: Mechanism, change: Callable[[int, Body], Body]) -> Mechanism:
    """``mechanism`` with every body changed; ``change`` gets its index, too. Impossible inertias are accepted."""
    return replace(mechanism, bodies=tuple(change(i, body) for i, body in enumerate(mechanism.bodies)), physical=False)


def gravity(factors: tuple[Any, Any, Any]) -> Wrong:
    """The components of gravity are multiplied by ``factors``."""
    return lambda m: replace(m, gravity=tuple(Fraction(k) * g for k, g in zip(factors, m.gravity, strict=True)))


def usual_gravity(m: Mechanism) -> Mechanism:
    """Gravity points along −z, whatever the mechanism says."""
    return replace(m, gravity=(0, 0, Fraction("-9.81")))


def inertia(change: Callable[[Inertia], Inertia]) -> Wrong:
    """The inertia of every body that has mass is changed."""
    return lambda m: with_bodies(m, lambda i, b: b if b.inertia.is_massless else replace(b, inertia=change(b.inertia)))


def moments(factors: tuple[int, ...]) -> Wrong:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass are multiplied by ``factors``."""
    return inertia(lambda I: replace(I, about_com=tuple(k * x for k, x in zip(factors, I.about_com, strict=True))))


def center_of_mass(factors: tuple[int, int, int]) -> Wrong:
    """The components of the centre of mass are multiplied by ``factors``."""
    return inertia(lambda I: replace(I, com=tuple(k * x for k, x in zip(factors, I.com, strict=True))))


def center_of_mass_in_parent_frame(m: Mechanism) -> Mechanism:
    """The centre of mass is read along the axes of the parent body."""

    def change(i: int, body: Body) -> Body:
        R = body.joint.placement.rotation.matrix
        com = tuple(dot(column, body.inertia.com) for column in zip(*R, strict=True))
        return replace(body, inertia=replace(body.inertia, com=com))

    return with_bodies(m, change)


def joint(change: Callable[[Joint], Joint], kinds: tuple[Kind, ...] = ()) -> Wrong:
    """Every joint of these kinds is changed; every joint if none are given."""
    return lambda m: with_bodies(m, lambda i, b: replace(b, joint=change(b.joint)) if not kinds or b.joint.kind in kinds else b)


def scaled(what: str, factor: Scalar, kinds: tuple[Kind, ...] = ()) -> Wrong:
    """The armature, damping or pitch of the joints of these kinds is multiplied by ``factor``."""

    def change(joint: Joint) -> Joint:
        wrong = replace(joint)
        object.__setattr__(wrong, what, factor * getattr(joint, what))  # Joint itself refuses negative numbers.
        return wrong

    return joint(change, kinds)


def shifted(what: str, by: int = 1) -> Wrong:
    """Every joint has the armature or damping of the joint so many places before it; of those with one velocity."""

    def wrong(m: Mechanism) -> Mechanism:
        values = [getattr(body.joint, what) for body in m.bodies if body.joint.nv == 1]
        before = iter((*values[-by:], *values[:-by]))
        return with_bodies(m, lambda i, b: replace(b, joint=replace(b.joint, **{what: next(before)})) if b.joint.nv == 1 else b)

    return wrong


def on_free_base(what: str) -> Wrong:
    """A mechanism on a free joint has no armature or damping."""

    def wrong(m: Mechanism) -> Mechanism:
        return scaled(what, 0)(m) if any(body.joint.kind == "free" for body in m.bodies) else m

    return wrong


def placement(change: Callable[[Placement], Placement], roots_only: bool = False) -> Wrong:
    """The placement of every joint is changed, or of those on the root."""

    def wrong_joint(i: int, body: Body, m: Mechanism) -> Body:
        if roots_only and m.parents[i] >= 0:
            return body
        return replace(body, joint=replace(body.joint, placement=change(body.joint.placement)))

    return lambda m: with_bodies(m, lambda i, body: wrong_joint(i, body, m))


def transposed(p: Placement) -> Placement:
    w, x, y, z = p.rotation.quaternion
    return Placement(Rotation(w, -x, -y, -z), p.translation)


def unrotated(p: Placement) -> Placement:
    return Placement(Rotation.identity(), p.translation)


def untranslated(p: Placement) -> Placement:
    return Placement(p.rotation)


def none(p: Placement) -> Placement:
    return Placement()


def translated_along_child(p: Placement) -> Placement:
    """The translation is read along the axes of the joint's own frame."""
    R = p.rotation.matrix
    return Placement(p.rotation, tuple(dot(row, p.translation) for row in R))


def snapped_axis(joint: Joint) -> Joint:
    """The axis is replaced by the nearest coordinate axis of the joint's frame."""
    return replace(joint, axis=nearest(joint.axis)) if joint.description.has_axis else joint


def with_axis(axis: Vector, joint: Joint) -> Joint:
    """The axis is another; a joint that has none, or two, stays as it is."""
    return replace(joint, axis=axis) if joint.description.has_axis and not joint.description.takes_second_axis else joint


def axis_in_parent_frame(joint: Joint) -> Joint:
    """The axis is read along the axes of the parent body."""
    if not joint.description.has_axis or joint.description.takes_second_axis:
        return joint
    R = joint.placement.rotation.matrix
    return replace(joint, axis=tuple(dot(column, joint.axis) for column in zip(*R, strict=True)))


def default_second_axis(joint: Joint) -> Joint:
    return replace(joint, second_axis=None)


def right_angled_second_axis(joint: Joint) -> Joint:
    """The second axis is made perpendicular to the first."""
    first, second = joint.axis, joint.second_axis or joint.axis
    third = cross(first, second)
    made = cross(third, first)
    length = Fraction(float(dot(made, made)) ** 0.5)
    return joint if dot(first, second) == 0 else replace(joint, second_axis=tuple(x / length for x in made))


def nearest(axis: Vector) -> Vector:
    k = max(range(3), key=lambda i: abs(axis[i]))
    return tuple((1 if axis[k] > 0 else -1) * x for x in basis()[k])


def hung(parent: Callable[[Mechanism, int], int]) -> Wrong:
    """Body i hangs on body ``parent(mechanism, i)``; −1 is the root."""

    def wrong(m: Mechanism) -> Mechanism:
        names = [body.name for body in m.bodies]
        parents = [parent(m, i) for i in range(len(names))]
        return with_bodies(m, lambda i, body: replace(body, parent=names[parents[i]] if parents[i] >= 0 else m.root))

    return wrong


SLIDES: tuple[Kind, ...] = ("prismatic",)
TURNS: tuple[Kind, ...] = tuple(kind for kind in JOINT_KINDS if JOINT_KINDS[kind].nv == 1 and kind not in SLIDES)
