"""The format in which answers are written: how few digits they have."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cross_check.memory import Array

FORMATS: dict[str, type[np.floating[Any]]] = {"float32": np.float32, "float16": np.float16}

MOST_DECIMALS = 12

FEW = 8
"""Fewer different numbers may have few digits by chance."""


class Written(NamedTuple):
    """How all answers are written, in words and numbers."""

    words: str
    made: type[np.floating[Any]] | None
    """The floating-point format; None for decimals."""
    decimals: int
    numbers: tuple[tuple[str, float], ...]

    def half(self, answer: Array) -> Array | float:
        """Half of the spacing of every number."""
        if self.made is None:
            return 0.5 * 10.0**-self.decimals
        return np.spacing(np.abs(answer).astype(self.made)).astype(np.float64) / 2


def written(answer: Array) -> Written | None:
    """The format with the fewest digits in which every answer can be written exactly; None if that is float64."""
    if len(np.unique(answer)) < FEW:
        return None
    for name, made in reversed(FORMATS.items()):
        if _is_of(answer, made) and not np.array_equal(np.rint(answer), answer):
            return Written(f"answers are rounded to {name}", made, 0, (("bits", float(np.finfo(made).nmant + 1)),))
    for decimals in range(MOST_DECIMALS + 1):
        if np.array_equal(np.round(answer, decimals), answer):
            return Written(f"answers are rounded to {decimals} decimals", None, decimals, (("decimals", float(decimals)),))
    return None


def _is_of(answer: Array, made: type[np.floating[Any]]) -> bool:
    """Whether every number is one of the format, or is the text of one with as many digits as tell it from its neighbours."""
    with np.errstate(over="ignore"):
        nearest = answer.astype(made)
    if np.array_equal(nearest.astype(np.float64), answer):
        return True
    digits = 1 + math.ceil((np.finfo(made).nmant + 1) * math.log10(2))
    return all(
        x in (float(str(y)), float(f"{y:.{digits}g}")) for x, y in zip(answer.ravel().tolist(), nearest.ravel(), strict=True)
    )
