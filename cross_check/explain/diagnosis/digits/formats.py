"""Formats of numbers that have few digits: binary ones, and decimals. How they round, and what is written in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.memory import Array
from mechanisms.numbers.precision import FLOAT64, PRECISIONS, Precision

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
