"""Certified values: the float64 that is nearest to the exact solution of the Euler–Lagrange equations.

A float64 argument is a binary fraction, and the constants of a mechanism are fractions, so there is one exact result. It lies
in a ball of Arb (F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", 2017). The precision
grows until both ends of the ball round to the same float64, to nearest, ties to even. The difference between the exact result
and that float64 is the remainder. It is given as a second float64.

A quaternion may have any length but zero; the oracle divides by its square. The cosine and sine of continuous joints are
normalised first, because after rounding their length is not exactly 1.

Zeros, ties and remainders are decided by the rules of docs/notes/certified-rounding.md. A result is proven, unless it is counted
in :attr:`Certified.undecided`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb

import oracle
from cross_check.judge.comparison import integration_truth
from mechanisms import Mechanism
from mechanisms.numbers.rounded import precision
from mechanisms.quantities import INTEGRATION, QUANTITIES
from oracle.errors import require_shapes

Array = np.ndarray[Any, Any]

PRECISIONS = (320, 1280, 5120, 20480)
"""The precisions in bits. The first suffices for most results, the second for zeros and ties. No robot has needed the last.

Each is four times the one before, because 1280 bits take hardly longer than 320: most factors are zero or short.
"""

BLOCK = 256
"""The number of states times coordinates that are evaluated together: fast enough, with little memory."""

REMAINDER, TIE = 52, 1000
"""A radius below 2^−REMAINDER ulps determines the remainder; a radius below 2^−TIE ulps is reason to look for a tie."""


class Certified:
    """Certified values of the quantities of one mechanism.

    ``bits`` is the largest precision that was needed so far. ``ties`` is the number of results that are proven to be ties. A
    result is ``undecided`` if it is nearer to the middle of two float64 than the highest precision can see, but no proof says
    that it is the middle: the even one of the two is given. ``progress`` receives a line of text for every block of states.
    Methods may be called in several threads, which then wait for one another. They raise :class:`oracle.OracleError` as
    :class:`oracle.EulerLagrange` does, and for values that not even two neighbouring float64 enclose at the highest precision.
    """

    def __init__(self, mechanism: Mechanism, progress: Callable[[str], None] = lambda doing: None) -> None:
        self.mechanism, self.progress = mechanism, progress
        self.bits = self.ties = self.undecided = 0
        self._circles = [circle for _, circle in mechanism.slots("circle")]
        self._oracles: dict[int, Any] = {}

    def enclosures(self, quantity: str, bits: int, *arguments: Array) -> Array:
        """Balls (batch, …) that contain the exact values of ``quantity`` at float64 arguments, computed with ``bits``.

        ``mid()`` and ``rad()`` of a ball are exact. :func:`nearest` rounds it to float64.
        """
        exact = [np.array([arb(float(x)) for x in given.flat], object).reshape(given.shape) for given in arguments]
        if quantity in INTEGRATION:
            with precision(bits):
                return integration_truth.enclosures(self.mechanism, quantity, *exact)
        with precision(bits):
            for circle in self._circles:
                c, s = exact[0][:, circle].T
                length = np.array([(x * x + y * y).sqrt() for x, y in zip(c, s, strict=True)], object)
                exact[0][:, circle] = np.stack((c / length, s / length), axis=1)
            if bits not in self._oracles:
                self._oracles[bits] = oracle.EulerLagrange(self.mechanism, oracle.Balls())
            balls: Array = getattr(self._oracles[bits], quantity)(*exact)
        return balls

    def high_low(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        """``quantity`` at float64 arguments, correctly rounded, and the remainder, correct to 2⁻⁵¹: float64 (batch, …)."""
        given = self._states(quantity, arguments)
        states, size = len(given[0]), max(1, BLOCK // self.mechanism.nv)
        blocks = []
        for k in range(0, max(1, states), size):
            self.progress(f"certifying {quantity.replace('_', ' ')}, {k} of {states} states done")
            blocks.append(self._block(quantity, *(x[k : k + size] for x in given)))
        high, low = np.concatenate(blocks, axis=1)
        return high, low

    def _states(self, quantity: str, arguments: Sequence[Array]) -> list[Array]:
        """The arguments in float64. Raises :class:`oracle.OracleError` unless they are states at which quantities have values."""
        given = [np.asarray(x, np.float64) for x in arguments]
        names: tuple[str, ...] = tuple("qvaf")
        if quantity in INTEGRATION:
            integration_truth.require_positions(self.mechanism, quantity, *given)
            names = QUANTITIES[quantity].arguments
        else:
            require_shapes(self.mechanism, given)
        for name, x in zip(names, given, strict=False):
            if not np.isfinite(x).all():
                raise oracle.OracleError(f"{name} contains {x[~np.isfinite(x)][0]}; give finite numbers")
        for joint, circle in self.mechanism.slots("circle"):
            if not given[0][:, circle].any(axis=1).all():
                raise oracle.OracleError(f"cosine and sine of joint {joint.name!r} are zero; give any others")
        return given

    def _block(self, quantity: str, *arguments: Array) -> Array:
        """Values and remainders (2, batch, …).

        A state is evaluated again with a higher precision until all of its components are decided. So the result of a state
        does not depend on the other states.
        """
        result = np.empty(0)
        undecided = np.arange(len(arguments[0]))
        for bits in PRECISIONS:
            balls = self.enclosures(quantity, bits, *(x[undecided] for x in arguments))
            if bits == PRECISIONS[0]:
                result = np.full((2, *balls.shape), np.nan)
            rows = balls.reshape(len(undecided), math.prod(balls.shape[1:]))
            components = result.reshape(2, len(arguments[0]), rows.shape[1])
            for state, row in zip(undecided, rows, strict=True):
                found = {int(k): nearest(row[k]) for k in np.flatnonzero(np.isnan(components[0, state]))}
                middles = {k: decided.middle for k, decided in found.items() if decided and decided.middle is not None}
                proven = {k for k in middles if row[k].is_exact()}
                if middles and quantity not in INTEGRATION:
                    from cross_check.prove.proof.ties import proven_ties  # Slow to import, and most values are near no middle.

                    proven |= proven_ties(self.mechanism, quantity, tuple(x[state : state + 1] for x in arguments), middles)
                self.ties += len(proven)
                for k, decided in found.items():
                    if k in middles and k not in proven:
                        if bits < PRECISIONS[-1]:
                            continue  # It may lie beside the middle.
                        self.undecided += 1
                    if decided:
                        components[:, state, k] = decided.value, decided.remainder
            self.bits = max(self.bits, bits)
            undecided = undecided[np.isnan(components[0, undecided]).any(axis=1)]
            if not undecided.size:
                return result
        raise oracle.OracleError(f"{bits} bits decide no float64 for {quantity} of {self.mechanism.name!r}; give smaller numbers")


class Nearest(NamedTuple):
    """The float64 nearest to an exact value, and the remainder.

    ``middle`` is given where this is right only if the exact value is the middle of two neighbouring float64, this ``middle``.
    """

    value: float
    remainder: float
    middle: Fraction | None = None


def nearest(ball: arb) -> Nearest | None:
    """The float64 that is nearest to every number in the ball, or None if the ball is too wide to decide it.

    The comments cite the equations of docs/notes/certified-rounding.md.
    """
    if ball.is_zero():
        return Nearest(0.0, 0.0)
    if not ball.is_finite():
        return None
    centre, radius, exponent = _integers(ball)  # eq. 1
    lower, upper = rounded(centre - radius, exponent), rounded(centre + radius, exponent)  # eq. 2
    if lower == upper and (lower == 0 or math.isinf(lower)):
        return Nearest(lower, 0.0)
    if math.isinf(lower) or math.isinf(upper):
        return None
    is_decided = lower == upper
    ulp = math.frexp(min(math.ulp(lower), math.ulp(upper)))[1] - 1  # as an exponent of 2
    if radius and ulp - exponent - radius.bit_length() < (REMAINDER if is_decided else TIE):  # eqs. 3, 4
        return None
    value = lower if is_decided else _even(lower, upper)
    middle = None if is_decided else (Fraction(lower) + Fraction(upper)) / 2
    return Nearest(value, _difference(centre, exponent, value), middle)  # eq. 5


def _integers(ball: arb) -> tuple[int, int, int]:
    """Integers m, r and e: the ball has the centre m · 2^e and the radius r · 2^e."""
    (m, e), (r, f) = ([int(part) for part in exact.man_exp()] for exact in (ball.mid(), ball.rad()))
    exponent = min(e, f)
    return m << (e - exponent), r << (f - exponent), exponent


def _even(x: float, y: float) -> float:
    """The one of two neighbouring float64 whose last bit is zero: their mean, rounded."""
    (m, e), (n, f) = ratio(x), ratio(y)
    exponent = min(e, f)
    return rounded((m << (e - exponent)) + (n << (f - exponent)), exponent - 1)


def _difference(m: int, e: int, x: float) -> float:
    """m · 2^e − x, rounded."""
    n, f = ratio(x)
    exponent = min(e, f)
    return rounded((m << (e - exponent)) - (n << (f - exponent)), exponent)


def rounded(n: int, exponent: int) -> float:
    """The float64 nearest to n · 2^exponent, ties to even. Zero is +0, and too large numbers are infinite, as in IEEE 754."""
    try:
        return float(n << exponent) if exponent >= 0 else n / (1 << -exponent) + 0.0
    except OverflowError:
        return math.inf if n > 0 else -math.inf


def ratio(x: float) -> tuple[int, int]:
    """n and k with x = n · 2^k."""
    n, d = x.as_integer_ratio()
    return n, 1 - d.bit_length()
