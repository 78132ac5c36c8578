"""Mechanisms that are read wrongly: each function returns its mechanism with some numbers, signs or axes changed; and traits.

They stand for code that ignores a parameter, or reads it in another frame or unit. A mechanism without the parameter comes back
as it is. :mod:`cross_check.explain.faults.changes.bodies` changes single bodies. A fault that needs a trait of mechanisms changes
nothing without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from cross_check.explain.faults.changes.bodies import (
    COM,
    INERTIA,
    JOINT,
    MOMENTS,
    OF_JOINT,
    PLACEMENT,
    Change,
    Numbers,
    changed,
    taken,
    times,
    turned,
)
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.geometry import Placement, Rotation, basis, cross
from mechanisms.joint_kinds import Kind
from mechanisms.numbers.exact import Scalar, Vector, dot


def has_armature(m: Mechanism) -> bool:
    return any(body.joint.armature != 0 for body in m.bodies)


def _has_force(name: str) -> Callable[[Mechanism], bool]:
    """Whether a joint has this force of :mod:`mechanisms.joint_forces`."""
    return lambda m: any(name in body.joint.forces for body in m.bodies)


has_damping, has_friction, has_springs = map(_has_force, ("damping", "friction", "spring"))


def has_compensation(m: Mechanism) -> bool:
    return m.lifted is not None


def branches(m: Mechanism) -> bool:
    inner = [λ for λ in m.parents if λ >= 0]
    return len(set(inner)) < len(inner)


def has_several_roots(m: Mechanism) -> bool:
    return m.parents.count(-1) > 1


def has_massless_link(m: Mechanism) -> bool:
    return any(body.inertia.mass == 0 and λ >= 0 for body, λ in zip(m.bodies, m.parents, strict=True))


Wrong = Callable[[Mechanism], Mechanism]

NAMED = {numbers.group: numbers for numbers in OF_JOINT}
"""Armature, damping, pitch, and the numbers of springs, by group."""


def with_bodies(mechanism: Mechanism, change: Callable[[int, Body], Body]) -> Mechanism:
    """``mechanism`` with every body changed; ``change`` gets its index, too. Impossible inertias are accepted."""
    return replace(mechanism, bodies=tuple(change(i, body) for i, body in enumerate(mechanism.bodies)), physical=False)


def every(change: Change, concerns: Callable[[Body], bool] = lambda body: True) -> Wrong:
    """Every body and its joint are changed, or those that are concerned."""
    return lambda m: with_bodies(m, lambda _, body: change(body) if concerns(body) else body)


def is_other(read: Mechanism, mechanism: Mechanism) -> bool:
    """Whether a mechanism that was read wrongly is another one."""
    return (read.bodies, read.gravity) != (mechanism.bodies, mechanism.gravity)


def gravity(factors: tuple[Any, Any, Any]) -> Wrong:
    """The components of gravity are multiplied by ``factors``."""
    return lambda m: replace(m, gravity=tuple(Fraction(k) * g for k, g in zip(factors, m.gravity, strict=True)))


def usual_gravity(m: Mechanism) -> Mechanism:
    """Gravity points along −z, whatever the mechanism says."""
    return replace(m, gravity=(0, 0, Fraction("-9.81")))


def inertia(change: Callable[[Inertia], Inertia]) -> Wrong:
    """The inertia of every body that has mass is changed."""
    return every(changed(change, INERTIA))


def moments(factors: tuple[int, ...]) -> Wrong:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass are multiplied by ``factors``."""
    return every(times(MOMENTS, *factors))


def center_of_mass(factors: tuple[int, int, int]) -> Wrong:
    """The components of the centre of mass are multiplied by ``factors``."""
    return every(times(COM, *factors))


center_of_mass_in_parent_frame = every(turned(COM, back=True))
"""The centre of mass is read along the axes of the parent body."""


def joint(change: Callable[[Joint], Joint], kinds: tuple[Kind, ...] = ()) -> Wrong:
    """Every joint of these kinds is changed; every joint if none are given."""
    return every(changed(change, JOINT), lambda body: not kinds or body.joint.kind in kinds)


def scaled(what: str, factor: Scalar, kinds: tuple[Kind, ...] = ()) -> Wrong:
    """One of the numbers in :data:`NAMED` of the joints of these kinds is multiplied by ``factor``."""
    return every(times(NAMED[what], Fraction(factor)), lambda body: not kinds or body.joint.kind in kinds)


def of_others(numbers: Numbers, by: int, wraps: bool = True, concerns: Callable[[Body], bool] = lambda body: True) -> Wrong:
    """Bodies that are concerned have the numbers of the one so many places after; at the end their own, unless it ``wraps``."""

    def wrong(m: Mechanism) -> Mechanism:
        bodies = [body for body in m.bodies if concerns(body)]
        own, inside = {body.name: k for k, body in enumerate(bodies)}, range(len(bodies))

        def change(body: Body) -> Body:
            k = own[body.name] + by
            return taken(numbers, body, bodies[k % len(bodies)]) if wraps or k in inside else body

        return every(change, concerns)(m)

    return wrong


def shifted(what: str, by: int = 1) -> Wrong:
    """Every joint has the armature or damping of the joint so many places before it; of those with one velocity."""
    return of_others(NAMED[what], -by, concerns=lambda body: body.joint.nv == 1)


def on_free_base(what: str) -> Wrong:
    """A mechanism on a free joint has no armature or damping."""
    return lambda m: scaled(what, 0)(m) if any(body.joint.kind == "free" for body in m.bodies) else m


def placement(change: Callable[[Placement], Placement], roots_only: bool = False) -> Wrong:
    """The placement of every joint is changed, or of those on the root."""
    return lambda m: every(changed(change, PLACEMENT), lambda body: not roots_only or body.parent == m.root)(m)


def transposed(p: Placement) -> Placement:
    return Placement(p.rotation.inverse(), p.translation)


def unrotated(p: Placement) -> Placement:
    return Placement(Rotation.identity(), p.translation)


def untranslated(p: Placement) -> Placement:
    return Placement(p.rotation)


def none(p: Placement) -> Placement:
    return Placement()


def translated_along_child(p: Placement) -> Placement:
    """The translation is read along the axes of the joint's own frame."""
    return Placement(p.rotation, p.rotation(p.translation))


def has_one_axis(joint: Joint) -> bool:
    return joint.description.has_axis and not joint.description.takes_second_axis


def snapped_axis(joint: Joint) -> Joint:
    """The axis is replaced by the nearest coordinate axis of the joint's frame, unless it is parallel to the second axis."""
    axis = nearest(joint.axis)
    is_possible = joint.second_axis is None or any(cross(axis, joint.second_axis))
    return replace(joint, axis=axis) if joint.description.has_axis and is_possible else joint


def with_axis(axis: Vector, joint: Joint) -> Joint:
    """The axis is another; a joint that has none, or two, stays as it is."""
    return replace(joint, axis=axis) if has_one_axis(joint) else joint


def axis_in_parent_frame(joint: Joint) -> Joint:
    """The axis is read along the axes of the parent body."""
    return with_axis(joint.placement.rotation.inverse()(joint.axis), joint)


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
        names = [*(body.name for body in m.bodies), m.root]
        return with_bodies(m, lambda i, body: replace(body, parent=names[parent(m, i)]))

    return wrong


hung_on_the_one_before = hung(lambda m, i: i - 1)
with_one_root = hung(lambda m, i: max(m.parents[i], min(i, 1) - 1))
