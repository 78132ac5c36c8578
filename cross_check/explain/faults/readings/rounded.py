"""Mechanisms whose numbers are rounded: to float32, to decimals, or to significant digits.

Rotations and axes stay as they are in a mechanism, because rounded ones are no rotations and no unit vectors: a rotation matrix
of rounded numbers turns no vector without changing its length. Correct algorithms then answer differently, so that the reference
with the same matrices (:func:`rounded_dynamics`) predicts the size and the direction of the errors alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import OF_BODY, OF_JOINT, ORIGIN, changed
from cross_check.explain.faults.fault import Fault
from implementations.algorithms import AlgorithmicDynamics
from implementations.field import Real
from implementations.spatial_algebra.model import Link, Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Joint, Mechanism
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, Rotation
from mechanisms.numbers.exact import Scalar

Change = Callable[[Scalar], Fraction]

FEW_DIGITS = range(3, 8)


class Digits(NamedTuple):
    """What numbers are rounded to: ``words``, such as "3 decimals", and the function that rounds."""

    words: str
    change: Change


FLOAT32 = Digits("float32", lambda x: Fraction(float(np.float32(float(x)))))

WAYS: tuple[tuple[str, Callable[[float, int], object]], ...] = (
    ("decimals", round),
    # NumPy rounds the product with a power of ten, so that 0.0125 becomes 0.012 and not 0.013.
    ("decimals", np.round),
    ("significant digits", lambda x, digits: f"{x:.{digits}g}"),
)


def _written(way: Callable[[float, int], object], digits: int, x: Scalar) -> Fraction:
    """The decimal number that is written."""
    return Fraction(str(way(float(x), digits)))


FORMATS = (FLOAT32, *(Digits(f"{n} {unit}", partial(_written, way, n)) for unit, way in WAYS for n in FEW_DIGITS))

WHOLE = "the numbers of the mechanism"


def rounded_parts(change: Change) -> Iterator[tuple[str, wm.Wrong]]:
    """Groups of the mechanism's numbers, all changed."""
    for words, numbers in (
        ("masses, centres of mass and inertias", OF_BODY),
        ("the joints' positions", (ORIGIN,)),
        ("inertias and the joints' positions", (*OF_BODY, ORIGIN)),
    ):
        yield words, wm.every(changed(change, *numbers))
    yield WHOLE, partial(rounded, change)


def rounded(change: Change, mechanism: Mechanism) -> Mechanism:
    """All numbers are changed, but for rotations and axes."""
    other = wm.every(changed(change, *OF_BODY, ORIGIN, *OF_JOINT))(mechanism)
    return replace(other, gravity=tuple(map(change, mechanism.gravity)))


def _fault(what: str, digits: Digits, change: wm.Wrong) -> Fault:
    once = lru_cache(8)(change)

    def needs(mechanism: Mechanism) -> bool:
        try:
            return wm.is_other(once(mechanism), mechanism)
        except MechanismError:
            return False  # A mass that is rounded to zero makes no body.

    return Fault(f"{what} are rounded to {digits.words}", "precision", mechanism=once, needs=needs)


ROUNDED_NUMBERS = tuple(_fault(what, digits, change) for digits in FORMATS for what, change in rounded_parts(digits.change))
"""Faults of a whole mechanism."""


@lru_cache(8)
def rounded_dynamics(change: Change, mechanism: Mechanism) -> Any:
    """The reference with all numbers of the mechanism changed, those of rotations and axes one by one."""
    model = build(rounded(change, mechanism), Real())

    def all_of(numbers: Any) -> Any:
        return np.vectorize(lambda x: float(change(x)), otypes=[np.float64])(numbers)

    def other(link: Link) -> Link:
        return replace(link, axes=all_of(link.axes), S=all_of(link.S), XT=Plucker(all_of(link.XT.E), link.XT.r))

    def of(one: Model) -> Model:
        return replace(one, links=tuple(map(other, one.links)), frames=(), closures=(), lifted=one.lifted and of(one.lifted))

    return AlgorithmicDynamics(mechanism, of(model), ALGORITHMS)


@lru_cache(8)
def representable(change: Change, mechanism: Mechanism) -> Mechanism:
    """A mechanism of which ``change`` changes no number: rotations that it would change become the nearest by quarter turns."""

    def other(joint: Joint) -> Joint:
        p = joint.placement
        if any(change(x) != x for row in p.rotation.matrix for x in row):
            joint = replace(joint, placement=Placement(_nearest_turn(p.rotation), p.translation))
        axes = [axis for axis in (joint.axis, joint.second_axis) if axis and joint.description.has_axis]
        if all(change(x) == x for axis in axes for x in axis):
            return joint
        first = wm.nearest(axes[0])
        if len(axes) == 1:
            return replace(joint, axis=first)
        beside = tuple(x * (1 - abs(y)) for x, y in zip(axes[1], first, strict=True))
        return replace(joint, axis=first, second_axis=wm.nearest(beside if any(beside) else (*first[1:], first[0])))

    return wm.joint(other)(rounded(change, mechanism))


def _nearest_turn(rotation: Rotation) -> Rotation:
    R = np.array(rotation.matrix, dtype=np.float64)
    return Rotation.from_matrix(max(_TURNS, key=lambda turn: float((np.array(turn) * R).sum())))


_TURNS = [
    tuple(map(tuple, turn.tolist()))
    for order in permutations(range(3))
    for signs in product((1, -1), repeat=3)
    if np.linalg.det(turn := np.diag(signs)[list(order)]) > 0
]
"""The rotations by quarter turns about coordinate axes."""
