"""Errors of many states, explained by errors of the mechanism's numbers (docs/notes/sharpness.md).

Rounding scatters from state to state and from component to component. Wrong numbers do not. With the errors r of all rows and the
columns A of :mod:`cross_check.judge.sharpness.columns`, both in ε-units, code is right for numbers that are off by δ if r − A δ
is noise:

    |a · (r − A δ)| ≤ 6 |a| s        for every column a, with s² = |r − A δ|² / rows                                (5)

Correct code rounds every number a few times, so it has a small δ. The errors are systematic if no δ with all |δ| ≤ K explains
them. The likeliest δ, of numbers that are rounded once, is tried first: it minimises |r − A δ|² + s² |δ|². If that does not do,
the least residual with |δ| ≤ K is sought, for K of a ladder, by the accelerated gradient method with projection (A. Beck,
M. Teboulle, "A fast iterative shrinkage-thresholding algorithm for linear inverse problems", SIAM J. Imaging Sciences 2009).

How sharp this is follows from one number alone: it is off by a · r / a · a, give or take 3 s / |a| (eq. 6).

A number of the mechanism is named as wrong if it alone explains the errors. Every number is tried: it is free, and all others
are rounded. Its cost is that of the likeliest δ, |r − A δ|² / s² + |δ|² over the others, where s is the noise that no numbers at
all can explain. The number with the least cost is named if only noise is left, and if the others are off by roundings. Numbers
whose cost is hardly larger explain the errors as well, and are named with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.objects import INFINITE, Cell, Sharpness
from cross_check.judge.comparison.judgements import Comparison
from cross_check.judge.comparison.measure import Measured
from cross_check.judge.sharpness.columns import SOURCES, Problems, Rows
from cross_check.memory import Array
from mechanisms.numbers.precision import FLOAT64

LIMIT = 6.0
"""Noise is at most so many standard deviations, in the direction of any column."""

SPREAD = 3.0
"""A number is known to so many standard deviations."""

FLOOR = 1 / 3
"""The least noise, in ε-units: roundings of intermediate results that hardly change with the state do not scatter."""

SHOWS = 2.0**-4
"""A number shows if an error of it makes at least this part of the errors that the same error of some other number makes."""

ROUNDED_TWICE = 1 / 4
"""This part of the bar is 4 ε: right code reads a number, and multiplies it by others that are rounded, too."""

LADDER = tuple(2.0**k for k in range(-1, 11))
"""The K that are tried, in ε."""

STEPS = 300
"""Steps of the gradient method for one K."""


@dataclass(frozen=True)
class Fit:
    """The errors of one quantity, and the rows that they are fitted to."""

    rows: Rows
    along: Array
    """a · r / |a| (numbers,), in ε-units, of every column a."""
    square: float
    """r · r."""

    @staticmethod
    def of(rows: Rows, residual: Array) -> Fit:
        """``residual`` (states, components) in the quantity's units."""
        r = (residual * rows.weights).ravel() / rows.epsilon
        return Fit(rows, r @ rows.unit, float(r @ r))

    def sharpness(self, bar: float) -> Sharpness | None:
        """What the fit shows; None if there is no column."""
        rows = self.rows
        if not rows.names:
            return None
        # In float64 the bar holds for numbers as for answers. Where a rounding is large, it must not hide wrong numbers.
        limit = bar if rows.epsilon == FLOAT64.epsilon else bar * ROUNDED_TWICE
        needed, left = self._least(limit)
        noise = math.sqrt(max(left, 0.0) / rows.count)
        shows = rows.length >= SHOWS * rows.length.max()
        right = float((np.abs(self.along / rows.length) + SPREAD * noise / rows.length)[shows].max()) * rows.epsilon
        return Sharpness(short(min(needed, INFINITE)), short(right), int(shows.sum()), len(rows.names), limit=limit)

    def _least(self, most: float) -> tuple[float, float]:
        """A K that suffices, and |r − A δ|². It is the least of the ladder if it is above ``most``."""
        x = np.zeros_like(self.along)
        if self.explains(x):
            return 0.0, self.square
        x = self.likeliest(self._noise(self.square))
        needed = float(np.abs(x / self.rows.length).max())
        if needed <= most and self.explains(x):
            return needed, self.left(x)
        # No eigenvalue is larger than the largest sum of a row.
        step, x = 1 / np.abs(self.rows.gram).sum(axis=1).max(), 0 * x
        for K in LADDER:
            x = self._within(K * self.rows.length, x, step)
            if self.explains(x):
                return K, self.left(x)
        return math.inf, self.left(x)

    def likeliest(self, noise: float, free: Sequence[int] = ()) -> Array:
        """δ |a| that minimises |r − A δ|² + s² |δ|², with s = ``noise``; those with ``free`` indices may be anything."""
        weights = (noise / self.rows.length) ** 2
        weights[list(free)] = 0
        return np.linalg.solve(self.rows.gram + np.diag(weights), self.along)

    def _within(self, box: Array, x: Array, step: float) -> Array:
        """The x with |x| ≤ ``box`` that leaves the least residual, from a first one. x is δ |a|."""
        y, t = x, 1.0
        for _ in range(STEPS):
            new = np.clip(y + step * (self.along - self.rows.gram @ y), -box, box)
            t, before = (1 + math.sqrt(1 + 4 * t * t)) / 2, t
            y, x = new + (before - 1) / t * (new - x), new
        return x

    def explains(self, x: Array) -> bool:
        """Whether x = δ |a| leaves only noise (eq. 5)."""
        return bool(np.abs(self.along - self.rows.gram @ x).max() <= LIMIT * self._noise(self.left(x)))

    def left(self, x: Array) -> float:
        """|r − A δ|² of x = δ |a|."""
        return float(self.square - x @ (2 * self.along - self.rows.gram @ x))

    def _noise(self, square: float) -> float:
        return max(FLOOR, math.sqrt(max(square, 0.0) / self.rows.count))


