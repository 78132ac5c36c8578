"""Bodies that are read wrongly: one number, sign, frame or unit of one body's inertia."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults.fault import Fault
from mechanisms import Body, Inertia
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement
from mechanisms.numbers import Scalar

Change = Callable[[Body], Body]


class Misreadings:
    """The ways to misread one body and its joint. A way that changes nothing is left out.

    Ways that give the same numbers here are all kept: on another mechanism the code shows which of them it is.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self._right = _numbers(body)

    def by(self, name: str, group: str, change: Change, where: str = "") -> Iterator[Fault]:
        """The fault that reads the body by ``change``; it goes by the body's name.

        ``where`` is the name of what is misread, if it is not the body.
        """
        try:
            own, made = self.body.name, _numbers(change(self.body))
        except MechanismError:  # No joint can have what is read, as a universal one whose axes become parallel.
            return
        if made == self._right:
            return
        yield Fault(
            name,
            group,
            mechanism=lambda m: wm.with_bodies(m, lambda k, b: change(b) if b.name == own else b),
            needs=lambda m: any(b.name == own for b in m.bodies),
            where=(where or own,),
        )


def _numbers(body: Body) -> tuple[object, ...]:
    """All of a body and its joint, but for rounding."""
    joint, inertia = body.joint, body.inertia
    placement, second = joint.placement, joint.second_axis or (0, 0, 0)
    vectors = (placement.translation, joint.axis, second, inertia.com, inertia.about_com, *placement.rotation.matrix)
    numbers = ((inertia.mass,), (joint.armature,), (joint.damping,), (joint.pitch,))
    return body.parent, joint.kind, *(_rounded(x) for x in (*vectors, *numbers))


def _rounded(vector: Sequence[Scalar]) -> tuple[object, ...]:
    """Ten digits of a vector; its components are rounded together."""
    x = np.array(vector, dtype=float)
    largest = np.abs(x).max()
    return (f"{largest:.10g}", *(np.round(x / largest, 10) + 0.0).tolist()) if largest else ()


def inertia(change: Callable[[Inertia], Inertia]) -> Change:
    return lambda body: body if body.inertia.is_massless else replace(body, inertia=change(body.inertia))


def moments(*indices: int, factors: tuple[Scalar, ...] = (1,) * 6) -> Change:
    """The six moments and products come in another order, with other factors."""
    order = indices or range(6)
    return inertia(lambda I: replace(I, about_com=tuple(k * I.about_com[i] for i, k in zip(order, factors, strict=True))))


def com(*indices: int, factors: tuple[Scalar, ...] = (1,) * 3) -> Change:
    order = indices or range(3)
    return inertia(lambda I: replace(I, com=tuple(k * I.com[i] for i, k in zip(order, factors, strict=True))))


def in_parents_axes(body: Body, com: bool, moments: bool) -> Body:
    """The centre of mass, or the rotational inertia, is read along the parent's axes, at position zero."""
    back = body.inertia.placed(Placement(body.joint.placement.rotation.inverse()))
    I = body.inertia
    return replace(body, inertia=Inertia(I.mass, back.com if com else I.com, back.about_com if moments else I.about_com))


def turned_by_joint(body: Body, com: bool, moments: bool) -> Body:
    """The centre of mass, or the rotational inertia, is turned by the rotation of the joint's placement."""
    turned, I = body.inertia.placed(Placement(body.joint.placement.rotation)), body.inertia
    return replace(body, inertia=Inertia(I.mass, turned.com if com else I.com, turned.about_com if moments else I.about_com))


def principal(I: Inertia) -> Inertia:
    """The principal moments, in rising order, along the body's axes."""
    a = [float(x) for x in I.about_com]
    values = np.linalg.eigvalsh(np.array([[a[0], a[3], a[4]], [a[3], a[1], a[5]], [a[4], a[5], a[2]]]))
    return replace(I, about_com=(*(Fraction(float(x)) for x in values), *(Fraction(0),) * 3))


def shifted(I: Inertia, times: int) -> Inertia:
    """The moments about the origin instead of those about the centre of mass: m (|c|² 1 − c cᵀ) is added so often."""
    o = Fraction(0)
    point = Inertia(I.mass, I.com).about((o, o, o))
    extra = (point[0][0], point[1][1], point[2][2], point[0][1], point[0][2], point[1][2])
    return replace(I, about_com=tuple(x + times * y for x, y in zip(I.about_com, extra, strict=True)))


def one_kilogram(body: Body, moment: int) -> Body:
    """A body without inertia gets 1 kg at its origin, and this moment of inertia about every axis."""
    return replace(body, inertia=Inertia(1, about_com=(moment,) * 3 + (0,) * 3)) if body.inertia.is_massless else body


