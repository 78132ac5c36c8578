"""Executes a program with the fastest backend that is installed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Literal

import numpy as np

from machine import llvm_backend, numpy_backend, straight_line
from machine.double_double import two_sum
from machine.instructions import Precision
from machine.llvm_target import host, works
from machine.program import Program

Array = np.ndarray[Any, np.dtype[np.float64]]
Backend = Literal["llvm", "numpy"]

SLOWER = (
    "Recorded programs run on NumPy here, which gives the same numbers and is slower, because llvmlite is not installed or "
    'does not work: pip install "dalembert[fast]" makes them faster'
)


@cache
def backend() -> Backend:
    """The backend that :func:`run` takes: ``llvm`` where llvmlite is installed, otherwise ``numpy``."""
    return "llvm" if works() else "numpy"


def advice() -> str | None:
    """One sentence for users if the fast backend is missing: what that means, and what to do. Nothing otherwise."""
    return SLOWER if backend() == "numpy" else None


def run(
    program: Program,
    inputs: Any,
    precision: Precision = "double-double",
    *,
    threads: int = 1,
    compiled: bool = False,
    by: Backend | None = None,
) -> tuple[Array, Array]:
    """The outputs of ``program`` as high and low words, float64 (outputs, states) each.

    ``inputs`` is float64 (inputs, states), or a pair of such arrays, whose sum is meant. The low words of float64 results are
    zeros. A result that is not finite is NaN in double-double, and what IEEE 754 says in float64.

    ``threads`` share the states. ``compiled`` compiles a float64 program to code of its own, once per computer, which pays from
    some hundred thousand states on; where that is not possible it changes nothing. ``by`` asks for one backend. All choices give
    the same bits.

    Raises :class:`ValueError` if the inputs do not fit to the program.
    """
    high, low = _pair(inputs, precision)
    if high.ndim != 2 or len(high) != program.inputs or low.shape != high.shape:
        raise ValueError(f"the inputs of this program have the shape ({program.inputs}, states), not {high.shape}")
    if precision not in ("double-double", "float64"):
        raise ValueError(f"there is no precision {precision!r}; write double-double or float64")
    if by not in (None, "llvm", "numpy"):
        raise ValueError(f"there is no backend {by!r}; write llvm or numpy")
    if threads < 1:
        raise ValueError(f"{threads} threads compute nothing; ask for one or more")
    states = high.shape[1]
    shape = (len(program.outputs), states)
    outputs = np.empty(shape), np.empty(shape) if precision == "double-double" else np.zeros(shape)
    if (by or backend()) == "numpy":
        numpy_backend.execute(program, (high, low), precision, outputs)
        return outputs

    # Before threads begin, so that it is compiled once.
    own = compiled and precision == "float64"
    code = straight_line.compiled(program) if own else llvm_backend.compiled(precision, host())
    steps = straight_line.steps(program) if own else program.code

    def part(begin: int, end: int) -> None:
        llvm_backend.execute(program, (high, low), precision, outputs, begin=begin, end=end, code=code, steps=steps)

    borders = [states * k // threads for k in range(threads + 1)]
    if threads == 1:
        part(0, states)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, borders[:-1], borders[1:]))
    return outputs


def _pair(inputs: Any, precision: Precision) -> tuple[Array, Array]:
    """High and low words, contiguous. A sum is rounded to the high word, and the rest is the low word."""
    if not isinstance(inputs, tuple):
        high = _column(inputs)
        return high, np.broadcast_to(np.zeros(1), high.shape) if precision == "float64" else np.zeros_like(high)
    high, low = map(_column, inputs)
    if high.shape != low.shape:
        raise ValueError(f"the high words of the inputs have the shape {high.shape}, the low words {low.shape}")
    with np.errstate(all="ignore"):
        high, low = two_sum(high, low)
    return high, low


def _column(values: Any) -> Array:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "biuf":
        raise ValueError(f"the inputs must be real numbers, and are {array.dtype}")
    return np.ascontiguousarray(array, np.float64)
