"""Upper bounds on the degree and on the coefficients of every value of a tape.

Each value f is written as N/B: N is a polynomial in the inputs with integer coefficients, and B is a product of powers of
*factors*. A factor is the numerator of a value that was divided by, and its name is the number of that value; or it is the
denominator of a constant, and its name is minus the number of the constant. So factors with one name are one
polynomial: a tape never changes, and a value has one numerator. Whether two factors with different names are equal does not
matter, because a product of powers is compared by names only.

:class:`Degrees` has for every value an upper bound ``top`` on the degree of N, and B. Let f = a/B and g = c/D, let M be the least
common multiple of B and D, and (B, D) their greatest common divisor, both by names. The rules are

    input        N = x, B = 1                                                                   top 1
    constant n/m N = n, B = m                                                                   top 0; zero has top −1
    f ± g        = (a M/B ± c M/D) / M            deg ≤ max(deg a + deg M/B, deg c + deg M/D)
    f g          = a c / (B D)                    deg = deg a + deg c
    f / g        = a (D/(B, D)) / ((B/(B, D)) c)  deg = deg a + deg D/(B, D), and the numerator c of g becomes a factor

Each right side is equal to its left side as a rational function wherever the operation is defined, and its numerator is a
polynomial. The degree of a product of factors is at most the sum of the bounds on the degrees of the factors. Hence ``top`` is
an upper bound, by induction over the instructions. Nothing is cancelled but factors with equal names, and ±1 is no factor.
If c were the zero polynomial, g would be the function zero, so that there is nothing to divide by: every evaluation of the tape
fails.

``height`` is an upper bound on log₂ of the sum ‖N‖ of the absolute values of N's coefficients. Because ‖a c‖ ≤ ‖a‖ ‖c‖ and
‖a ± c‖ ≤ 2 max(‖a‖, ‖c‖), the same rules hold for it, where a sum adds 1. An input has the height 0, and n/m has the height
log₂ |n|, rounded up.
"""

from __future__ import annotations

from collections.abc import Callable

from cross_check.prove.proof.instructions import CONSTANT, DIV, INPUT, MUL, ZERO
from cross_check.prove.proof.tape import Tape

Powers = dict[int, int]
"""A product of factors: their powers by their names."""


class Degrees:
    """Bounds for the values of ``tape``; ``bottom`` has for each value the number of its denominator in ``products``."""

    def __init__(self, tape: Tape) -> None:
        self.top: list[int] = []
        self.height: list[int] = []
        self.bottom: list[int] = []
        self.products: list[Powers] = [{}]
        self.degree: list[int] = [0]
        """The degrees of ``products``."""
        self.heights: list[int] = [0]
        """The heights of ``products``."""
        self._below: dict[int, int] = {}
        """The heights of the denominators of constants, by their names."""
        self._numbers: dict[frozenset[tuple[int, int]], int] = {frozenset(): 0}
        self._factors: dict[int, int] = {}
        self._pairs: tuple[dict[tuple[int, int], int], ...] = ({}, {}, {})
        self._follow(tape)

    def _follow(self, tape: Tape) -> None:
        top, height, bottom, degree, heights = self.top, self.height, self.bottom, self.degree, self.heights
        products = self._pairs[1]
        for value, (kind, a, b) in enumerate(tape.instructions()):
            if kind == MUL:
                top.append(top[a] + top[b])
                height.append(height[a] + height[b])
                x, y = bottom[a], bottom[b]
                below = products.get((x, y)) if x and y else x or y
                bottom.append(self.product(x, y) if below is None else below)
            elif kind == INPUT:
                top.append(1)
                height.append(0)
                bottom.append(0)
            elif kind == CONSTANT:
                constant = tape.constants[a]
                top.append(0 if constant else -1)
                height.append(_bits(int(constant.p)))
                bottom.append(self._denominator(value, int(constant.q)))
            elif kind == DIV:
                x, y = bottom[a], bottom[b]
                raised = self.without(y, x)
                top.append(top[a] + degree[raised])
                height.append(height[a] + heights[raised])
                bottom.append(self.product(self.without(x, y), self._factor(b)))
            else:
                x, y = bottom[a], bottom[b]
                if x == y:
                    # Comparing is faster than max.
                    i, j = top[a], top[b]
                    top.append(i if i > j else j)
                    i, j = height[a], height[b]
                    height.append((i if i > j else j) + 1)
                    bottom.append(x)
                else:
                    high, tall, low = self.sum(a, b)
                    top.append(high)
                    height.append(tall)
                    bottom.append(low)

    def sum(self, a: int, b: int) -> tuple[int, int, int]:
        """The bounds on the degree and on the height, and the denominator, of the sum or the difference of two values."""
        top, height, degree, heights = self.top, self.height, self.degree, self.heights
        x, y = self.bottom[a], self.bottom[b]
        if a == ZERO or b == ZERO:
            return (top[b], height[b], y) if a == ZERO else (top[a], height[a], x)
        if x == y:
            return max(top[a], top[b]), max(height[a], height[b]) + 1, x
        common = self.common(x, y)
        high = degree[common] + max(top[a] - degree[x], top[b] - degree[y])
        return high, heights[common] + max(height[a] - heights[x], height[b] - heights[y]) + 1, common

    def _factor(self, value: int) -> int:
        """The numerator of ``value`` as a denominator."""
        if value not in self._factors:
            self._factors[value] = self._number({value: 1}) if self.top[value] or self.height[value] else 0
        return self._factors[value]

    def _denominator(self, constant: int, m: int) -> int:
        """``m`` as the denominator of the value ``constant``."""
        if m == 1:
            return 0
        self._below[-constant] = _bits(m)
        return self._number({-constant: 1})

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
            self.degree.append(sum(self.top[name] * power for name, power in powers.items() if name > 0))
            self.heights.append(sum(self._tall(name) * power for name, power in powers.items()))
        return self._numbers[key]

    def _tall(self, name: int) -> int:
        """The height of a factor."""
        return self.height[name] if name > 0 else self._below[name]


def _bits(n: int) -> int:
    """log₂ |n|, rounded up; 0 for zero."""
    return (abs(n) - 1).bit_length() if n else 0


def difference(degrees: Degrees, a: int, b: int) -> int:
    """A bound on the degree of the numerator of the difference of two values; −1 if they are one value."""
    return -1 if a == b else degrees.sum(a, b)[0]


def height(degrees: Degrees, a: int, b: int) -> int:
    """A bound on the height of that numerator; 0 if the values are one value."""
    return 0 if a == b else degrees.sum(a, b)[1]
