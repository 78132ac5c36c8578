"""Formats of numbers that have few digits: float32, float16, and decimals. How they round, and what is written in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.memory import Array
from mechanisms.numbers.precision import FLOAT64, Precision

MOST_DECIMALS = 12

FEW = 8
"""Fewer different numbers may have few digits by chance."""


class Format(NamedTuple):
    """What numbers are rounded to."""

    words: str
    """Such as "float32" or "3 decimals"."""
    round: Callable[[Array], Array]
    made: Any = None
    """The floating-point format; None for decimals."""
    decimals: int = 0

    @property
    def of_answers(self) -> str:
        return f"answers are rounded to {self.words}"

    def seen(self, answer: Array) -> Observation:
        """What answers in this format show."""
        return Observation(f"the digits of {answer.size} answers", self.of_answers)

    def half(self, answer: Array) -> Array | float:
        """Half of the spacing of every number."""
        if self.made is None:
            return 0.5 * 10.0**-self.decimals
        return np.spacing(np.abs(answer).astype(self.made)).astype(np.float64) / 2

    def has(self, answer: Array) -> bool:
        """Whether every number is one of the format, or is the text of one with as many digits as tell it from its neighbours."""
        with np.errstate(over="ignore"):
            nearest = self.round(answer)
        if np.array_equal(nearest, answer) or self.made is None:
            return np.array_equal(nearest, answer)
        digits = 1 + math.ceil((np.finfo(self.made).nmant + 1) * math.log10(2))
        pairs = zip(answer.ravel().tolist(), nearest.astype(self.made).ravel(), strict=True)
        return all(x in (float(str(y)), float(f"{y:.{digits}g}")) for x, y in pairs)


def _binary(made: type[np.floating[Any]]) -> Format:
    return Format(made.__name__, lambda x: x.astype(made).astype(np.float64), made)


def decimals(count: int) -> Format:
    return Format(f"{count} decimals", lambda x: np.round(x, count), decimals=count)


BINARY = (_binary(np.float32), _binary(np.float16))
"""float32 and float16."""

SINGLE = BINARY[0]


def coarser(precision: Precision) -> tuple[Format, ...]:
    """The formats of :data:`BINARY` that have fewer digits than this precision."""
    return tuple(form for form in BINARY if np.finfo(form.made).eps > precision.epsilon)


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
