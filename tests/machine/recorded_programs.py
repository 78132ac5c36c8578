"""Random programs and inputs, their exact values, and comparisons of bits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from machine import Program, allocate
from machine.backends.numpy_backend import ARITHMETIC
from machine.program import Op


def random_code(
    rng: np.random.Generator, instructions: int, inputs: int, constants: int, ops: Any = tuple(Op)
) -> np.ndarray[Any, Any]:
    """Code in single assignment that may read any earlier value, and prefers the last ones."""
    first = inputs + constants
    made = first + np.arange(instructions)
    reach = np.where(rng.random((instructions, 2)) < 0.5, made[:, None], np.minimum(made, 12)[:, None])
    operands = made[:, None] - 1 - (rng.random((instructions, 2)) * reach).astype(int)
    return np.column_stack([rng.choice(ops, instructions), operands])


def random_program(seed: int, instructions: int = 200, inputs: int = 5, ops: Any = tuple(Op)) -> Program:
    rng = np.random.default_rng(seed)
    constants = [Fraction(1, 3), Fraction(-22, 7), Fraction(2), Fraction(10**30, 7**20)]
    code = random_code(rng, instructions, inputs, len(constants), ops)
    values = inputs + len(constants) + instructions
    return allocate(inputs, code, constants, np.r_[values - 1, rng.integers(0, values, 40)])


def random_inputs(seed: int, rows: int, states: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Double-doubles of ordinary sizes, with zeros, signs and some special numbers among them."""
    rng = np.random.default_rng(seed)
    high = rng.standard_normal((rows, states)) * 10.0 ** rng.integers(-3, 4, (rows, states))
    special = [0.0, -0.0, 1.0, -1.0, 0.5, np.pi, 5e-324, 1e-310, 2.0**-1022, 1e-200, 1e200, 1.7e308, np.inf, -np.inf, np.nan]
    high = np.where(rng.random(high.shape) < 0.05, rng.choice(special, high.shape), high)
    low = high * rng.uniform(-1, 1, high.shape) * 2.0**-53
    return high, np.where(np.isfinite(high), low, 0.0)


def ball(high: float, low: float = 0.0) -> arb:
    return arb(float(high)) + arb(float(low))


def bits_differ(x: tuple[Any, Any], y: tuple[Any, Any]) -> bool:
    """Whether any bit of two results differs, also of zeros and NaN."""
    return any(not np.array_equal(a.view(np.int64), b.view(np.int64)) for a, b in zip(x, y, strict=True))


def worst_error(recipe: Callable[..., Any], exact: Callable[..., arb], *operands: tuple[Any, Any]) -> float:
    """The largest relative error of a recipe for double-doubles, over all states."""
    with np.errstate(all="ignore"):
        high, low = recipe(ARITHMETIC, *operands)
    columns = [zip(*operand, strict=True) for operand in operands]
    worst = 0.0
    for h, l, *pairs in zip(high, low, *columns, strict=True):
        truth = exact(*(ball(*pair) for pair in pairs))
        error = 0.0 if truth == 0 and h == 0 else float(abs((ball(h, l) - truth) / truth).upper())
        # A NaN is not better than anything.
        worst = worst if error <= worst else error
    return worst
