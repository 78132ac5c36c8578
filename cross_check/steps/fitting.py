"""Numbers that are solved for: those with which a step misses the equations of a scheme least.

The misses are linear in most numbers of a tableau and of a mechanism, and nearly so in the others. So a few steps of Broyden's
method find them (C. Broyden, Math. Comp. 19, 1965), which is the secant method if there is one number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.memory import Array

STEPS = 16

NUDGE = 2.0**-8
"""By how much a number is changed to see what follows."""

MOST_LEFT = 0.3
"""The share of the misses that numbers may leave if they are linear in them. Where they leave more, others are wrong."""


def solved(miss: Callable[[Array], Array], start: Array, r: Array) -> Array | None:
    """The numbers (n,) at which the misses are least; None if they stay large, or are fewer than the numbers.

    ``miss`` gives the misses (m,) in units of their roundings; they are ``r`` at the ``start``.
    """
    x, first = start, np.linalg.norm(r)
    if len(r) <= len(x) or not np.isfinite(first):
        return None
    J = np.stack([(miss(x + NUDGE * unit) - r) / NUDGE for unit in np.eye(len(x))], axis=1)
    for k in range(STEPS):
        if not np.isfinite(J).all():
            return None
        step = _least_squares(J, r)
        if k == 0 and np.linalg.norm(r + J @ step) > MOST_LEFT * first:
            return None
        x, before = x + step, r
        if np.abs(step).max() <= 1e-13 * max(1.0, float(np.abs(x).max())):
            break
        r = miss(x)
        if not np.linalg.norm(r) < np.linalg.norm(before):
            break
        J = J + np.outer(r - before - J @ step, step) / (step @ step)
    return x


def _least_squares(J: Array, r: Array) -> Array:
    """The step s with the least |r + J s|; columns have sizes of their own."""
    size = np.linalg.norm(J, axis=0)
    size[size == 0] = 1.0
    found, *_ = np.linalg.lstsq(J / size, -r, rcond=None)
    return np.asarray(found / size)
