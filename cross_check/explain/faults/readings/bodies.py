"""Bodies that are read wrongly: one number, sign, frame or unit of one body's inertia."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np

from cross_check.explain.faults.changes.bodies import (
    COM,
    INERTIA,
    LIFTED,
    LIFTED_AT,
    MASS,
    MOMENTS,
    Change,
    Numbers,
    changed,
    times,
    turned,
)
from mechanisms import Body, Inertia
from mechanisms.numbers.exact import Scalar

Misreading = tuple[str, str, Change]
"""A sentence with {} for the name of the body or joint, the group, and the change."""

ROW_BY_ROW = (0, 3, 5, 1, 2, 4)
"""Ixx, Ixy, Ixz, Iyy, Iyz, Izz, where Ixx, Iyy, Izz, Ixy, Ixz, Iyz are meant."""


def principal(I: Inertia) -> Inertia:
    """The principal moments, in rising order, along the body's axes."""
    values = np.linalg.eigvalsh(np.array(I.matrix, dtype=float))
    return replace(I, about_com=(*(Fraction(float(x)) for x in values), *(Fraction(0),) * 3))


def shifted(I: Inertia, times: int) -> Inertia:
    """The moments about the origin instead of those about the centre of mass: m (|c|² 1 − c cᵀ) is added so often."""
    o = Fraction(0)
    point = Inertia(I.mass, I.com).about((o, o, o))
    extra = (point[0][0], point[1][1], point[2][2], point[0][1], point[0][2], point[1][2])
    return replace(I, about_com=tuple(x + times * y for x, y in zip(I.about_com, extra, strict=True)))


def one_kilogram(moment: int, body: Body) -> Body:
    """A body without inertia gets 1 kg at its origin, and this moment of inertia about every axis."""
    return replace(body, inertia=Inertia(1, about_com=(moment,) * 3 + (0,) * 3)) if body.inertia.is_massless else body


COMPENSATED: tuple[tuple[str, Change], ...] = (
    ("gravity compensation{} is ignored", times(LIFTED, 0)),
    ("gravity compensation{} has the wrong sign", times(LIFTED, -1)),
    ("gravity compensation{} counts twice", times(LIFTED, 2)),
    ("gravity compensation{} is halved", times(LIFTED, Fraction(1, 2))),
    ("gravity compensation{} acts at the body's origin", times(LIFTED_AT, 0)),
    (
        "gravity compensation{} acts at the centre of mass of all that is welded together",
        lambda body: LIFTED_AT.put(body, body.inertia.com),
    ),
    (
        "gravity compensation{} takes mass away instead of weight",
        lambda body: MASS.put(times(LIFTED, 0)(body), (body.inertia.mass - body.lifted.mass,)),
    ),
)
"""Gravity compensation that is read wrongly; {} stands for the place."""

UNITS: tuple[tuple[str, Scalar], ...] = (
    ("a thousand times too large", 1000),
    ("a thousand times too small", Fraction(1, 1000)),
)
MOMENT_UNITS = (
    *UNITS,
    ("a million times too large", 10**6),
    ("a million times too small", Fraction(1, 10**6)),
    ("10⁹ times too large", 10**9),
    ("10⁹ times too small", Fraction(1, 10**9)),
)


def exchanges(numbers: Numbers, among: range) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The pairs of some of these numbers: the subject of a sentence, and the order in which the two are exchanged."""
    for i, k in combinations(among, 2):
        order = list(range(len(numbers.parts)))
        order[i], order[k] = k, i
        yield numbers.part(i, k), tuple(order)


def signs(numbers: Numbers, *indices: int) -> Change:
    """Some of these numbers have the opposite sign."""
    return times(numbers, *(-1 if k in indices else 1 for k in range(len(numbers.parts))))


def _signs(numbers: Numbers, indices: range) -> Iterator[Misreading]:
    for k in indices:
        what = f"the {numbers.part(k)}" if numbers.of else numbers.part(k)
        yield f"{what} of {{}} has the opposite sign", numbers.group_of(k), signs(numbers, k)


def _exchanges(numbers: Numbers, indices: range) -> Iterator[Misreading]:
    for what, order in exchanges(numbers, indices):
        yield f"{what} of {{}} are exchanged", numbers.group, times(numbers, 1, order=order)


def _units(numbers: Numbers, units: tuple[tuple[str, Scalar], ...]) -> Iterator[Misreading]:
    for words, factor in units:
        yield f"{numbers.name} of {{}} is {words}", numbers.group, times(numbers, factor)


def _bodies() -> Iterator[Misreading]:
    products = range(3, 6)
    yield "the inertia of {} is ignored", "inertia", changed(lambda I: Inertia.massless(), INERTIA)
    yield from _units(MASS, UNITS)
    yield "the centre of mass of {} is ignored", COM.group, times(COM, 0)
    yield "the centre of mass of {} has the opposite sign", COM.group, times(COM, -1)
    yield from _signs(COM, range(3))
    yield from _exchanges(COM, range(3))
    yield "the centre of mass of {} is read in the parent's axes", COM.group, turned(COM, back=True)
    yield from _units(COM, UNITS)
    yield "the rotational inertia of {} is ignored", MOMENTS.group, times(MOMENTS, 0)
    yield from _units(MOMENTS, MOMENT_UNITS)
    yield "the products of inertia of {} are left out", MOMENTS.group_of(3), times(MOMENTS, 1, 1, 1, 0, 0, 0)
    yield "the products of inertia of {} have the opposite sign", MOMENTS.group_of(3), signs(MOMENTS, *products)
    yield from _signs(MOMENTS, products)
    yield from _exchanges(MOMENTS, range(3))
    yield from _exchanges(MOMENTS, products)
    yield "the six moments of {} are read row by row", MOMENTS.group, times(MOMENTS, 1, order=ROW_BY_ROW)
    yield "the rotational inertia of {} is read in the parent's axes", MOMENTS.group, turned(MOMENTS, back=True)
    yield "the inertia of {} is read in the parent's axes", INERTIA.group, turned(INERTIA, back=True)
    for one in (COM, MOMENTS, INERTIA):
        yield f"{one.name} of {{}} is turned by the rotation of its joint's placement", one.group, turned(one, back=False)
    yield "the principal moments of {} are taken along its axes", MOMENTS.group, changed(principal, INERTIA)
    for words, count in (
        ("the inertia of {} about its centre of mass is taken for that about its origin", -1),
        ("the inertia of {} about its centre of mass is moved to its origin twice", 1),
        ("the parallel-axis term of {} has the wrong sign", -2),
    ):
        yield words, MOMENTS.group, changed(partial(shifted, times=count), INERTIA)
    for words, moment in (("1 kg", 0), ("1 kg and 1 kg m²", 1)):
        yield f"{{}} has no inertia and is given {words}", "bodies without mass", partial(one_kilogram, moment)
    for words, change in COMPENSATED:
        yield words.format(" of {}"), LIFTED.group, change


BODIES = tuple(_bodies())
"""Ways to misread a body."""
