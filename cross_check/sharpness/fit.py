"""Errors of many states, explained by errors of the mechanism's numbers (docs/notes/sharpness.md).

Rounding scatters from state to state and from component to component. Wrong numbers do not. With the errors r of all rows and
the columns A of :mod:`cross_check.sharpness.columns`, both in ε-units, code is right for numbers that are off by δ if r − A δ is
noise:

    |a · (r − A δ)| ≤ 6 |a| s        for every column a, with s² = |r − A δ|² / rows                                (5)

Correct code rounds every number a few times, so it has a small δ. The errors are systematic if no δ with all |δ| ≤ K explains
them. The likeliest δ, of numbers that are rounded once, is tried first: it minimises |r − A δ|² + s² |δ|². If that does not do,
the least residual with |δ| ≤ K is sought, for K of a ladder, by the accelerated gradient method with projection (A. Beck,
M. Teboulle, "A fast iterative shrinkage-thresholding algorithm for linear inverse problems", SIAM J. Imaging Sciences 2009).

How sharp this is follows from one number alone: it is off by a · r / a · a, give or take 3 s / |a| (eq. 6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cross_check.error_scale.sizes import EPSILON
from cross_check.memory import Array
from cross_check.results.objects import INFINITE, Sharpness
from cross_check.sharpness.columns import Rows

LIMIT = 6.0
"""Noise is at most so many standard deviations, in the direction of any column."""

SPREAD = 3.0
"""A number is known to so many standard deviations."""

FLOOR = 1 / 3
"""The least noise, in ε-units: roundings of intermediate results that hardly change with the state do not scatter."""

SHOWS = 2.0**-4
"""A number shows if an error of it makes at least this part of the errors that the same error of some other number makes."""

LADDER = tuple(2.0**k for k in range(-1, 11))
"""The K that are tried, in ε."""

STEPS = 300
"""Steps of the gradient method for one K."""


@dataclass(frozen=True)
class Fit:
    """The errors of one quantity, and the columns that they are fitted to. Numbers without a column are left out."""

    names: tuple[str, ...]
    length: Array
    """|a| (numbers,)."""
    along: Array
    """a · r / |a| (numbers,), in ε-units."""
    gram: Array
    """a · b / |a| |b| (numbers, numbers)."""
    square: float
    """r · r."""
    count: int
    """How many rows there are."""

    @staticmethod
    def of(rows: Rows, residual: Array) -> Fit:
        """``residual`` (states, components) in the quantity's units."""
        r = (residual * rows.weights).ravel() / EPSILON
        return Fit(rows.names, rows.length, r @ rows.unit, rows.gram, float(r @ r), rows.count)

    def sharpness(self, bar: float) -> Sharpness | None:
        """What the fit shows; None if there is no column."""
        if not self.names:
            return None
        needed, left = self._least(bar)
        noise = math.sqrt(max(left, 0.0) / self.count)
        shows = self.length >= SHOWS * self.length.max()
        right = float((np.abs(self.along / self.length) + SPREAD * noise / self.length)[shows].max()) * EPSILON
        return Sharpness(short(min(needed, INFINITE)), short(right), int(shows.sum()), len(self.names))

    def _least(self, most: float) -> tuple[float, float]:
        """A K that suffices, and |r − A δ|². It is the least of the ladder if it is above ``most``."""
        x = np.zeros_like(self.along)
        if self.explains(x):
            return 0.0, self.square
        x = self.likeliest(self._noise(self.square))
        needed = float(np.abs(x / self.length).max())
        if needed <= most and self.explains(x):
            return needed, self.left(x)
        # No eigenvalue is larger than the largest sum of a row.
        step, x = 1 / np.abs(self.gram).sum(axis=1).max(), 0 * x
        for K in LADDER:
            x = self._within(K * self.length, x, step)
            if self.explains(x):
                return K, self.left(x)
        return math.inf, self.left(x)

    def likeliest(self, noise: float, free: Sequence[int] = ()) -> Array:
        """δ |a| that minimises |r − A δ|² + s² |δ|², with s = ``noise``; those with ``free`` indices may be anything."""
        weights = (noise / self.length) ** 2
        weights[list(free)] = 0
        x: Array = np.linalg.solve(self.gram + np.diag(weights), self.along)
        return x

    def _within(self, box: Array, x: Array, step: float) -> Array:
        """The x with |x| ≤ ``box`` that leaves the least residual, from a first one. x is δ |a|."""
        y, t = x, 1.0
        for _ in range(STEPS):
            new = np.clip(y + step * (self.along - self.gram @ y), -box, box)
            t, before = (1 + math.sqrt(1 + 4 * t * t)) / 2, t
            y, x = new + (before - 1) / t * (new - x), new
        return x

    def explains(self, x: Array) -> bool:
        """Whether x = δ |a| leaves only noise (eq. 5)."""
        return bool(np.abs(self.along - self.gram @ x).max() <= LIMIT * self._noise(self.left(x)))

    def left(self, x: Array) -> float:
        """|r − A δ|² of x = δ |a|."""
        return float(self.square - x @ (2 * self.along - self.gram @ x))

    def _noise(self, square: float) -> float:
        return max(FLOOR, math.sqrt(max(square, 0.0) / self.count))


def short(x: float) -> float:
    return float(f"{x:.2g}")
