"""The true values of q ⊕ dv, to ⊖ q and their derivatives, as sums of two float64 numbers.

Their definitions contain exponentials of matrices, which recorded programs do not have. :mod:`oracle.by_balls.integration`
computes them over balls. The precision grows until every ball is narrower than 2⁻¹⁰⁶ of the largest number of its joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from flint import arb

from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.numbers.rounded import precision
from mechanisms.quantities import QUANTITIES
from oracle.by_balls.integration import blocks
from oracle.errors import OracleError, require_rotations

PRECISIONS = (192, 768, 3072)
"""In bits. The first suffices but for numbers of very different magnitude."""

WIDTH = 2.0**-106


def high_low(mechanism: Mechanism, quantity: str, q: Array, other: Array) -> tuple[Array, Array]:
    """``quantity`` at positions ``q`` (batch, nq), and velocities (batch, nv) or other positions: (batch, …).

    Raises :class:`~oracle.errors.OracleError` for quaternions of length zero, and where the highest precision does not suffice.
    """
    require_positions(mechanism, quantity, q, other)
    high, low = np.zeros((2, len(q), *QUANTITIES[quantity].dimensions(mechanism)))
    for k, (own, others) in enumerate(zip(q.tolist(), other.tolist(), strict=True)):
        for place, leading, rest in _narrow(mechanism, quantity, own, others):
            at: Any = (k, *place)
            high[at], low[at] = leading, rest
    return high, low


def enclosures(mechanism: Mechanism, quantity: str, q: Array, other: Array) -> Array:
    """The same as balls (batch, …) at the precision that is set; infinitely wide where they decide nothing."""
    answer = np.full((len(q), *QUANTITIES[quantity].dimensions(mechanism)), arb(0), dtype=object)
    for k, (own, others) in enumerate(zip(q, other, strict=True)):
        try:
            for place, values in blocks(mechanism, quantity, own.tolist(), others.tolist()):
                at: Any = (k, *place)
                answer[at] = values
        except ZeroDivisionError:
            answer[k] = arb("nan")
    return answer


def require_positions(mechanism: Mechanism, quantity: str, q: Array, other: Array) -> None:
    """Raise :class:`~oracle.errors.OracleError` for quaternions of length zero."""
    for positions in (q,) if "dv" in QUANTITIES[quantity].arguments else (q, other):
        require_rotations(mechanism, positions)


def _narrow(
    mechanism: Mechanism, quantity: str, q: Sequence[float], other: Sequence[float]
) -> list[tuple[tuple[slice, ...], Array, Array]]:
    """The place of every joint's numbers, and these as the sum of two arrays."""
    for bits in PRECISIONS:
        with precision(bits), suppress(ZeroDivisionError):
            found = [
                (place, np.array(values, dtype=object))
                for place, values in blocks(mechanism, quantity, [arb(x) for x in q], [arb(x) for x in other])
            ]
            if all(map(_is_narrow, (balls for _, balls in found))):
                return [(place, *_parts(balls)) for place, balls in found]
    raise OracleError(f"{bits} bits do not decide {quantity} of {mechanism.name!r}; give numbers of more similar magnitude")


def _is_narrow(balls: Array) -> bool:
    largest = max(float(abs(ball.mid())) for ball in balls.flat)
    return all(ball.is_finite() and float(ball.rad()) <= WIDTH * largest for ball in balls.flat)


def _parts(balls: Array) -> tuple[Array, Array]:
    middle = [ball.mid() for ball in balls.flat]
    high = [float(x) for x in middle]
    low = [float(x - y) for x, y in zip(middle, high, strict=True)]
    return np.reshape(high, balls.shape), np.reshape(low, balls.shape)
