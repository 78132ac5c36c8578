"""What a comparison yields."""

from __future__ import annotations

from typing import NamedTuple

from cross_check.memory import Array


class Residual(NamedTuple):
    """What is compared with what, their difference, and the magnitude that it is measured by: float64 (batch, …)."""

    value: Array
    expected: Array
    error: Array
    magnitude: Array


class Comparison(NamedTuple):
    """A :class:`Residual`, and its error in ε-units."""

    value: Array
    expected: Array
    error: Array
    magnitude: Array
    units: Array
