"""Right answers as fractions, where the numbers of the state are short fractions and angles are quarter turns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from cross_check.memory import Array
from cross_check.prove.proof.exact import RATIONALS
from implementations.protocol import Unsupported
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

MOST_COORDINATES = 12
"""Exact numbers of larger mechanisms are long and slow."""

LARGEST_DENOMINATOR, MOST_DIGITS = 1000, 10

QUARTERS = {0.0: Fraction(0), math.pi / 2: Fraction(1), -math.pi / 2: Fraction(-1)}
"""The tangent of half an angle, by which exact arithmetic takes it."""


def exact_values(mechanism: Mechanism, quantity: str, state: Mapping[str, Array]) -> tuple[Fraction, ...]:
    """The numbers of the answer, in the order of the flattened array; empty if they are not short fractions.

    ``state`` has the quantity's arguments, one state each. An angle next to a quarter turn counts as a quarter turn.
    """
    if mechanism.nv > MOST_COORDINATES or (not QUANTITIES[quantity].has_value and quantity != "forward_dynamics"):
        return ()
    columns = []
    for name in QUANTITIES[quantity].arguments:
        numbers = exact_position(mechanism, state["q"]) if name == "q" else [short(x) for x in state[name].ravel().tolist()]
        if any(x is None for x in numbers):
            return ()
        column = np.array([RATIONALS.number(x) for x in numbers], dtype=object)
        columns.append(column.reshape(*state[name].shape, 1))
    try:
        answer = ALGORITHMS[quantity](build(mechanism, RATIONALS), *columns)
    except (ZeroDivisionError, Unsupported):
        return ()
    values = tuple(Fraction(str(x)) for x in answer.ravel())
    return values if all(len(str(x.numerator)) + len(str(x.denominator)) <= MOST_DIGITS for x in values) else ()


def exact_position(mechanism: Mechanism, q: Array) -> list[Fraction | None]:
    """q as exact arithmetic takes it: angles by the tangents of their halves. None for a number that has no exact value."""
    position: list[Fraction | None] = [None] * mechanism.nq
    for body, own in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        for slot in body.joint.slots:
            numbers = q[own][slot.q].tolist()
            if slot.form == "angle":
                # A helical joint advances in proportion to the angle itself, which has no exact value but zero.
                exact = [QUARTERS.get(x) if not (slot.advances and x) else None for x in numbers]
            else:
                exact = list(_of_length_one(numbers)) if slot.form != "distance" else [short(x) for x in numbers]
            for k, x in enumerate(exact):
                position[own.start + slot.q.start + k] = x
    return position


def short(x: float) -> Fraction | None:
    """The fraction with a small denominator whose nearest float64 is ``x``."""
    fraction = Fraction(x).limit_denominator(LARGEST_DENOMINATOR)
    return fraction if float(fraction) == x else None


def _of_length_one(numbers: list[float]) -> Iterator[Fraction | None]:
    exact = [short(x) for x in numbers]
    one = sum(x * x for x in exact if x is not None) == 1
    return (x if one else None for x in exact)
