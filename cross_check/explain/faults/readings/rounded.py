"""Formats of numbers that have few digits, binary ones and decimals; and mechanisms whose numbers are rounded to them.

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

from cross_check.exchange.results.causes import Observation
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import OF_BODY, OF_JOINT, ORIGIN, changed
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from implementations.algorithms import AlgorithmicDynamics
from implementations.field import Real
from implementations.spatial_algebra.model import Link, Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Joint, Mechanism
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, Rotation
from mechanisms.numbers.exact import Scalar
from mechanisms.numbers.precision import FLOAT64, PRECISIONS, Precision

Change = Callable[[Scalar], Fraction]

FEW_DIGITS = range(3, 8)


MOST_DECIMALS = 12

FEW = 8
"""Fewer different numbers may have few digits by chance."""


class Format(NamedTuple):
    """What numbers are rounded to."""

    words: str
    """Such as "float32" or "3 decimals"."""
    round: Callable[[Array], Array]
    precision: Precision | None = None
    """The binary format; None for decimals."""
    decimals: int = 0

    @property
    def of_answers(self) -> str:
        return f"answers are rounded to {self.words}"

    def seen(self, answer: Array) -> Observation:
        """What answers in this format show."""
        return Observation(f"the digits of {answer.size} answers", self.of_answers)

    def number(self, x: Scalar) -> Fraction:
        """The number of the format, exactly: decimals as they are written."""
        rounded = float(self.round(np.array(float(x))))
        return Fraction(rounded) if self.precision else Fraction(str(rounded))

    def half(self, answer: Array) -> Array | float:
        """Half of the spacing of every number."""
        return 0.5 * 10.0**-self.decimals if self.precision is None else self.precision.spacing(answer) / 2

    def has(self, answer: Array) -> bool:
        """Whether every number is one of the format, or is the text of one with as many digits as tell it from its neighbours."""
        nearest = self.round(answer)
        if np.array_equal(nearest, answer) or self.precision is None:
            return np.array_equal(nearest, answer)
        lengths = range(1, self.precision.decimals + 2)
        pairs = zip(answer.ravel().tolist(), nearest.ravel().tolist(), strict=True)
        return all(x in (y, *(float(f"{y:.{digits}g}") for digits in lengths)) for x, y in pairs)


def decimals(count: int) -> Format:
    return Format(f"{count} decimals", lambda x: np.round(x, count), decimals=count)


BINARY = tuple(Format(one.name, one.nearest, one) for one in PRECISIONS.values() if one != FLOAT64)
"""All but float64, the finest first."""

SINGLE = BINARY[0]


def coarser(precision: Precision) -> tuple[Format, ...]:
    """The formats of :data:`BINARY` that have fewer digits than this precision."""
    return tuple(form for form in BINARY if form.precision and form.precision.epsilon > precision.epsilon)


def written(answer: Array, precision: Precision = FLOAT64) -> Format | None:
    """The format with the fewest digits in which every answer can be written exactly; None if that is the code's own precision.

    Decimals are tried for float64 alone. Numbers of fewer digits are decimals by chance.
    """
    if len(np.unique(answer)) < FEW:
        return None
    if precision != FLOAT64:
        return next((one for one in reversed(coarser(precision)) if one.has(answer)), None)
    # Whole numbers are numbers without decimals.
    formats = [] if np.array_equal(np.rint(answer), answer) else [*reversed(BINARY)]
    formats += map(decimals, range(MOST_DECIMALS + 1))
    return next((one for one in formats if one.has(answer)), None)


def _formats(unit: str, way: Callable[[float, int], Any]) -> Iterator[Format]:
    """So many digits, by a function of one number and of their count."""
    for count in FEW_DIGITS:
        yield Format(f"{count} {unit}", np.vectorize(lambda x, n=count: float(way(float(x), n)), otypes=[np.float64]))


FORMATS = (
    SINGLE,
    *_formats("decimals", round),
    # NumPy rounds the product with a power of ten, so that 0.0125 becomes 0.012 and not 0.013.
    *(decimals(count) for count in FEW_DIGITS),
    *_formats("significant digits", lambda x, digits: f"{x:.{digits}g}"),
)
"""What the numbers of a mechanism may be rounded to."""

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


def _fault(what: str, digits: Format, change: wm.Wrong) -> Fault:
    once = lru_cache(8)(change)

    def needs(mechanism: Mechanism) -> bool:
        try:
            return wm.is_other(once(mechanism), mechanism)
        except MechanismError:
            return False  # A mass that is rounded to zero makes no body.

    return Fault(f"{what} are rounded to {digits.words}", "precision", mechanism=once, needs=needs)


ROUNDED_NUMBERS = tuple(_fault(what, digits, change) for digits in FORMATS for what, change in rounded_parts(digits.number))
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