UNITS = (("a thousand times too large", 1000), ("a thousand times too small", Fraction(1, 1000)))
MOMENT_UNITS = (
    *UNITS,
    ("a million times too large", 10**6),
    ("a million times too small", Fraction(1, 10**6)),
    ("10⁹ times too large", 10**9),
    ("10⁹ times too small", Fraction(1, 10**9)),
)

BODIES: tuple[tuple[str, str, Change], ...] = (
    ("the inertia of {} is ignored", "inertia", inertia(lambda I: Inertia.massless())),
    *((f"the mass of {{}} is {w}", "mass", inertia(lambda I, k=k: replace(I, mass=k * I.mass))) for w, k in UNITS),  # type: ignore[misc]
    ("the centre of mass of {} is ignored", "centre of mass", com(factors=(0, 0, 0))),
    ("the centre of mass of {} has the opposite sign", "centre of mass", com(factors=(-1, -1, -1))),
    *(
        (f"the {axis} of the centre of mass of {{}} has the opposite sign", "centre of mass", com(factors=signs))
        for axis, signs in (("x", (-1, 1, 1)), ("y", (1, -1, 1)), ("z", (1, 1, -1)))
    ),
    *(
        (f"{axes} of the centre of mass of {{}} are exchanged", "centre of mass", com(*order))
        for axes, order in (("x and y", (1, 0, 2)), ("x and z", (2, 1, 0)), ("y and z", (0, 2, 1)))
    ),
    (
        "the centre of mass of {} is read in the parent's axes",
        "centre of mass",
        partial(in_parents_axes, com=True, moments=False),
    ),
    *((f"the centre of mass of {{}} is {w}", "centre of mass", com(factors=(k,) * 3)) for w, k in UNITS),
    ("the rotational inertia of {} is ignored", "rotational inertia", moments(factors=(0,) * 6)),
    *((f"the rotational inertia of {{}} is {w}", "rotational inertia", moments(factors=(k,) * 6)) for w, k in MOMENT_UNITS),
    ("the products of inertia of {} are left out", "products of inertia", moments(factors=(1, 1, 1, 0, 0, 0))),
    ("the products of inertia of {} have the opposite sign", "products of inertia", moments(factors=(1, 1, 1, -1, -1, -1))),
    *(
        (f"{name} of {{}} has the opposite sign", "products of inertia", moments(factors=signs))
        for name, signs in (("Ixy", (1, 1, 1, -1, 1, 1)), ("Ixz", (1, 1, 1, 1, -1, 1)), ("Iyz", (1, 1, 1, 1, 1, -1)))
    ),
    *(
        (f"{names} of {{}} are exchanged", "rotational inertia", moments(*order))
        for names, order in (
            ("Ixx and Iyy", (1, 0, 2, 3, 4, 5)),
            ("Ixx and Izz", (2, 1, 0, 3, 4, 5)),
            ("Iyy and Izz", (0, 2, 1, 3, 4, 5)),
            ("Ixy and Ixz", (0, 1, 2, 4, 3, 5)),
            ("Ixy and Iyz", (0, 1, 2, 5, 4, 3)),
            ("Ixz and Iyz", (0, 1, 2, 3, 5, 4)),
        )
    ),
    ("the six moments of {} are read row by row", "rotational inertia", moments(0, 3, 5, 1, 2, 4)),
    (
        "the rotational inertia of {} is read in the parent's axes",
        "rotational inertia",
        partial(in_parents_axes, com=False, moments=True),
    ),
    ("the inertia of {} is read in the parent's axes", "inertia", partial(in_parents_axes, com=True, moments=True)),
    *(
        (f"{what} of {{}} is turned by the rotation of its joint's placement", group, partial(turned_by_joint, com=c, moments=m))
        for what, group, c, m in (
            ("the centre of mass", "centre of mass", True, False),
            ("the rotational inertia", "rotational inertia", False, True),
            ("the inertia", "inertia", True, True),
        )
    ),
    ("the principal moments of {} are taken along its axes", "rotational inertia", inertia(principal)),
    (
        "the inertia of {} about its centre of mass is taken for that about its origin",
        "rotational inertia",
        inertia(partial(shifted, times=-1)),
    ),
    (
        "the inertia of {} about its centre of mass is moved to its origin twice",
        "rotational inertia",
        inertia(partial(shifted, times=1)),
    ),
    (
        "the parallel-axis term of {} has the wrong sign",
        "rotational inertia",
        inertia(partial(shifted, times=-2)),
    ),
    ("{} has no inertia and is given 1 kg", "bodies without mass", partial(one_kilogram, moment=0)),
    ("{} has no inertia and is given 1 kg and 1 kg m²", "bodies without mass", partial(one_kilogram, moment=1)),
)
"""A sentence with the body's name, the group, and the change."""


def of_body(ways: Misreadings) -> Iterator[Fault]:
    """One body, read wrongly in every way that changes it."""
    for sentence, group, change in BODIES:
        yield from ways.by(sentence.format(ways.body.name), group, change)
