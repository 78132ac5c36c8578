"""An upper bound on the degree of every value of a tape.

Each value f is written as N/B: N is a polynomial in the inputs, and B is a product of powers of *factors*. A factor is the
numerator of a value that was divided by, and its name is the number of that value. So factors with one name are one
polynomial: a tape never changes, and a value has one numerator. Whether two factors with different names are equal does not
matter, because a product of powers is compared by names only.

:class:`Degrees` has for every value an upper bound ``top`` on the degree of N, and B. Let f = a/B and g = c/D, let M be the least
common multiple of B and D, and (B, D) their greatest common divisor, both by names. The rules are

    input        N = x, B = 1                                                                   top 1
    constant     N = the constant, B = 1                                                        top 0; zero has top −1
    f ± g        = (a M/B ± c M/D) / M            deg ≤ max(deg a + deg M/B, deg c + deg M/D)
    f g          = a c / (B D)                    deg = deg a + deg c
    f / g        = a (D/(B, D)) / ((B/(B, D)) c)  deg = deg a + deg D/(B, D), and the numerator c of g becomes a factor

Each right side is equal to its left side as a rational function wherever the operation is defined, and its numerator is a
polynomial. The degree of a product of factors is at most the sum of the bounds on the degrees of the factors. Hence ``top`` is
an upper bound, by induction over the instructions. Nothing is cancelled but factors with equal names. A factor of degree
zero is a constant other than zero: it is left out of B, and N is divided by it. If N were the zero polynomial, g would be the
function zero, so that there is nothing to divide by: every evaluation of the tape fails.
"""

from __future__ import annotations

from collections.abc import Callable

from cross_check.proof.kinds import CONSTANT, DIV, INPUT, MUL, ZERO
from cross_check.proof.tape import Tape

Powers = dict[int, int]
"""A product of factors: their powers by their names."""


class Degrees:
    """Bounds for the values of ``tape``; ``bottom`` has for each value the number of its denominator in ``products``."""

    def __init__(self, tape: Tape) -> None:
        self.top: list[int] = []
        self.bottom: list[int] = []
        self.products: list[Powers] = [{}]
        self.degree: list[int] = [0]
        """The degrees of ``products``."""
        self._numbers: dict[frozenset[tuple[int, int]], int] = {frozenset(): 0}
        self._factors: dict[int, int] = {}
        self._pairs: tuple[dict[tuple[int, int], int], ...] = ({}, {}, {})
        self._follow(tape)

    def _follow(self, tape: Tape) -> None:
        top, bottom, degree, products = self.top, self.bottom, self.degree, self._pairs[1]
        for kind, a, b in tape.instructions():
            if kind == MUL:
                top.append(top[a] + top[b])
                x, y = bottom[a], bottom[b]
                below = products.get((x, y)) if x and y else x or y
                bottom.append(self.product(x, y) if below is None else below)
            elif kind == INPUT:
                top.append(1)
                bottom.append(0)
            elif kind == CONSTANT:
                top.append(0 if tape.constants[a] else -1)
                bottom.append(0)
            elif kind == DIV:
                x, y = bottom[a], bottom[b]
                top.append(top[a] + degree[self.without(y, x)])
                bottom.append(self.product(self.without(x, y), self._factor(b)))
            else:
                x, y = bottom[a], bottom[b]
                if x == y:
                    top.append(max(top[a], top[b]))
                    bottom.append(x)
                else:
                    high, low = self.sum(a, b)
                    top.append(high)
                    bottom.append(low)

    def sum(self, a: int, b: int) -> tuple[int, int]:
        """The bound on the degree, and the denominator, of the sum or the difference of two values."""
        top, degree = self.top, self.degree
        x, y = self.bottom[a], self.bottom[b]
        if a == ZERO or b == ZERO:
            return (top[b], y) if a == ZERO else (top[a], x)
        if x == y:
            return max(top[a], top[b]), x
        common = self.common(x, y)
        return degree[common] + max(top[a] - degree[x], top[b] - degree[y]), common

    def _factor(self, value: int) -> int:
        """The numerator of ``value`` as a denominator."""
        if value not in self._factors:
            self._factors[value] = self._number({value: 1}) if self.top[value] else 0
        return self._factors[value]

    def common(self, x: int, y: int) -> int:
        """The least common multiple."""
        return self._once(0, x, y, lambda a, b: a | {name: max(power, a.get(name, 0)) for name, power in b.items()})

    def product(self, x: int, y: int) -> int:
        return self._once(1, x, y, lambda a, b: a | {name: power + a.get(name, 0) for name, power in b.items()})

    def without(self, x: int, y: int) -> int:
        """x over the greatest common divisor of x and y."""
        return self._once(2, x, y, lambda a, b: {name: left for name, power in a.items() if (left := power - b.get(name, 0)) > 0})

    def _once(self, which: int, x: int, y: int, combined: Callable[[Powers, Powers], Powers]) -> int:
        pairs = self._pairs[which]
        if (x, y) not in pairs:
            pairs[x, y] = self._number(combined(self.products[x], self.products[y]))
        return pairs[x, y]

    def _number(self, powers: Powers) -> int:
        key = frozenset(powers.items())
        if key not in self._numbers:
            self._numbers[key] = len(self.products)
            self.products.append(powers)
            self.degree.append(sum(self.top[name] * power for name, power in powers.items()))
        return self._numbers[key]


def difference(degrees: Degrees, a: int, b: int) -> int:
    """A bound on the degree of the numerator of the difference of two values; −1 if they are one value."""
    return -1 if a == b else degrees.sum(a, b)[0]
