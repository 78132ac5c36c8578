"""Functions of s in [0, 1], each enclosed by a polynomial and a bound of what is left.

    x(s) = Σ_k<n x_k s^k + ε(s),    |ε(s)| ≤ rest,    the x_k in balls

(K. Makino, M. Berz, "Taylor models and other validated functional inclusion methods", 2003; here of one variable.) The value of a
polynomial at the ball of all s bounds it. The operations enclose what they name for every function in their operands:

    x y     coefficients from n on, and |x| ε_y + |y| ε_x + ε_x ε_y, go to the rest
    x / y   with any polynomial z:  x/y − z = (x − z y)/y
    √x      with any polynomial z:  |√x − z| = |x − z²| / (√x + z)
    cos x, sin x    with any polynomials c and s: let r₁ = s' − c x' and r₂ = c' + s x' for the polynomial x. The error
            (sin x − s, cos x − c) turns with the rate x', which keeps its length, and grows by (r₁, r₂). So it is at most
            |sin x_0 − s_0| + |cos x_0 − c_0| + |r₁| + |r₂|. Sine and cosine change by ε_x at most where x changes by ε_x.

The polynomials z, c and s are those of power series (``near``). If they are wrong, the rest is large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from flint import arb, arb_poly, arb_series, ctx

from cross_check.trajectories.straight_line import Ball, Code
from machine.program import Op

COARSE = 64
"""The precision of bounds, in bits."""

UNIT = arb(0.5, 0.5)
"""All s."""


class TooWide(ArithmeticError):
    """A divisor may be zero within the enclosures; a shorter step has narrower ones."""


def size(poly: arb_poly) -> Ball:
    """An upper bound of |poly(s)|, without radius."""
    with ctx.workprec(COARSE):
        return poly(UNIT).abs_upper()


def near(series: arb_series) -> arb_poly:
    """The polynomial in the middle."""
    return arb_poly([x.mid() for x in series])


class Series:
    """x(s): ``poly`` of degree below ``n``, and ``rest``, an exact number."""

    def __init__(self, poly: arb_poly, rest: Ball, n: int) -> None:
        self.poly, self.rest, self.n = poly, rest, n
        if poly.length() > n:
            self.poly, self.rest = poly.truncate(n), (rest + size(poly.right_shift(n))).upper()

    @cached_property
    def size(self) -> Ball:
        """|x|, without the rest."""
        return size(self.poly)

    def __add__(self, y: Series) -> Series:
        return Series(self.poly + y.poly, (self.rest + y.rest).upper(), self.n)

    def __sub__(self, y: Series) -> Series:
        return Series(self.poly - y.poly, (self.rest + y.rest).upper(), self.n)

    def __neg__(self) -> Series:
        return Series(-self.poly, self.rest, self.n)

    def __mul__(self, y: Series) -> Series:
        rest = self.size * y.rest + y.size * self.rest + self.rest * y.rest
        return Series(self.poly * y.poly, rest.upper(), self.n)

    @property
    def series(self) -> arb_series:
        """The polynomial as a power series. FLINT cuts what follows from it at ``ctx.cap``, too."""
        ctx.cap = max(ctx.cap, self.n)
        return arb_series(self.poly, prec=self.n)

    def __truediv__(self, y: Series) -> Series:
        least = y.least
        z = near(self.series / y.series)
        missing = self - Series(z, arb(0), self.n) * y
        return Series(z, ((missing.size + missing.rest) / least).upper(), self.n)

    def sqrt(self) -> Series:
        """√x. Raises :class:`TooWide` if x may be negative."""
        z = Series(near(self.series.sqrt()), arb(0), self.n)
        missing = self - z * z
        error = (missing.size + missing.rest).upper()
        if not (z.poly[0] > 0 and error < z.least * z.least):
            raise TooWide
        return Series(z.poly, (error / z.least).upper(), self.n)

    @property
    def least(self) -> Ball:
        """A lower bound of |x(s)|. Raises :class:`TooWide` if it is not positive."""
        with ctx.workprec(COARSE):
            bound = (self.poly(UNIT).abs_lower() - self.rest).lower()
        if not bound > 0:
            raise TooWide
        return bound

    def circle(self) -> tuple[Series, Series]:
        """(cos x, sin x)."""
        s, c = map(near, self.series.sin_cos())
        rate = self.poly.derivative()
        start = (self.poly[0].sin() - s[0]).abs_upper() + (self.poly[0].cos() - c[0]).abs_upper()
        rest = (start + size(s.derivative() - c * rate) + size(c.derivative() + s * rate) + self.rest).upper()
        return Series(c, rest, self.n), Series(s, rest, self.n)


OPERATIONS: Mapping[Op, Callable[[Series, Series], Series]] = {
    Op.ADD: lambda x, y: x + y,
    Op.SUB: lambda x, y: x - y,
    Op.MUL: lambda x, y: x * y,
    Op.DIV: lambda x, y: x / y,
    Op.NEG: lambda x, y: -x,
    Op.SQRT: lambda x, y: x.sqrt(),
}


def along(code: Code, inputs: Sequence[Series]) -> list[Series]:
    """The outputs of ``code``. Raises :class:`TooWide` if a divisor may be zero."""
    n = inputs[0].n
    values = [*inputs, *(Series(arb_poly([arb(x)]), arb(0), n) for x in code.constants)]
    for op, a, b in code.instructions:
        if op == Op.COS:
            values += values[a].circle()
        elif op != Op.SIN:
            values.append(OPERATIONS[op](values[a], values[b]))
    return [values[k] for k in code.outputs]
