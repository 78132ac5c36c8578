"""Errors of many states, explained by errors of the mechanism's numbers (docs/notes/sharpness.md).

Rounding scatters from state to state and from component to component. Wrong numbers do not. With the errors r of all rows and the
columns A of :mod:`cross_check.sharpness.columns`, both in ε-units, code is right for numbers that are off by δ if r − A δ is noise:

    |a · (r − A δ)| ≤ 6 |a| s        for every column a, with s² = |r − A δ|² / rows                                (6)

Correct code rounds every number a few times, so it has a small δ. The errors are systematic if no δ with all |δ| ≤ K explains them. The
likeliest δ, of numbers that are rounded once, is tried first; it minimises |r − A δ|² + s² |δ|². If that does not do, the least
residual within the box is sought, by the accelerated gradient method with projection (A. Beck, M. Teboulle, "A fast iterative
shrinkage-thresholding algorithm for linear inverse problems", SIAM J. Imaging Sciences 2009).

How sharp this is follows from one number alone: it is off by a · r / a · a, give or take 3 s / |a|.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from cross_check.error_scale.sizes import EPSILON
from cross_check.memory import Array
from cross_check.results.objects import INFINITE, ROUNDINGS, Sharpness
from cross_check.sharpness.columns import Rows

LIMIT = 6.0
"""Noise is at most so many standard deviations, in the direction of any column."""

SPREAD = 3.0
"""A number is known to so many standard deviations."""

FLOOR = 0.05
"""The least noise, in ε-units: answers of few roundings do not scatter."""

SHOWS = 2.0**-4
"""A number shows if an error of it makes at least this part of the errors that the same error of some other number makes."""

LADDER = tuple(2.0**k for k in range(-1, 11))
"""The K that are tried, in ε."""

QUIET = 2.0
"""More noise than this, in ε-units, is not explained."""

SMALL = 1e-5
"""Errors of numbers below this are named by the fit. Larger ones have causes that say more, and may not act linearly."""

STEPS = 300
"""Steps of the gradient method for one K."""

NAMED = 0.5
"""One number is named if it explains at least this part of the squares of all errors."""


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
        return Fit(rows.names, rows.length, r @ rows.unit, rows.gram, r @ r, rows.count)

    def sharpness(self, bar: float) -> Sharpness | None:
        """What the fit shows; None if there is no column. What is wrong is named if the errors are systematic by this ``bar``."""
        if not self.names:
            return None
        needed, noise = self._least()
        alone = self.along / self.length
        shows = self.length >= SHOWS * self.length.max()
        right = float((np.abs(alone) + SPREAD * noise / self.length)[shows].max()) * EPSILON
        found = Sharpness(_short(min(needed, INFINITE)), _short(right), int(shows.sum()), len(self.names))
        k = int(np.abs(self.along).argmax())
        if not found.is_systematic(bar) or self.along[k] ** 2 < NAMED * self.square:
            return found
        return replace(found, number=self.names[k], change=_short(float(alone[k]) * EPSILON))

    def one_number(self, bar: float) -> Sharpness | None:
        """The one number that explains the errors, where they are small enough to be linear in it; None without one.

        All other numbers may be rounded.
        """
        if not self.names:
            return None
        k = int(np.abs(self.along).argmax())
        is_other = np.arange(len(self.names)) != k
        _, noise = self._explains(np.where(is_other, 0.0, self.along))
        x = self._likeliest(noise, is_other)
        explains, noise = self._explains(x)
        off = np.abs(x / self.length)[is_other].max(initial=0.0)
        change = float(x[k] / self.length[k])
        if not explains or noise > QUIET or off > bar / ROUNDINGS or not abs(change) * EPSILON < SMALL:
            return None
        shows = self.length >= SHOWS * self.length.max()
        said = _short(abs(change)), _short(change * EPSILON)
        return Sharpness(said[0], abs(said[1]), int(shows.sum()), len(self.names), self.names[k], said[1])

    def _least(self) -> tuple[float, float]:
        """The least K that was seen to suffice, and the noise that remains, in ε-units."""
        noise = self._noise(self.square)
        if np.abs(self.along).max() <= LIMIT * noise:
            return 0.0, noise
        likeliest = self._likeliest(noise, np.ones(len(self.names), bool))
        enough, noise = self._explains(likeliest)
        if enough:
            return float(np.abs(likeliest / self.length).max()), noise
        # No eigenvalue is larger than the largest sum of a row.
        step, x = 1 / np.abs(self.gram).sum(axis=1).max(), np.zeros_like(self.along)
        for K in LADDER:
            x = self._within(K * self.length, x, step)
            enough, noise = self._explains(x)
            if enough:
                return K, noise
        return math.inf, noise

    def _likeliest(self, noise: float, is_rounded: Array) -> Array:
        """δ |a| that minimises |r − A δ|² + s² |δ|², with s = ``noise``; numbers that are not rounded are free."""
        rounded: Array = np.linalg.solve(self.gram + np.diag(is_rounded * (noise / self.length) ** 2), self.along)
        return rounded

    def _within(self, box: Array, x: Array, step: float) -> Array:
        """The x with |x| ≤ ``box`` that leaves the least residual, from a first one. x is δ |a|."""
        y, t = x, 1.0
        for _ in range(STEPS):
            new = np.clip(y + step * (self.along - self.gram @ y), -box, box)
            t, before = (1 + math.sqrt(1 + 4 * t * t)) / 2, t
            y, x = new + (before - 1) / t * (new - x), new
        return x

    def _explains(self, x: Array) -> tuple[bool, float]:
        """Whether only noise is left, and how much (eq. 6)."""
        left = self.along - self.gram @ x
        noise = self._noise(self.square - x @ (self.along + left))
        return bool(np.abs(left).max() <= LIMIT * noise), noise

    def _noise(self, square: float) -> float:
        return max(FLOOR, math.sqrt(max(square, 0.0) / self.count))


def _short(x: float) -> float:
    return float(f"{x:.2g}")
