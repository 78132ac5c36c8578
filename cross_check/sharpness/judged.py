"""Cells whose errors are within the bar, judged by all of their errors together.

A number of the mechanism is named as wrong if it alone explains the errors. Every number is tried: it is free, and all others
are rounded. Its cost is that of the likeliest δ, |r − A δ|² / s² + |δ|² over the others, where s is the noise that no numbers at
all can explain. The number with the least cost is named if only noise is left, and if the others are off by roundings. Numbers
whose cost is hardly larger explain the errors as well, and are named with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cross_check.comparison.judgements import Comparison
from cross_check.comparison.measure import Measured
from cross_check.error_scale.sizes import EPSILON
from cross_check.memory import Array
from cross_check.results.objects import Cell
from cross_check.sharpness.columns import SOURCES, Problems
from cross_check.sharpness.fit import FLOOR, Fit, short

CANDIDATES = 24
"""So many numbers are tried: those with which the errors agree most."""

AS_GOOD = 30.0
"""A number explains the errors as well as another if its cost is larger by less than this."""

MOST = 3
"""Numbers that explain the errors as well; of more, none is named."""

QUIET = 2.0
"""More noise than this, in ε-units, is not explained."""

SMALL = 1e-5
"""Larger errors of numbers may not act linearly, and have causes that say more."""


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
    if not fit.names:
        return None
    noise = _noise(fit)
    tried = [(k, fit.likeliest(noise, [k])) for k in np.argsort(-np.abs(fit.along))[:CANDIDATES].tolist()]
    costs = sorted((_cost(fit, x, k, noise), k) for k, x in tried)
    solutions = dict(tried)
    best = costs[0][1]
    off = np.delete(solutions[best] / fit.length, best)
    is_quiet = fit.left(solutions[best]) <= QUIET**2 * fit.count
    change = float(solutions[best][best] / fit.length[best]) * EPSILON
    alike = [fit.names[k] for cost, k in costs if cost < costs[0][0] + AS_GOOD]
    is_rounded = np.abs(off).max(initial=0.0) <= bar
    if not (fit.explains(solutions[best]) and is_quiet and is_rounded and abs(change) < SMALL):
        return None
    names = list(dict.fromkeys(alike))
    return Wrong(" or ".join(names), short(change)) if len(names) <= MOST else None


def _cost(fit: Fit, x: Array, k: int, noise: float) -> float:
    return fit.left(x) / noise**2 + float((np.delete(x / fit.length, k) ** 2).sum())


def _noise(fit: Fit) -> float:
    """The noise that remains if every number is free."""
    x = np.linalg.lstsq(fit.gram, fit.along, rcond=1e-10)[0]
    freedom = max(fit.count - len(fit.names), 1)
    return max(FLOOR, float(np.sqrt(max(fit.left(x), 0.0) / freedom)))
