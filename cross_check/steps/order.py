"""The order of a step, from the code alone: what one step h and two steps h/2 differ by is of the order h^(p + 1).

Source: E. Hairer, S. Nørsett, G. Wanner, "Solving Ordinary Differential Equations I", 1993, II.4.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.memory import Array

Ask = Callable[[Array, Array, Array, Array], tuple[Array, Array]]
"""(q, v, τ, h) ↦ (q⁺, v⁺), batches."""

LEAST = 1e3
"""A difference has to be so many roundings of v large, so that the roundings do not change the order."""

ALIKE = 0.3
"""Two orders, from h and from h/2, that differ by more are not one: h is too large, or roundings show."""


def order_of(ask: Ask, q: Array, v: Array, tau: Array, h: float, epsilon: float) -> float | None:
    """p, where the differences of v, summed over the states at which they are large enough, are of the order h^(p + 1).

    The leading error vanishes at some states, such as those at rest, and the sum is the others'. None if no state has a
    difference that is large enough, and if p is another one for shorter steps. Raises what asking raises.
    """
    first, second, third = (_difference(ask, q, v, tau, np.full((len(q), 1), h / size)) for size in (1, 2, 4))
    with np.errstate(all="ignore"):
        usable = third > LEAST * epsilon * (1 + np.abs(v).max(axis=1))
        usable &= np.isfinite(first) & np.isfinite(second)
        orders = [float(np.log2(a[usable].sum() / b[usable].sum())) - 1 for a, b in ((first, second), (second, third))]
    is_one = np.isfinite(orders).all() and abs(orders[0] - orders[1]) < ALIKE
    return orders[1] if is_one else None


def _difference(ask: Ask, q: Array, v: Array, tau: Array, h: Array) -> Array:
    """The largest difference of v between one step and two half steps (batch,)."""
    _, whole = ask(q, v, tau, h)
    _, halves = ask(*ask(q, v, tau, h / 2), tau, h / 2)
    return np.abs(whole - halves).max(axis=1)
