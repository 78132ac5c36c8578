"""Quaternions, and cosines with sines, whose length is one to much less than a rounding.

:func:`cross_check.judge.comparison.kinds.unit` tries one vector after the other; a search needs many, so that they are tried in
batches. A vector of four float64 numbers has the length one well enough about once in three times, one of two numbers once in
two hundred. There may be none very near a small turn.
"""

from __future__ import annotations

import sys

import numpy as np

from cross_check.memory import Array
from machine.arithmetic.double_double import two_sum
from machine.arithmetic.exact_product import dekker_product

SPREADS = (1e-13, 1e-9, 1e-6, 1e-3, 0.3)
"""The parts of itself by which each number may change, the least first. With the largest, some vectors have the length one."""

TRIED = {4: 16, 2: 256}
"""So many vectors are tried of each spread, by the number of numbers."""


def unit_near(direction: Array, rng: np.random.Generator) -> Array:
    """A vector (n,) of length one beside ``direction``, by the least of :data:`SPREADS` that has one. Zeros stay zeros."""
    n = len(direction)
    slack = sys.float_info.epsilon / (256 if n == 2 else 8)
    if abs(squares_beyond_one(direction[None])[0]) < slack:
        return direction
    while True:
        for spread in SPREADS:
            tried = direction * (1 + spread * rng.normal(size=(TRIED[n], n)))
            tried = tried / np.sqrt((tried**2).sum(axis=1, keepdims=True))
            good = np.flatnonzero(np.abs(squares_beyond_one(tried)) < slack)
            if len(good):
                return tried[good[0]]


def squares_beyond_one(x: Array) -> Array:
    """|x|² − 1 (batch,) of vectors (batch, n) with a length near one; it is off by much less than ε²."""
    high, low = dekker_product(x, x)
    total, rest = np.full(len(x), -1.0), low.sum(axis=1)
    for k in range(x.shape[1]):
        total, lost = two_sum(total, high[:, k])
        rest = rest + lost
    return total + rest
