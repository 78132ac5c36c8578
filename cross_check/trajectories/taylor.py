"""Taylor coefficients of a solution of dy/dt = f(y), order by order along the program of f.

    z = x ± y:  z_k = x_k ± y_k            z = x y:  z_k = Σ x_i y_k−i            z = x / y:  z_k = (x_k − Σ_i<k z_i y_k−i) / y_0
    s = sin x:  s_k = Σ i x_i c_k−i / k    c = cos x:  c_k = −Σ i x_i s_k−i / k    solution:  y_k+1 = f_k / (k + 1)
    z = √x:     z_k = (x_k − Σ_0<i<k z_i z_k−i) / 2 z_0

(R. Moore, "Interval analysis", 1966, §11; A. Griewank, A. Walther, "Evaluating derivatives", 2nd ed. 2008, Table 13.2). Nothing
here is proven, and nothing has to be: the solution is near any polynomial, and :mod:`cross_check.trajectories.tube` bounds how
near. So the numbers are whole numbers, which are twice as fast as balls: the coefficient c of t^k stands for
c 2^−bits (2^shift t)^k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt
from operator import mul
from typing import NamedTuple

from flint import arb, arb_poly

from cross_check.trajectories.straight_line import Ball, Code
from machine.program import Op

Whole = list[int]
"""The coefficients of one value."""


class Scale(NamedTuple):
    """What whole numbers mean: 2^−bits is their unit, and 2^−shift (s) the unit of time."""

    bits: int
    shift: int

    def whole(self, x: Ball) -> int:
        """The number nearest to the middle of a ball."""
        mantissa, exponent = (int(part) for part in x.mid().man_exp())
        places = exponent + self.bits
        return mantissa << places if places >= 0 else mantissa >> -places

    def ball(self, x: int) -> Ball:
        return arb(x) * arb(2) ** -self.bits

    def polynomial(self, coefficients: Whole, h: Ball) -> arb_poly:
        """As a function of s = t / h."""
        power, factor = arb(2) ** -self.bits, h * arb(2) ** self.shift
        scaled = []
        for c in coefficients:
            scaled.append(c * power)
            power *= factor
        return arb_poly(scaled)


def taylor(code: Code, start: Sequence[int], order: int, scale: Scale) -> list[Whole]:
    """The coefficients of the inputs of ``code``, ``order`` of each, where they solve dy/dt = f(y)."""
    constants: list[Whole] = [[scale.whole(arb(x))] + [0] * (order - 1) for x in code.constants]
    values: list[Whole] = [*([x] for x in start), *constants]
    is_constant = range(code.inputs, len(values))
    steps: list[Callable[[int], None]] = []
    for op, a, b in code.instructions:
        x, y = values[a], values[b]
        values.append([])
        if op == Op.SIN:
            steps.append(_circle(x, values[-2], values[-1], scale))
        elif op == Op.MUL and (a in is_constant or b in is_constant):
            c, other = (x[0], y) if a in is_constant else (y[0], x)
            steps.append(lambda k, c=c, x=other, z=values[-1]: z.append(c * x[k] >> scale.bits))  # type: ignore[misc]
        elif op != Op.COS:
            steps.append(STEPS[op](x, y, values[-1], scale.bits))
    for k in range(order):
        for step in steps:
            step(k)
        if k + 1 < order:
            for y, f in zip(values[: code.inputs], code.outputs, strict=False):
                y.append(_shifted(values[f][k], scale.shift) // (k + 1))
    return values[: code.inputs]


def _shifted(x: int, places: int) -> int:
    return x >> places if places >= 0 else x << -places


def _circle(x: Whole, c: Whole, s: Whole, scale: Scale) -> Callable[[int], None]:
    rate: Whole = []

    def step(k: int) -> None:
        if not k:
            angle = scale.ball(x[0])
            c.append(scale.whole(angle.cos()))
            s.append(scale.whole(angle.sin()))
            return
        rate.append(x[k] * k)
        next_c, next_s = ((sum(map(mul, rate, other[k - 1 :: -1])) >> scale.bits) // k for other in (s, c))
        c.append(-next_c)
        s.append(next_s)

    return step


STEPS: dict[Op, Callable[[Whole, Whole, Whole, int], Callable[[int], None]]] = {
    Op.ADD: lambda x, y, z, bits: lambda k: z.append(x[k] + y[k]),
    Op.SUB: lambda x, y, z, bits: lambda k: z.append(x[k] - y[k]),
    Op.NEG: lambda x, _, z, bits: lambda k: z.append(-x[k]),
    Op.MUL: lambda x, y, z, bits: lambda k: z.append(sum(map(mul, x, y[k::-1])) >> bits),
    Op.DIV: lambda x, y, z, bits: lambda k: z.append(((x[k] << bits) - sum(map(mul, z, y[k:0:-1]))) // y[0]),
    Op.SQRT: lambda x, _, z, bits: (
        lambda k: z.append(((x[k] << bits) - sum(map(mul, z[1:], z[k - 1 : 0 : -1]))) // (2 * z[0]) if k else isqrt(x[0] << bits))
    ),
}
"""By operation: what appends the coefficient k of z, from those of x and y."""
