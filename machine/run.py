"""Executes a program with the fastest backend that is installed."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import prod
from typing import Any, Literal

import numpy as np

from machine.arithmetic.double_double import two_sum
from machine.backends import llvm_backend, numpy_backend, straight_line
from machine.backends.llvm_backend import fits
from machine.compiling.target import host, works
from machine.instructions import Precision
from machine.program import Program, Words

Array = np.ndarray[Any, np.dtype[np.float64]]
Pair = tuple[Array, Array | None]
"""High and low words; no low words are zeros."""

Backend = Literal["llvm", "numpy"]

ZERO = bytes(8)
"""The memory of all low words of float64 results."""

SLOWER = (
    "Recorded programs run on NumPy here, which gives the same numbers and is slower, because llvmlite is not installed or "
    'does not work: pip install "dalembert[fast]" makes them faster'
)


@cache
def backend() -> Backend:
    """The backend that :func:`run` takes: ``llvm`` where llvmlite and the interpreter's source are at hand, else ``numpy``."""
    return "llvm" if works() and llvm_backend.has_source() else "numpy"


def advice() -> str | None:
    """One sentence for users if the fast backend is missing: what that means, and what to do. Nothing otherwise."""
    return SLOWER if backend() == "numpy" and not works() else None


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
    about a million states on; where that is not possible it changes nothing. ``by`` asks for one backend. All choices give
    the same bits.

    Raises :class:`ValueError` if the inputs do not fit to the program.
    """
    shape = np.shape(inputs[0] if isinstance(inputs, tuple) else inputs)
    if len(shape) != 2 or shape[0] != program.inputs:
        raise ValueError(f"the inputs of this program have the shape ({program.inputs}, states), not {shape}")
    high, low = run_batch(program, [inputs], program.outputs, precision, threads=threads, compiled=compiled, by=by)
    return high.T, low.T


def run_batch(
    program: Program,
    arguments: Sequence[Any],
    numbers: Words,
    precision: Precision,
    *,
    threads: int = 1,
    compiled: bool = False,
    by: Backend | None = None,
    out: Array | None = None,
) -> tuple[Array, Array]:
    """What is in the registers ``numbers`` at the end, batch first: high and low words (states, numbers).

    ``arguments`` are parts of the program's inputs, float64 (inputs, states) or pairs of such arrays. The compiled backend reads
    them where they are, by states or by inputs. The register after the program's last one is zero. The high words go into
    ``out`` if it is given, a contiguous array that has no memory in common with the arguments. Everything else is as in
    :func:`run`.
    """
    given = [_pair(x, precision) for x in arguments]
    states = given[0][0].shape[1] if given else 0
    if any(high.shape[1] != states for high, _ in given) or sum(len(high) for high, _ in given) != program.inputs:
        shapes = ", ".join(str(high.shape) for high, _ in given)
        raise ValueError(f"{program.inputs} inputs for one number of states are needed, not arrays of the shapes {shapes}")
    if precision not in ("double-double", "float64"):
        raise ValueError(f"there is no precision {precision!r}; write double-double or float64")
    if by not in (None, "llvm", "numpy"):
        raise ValueError(f"there is no backend {by!r}; write llvm or numpy")
    if threads < 1:
        raise ValueError(f"{threads} threads compute nothing; ask for one or more")
    shape = states, len(numbers)
    if out is not None:
        _check_out(out, shape, given)
    high = np.empty(shape) if out is None else out.reshape(shape)
    low = np.empty(shape) if precision == "double-double" else np.ndarray(shape, buffer=ZERO, strides=(0, 0))
    if (by or backend()) == "numpy":
        _run_on_numpy(program, given, precision, numbers, (high, low))
        return high, low

    # Before threads begin, so that it is compiled once.
    own = compiled and precision == "float64"
    code = straight_line.compiled(program) if own else llvm_backend.compiled(precision, host())
    steps = straight_line.steps(program) if own else None
    outputs = high.T, low.T

    def part(begin: int, end: int) -> None:
        llvm_backend.execute(program, given, precision, outputs, begin=begin, end=end, code=code, steps=steps, numbers=numbers)

    borders = [states * k // threads for k in range(threads + 1)]
    if threads == 1:
        part(0, states)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, borders[:-1], borders[1:]))
    return high, low


def _check_out(out: Array, shape: tuple[int, int], given: Sequence[Pair]) -> None:
    """Raise :class:`ValueError` if results of this shape cannot be written there."""
    if not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape[:1] != shape[:1] or out.size != prod(shape):
        raise ValueError(f"out must be a float64 array of {shape[0]} states with {shape[1]} numbers each")
    if not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
        raise ValueError("out must be a contiguous array that can be written")
    if any(x is not None and np.may_share_memory(out, x) for pair in given for x in pair):
        raise ValueError("out has memory in common with an argument, which would change while it is read; give another array")


def _run_on_numpy(
    program: Program, inputs: Sequence[Pair], precision: Precision, numbers: Words, results: tuple[Array, Array]
) -> None:
    """Fill ``results`` (states, numbers) with the help of arrays that have the states of one number next to each other."""
    states = results[0].shape[0]
    empty = np.zeros((0, states))
    high = np.concatenate([empty, *(high for high, _ in inputs)])
    low = np.concatenate([empty, *(np.zeros_like(high) if low is None else low for high, low in inputs)])
    outputs = np.zeros((2, len(program.outputs) + 1, states))
    numpy_backend.execute(program, (high, low), precision, (outputs[0, :-1], outputs[1, :-1]))
    # The row after the last one stays zero.
    rows = np.full(program.registers + 1, -1)
    rows[program.outputs] = np.arange(len(program.outputs))
    for result, words in zip(results[: 2 if precision == "double-double" else 1], outputs, strict=False):
        result[...] = words[rows[numbers]].T


def _pair(x: Any, precision: Precision) -> Pair:
    """High and low words (rows, states). A sum is rounded to the high word, and the rest is the low word."""
    if not isinstance(x, tuple):
        return _numbers(x), None
    high, low = map(_numbers, x)
    if high.shape != low.shape:
        raise ValueError(f"the high words of the inputs have the shape {high.shape}, the low words {low.shape}")
    with np.errstate(all="ignore"):
        return (high + low, None) if precision == "float64" else two_sum(high, low)


def _numbers(values: Any) -> Array:
    """As float64, in an order in which compiled code can read them."""
    array = np.asarray(values)
    if fits(array):
        return array
    if array.size and array.dtype.kind not in "biuf":
        raise ValueError(f"the inputs must be real numbers, and are {array.dtype}")
    array = array.astype(np.float64, copy=False)
    return array if fits(array) else array.copy()
