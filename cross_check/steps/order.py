"""The order of a step, from the code alone: what one step h and two steps h/2 differ by is of the order h^(p + 1).

Source: E. Hairer, S. Nørsett, G. Wanner, "Solving Ordinary Differential Equations I", 1993, II.4.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.memory import Array

Ask = Callable[[Array, Array, Array, Array], tuple[Array, Array]]
"""(q, v, τ, h) ↦ (q⁺, v⁺), batches."""

LEAST = 1e5
"""A difference has to be so many roundings of v large, so that the roundings do not change the order."""


def order_of(ask: Ask, q: Array, v: Array, tau: Array, h: float) -> float | None:
    """p, where the differences of v, summed over the states at which they are large enough, are of the order h^(p + 1).

    The leading error vanishes at some states, such as those at rest, and the sum is the others'. None if no state has a
    difference that is large enough. Raises what asking raises.
    """
    large, small = (_difference(ask, q, v, tau, np.full((len(q), 1), size)) for size in (h, h / 2))
    with np.errstate(all="ignore"):
        usable = small > LEAST * np.finfo(float).eps * (1 + np.abs(v).max(axis=1))
        usable &= np.isfinite(large) & np.isfinite(small)
        order = np.log2(large[usable].sum() / small[usable].sum()) - 1
    return float(order) if np.isfinite(order) else None


def _difference(ask: Ask, q: Array, v: Array, tau: Array, h: Array) -> Array:
    """The largest difference of v between one step and two half steps (batch,)."""
    _, whole = ask(q, v, tau, h)
    _, halves = ask(*ask(q, v, tau, h / 2), tau, h / 2)
    return np.abs(whole - halves).max(axis=1)
