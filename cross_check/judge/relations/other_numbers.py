"""The same mechanism in other numbers: from a moved base, in other units, at other states. Answers follow by their dimensions.

**Move the base**: the mechanism moves as before, and what is seen from the root moves.

If base and gravity rotate together, vectors along the root's axes are rotated.

If the base is translated by d, positions in the root's frame move by d, and the potential energy by −m gᵀ d with the mass m that
is not lifted. A motion in the
world frame [ω; v] is that of the body's point at the root's origin, so that v changes by −ω × d.

**Scale mass, length or time**: every answer is multiplied by a power of the factor that its unit gives.

The factor is 1024, as from kilograms to about grams. It is a power of two, so that code that adds and multiplies computes the
same digits, and the relation holds exactly. Thresholds, regularisation and constants in code break it.

**Ask about other states.** If time is reversed, v changes its sign, q and a keep theirs. An answer is even or odd in v, as the
exponent of the second in its unit is. Only resistance is not reversed: τ(v) = τ(−v) + 2 D v + 2 F sign v with the
mechanism's damping D and friction F, and forward dynamics has the same acceleration for τ at v and τ − 2 D v − 2 F sign v at −v.

If accelerations are superposed, what is linear in a, up to a constant, is known from three accelerations:

    x(a) = x(2a) + x(−a) − x(0)

Likewise for external forces f, which are scaled together with a, and for the acceleration of forward dynamics as a function of τ.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.judge.comparison.sampling import States
from cross_check.judge.relations.relation import Metamorphic
from cross_check.judge.relations.transformation import (
    ALL_RELATED,
    SAME,
    Back,
    Question,
    Related,
    by_axes,
    rebuilt,
    replaced,
    same,
    shifted,
)
from cross_check.memory import Array
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.geometry import Placement, Rotation
from mechanisms.joint_forces import JOINT_PARAMETERS
from mechanisms.numbers.exact import Scalar, Vector, dot
from mechanisms.numbers.units import Unit
from mechanisms.quantities import ALL_QUANTITIES, MOMENTUM, MOTION, PARAMETERS, VECTOR, Axis, Quantity
from mechanisms.quantities.component_units import metres

TURN = Rotation(1, 2, 3, 5)
"""Its matrix has no zero, so that gravity along one axis gets a component along each."""

STEP = (Fraction(3, 4), Fraction(-1, 2), Fraction(5, 8))
"""d (m), in the root's frame."""


def moved_base(mechanism: Mechanism, by: Placement) -> Mechanism:
    """The mechanism with all that is fixed to the root moved."""
    root = mechanism.root

    def moved(name: str, placement: Placement) -> Placement:
        return by @ placement if name == root else placement

    def body(one: Body) -> Body:
        return dataclasses.replace(one, joint=dataclasses.replace(one.joint, placement=moved(one.parent, one.joint.placement)))

    frames = tuple(dataclasses.replace(f, placement=by @ f.placement) if f.body < 0 else f for f in mechanism.frames)
    return rebuilt(mechanism, body, frames=frames, constraints=tuple(one.placed(moved) for one in mechanism.constraints))


def rotated(mechanism: Mechanism, states: States) -> Related:
    image = dataclasses.replace(moved_base(mechanism, Placement(TURN)), gravity=TURN(mechanism.gravity))
    return Related(Question(mechanism, states), (Question(image, states),), by_axes(_turned_back))


_BACK = np.array(TURN.inverse().matrix, dtype=np.float64)


def _turned_back(quantity: Quantity, axis: Axis) -> Array | None:
    if axis == VECTOR:
        return _BACK
    return np.kron(np.eye(2), _BACK) if axis == MOMENTUM or (axis == MOTION and quantity.frame != "local") else None


def translated(mechanism: Mechanism, states: States) -> Related:
    image = moved_base(mechanism, Placement(Rotation.identity(), STEP))
    d = np.array(STEP, dtype=np.float64)
    energy = float(dot(mechanism.gravity, STEP) * sum(body.inertia.mass - body.lifted.mass for body in mechanism.bodies))
    moved_back = -np.pad(d[:, None], ((0, 0), (3, 0)))
    # The energy of every body changes by its mass times that of one kilogram.
    of_parameters = np.tile(np.eye(len(PARAMETERS))[0] * float(dot(mechanism.gravity, STEP)), len(mechanism.bodies))
    offsets = {
        "placements": moved_back,
        "frame_placements": moved_back,
        "center_of_mass": -d,
        "potential_energy": np.array(energy),
        "potential_energy_regressor": of_parameters,
    }
    back = by_axes(_seen_from_origin, [name for name in ALL_RELATED if ALL_QUANTITIES[name].frame == "world"])
    others = {name: shifted(offsets.get(name, np.zeros(()))) for name in ALL_RELATED if name not in back}
    return Related(Question(mechanism, states), (Question(image, states, lever=float(np.linalg.norm(d))),), {**back, **others})


