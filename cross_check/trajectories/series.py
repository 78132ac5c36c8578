"""Functions of s in [0, 1], each enclosed by a polynomial and a bound of what is left.

    x(s) = Σ_k<n x_k s^k + ε(s),    |ε(s)| ≤ rest,    the x_k in balls

(K. Makino, M. Berz, "Taylor models and other validated functional inclusion methods", 2003; here of one variable.) |x| = Σ |x_k|
bounds the polynomial. The operations enclose what they name for every function in their operands:

    x y     coefficients from n on, and |x| ε_y + |y| ε_x + ε_x ε_y, go to the rest
    x / y   with any polynomial z:  x/y − z = (x − z y)/y,  |y| ≥ |y_0| − Σ_k>0 |y_k| − ε_y
    √x      with any polynomial z:  |√x − z| = |x − z²| / (√x + z),  z ≥ z_0 − Σ_k>0 |z_k|
    cos x, sin x    with any polynomials c and s: let r₁ = s' − c x' and r₂ = c' + s x' for the polynomial x. The error
            (sin x − s, cos x − c) turns with the rate x', which keeps its length, and grows by (r₁, r₂). So it is at most
            |sin x_0 − s_0| + |cos x_0 − c_0| + |r₁| + |r₂|. Sine and cosine change by ε_x at most where x changes by ε_x.

The polynomials z, c and s come from :mod:`cross_check.trajectories.taylor`. If they are wrong, the rest is large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from flint import arb, arb_poly, ctx

from cross_check.trajectories.straight_line import Ball, Code
from machine.program import Op

COARSE = 64
"""The precision of bounds, in bits."""


class TooWide(ArithmeticError):
    """A divisor may be zero within the enclosures; a shorter step has narrower ones."""


def size(coefficients: Sequence[Ball]) -> Ball:
    """Σ |x_k|, an upper bound without radius."""
    with ctx.workprec(COARSE):
        return sum(map(arb.abs_upper, coefficients), arb(0)).upper()


class Series:
    """x(s): ``poly`` of degree below ``n``, and ``rest``, an exact number."""

    def __init__(self, poly: arb_poly, rest: Ball, n: int) -> None:
        self.poly, self.rest, self.n = poly, rest, n
        if poly.length() > n:
            coefficients = poly.coeffs()
            self.poly, self.rest = poly.truncate(n), (rest + size(coefficients[n:])).upper()

    @cached_property
    def size(self) -> Ball:
        """|x|, without the rest."""
        return size(self.poly.coeffs())

    def __add__(self, y: Series) -> Series:
        return Series(self.poly + y.poly, (self.rest + y.rest).upper(), self.n)

    def __sub__(self, y: Series) -> Series:
        return Series(self.poly - y.poly, (self.rest + y.rest).upper(), self.n)

    def __neg__(self) -> Series:
        return Series(-self.poly, self.rest, self.n)

    def __mul__(self, y: Series) -> Series:
        rest = self.size * y.rest + y.size * self.rest + self.rest * y.rest
        return Series(self.poly * y.poly, rest.upper(), self.n)

    def over(self, y: Series, z: arb_poly) -> Series:
        """x / y near z."""
        missing = self - Series(z, arb(0), self.n) * y
        return Series(z, ((missing.size + missing.rest) / y.least).upper(), self.n)

    def root(self, z: arb_poly) -> Series:
        """√x near z > 0. Raises :class:`TooWide` if x may be negative."""
        near = Series(z, arb(0), self.n)
        missing = self - near * near
        error = (missing.size + missing.rest).upper()
        if not (z[0] > 0 and error < near.least * near.least):
            raise TooWide
        return Series(z, (error / near.least).upper(), self.n)

    @property
    def least(self) -> Ball:
        """A lower bound of |x(s)|. Raises :class:`TooWide` if it is not positive."""
        first, *others = self.poly.coeffs() or [arb(0)]
        bound = (first.abs_lower() - size(others) - self.rest).lower()
        if not bound > 0:
            raise TooWide
        return bound

    def circle(self, c: arb_poly, s: arb_poly) -> tuple[Series, Series]:
        """(cos x, sin x) near (c, s)."""
        rate = self.poly.derivative()
        residuals = (s.derivative() - c * rate).coeffs() + (c.derivative() + s * rate).coeffs()
        start = [self.poly[0].sin() - s[0], self.poly[0].cos() - c[0]]
        rest = (size(residuals) + size(start) + self.rest).upper()
        return Series(c, rest, self.n), Series(s, rest, self.n)


PLAIN: Mapping[Op, Callable[[Series, Series], Series]] = {
    Op.ADD: lambda x, y: x + y,
    Op.SUB: lambda x, y: x - y,
    Op.MUL: lambda x, y: x * y,
    Op.NEG: lambda x, y: -x,
}


def along(code: Code, near: Callable[[int], arb_poly], n: int, rests: Sequence[Ball] | None = None) -> list[Series]:
    """The outputs of ``code``, for inputs within ``rests`` of the first of ``near``, a polynomial near each value of the code.

    Without ``rests`` the inputs are these polynomials. Raises :class:`TooWide` if a divisor may be zero.
    """
    exact = arb(0)
    values = [Series(near(k), rests[k] if rests else exact, n) for k in range(code.inputs)]
    values += [Series(arb_poly([arb(x)]), exact, n) for x in code.constants]
    for k, (op, a, b) in enumerate(code.instructions, len(values)):
        if op == Op.COS:
            values += values[a].circle(near(k), near(k + 1))
        elif op == Op.DIV:
            values.append(values[a].over(values[b], near(k)))
        elif op == Op.SQRT:
            values.append(values[a].root(near(k)))
        elif op != Op.SIN:
            values.append(PLAIN[op](values[a], values[b]))
    return [values[k] for k in code.outputs]
