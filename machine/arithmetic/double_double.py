"""Double-double arithmetic: a number is the sum of two float64 numbers, high and low, with high = high + low rounded.

The algorithms are proven, and so are the bounds of their relative errors; u = 2^-53:

| operation | algorithm | bound |
|---|---|---|
| :func:`add`, :func:`subtract` | JMP 6, AccurateDWPlusDW | 3u² + 13u³ |
| :func:`multiply` | JMP 10, DWTimesDW1 | 7u² |
| :func:`divide` | JMP 17, DWDivDW2, with JMP 7 inside | 15u² + 56u³ |
| :func:`square_root` | one step of Newton from the root of the high word | 25/8 u² |

JMP is M. Joldes, J.-M. Muller, V. Popescu, Tight and rigorous error bounds for basic building blocks of double-word arithmetic,
ACM Transactions on Mathematical Software 44, 2017. The root is SQRTDWtoDW in V. Lefèvre, N. Louvet, J.-M. Muller, J. Picot, L.
Rideau, Accurate calculation of Euclidean norms using double-word arithmetic, ACM Transactions on Mathematical Software 49, 2023.

The bounds hold where no low word underflows: for operands and results that are zero or between 2^-900 and 2^1000. Smaller results
lose digits gradually. Where a result is not finite, or too near to the largest number, its words are infinite or NaN, and so are
those of everything that is computed from it. :func:`canonical` makes both words NaN then. The sign of a zero is not kept.

The products that need a fused multiply-add in other variants are exact by ``two_product`` here, so that processors without that
instruction, and NumPy, give the same bits.
"""

from __future__ import annotations

import math

from machine.arithmetic.operations import Operations, Value

Pair = tuple[Value, Value]
"""High and low word."""


def two_sum(a: Value, b: Value) -> Pair:
    """a + b rounded, and the exact rest (Knuth)."""
    s = a + b
    a_part = s - b
    b_part = s - a_part
    return s, (a - a_part) + (b - b_part)


def fast_two_sum(a: Value, b: Value) -> Pair:
    """The same for |a| ≥ |b| or a = 0 (Dekker). It makes high + low of an unfinished result a double-double."""
    s = a + b
    return s, b - (s - a)


def add(ops: Operations, x: Pair, y: Pair) -> Pair:
    """x + y."""
    high, rest = two_sum(x[0], y[0])
    low, low_rest = two_sum(x[1], y[1])
    high, rest = fast_two_sum(high, rest + low)
    return fast_two_sum(high, low_rest + rest)


def subtract(ops: Operations, x: Pair, y: Pair) -> Pair:
    """x − y."""
    return add(ops, x, negate(ops, y))


def negate(ops: Operations, x: Pair) -> Pair:
    """−x, exactly."""
    return -x[0], -x[1]


def multiply(ops: Operations, x: Pair, y: Pair) -> Pair:
    """x · y."""
    high, rest = ops.two_product(x[0], y[0])
    return fast_two_sum(high, rest + (x[0] * y[1] + x[1] * y[0]))


def multiply_word(ops: Operations, x: Pair, y: Value) -> Pair:
    """x · y for one word y (JMP 7, relative error at most 3/2 u² + 4u³)."""
    high, rest = ops.two_product(x[0], y)
    high, rest_of_low = fast_two_sum(high, x[1] * y)
    return fast_two_sum(high, rest_of_low + rest)


def add_word(ops: Operations, x: Pair, y: Value) -> Pair:
    """x + y for one word y (JMP 4, relative error at most 2u²)."""
    high, rest = two_sum(x[0], y)
    return fast_two_sum(high, x[1] + rest)


def add_smaller(ops: Operations, x: Pair, y: Pair) -> Pair:
    """x + y for |y| ≤ |x|/2, where nothing cancels (relative error at most 8u²)."""
    high, rest = fast_two_sum(x[0], y[0])
    return fast_two_sum(high, rest + (x[1] + y[1]))


def divide(ops: Operations, x: Pair, y: Pair) -> Pair:
    """x / y."""
    quotient = x[0] / y[0]
    high, low = multiply_word(ops, y, quotient)
    return fast_two_sum(quotient, ((x[0] - high) + (x[1] - low)) / y[0])


def square_root(ops: Operations, x: Pair) -> Pair:
    """√x; NaN for x < 0."""
    root = ops.sqrt(x[0])
    square, rest = ops.two_product(root, root)
    remainder = ((x[0] - square) - rest) + x[1]
    # 0/0 would be NaN. The root of the smallest number that is not zero is 2^-537.
    return fast_two_sum(root, ops.select(root < 2.0**-540, 0.0, remainder / (2.0 * root)))


def sign(ops: Operations, x: Pair) -> Pair:
    """−1, 0 or 1, exactly; NaN for NaN."""
    return sign_of_word(ops, x[0]), 0.0 * x[0]


def sign_of_word(ops: Operations, x: Value) -> Value:
    """The same for one word."""
    return ops.select(x > 0.0, 1.0, ops.select(x < 0.0, -1.0, x))


def canonical(ops: Operations, x: Pair) -> Pair:
    """x, or NaN twice where a word of x is not finite, so that all backends give the same NaN."""
    # The difference of a number and itself is zero if it is finite, and NaN if not.
    not_finite = (x[0] - x[0]) + (x[1] - x[1])
    finite = not_finite < 1.0
    return ops.select(finite, x[0], math.nan), ops.select(finite, x[1], math.nan)


def canonical_word(ops: Operations, x: Value) -> Value:
    """x, or the usual NaN for any NaN."""
    return ops.select((x < 0.0) | (x > -1.0), x, math.nan)