def short(x: float) -> float:
    return float(f"{x:.2g}")


CANDIDATES = 24
"""So many numbers are tried: those with which the errors agree most."""

AS_GOOD = 30.0
"""A number explains the errors as well as another if its cost is larger by less than this."""

MOST = 3
"""Numbers that explain the errors as well; of more, none is named."""

QUIET = 2.0
"""More noise than this, in ε-units, is not explained."""

SMALL = 1e-5
"""Larger errors of numbers have causes that say more, or may not act linearly. Of few digits, see :func:`largest`."""

TOLD = 1024
"""An error of so many roundings has three digits, by which its cause is found."""


def sharpened(cells: Sequence[Cell], measured: Sequence[Measured], problems: Problems | None, bar: float) -> list[Cell]:
    """The cells, which were ``measured``, with their sharpness; those whose errors are systematic are discrepancies.

    Errors above the bar are fitted, too: one number may explain them. Answers that do not belong to all states are not fitted;
    without ``problems`` none are.
    """
    if problems is None:
        return list(cells)
    return [_sharpened(cell, one.compared, problems, bar) for cell, one in zip(cells, measured, strict=True)]


def _sharpened(cell: Cell, compared: Comparison | None, problems: Problems, bar: float) -> Cell:
    is_judged = cell.verdict in ("agrees", "discrepancy") and cell.quantity in SOURCES
    if not is_judged or compared is None or len(compared.error) != problems.given:
        return cell
    residual = problems.residual(cell.quantity, compared.error)
    if not np.isfinite(residual).all():
        return cell
    fit = Fit.of(problems.rows(cell.quantity), residual)
    sharpness = fit.sharpness(bar)
    if sharpness is None or (cell.verdict == "agrees" and not sharpness.is_systematic(bar)):
        return replace(cell, sharpness=sharpness)
    wrong = wrong_number(fit, bar)
    if cell.verdict == "discrepancy":
        return replace(cell, sharpness=replace(sharpness, **wrong._asdict())) if wrong else cell
    sharpness = replace(sharpness, **wrong._asdict()) if wrong else sharpness
    said = f"every error is within the bar, but they are systematic: {sharpness.sentence}"
    return replace(cell, sharpness=sharpness, verdict="discrepancy", message=said)


class Wrong(NamedTuple):
    """A number, or some that explain the same with "or" between them, and by what part of its size the first is too large."""

    number: str
    change: float


def wrong_number(fit: Fit, bar: float) -> Wrong | None:
    """The number that explains the errors, which are so small that they are linear in it; None without one."""
    rows = fit.rows
    if not rows.names:
        return None
    noise = _noise(fit)
    tried = [(k, fit.likeliest(noise, [k])) for k in np.argsort(-np.abs(fit.along))[:CANDIDATES].tolist()]
    costs = sorted((_cost(fit, x, k, noise), k) for k, x in tried)
    solutions = dict(tried)
    best = costs[0][1]
    off = np.delete(solutions[best] / rows.length, best)
    is_quiet = fit.left(solutions[best]) <= QUIET**2 * rows.count
    change = float(solutions[best][best] / rows.length[best]) * rows.epsilon
    alike = [rows.names[k] for cost, k in costs if cost < costs[0][0] + AS_GOOD]
    is_rounded = np.abs(off).max(initial=0.0) <= bar
    if not (fit.explains(solutions[best]) and is_quiet and is_rounded and abs(change) < largest(rows.epsilon)):
        return None
    names = list(dict.fromkeys(alike))
    return Wrong(" or ".join(names), short(change)) if len(names) <= MOST else None


def largest(epsilon: float) -> float:
    """The largest error of a number that a fit names: beyond √ε errors do not act linearly, but for roundings."""
    return max(SMALL, min(TOLD * epsilon, epsilon**0.5))


def _cost(fit: Fit, x: Array, k: int, noise: float) -> float:
    return fit.left(x) / noise**2 + float((np.delete(x / fit.rows.length, k) ** 2).sum())


def _noise(fit: Fit) -> float:
    """The noise that remains if every number is free."""
    x = np.linalg.lstsq(fit.rows.gram, fit.along, rcond=1e-10)[0]
    freedom = max(fit.rows.count - len(fit.rows.names), 1)
    return max(FLOOR, float(np.sqrt(max(fit.left(x), 0.0) / freedom)))
