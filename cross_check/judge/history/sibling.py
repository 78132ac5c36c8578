"""A sibling: another mechanism of the same tree, coordinates and name. Every other number of it differs.

An experiment with it shows whether code is for one robot: do its answers move when the mechanism has other masses and lengths?
Two kinds of code answer about the sibling as about the robot. Code for one robot ignores what it is given. Code with a stale
cache finds what it has made of the robot, for instance by the name. A fresh process that is given the sibling first tells the two
apart: code for one robot still answers as about the robot, and code with a cache answers otherwise. In this experiment the
sibling has the same gravity. So code that takes nothing but gravity from the mechanism is code for one robot, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np

from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded, Subject
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement
from mechanisms.files.by_form import source_of
from mechanisms.geometry import Rotation
from mechanisms.numbers.exact import Vector
from mechanisms.quantities import QUANTITIES

OTHER = Inertia(
    Fraction(17, 10),
    (Fraction(3, 50), Fraction(-1, 20), Fraction(7, 100)),
    tuple(Fraction(n, 1000) for n in (41, 47, 37, 3, -5, 2)),
)
"""Added to the inertia of every body: twice no mass would be no other mass."""

FURTHER = (Fraction(1, 20), Fraction(-3, 100), Fraction(7, 100))
"""Added to the place of every joint but the first, which may be a base that floats (m)."""

TURNED = Rotation(1, 1, 1, 1)
"""Every joint but the first is turned by this, and so are its axes: x, y and z change places, and all stays exact."""

STRONGER = Fraction(3, 2)
"""Factor of armature, of lifted masses and of all numbers of forces. What a joint or a body has none of, it still has none of,
because code may refuse it."""

GRAVITY: Vector = (1, 2, 3)


MOVES = 1e-6
"""Answers move if they change by more than this share of what they should change by."""

SEEN = 1e-3
"""A quantity is asked for if right answers change by more than this share of the largest number."""


def sibling(mechanism: Mechanism, keeps_gravity: bool = False) -> Mechanism:
    """Of a mechanism that was read from a file, the sibling has a file, too, and the same gravity: files have none."""
    bodies = tuple(_other_body(body, is_first=k == 0) for k, body in enumerate(mechanism.bodies))
    same = keeps_gravity or bool(mechanism.source)
    other = replace(mechanism, bodies=bodies, gravity=mechanism.gravity if same else GRAVITY, read_from=None)
    return replace(other, read_from=source_of(other)) if mechanism.source else other


def _other_body(body: Body, is_first: bool) -> Body:
    about = tuple(2 * x + y for x, y in zip(body.inertia.about_com, OTHER.about_com, strict=True))
    com = tuple(x + y for x, y in zip(body.inertia.com, OTHER.com, strict=True))
    joint = body.joint if is_first else _other_joint(body.joint)
    joint = replace(joint, **{name: STRONGER * number for name, number in joint.dynamics.items()})
    lifted = Inertia(STRONGER * body.lifted.mass, com)
    return replace(body, inertia=Inertia(2 * body.inertia.mass + OTHER.mass, com, about), joint=joint, lifted=lifted)


def _other_joint(joint: Joint) -> Joint:
    place = tuple(x + y for x, y in zip(joint.placement.translation, FURTHER, strict=True))
    placement = Placement(joint.placement.rotation @ TURNED, place)
    second = joint.second_axis and _turned(joint.second_axis)
    return replace(joint, placement=placement, axis=_turned(joint.axis), second_axis=second)


def _turned(axis: Vector) -> Vector:
    x, y, z = axis
    return (z, x, y)


def is_for_one_robot(case: Case, subject: Subject, loaded: Loaded, fresh: Callable[[], Subject] | None) -> bool:
    """Whether code answers about a sibling as about the robot of the case, which it has ``loaded``, because it ignores what it
    is given.

    ``fresh`` makes the same implementation in a new process. It is called only if answers do not move. Without it the sibling
    has a name of its own instead, so that a cache that goes by names does not find the robot.
    """
    moving = np.flatnonzero((case.states.v != 0).all(axis=1)).tolist() or [0]
    states, other = case.states.pick(np.array(moving[:1])), sibling(case.mechanism, keeps_gravity=True)
    kept: dict[str, Array] = {}
    try:
        there = subject.load(other)
        for quantity, change in _telling(loaded, case.mechanism, other, states):
            with suppress(Failure, Unsupported):
                answer = _ask(loaded, quantity, states)
                if np.abs(_ask(there, quantity, states) - answer).max(initial=0.0) > MOVES * change:
                    return False
                kept[quantity] = answer
        if not kept:
            return False
        # Where the robot was never loaded, the answers have to be the same.
        with closing(fresh()) if fresh else nullcontext(subject) as elsewhere:
            there = elsewhere.load(other if fresh else replace(other, name=f"{other.name} (another)"))
            pairs = ((_ask(there, quantity, states), answer) for quantity, answer in kept.items())
            return all(np.abs(x - y).max(initial=0.0) <= MOVES * np.abs(y).max(initial=0.0) for x, y in pairs)
    except (Failure, Unsupported):
        # It looks at what it is given.
        return False


def _telling(loaded: Loaded, robot: Mechanism, other: Mechanism, states: States) -> Iterator[tuple[str, float]]:
    """The quantities that the code offers and that should move, and by how much."""
    here, there = REFERENCE.load(robot), REFERENCE.load(other)
    for name, quantity in QUANTITIES.items():
        if quantity.has_value and quantity.is_defined(robot) and loaded.offers(name):
            arguments = states.arguments(quantity.arguments)
            with suppress(Unsupported, AttributeError, ArithmeticError, np.linalg.LinAlgError):
                one, two = (getattr(dynamics, name)(*arguments) for dynamics in (here, there))
                change = float(np.abs(one - two).max(initial=0.0))
                if change > SEEN * np.abs(one).max(initial=0.0):
                    yield name, change


def _ask(loaded: Loaded, quantity: str, states: States) -> Array:
    return loaded.ask(quantity, *states.arguments(QUANTITIES[quantity].arguments)).value
