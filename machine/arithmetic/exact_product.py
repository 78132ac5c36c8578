"""The rest of a product without a fused multiply-add.

Dekker's algorithm splits both factors into halves whose products are exact. It needs factors that are not too large, so that the
splitting does not overflow, and a product that is not too small, so that its rest is a float64 number. A fused multiply-add needs
neither. :func:`split_product` scales the factors by powers of two where that is needed. So it gives what fma(a, b, −p) gives, bit
for bit, for all a and b; where that is NaN, it is NaN.

Why: let A = 2^i a and B = 2^j b be the scaled factors and s = i + j. |A| and |B| lie between 2^-474 and 2^424, and AB = P + E
exactly. p is ab rounded.

- If p is normal, 2^s p = P, because rounding a normal number does not depend on its exponent. Then E·2^-s is ab − p, rounded
  once.
- If p is subnormal or zero, |ab − p| is at most half of the smallest subnormal number, so that it rounds to a zero with its sign.
  2^s p and P − 2^s p are exact, and the sum with E has the sign of AB − 2^s p.
- If p is infinite, both give −p.

So (P − 2^s p + E)·2^-s is right in every case. 2^s is up to 2^1200, so it is applied as a square, twice.

Reference: T. J. Dekker, A floating-point technique for extending the available precision, Numerische Mathematik 18, 1971.
"""

from __future__ import annotations

from machine.arithmetic.operations import Condition, Operations, Value

LARGE, SMALL = 2.0**400, 2.0**-400
"""Factors between these two are not scaled."""

HALF_SCALE = 2.0**300
"""The square root of the power of two by which a factor is scaled."""

SPLITTER = 2.0**27 + 1


def dekker_product(a: Value, b: Value) -> tuple[Value, Value]:
    """a·b rounded and the exact rest, for |a|, |b| ≤ 2^990 and a·b zero or at least 2^-960."""
    product = a * b
    a_high, a_low = split(a)
    b_high, b_low = split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def split(a: Value) -> tuple[Value, Value]:
    """a as the sum of two numbers of at most 26 bits (Veltkamp)."""
    c = SPLITTER * a
    high = c - (c - a)
    return high, a - high


def split_product(ops: Operations, a: Value, b: Value) -> tuple[Value, Value]:
    """a·b rounded, p, and fma(a, b, −p), for all a and b, from operations that every processor has."""
    a_up, a_down = half_scales(ops, a)
    b_up, b_down = half_scales(ops, b)
    up, down = a_up * b_up, a_down * b_down
    product = a * b
    scaled, rest = dekker_product(a * a_up * a_up, b * b_up * b_up)
    return product, ((scaled - product * up * up) + rest) * down * down


def half_scales(ops: Operations, a: Value) -> tuple[Value, Value]:
    """The square roots of the power of two by which ``a`` is scaled, and of its reciprocal."""
    size = ops.absolute(a)
    large: Condition = size > LARGE
    small: Condition = size < SMALL
    return (
        ops.select(large, 1 / HALF_SCALE, ops.select(small, HALF_SCALE, 1.0)),
        ops.select(large, HALF_SCALE, ops.select(small, 1 / HALF_SCALE, 1.0)),
    )
