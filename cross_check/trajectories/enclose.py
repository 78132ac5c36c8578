"""Enclosures of a trajectory at given times: steps of :mod:`cross_check.trajectories.tube`, with as many digits as are needed.

Each step begins at an exact number in the middle of what is known, and the error is propagated from step to step. Errors grow,
so the precision does: it is enough if the local errors, times the growth, are as small as the digits ask for. A trajectory that
fails, or has too few digits, is computed anew with the bits that its growth lets expect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import frexp, log2
from typing import NamedTuple

from flint import arb, arb_mat, fmpq

from cross_check.trajectories.straight_line import Ball
from cross_check.trajectories.taylor import Scale, Whole, taylor
from cross_check.trajectories.tube import RADIUS, Equation, Errors, advance
from mechanisms.numbers.rounded import precision

GUARD = 32
"""Bits of the arithmetic beyond those of a local error."""

TRIALS = 12
"""A step that is not proven is halved so often."""

SHORTEST = Fraction(1, 2**30)
"""The shortest step, as a part of the whole time. Near a singular state, steps shrink without end."""

SPARE = 4
"""The computation begins anew with more bits once the error is more than this part of the tube's radius."""

MOST_BITS = 20_000
"""Of a local error; a trajectory that needs more is not computed."""


class Method(NamedTuple):
    """How an enclosure is computed: so many Taylor coefficients per bit, at least ``bits`` of them for a local error."""

    order_per_bit: float
    bits: int


class NotEnclosed(ValueError):
    """The trajectory cannot be enclosed; one sentence says why."""


class Enclosure(NamedTuple):
    """Balls (times, n) that contain the solution, the bits of local errors, and the number of steps."""

    balls: list[list[Ball]]
    bits: int
    steps: int


def enclose(
    equation: Equation,
    start: Callable[[], Sequence[Ball]],
    times: Sequence[Fraction],
    digits: int,
    method: Method,
    progress: Callable[[str, int, int], None] = lambda doing, done, total: None,
) -> Enclosure:
    """The solution from ``start``() at t = 0, at ``times`` in rising order, within 10^−(digits + 1).

    ``start`` is called with the precision of the computation. Raises :class:`NotEnclosed` for a trajectory that reaches a
    singular state, or that needs more than MOST_BITS.
    """
    target, end = 10 ** arb(-digits - 1), times[-1]
    wanted = round(3.33 * (digits + 1)) + 8
    bits = max(method.bits, wanted + 48)
    while bits <= MOST_BITS:
        with precision(bits + GUARD):
            reached, balls, steps = _pass(equation, start(), times, bits, method, progress)
        if reached == end:
            missing = max((x.rad() / target for row in balls for x in row), default=arb(0))
            if missing < 1:
                return Enclosure(balls, bits, steps)
            bits += _bits(missing) + 8
        else:
            # The bits from the first local error to the tube's radius lasted until then.
            bits = max(bits + 32, wanted + round(1.1 * (bits - 32) * float(end / reached)) if reached else 2 * bits)
    raise NotEnclosed(f"the trajectory needs more than {MOST_BITS} bits; ask for a shorter time")


def _bits(x: Ball) -> int:
    return max(0, round(float(x.log() / arb.const_log2())))


def _pass(
    equation: Equation,
    start: Sequence[Ball],
    times: Sequence[Fraction],
    bits: int,
    method: Method,
    progress: Callable[[str, int, int], None],
) -> tuple[Fraction, list[list[Ball]], int]:
    """How far it goes, the balls at the times that are reached, and the number of steps."""
    order = max(12, round(method.order_per_bit * bits))
    n, scale = len(start), Scale(bits + GUARD, 0)
    value = [scale.whole(x) for x in start]
    distances = [(x - scale.ball(y)).abs_upper() for x, y in zip(start, value, strict=True)]
    errors = Errors(arb_mat(n, n, [int(not k % (n + 1)) for k in range(n * n)]), arb_mat(n, 1, distances))
    now, balls, steps = Fraction(0), list[list[Ball]](), 0
    for time in times:
        while now < time:
            P = taylor(equation.rate, value, order, scale)
            longest = _length(P, scale, bits)
            h, step = min(longest, time - now), None
            if max(errors.size.entries()) * SPARE > RADIUS:
                return now, balls, steps
            for h in (h / 2**k for k in range(TRIALS)):
                if step := advance(equation, P, scale, arb(fmpq(h.numerator, h.denominator)), errors):
                    break
            if step is None or longest < SHORTEST * times[-1]:
                raise NotEnclosed(
                    f"the solution is not enclosed beyond {float(now):.6g} s, where a singular state is near; "
                    "ask for a shorter time, or start elsewhere"
                )
            (value, errors), now, steps = step, now + h, steps + 1
            scale = scale._replace(shift=-round(log2(longest)))
            progress(f"{float(now):.3g} s enclosed with {bits} bits", round(1000 * float(now / times[-1])), 1000)
        balls.append([scale.ball(x) + arb(0, e) for x, e in zip(value, errors.size.entries(), strict=True)])
    return now, balls, steps


def _length(P: Sequence[Whole], scale: Scale, bits: int) -> Fraction:
    """A step after which the last coefficients are about 2^−bits (À. Jorba, M. Zou, Experimental Mathematics 14, 2005)."""
    order = len(P[0]) - 1
    logarithms = []
    for k in (order - 1, order):
        largest = max(abs(x[k]) for x in P)
        if largest:
            logarithms.append((scale.bits - bits - log2(largest)) / k - scale.shift)
    mantissa, exponent = frexp(2.0 ** min(logarithms, default=0.0))
    return Fraction(int(mantissa * 2**20), 2**20) * Fraction(2) ** exponent
