"""Numbers that are solved for: those with which a step misses the equations of a scheme least.

The misses are linear in most numbers of a tableau and of a mechanism, and nearly so in the others. So a few steps of Gauss's
and Newton's method find them, with differences for derivatives; of the secant method if there is one number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.memory import Array

STEPS = 16

HALVINGS = 4
"""A step that makes the misses larger is halved so often at most."""

NUDGE = 2.0**-8
"""By how much a number is changed to see what follows."""

MOST_LEFT = 0.3
"""The share of the misses that numbers may leave if they are linear in them. Where they leave more, others are wrong."""


def solved(miss: Callable[[Array], Array], start: Array, r: Array, most_left: float = MOST_LEFT) -> Array | None:
    """The numbers (n,) at which the misses are least; None if more than the share ``most_left`` stays, were they linear.

    ``miss`` gives the misses (m,) in units of their roundings; they are ``r`` at the ``start``.
    """
    x, first = start, np.linalg.norm(r)
    if len(r) <= len(x) or not np.isfinite(first):
        return None
    J = _slopes(miss, x, r)
    for k in range(STEPS):
        if not np.isfinite(J).all():
            return None
        step, before = _least_squares(J, r), r
        if k == 0 and np.linalg.norm(r + J @ step) > most_left * first:
            return None
        for _ in range(HALVINGS):
            r = miss(x + step)
            if is_better := bool(np.linalg.norm(r) < np.linalg.norm(before)):
                break
            step = step / 2
        if not is_better:
            break
        x = x + step
        if np.abs(step).max() <= 1e-13 * max(1.0, float(np.abs(x).max())):
            break
        J = _slopes(miss, x, r) if len(x) > 1 else (r - before)[:, None] / step
    return x


def _slopes(miss: Callable[[Array], Array], x: Array, r: Array) -> Array:
    """∂r/∂x (m, n), by differences."""
    return np.stack([(miss(x + NUDGE * unit) - r) / NUDGE for unit in np.eye(len(x))], axis=1)


def _least_squares(J: Array, r: Array) -> Array:
    """The step s with the least |r + J s|; columns have sizes of their own."""
    size = np.linalg.norm(J, axis=0)
    size[size == 0] = 1.0
    found, *_ = np.linalg.lstsq(J / size, -r, rcond=None)
    return np.asarray(found / size)
