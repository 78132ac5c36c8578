"""Reduces an angle by quarter turns: q = k·π/2 + r, with |r| ≤ π/4, up to rounding of k.

π/2 is cut into pieces, P1 … P4 of 23 bits and P5, P6 of 53 bits. k has at most 30 bits, so that k·P1 … k·P4 are exact. Why the
first two differences are exact, too: k·P1 is a multiple of 2^-22 and |q − k·P1| < 1 + 2^-23 k, so that the bits of the difference
fit into 53. The same holds for − k·P2, with multiples of 2^-45. What follows is summed with its roundings. The pieces end at
2^-197, so that the error of r is at most 2^-165, besides the relative error that is stated.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, nan

from machine.arithmetic.double_double import Pair, two_sum
from machine.arithmetic.operations import Condition, Operations, Value

LARGEST_ANGLE = 2.0**30
"""Cosine and sine of larger angles (rad) are NaN."""

PI = Fraction(0x3_243F6A88_85A308D3_13198A2E_03707344_A4093822_299F31D0_082EFA98_EC4E6C89_452821E6_38D01377, 2**320)
"""π, to 2^-320."""

TO_INTEGER = 1.5 * 2.0**52
"""Added to a number below 2^51 it leaves no bit for a fraction, so that the addition rounds to an integer."""


def pieces(value: Fraction, bits: tuple[int, ...]) -> tuple[float, ...]:
    """The number in pieces: each has the next ``bits`` bits of it, cut off; the first begins at 1."""
    found, position = [], -1
    for count in bits:
        position += count
        piece = Fraction(floor(value * 2**position), 2**position)
        found.append(float(piece))
        value -= piece
    return tuple(found)


QUARTER = pieces(PI / 2, (23, 23, 23, 23, 53, 53))
"""P1 … P6."""

TURNS_PER_RADIAN = float(2 / PI)


def nearest_integer(x: Value) -> Value:
    """x rounded to an integer, for |x| < 2^51."""
    return (x + TO_INTEGER) - TO_INTEGER


def quarter_of(ops: Operations, angle: Value) -> tuple[Value, Value]:
    """k and q − k·P1 − k·P2, exactly; NaN for an angle q that is too large."""
    angle = ops.select(ops.absolute(angle) < LARGEST_ANGLE * (1 + 2.0**-52), angle, nan)
    k = nearest_integer(angle * TURNS_PER_RADIAN)
    return k, (angle - k * QUARTER[0]) - k * QUARTER[1]


def reduced_pair(ops: Operations, angle: Pair) -> tuple[Value, Pair]:
    """k and r as a double-double, for a double-double q."""
    k, first = quarter_of(ops, angle[0])
    last, rest_of_last = ops.two_product(k, QUARTER[4])
    # Each sum is exact with its rest. Where the leading terms cancel, the rests become the leading digits.
    total, rest_0 = two_sum(first, -(k * QUARTER[2]))
    total, rest_1 = two_sum(total, -(k * QUARTER[3]))
    total, rest_2 = two_sum(total, angle[1])
    total, rest_3 = two_sum(total, -last)
    rests, tiny_0 = two_sum(rest_0, rest_1)
    rests, tiny_1 = two_sum(rests, rest_2)
    rests, tiny_2 = two_sum(rests, rest_3)
    rests, tiny_3 = two_sum(rests, -rest_of_last)
    tiny = ((tiny_0 + tiny_1) + (tiny_2 + tiny_3)) - k * QUARTER[5]
    high, low = two_sum(total, rests)
    return k, two_sum(high, low + tiny)


def reduced_word(ops: Operations, angle: Value) -> tuple[Value, Pair]:
    """k and r as high + low, for one word q: precise enough for a result of one word."""
    k, first = quarter_of(ops, angle)
    total, rest_0 = two_sum(first, -(k * QUARTER[2]))
    total, rest_1 = two_sum(total, -(k * QUARTER[3]))
    return k, two_sum(total, (rest_0 + rest_1) - k * QUARTER[4])


def quadrant(ops: Operations, k: Value) -> tuple[Condition, Condition]:
    """What sin(r + k·π/2) is: whether the cosine of r is needed instead of its sine, and whether the sign changes."""
    turn = k - 4.0 * nearest_integer(0.25 * k)  # −2, −1, 0, 1 or 2
    size = ops.absolute(turn)
    return (size > 0.5) & (size < 1.5), (turn < -0.5) | (turn > 1.5)
