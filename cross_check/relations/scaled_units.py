"""Scale mass, length or time: every answer is multiplied by a power of the factor that its unit gives.

The factor is 1024, as from kilograms to about grams. It is a power of two, so that code that adds and multiplies computes the
same digits, and the relation holds exactly. Thresholds, regularisation and constants in code break it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import Metamorphic
from cross_check.relations.transformation import Question, Related, by_axes, rebuilt, replaced
from mechanisms import Body, Inertia, Mechanism
from mechanisms.component_units import metres
from mechanisms.geometry import Placement
from mechanisms.numbers import Vector
from mechanisms.quantities import Axis, Quantity
from mechanisms.units import Unit

FACTOR = 2**10


def relate(mechanism: Mechanism, states: States, by: Unit) -> Related:
    lengths = [int(not screw.turns) for body in mechanism.bodies for screw in body.joint.screws]

    def factor(unit: Unit) -> float:
        return float(_power(by, unit))

    def matrix(quantity: Quantity, axis: Axis) -> Array | None:
        exponents = metres(mechanism, quantity, quantity.axes.index(axis))
        return np.diag(_factors(exponents, by) ** -1) if any(exponents) else None

    along = _factors(lengths, by)
    gravity = _times(_power(by, Unit(0, 1, -2)), mechanism.gravity)
    frames = (dataclasses.replace(frame, placement=_placement(frame.placement, by)) for frame in mechanism.frames)
    constraints = (one.placed(lambda name, placement: _placement(placement, by)) for one in mechanism.constraints)
    image = rebuilt(
        mechanism, lambda body: _body(body, by), gravity=gravity, frames=tuple(frames), constraints=tuple(constraints)
    )
    q = states.q.copy()
    for _, slot in mechanism.slots("distance"):
        q[:, slot] *= by.m
    scaled = replaced(
        states,
        q=q,
        v=states.v * along * factor(Unit(0, 0, -1)),
        a=states.a * along * factor(Unit(0, 0, -2)),
        tau=states.tau / along * factor(Unit(1, 2, -2)),
        f=states.f * _factors((1, 1, 1, 0, 0, 0), by) * factor(Unit(1, 1, -2)),
    )
    back = by_axes(matrix, factor=lambda quantity: 1 / factor(quantity.unit))
    return Related(Question(mechanism, states), (Question(image, scaled),), back)


def _body(body: Body, by: Unit) -> Body:
    joint, inertia = body.joint, body.inertia
    # Armature is a mass where the coordinate is a distance, else a moment of inertia.
    armature = Unit(1, 0, 0) if joint.kind == "prismatic" else Unit(1, 2, 0)
    scaled = dataclasses.replace(
        joint,
        placement=_placement(joint.placement, by),
        armature=joint.armature * _power(by, armature),
        damping=joint.damping * _power(by, armature._replace(s=-1)),
        pitch=joint.pitch * by.m,
    )
    about_com = _times(_power(by, Unit(1, 2, 0)), inertia.about_com)
    return dataclasses.replace(
        body, joint=scaled, inertia=Inertia(inertia.mass * by.kg, _times(Fraction(by.m), inertia.com), about_com)
    )


def _placement(placement: Placement, by: Unit) -> Placement:
    return Placement(placement.rotation, _times(Fraction(by.m), placement.translation))


def _power(by: Unit, unit: Unit) -> Fraction:
    power = Fraction(1)
    for factor, exponent in zip(by, unit, strict=True):
        power *= Fraction(factor) ** exponent
    return power


def _factors(exponents: Sequence[int], by: Unit) -> Array:
    return float(by.m) ** np.array(exponents, dtype=np.float64)


def _times(factor: Fraction, vector: Vector) -> Vector:
    return tuple(factor * x for x in vector)


def _relation(what: str, by: Unit) -> Metamorphic:
    meaning = f"scale {what} by {FACTOR}: every answer is multiplied by the power that its unit gives"
    return Metamorphic(f"scaled_{what}", meaning, partial(relate, by=by))


SCALED_MASS = _relation("mass", Unit(FACTOR, 1, 1))
SCALED_LENGTH = _relation("length", Unit(1, FACTOR, 1))
SCALED_TIME = _relation("time", Unit(1, 1, FACTOR))
