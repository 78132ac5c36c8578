"""Taylor coefficients of a solution of dy/dt = f(y), order by order along the program of f.

    z = x ± y:  z_k = x_k ± y_k            z = x y:  z_k = Σ x_i y_k−i            z = x / y:  z_k = (x_k − Σ_i<k z_i y_k−i) / y_0
    s = sin x:  s_k = Σ i x_i c_k−i / k    c = cos x:  c_k = −Σ i x_i s_k−i / k    z = √x:  z_k = (x_k − Σ_0<i<k z_i z_k−i) / 2 z_0
    solution:  y_k+1 = f_k / (k + 1)

(R. Moore, "Interval analysis", 1966, §11; A. Griewank, A. Walther, "Evaluating derivatives", 2nd ed. 2008, Table 13.2). Nothing
here is proven, and nothing has to be: the solution is any polynomial, and :mod:`cross_check.trajectories.tube` bounds how far the
solution of the equation is from it. So only midpoints are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import mul
from typing import Any

from flint import arb

from cross_check.trajectories.straight_line import Ball, Code
from machine.program import Op

Coefficients = list[Ball]


def taylor(code: Code, start: Sequence[Ball], order: int) -> list[Coefficients]:
    """The coefficients of every value of ``code``, the inputs first, ``order`` of each, where the inputs solve dy/dt = f(y).

    ``code`` gives f; ``start`` are exact numbers.
    """
    constants: list[Coefficients] = [[arb(x)] + [arb(0)] * (order - 1) for x in code.constants]
    values: list[Coefficients] = [*([x] for x in start), *constants]
    is_constant = range(code.inputs, len(values))
    steps: list[Callable[[int], None]] = []
    for op, a, b in code.instructions:
        x, y = values[a], values[b]
        values.append([])
        if op == Op.SIN:
            steps.append(_circle(x, values[-2], values[-1]))
        elif op == Op.MUL and (a in is_constant or b in is_constant):
            steps.append(_scaled(*((x[0], y) if a in is_constant else (y[0], x)), values[-1]))
        elif op != Op.COS:
            steps.append(STEPS[op](x, y, values[-1]))
    for k in range(order):
        for step in steps:
            step(k)
        if k + 1 < order:
            for y, f in zip(values, code.outputs, strict=False):
                y.append((values[f][k] / (k + 1)).mid())
    return values


def _sum(x: Coefficients, y: Coefficients, z: Coefficients) -> Callable[[int], None]:
    return lambda k: z.append(x[k] + y[k])


def _difference(x: Coefficients, y: Coefficients, z: Coefficients) -> Callable[[int], None]:
    return lambda k: z.append(x[k] - y[k])


def _negative(x: Coefficients, _: Coefficients, z: Coefficients) -> Callable[[int], None]:
    return lambda k: z.append(-x[k])


def _scaled(c: Ball, x: Coefficients, z: Coefficients) -> Callable[[int], None]:
    return lambda k: z.append(c * x[k])


def _product(x: Coefficients, y: Coefficients, z: Coefficients) -> Callable[[int], None]:
    return lambda k: z.append(sum(map(mul, x, y[k::-1]), ZERO).mid())


def _quotient(x: Coefficients, y: Coefficients, z: Coefficients) -> Callable[[int], None]:
    return lambda k: z.append(((x[k] - sum(map(mul, z, y[k:0:-1]), ZERO)) / y[0]).mid())


def _root(x: Coefficients, _: Coefficients, z: Coefficients) -> Callable[[int], None]:
    def step(k: int) -> None:
        z.append(((x[k] - sum(map(mul, z[1:], z[k - 1 : 0 : -1]), ZERO)) / (2 * z[0]) if k else x[0].sqrt()).mid())

    return step


def _circle(x: Coefficients, c: Coefficients, s: Coefficients) -> Callable[[int], None]:
    rate: Coefficients = []

    def step(k: int) -> None:
        if not k:
            c.append(x[0].cos().mid())
            s.append(x[0].sin().mid())
            return
        rate.append(x[k] * k)
        next_c, next_s = (sum(map(mul, rate, other[k - 1 :: -1]), ZERO) / k for other in (s, c))
        c.append(-next_c.mid())
        s.append(next_s.mid())

    return step


ZERO: Any = arb(0)

STEPS: dict[Op, Callable[..., Callable[[int], None]]] = {
    Op.ADD: _sum,
    Op.SUB: _difference,
    Op.MUL: _product,
    Op.DIV: _quotient,
    Op.NEG: _negative,
    Op.SQRT: _root,
}
