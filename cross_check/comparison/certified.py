"""Certified values: the float64 nearest to what the Euler–Lagrange equations give for the very numbers asked about.

A float64 argument is a binary fraction, and a mechanism's constants are fractions, so there is one exact result. A ball of
Arb (F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", 2017) holds it, and the
precision grows until both ends of the ball round to the same float64, to nearest, ties to even. A quaternion, and the
cosine and the sine of a continuous joint, stand for the rotation that they point to, whatever their length: rounded to
float64 they are never of length one, and what is no rotation has no dynamics. Three cases are decided in ways of their own:

    zero   No ball around zero but a point tells zero from what is nearly zero, and none has to: within ±2⁻¹⁰⁷⁵ all rounds
           to zero. That takes some 1100 bits and no assumption. The zero is +0.
    tie    A result half-way between two float64 is decided where it is computed exactly, as it is from binary fractions.
           The velocity about parallel axes can be one, but by way of cos² + sin² = 1, which no ball knows. One that holds
           such a middle and is narrower than 2⁻¹⁰⁰⁰ units in the last place counts as a tie and goes to the even side;
           ``ties`` says how many there were.
    rest   What the float64 leaves of the result is given as a second one. For its sake a ball must also be narrower than
           2⁻⁵² units in the last place of the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx

import oracle
from mechanisms import Mechanism

Array = np.ndarray[Any, Any]

PRECISIONS = (320, 1280, 5120, 20480)
"""In bits. The first is enough for most results, the second for zeros, and no state has come to the last.

They grow by four as a pass with 1280 bits takes hardly longer than one with 320: most of what is multiplied is zero or short.
"""

BLOCK = 256
"""States times coordinates that are evaluated together: most of what a batch saves, and little to hold in memory."""

REST, TIE = 52, 1000
"""How many times a ball must be narrower than a unit in the last place, as powers of two: for the rest; to be a tie."""


class Certified:
    """One mechanism's quantities. ``bits`` is the largest precision that any took so far, ``ties`` how many were ties.

    ``told`` hears what is being done. Raises :class:`oracle.OracleError` as :class:`oracle.EulerLagrange` does, and for a
    value that no precision of :data:`PRECISIONS` decides.
    """

    def __init__(self, mechanism: Mechanism, told: Callable[[str], None] = lambda doing: None) -> None:
        self.mechanism, self.told = mechanism, told
        self.bits = self.ties = 0
        self._pointers = [circle for _, circle in mechanism.slots("circle")]
        self._oracles: dict[int, Any] = {}

    def enclosures(self, quantity: str, bits: int, *arguments: Array) -> Array:
        """Balls (batch, …) that hold ``quantity`` at float64 arguments, computed with ``bits``.

        Each has ``mid()`` and ``rad()``, which are exact, and converts to float64 by :func:`nearest`.
        """
        exact = [np.array([arb(float(x)) for x in given.flat], object).reshape(given.shape) for given in arguments]
        with ctx.workprec(bits):
            for at in self._pointers:
                c, s = exact[0][:, at].T
                length = np.array([(x * x + y * y).sqrt() for x, y in zip(c, s, strict=True)], object)
                exact[0][:, at] = np.stack((c / length, s / length), axis=1)
            if bits not in self._oracles:
                self._oracles[bits] = oracle.EulerLagrange(self.mechanism, oracle.Balls())
            balls: Array = getattr(self._oracles[bits], quantity)(*exact)
        return balls

    def halves(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        """``quantity`` at float64 arguments, correctly rounded, and what is left of it, correct to 2⁻⁵¹: float64 (batch, …)."""
        states, size = len(arguments[0]), max(1, BLOCK // self.mechanism.nv)
        blocks = []
        for k in range(0, states, size):
            self.told(f"certifying {quantity.replace('_', ' ')}, {k} of {states} states done")
            blocks.append(self._block(quantity, *(x[k : k + size] for x in arguments)))
        high, low = np.concatenate(blocks, axis=1)
        return high, low

    def _block(self, quantity: str, *arguments: Array) -> Array:
        """Both halves (2, batch, …). A state is evaluated until all of it is decided, so that no other state matters to it."""
        found = np.empty(0)
        left = np.arange(len(arguments[0]))
        for bits in PRECISIONS:
            balls = self.enclosures(quantity, bits, *(x[left] for x in arguments))
            if bits == PRECISIONS[0]:
                found = np.full((2, *balls.shape), np.nan)
            halves = found.reshape(2, len(arguments[0]), -1)
            for state, row in zip(left, balls.reshape(len(left), -1), strict=True):
                for k in np.flatnonzero(np.isnan(halves[0, state])):
                    if decided := nearest(row[k]):
                        halves[:, state, k] = decided.value, decided.rest
                        self.ties += decided.tie
            self.bits = max(self.bits, bits)
            left = left[np.isnan(halves[0, left]).any(axis=1)]
            if not left.size:
                return found
        raise oracle.OracleError(f"{bits} bits decide no float64 for {quantity} of {self.mechanism.name!r}; give smaller numbers")


class Nearest(NamedTuple):
    """The float64 nearest to an exact value, what is left of the value, and whether it was taken for a tie."""

    value: float
    rest: float
    tie: bool = False


def nearest(ball: arb) -> Nearest | None:
    """What every number in the ball has nearest to it; nothing where they differ, or where the rest is not known well."""
    if ball.is_zero():
        return Nearest(0.0, 0.0)
    if not ball.is_finite():
        return None
    (m, e), (r, f) = ([int(part) for part in exact.man_exp()] for exact in (ball.mid(), ball.rad()))
    unit = min(e, f)
    centre, radius = m << (e - unit), r << (f - unit)
    value, other = (rounded(end, unit) for end in (centre - radius, centre + radius))
    if value == other and (value == 0 or math.isinf(value)):
        return Nearest(value, 0.0)
    finest = math.frexp(min(math.ulp(value), math.ulp(other)))[1] - 1
    narrower = finest - unit - radius.bit_length() if radius else math.inf
    tie = value != other
    if narrower < (TIE if tie else REST) or math.isinf(value - other):
        return None
    if tie:
        (a, k), (b, n) = ratio(value), ratio(other)
        value = rounded((a << (k - min(k, n))) + (b << (n - min(k, n))), min(k, n) - 1)
    n, k = ratio(value)
    both = min(k, unit)
    return Nearest(value, rounded((centre << (unit - both)) - (n << (k - both)), both), tie)


def rounded(n: int, exponent: int) -> float:
    """The float64 nearest to n · 2^exponent, ties to even; zero is +0, and what is too large is infinite, as in IEEE 754."""
    try:
        return float(n << exponent) if exponent >= 0 else n / (1 << -exponent) + 0.0
    except OverflowError:
        return math.inf if n > 0 else -math.inf


def ratio(x: float) -> tuple[int, int]:
    """n and k with x = n · 2^k."""
    n, d = x.as_integer_ratio()
    return n, 1 - d.bit_length()