def _seen_from_origin(quantity: Quantity, axis: Axis) -> Array | None:
    """v at the root's origin of the original, which is the point −d beside that of the image: v + ω × d."""
    if axis != MOTION:
        return None
    x, y, z = map(float, STEP)
    matrix = np.eye(6)
    matrix[3:, :3] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return matrix


ROTATED_BASE = Metamorphic(
    "rotated_base",
    "rotate base and gravity together: only vectors along the root's axes rotate",
    rotated,
    holds_with_mimics=True,
)

TRANSLATED_BASE = Metamorphic(
    "translated_base",
    "translate the base: only positions, energy and the root's origin move",
    translated,
    holds_with_mimics=True,
)


FACTOR = 2**10


def scaled(mechanism: Mechanism, states: States, by: Unit) -> Related:
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
    there = replaced(
        states,
        q=q,
        v=states.v * along * factor(Unit(0, 0, -1)),
        a=states.a * along * factor(Unit(0, 0, -2)),
        tau=states.tau / along * factor(Unit(1, 2, -2)),
        f=states.f * _factors((1, 1, 1, 0, 0, 0), by) * factor(Unit(1, 1, -2)),
    )
    back = by_axes(matrix, factor=lambda quantity: 1 / factor(quantity.unit))
    return Related(Question(mechanism, states), (Question(image, there),), back)


def _body(body: Body, by: Unit) -> Body:
    joint = body.joint
    # Armature is a mass where the coordinate is a distance, else a moment of inertia.
    armature = Unit(1, 0, 0) if joint.kind == "prismatic" else Unit(1, 2, 0)
    other = dataclasses.replace(
        joint,
        placement=_placement(joint.placement, by),
        **_of_dynamics(joint, armature, by),
        pitch=joint.pitch * by.m,
    )
    inertia, lifted = (
        Inertia(x.mass * by.kg, _times(Fraction(by.m), x.com), _times(_power(by, Unit(1, 2, 0)), x.about_com))
        for x in (body.inertia, body.lifted)
    )
    return dataclasses.replace(body, joint=other, inertia=inertia, lifted=lifted)


def _of_dynamics(joint: Joint, armature: Unit, by: Unit) -> dict[str, Scalar]:
    position = Unit(0, int(joint.kind == "prismatic"), 0)
    units = {
        name: Unit(*(one.armature * m + one.position * p for m, p in zip(armature, position, strict=True)))._replace(s=one.second)
        for name, one in JOINT_PARAMETERS.items()
    }
    return {name: number * _power(by, units.get(name, armature)) for name, number in joint.dynamics.items()}


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


def _scaling(what: str, by: Unit) -> Metamorphic:
    meaning = f"scale {what} by {FACTOR}: every answer is multiplied by the power that its unit gives"
    return Metamorphic(f"scaled_{what}", meaning, partial(scaled, by=by))


SCALED_MASS = _scaling("mass", Unit(FACTOR, 1, 1))
SCALED_LENGTH = _scaling("length", Unit(1, FACTOR, 1))
SCALED_TIME = _scaling("time", Unit(1, 1, FACTOR))


FORCE, FORCE_BY_V = Unit(1, 2, -2), Unit(1, 2, -1)


def reversed_time(mechanism: Mechanism, states: States) -> Related:
    data = mechanism.arrays
    resistance, matrix = data.resistance(states.v), 2 * np.diag(data.per_coordinate(data.damping))
    # Adding zero turns −0 into 0.
    reversed_ = replaced(states, v=0.0 - states.v, tau=states.tau - 2 * resistance)
    back: dict[str, Back] = {}
    for name in ALL_RELATED:
        quantity = ALL_QUANTITIES[name]
        if "v" not in quantity.arguments:
            continue
        if (quantity.axes, quantity.unit) == (("nv",), FORCE):
            back[name] = shifted(2 * resistance)
        elif (quantity.axes, quantity.unit) == (("nv", "nv"), FORCE_BY_V):
            back[name] = Back(lambda x: matrix - x, lambda size: size + np.abs(matrix))
        else:
            back[name] = SAME if quantity.unit.s % 2 == 0 else Back(np.negative, same)
    return Related(Question(mechanism, states), (Question(mechanism, reversed_),), back)


def superposed(mechanism: Mechanism, states: States) -> Related:
    images = tuple(
        Question(mechanism, replaced(states, a=k * states.a, tau=k * states.tau, f=k * states.f)) for k in (2.0, -1.0, 0.0)
    )
    back = Back(lambda twice, negative, none: twice + negative - none, same)
    names = [name for name in ALL_RELATED if {"a", "tau", "f"} & set(ALL_QUANTITIES[name].arguments)]
    return Related(Question(mechanism, states), images, dict.fromkeys(names, back))


REVERSED_TIME = Metamorphic(
    "reversed_time",
    "reverse time, v becomes −v: forces without damping and friction, and energies, stay",
    reversed_time,
    holds_with_mimics=True,
)

SUPERPOSED_ACCELERATIONS = Metamorphic(
    "superposed_accelerations",
    "superpose accelerations, external forces with them: x(a) = x(2a) + x(−a) − x(0)",
    superposed,
    holds_with_mimics=True,
)
