"""Rational functions of one variable, which know their true degrees."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import nmod_poly

P = 2**61 - 1


class Ratio:
    """A rational function of one variable over 𝔽ₚ, in lowest terms: its degrees are the true ones."""

    def __init__(self, top: nmod_poly, bottom: nmod_poly | None = None) -> None:
        bottom = nmod_poly([1], P) if bottom is None else bottom
        if bottom == 0:
            raise ZeroDivisionError
        common = top.gcd(bottom)
        self.top, self.bottom = top // common, bottom // common

    def __add__(self, other: Any) -> Ratio:
        if isinstance(other, np.ndarray):
            return NotImplemented
        other = ratio(other)
        return Ratio(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __mul__(self, other: Any) -> Ratio:
        if isinstance(other, np.ndarray):
            return NotImplemented
        other = ratio(other)
        return Ratio(self.top * other.top, self.bottom * other.bottom)

    def __truediv__(self, other: Any) -> Ratio:
        if isinstance(other, np.ndarray):
            return NotImplemented
        other = ratio(other)
        return Ratio(self.top * other.bottom, self.bottom * other.top)

    def __neg__(self) -> Ratio:
        return self * -1

    def __sub__(self, other: Any) -> Ratio:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + -ratio(other)

    def __rsub__(self, other: Any) -> Ratio:
        return ratio(other) - self

    def __rtruediv__(self, other: Any) -> Ratio:
        return ratio(other) / self

    __radd__, __rmul__ = __add__, __mul__


def ratio(x: Any) -> Ratio:
    return x if isinstance(x, Ratio) else Ratio(nmod_poly([int(x)], P))


def line(seed: int) -> Callable[[], Ratio]:
    """Draws the points of a random line: what has degree d has it along a line too, unless by a chance of d in p."""
    rng = random.Random(seed)
    return lambda: Ratio(nmod_poly([rng.randrange(P), rng.randrange(1, P)], P))
