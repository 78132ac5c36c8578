"""Derivatives of recorded values, in forward mode: the chain rule for every instruction and every direction.

    x + y: ẋ + ẏ,    x − y: ẋ − ẏ,    x y: ẋ y + x ẏ,    z = x / y: (ẋ − z ẏ) / y
    cos x: −ẋ sin x,    sin x: ẋ cos x,    z = √x: ẋ / (2 z),    sign x: 0

Rates that are zero by construction cost nothing, because the recording simplifies products with zero: the program has an
instruction for a value and a direction only where the value depends on what moves (A. Griewank, A. Walther, "Evaluating
Derivatives", 2nd ed. 2008, §3.1 and §7.1).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from machine.program import Op
from machine.recording.recording import Recording
from machine.recording.tape import References


def tangents(recording: Recording, outputs: References, points: References, rates: References) -> References:
    """The rates (n, directions) of ``outputs`` (n) where ``points`` (m) move with ``rates`` (m, directions).

    The points are any values but constants; all that was not computed from them is at rest. The rates of a point hold even if
    it was computed from other points. Raises :class:`ValueError` if a point is a constant.
    """
    if recording.is_constant(points).any():
        raise ValueError("a constant cannot move; give recorded inputs")
    size = recording.size
    op, a, b, level, place = (x[:size].copy() for x in (recording.op, recording.a, recording.b, recording.level, recording.place))
    all_rates = np.zeros((size, rates.shape[1]), np.int32)
    all_rates[np.abs(points)] = rates * np.sign(points)[:, None]
    rest = recording.needed(outputs) & (op >= 0)
    rest[np.abs(points)] = False
    moves = np.asarray(all_rates.any(axis=1))
    made = np.flatnonzero(rest)
    made = made[np.lexsort((place[made], level[made]))]
    for same_level in np.split(made, np.flatnonzero(np.diff(level[made])) + 1):
        moving = same_level[moves[a[same_level]] | moves[b[same_level]]]
        ops = op[moving]
        for kind in np.unique(ops).tolist():
            z = moving[ops == kind]
            x, y = a[z], b[z]
            # A rate stands in the program next to its value, so that few registers are in use at a time.
            columns = [column[:, None] for column in (z.astype(np.int32), x, y, place[z])]
            all_rates[z] = RULES[Op(kind)](recording, *columns, all_rates[x], all_rates[y])
        moves[moving] = all_rates[moving].any(axis=1)
    return all_rates[np.abs(outputs)] * np.sign(outputs)[:, None]


def _product(
    recording: Recording, z: References, x: References, y: References, at: References, dx: References, dy: References
) -> References:
    return recording.add(recording.multiply(dx, y, at), recording.multiply(x, dy, at), at)


def _quotient(
    recording: Recording, z: References, x: References, y: References, at: References, dx: References, dy: References
) -> References:
    inverse = recording.divide(np.ones_like(y), y, at)
    return recording.multiply(recording.add(dx, -recording.multiply(z, dy, at), at), inverse, at)


def _root(
    recording: Recording, z: References, x: References, y: References, at: References, dx: References, dy: References
) -> References:
    half = recording.divide(np.full_like(z, recording.constant(Fraction(1, 2))), z, at)
    return recording.multiply(np.where(y == 1, -dx, dx), half, at)


RULES: dict[Op, Callable[..., References]] = {
    Op.ADD: lambda recording, z, x, y, at, dx, dy: recording.add(dx, dy, at),
    Op.SUB: lambda recording, z, x, y, at, dx, dy: recording.add(dx, -dy, at),
    Op.MUL: _product,
    Op.DIV: _quotient,
    Op.COS: lambda recording, z, x, y, at, dx, dy: recording.multiply(dx, -recording.apply(Op.SIN, x, at), at),
    Op.SIN: lambda recording, z, x, y, at, dx, dy: recording.multiply(dx, recording.apply(Op.COS, x, at), at),
    Op.SQRT: _root,
    Op.SIGN: lambda recording, z, x, y, at, dx, dy: 0 * dx,
}
"""The rates of values z from those of their operands x and y."""
