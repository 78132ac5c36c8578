"""Executes programs with NumPy: the recipes run on arrays, one operation of float64 at a time.

Few states are executed in waves: all instructions of one operation whose operands are there are executed together.
An instruction takes NumPy a few dozen calls, whose cost does not depend on the number of states as long as they are few. So few
states take as long as many, unless several instructions share the calls. Results have the same bits in every order, because an
instruction of one state never sees another. Every value has a row of its own, so that no register is reused.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from machine.arithmetic.double_double import canonical, canonical_word
from machine.arithmetic.exact_product import dekker_product, split_product
from machine.instructions import DOUBLE_DOUBLE, FLOAT64, Precision
from machine.program import BINARY, Op, Program

Array = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[np.intp]]

BLOCK = 2**13
"""The largest number of states per pass. With more, a NumPy call is no cheaper per state."""

MEMORY = 2**25
"""The largest number of bytes that registers take."""


class NumPyArithmetic:
    """:class:`machine.arithmetic.operations.Operations` of arrays."""

    def sqrt(self, x: Array) -> Array:
        return np.sqrt(x)

    def absolute(self, x: Array) -> Array:
        return np.abs(x)

    def select(self, condition: Any, yes: Any, no: Any) -> Array:
        return np.where(condition, yes, no)

    def two_product(self, a: Any, b: Any) -> tuple[Array, Array]:
        product, rest = dekker_product(a, b)
        # Where the splitting overflows, the rest is not finite, and so is the sum of all rests.
        if np.isfinite(rest.sum()) and not _underflows(product, a, b):
            return product, rest
        return split_product(self, a, b)


def _underflows(product: Array, a: Any, b: Any) -> bool:
    """Whether a product is so small that its rest may not be exact; the product of a zero is exact."""
    size = np.abs(product)
    return bool(size.min(initial=1.0) < 2.0**-960 and np.any((size < 2.0**-960) & (a != 0) & (b != 0)))


ARITHMETIC = NumPyArithmetic()

FEW = 2**9
"""So many states, or fewer, are executed in waves."""

IN_PLACE: dict[Op, Any] = {Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.DIV: np.divide, Op.NEG: np.negative}
"""Operations of float64 that one NumPy call does, without an array in between."""


def execute(
    program: Program, inputs: tuple[Array, Array], precision: Precision, outputs: tuple[Array, Array], block: int = 0
) -> None:
    """Execute ``program`` for every column of the inputs, and fill the outputs.

    ``inputs`` and ``outputs`` are high and low words (rows, states); float64 has no low words and leaves them alone. ``block`` is
    the number of states per pass.
    """
    words = 2 if precision == "double-double" else 1
    states = inputs[0].shape[1]
    if words == 2 and not block and states <= FEW:
        _execute_in_waves(program, inputs, outputs)
        return
    block = block or max(1, min(BLOCK, MEMORY // (8 * words * max(1, program.registers))))
    registers = np.zeros((words, program.registers, min(block, states)))
    first = program.inputs
    for row, constants in zip(registers, program.constant_words, strict=False):
        row[first : first + len(constants)] = constants[:, None]
    code = [(Op(op), a, b, target) for op, a, b, target in program.code.tolist()]
    with np.errstate(all="ignore"):
        for start in range(0, states, block):
            stop = min(start + block, states)
            # The registers of a shorter last block are cut, so that unused columns cost nothing.
            used = registers[:, :, : stop - start]
            for row, values in zip(used, inputs, strict=False):
                row[:first] = values[:, start:stop]
            if words == 2:
                _run_pairs(code, used)
                high, low = canonical(ARITHMETIC, (used[0][program.outputs], used[1][program.outputs]))
                outputs[0][:, start:stop], outputs[1][:, start:stop] = high, low
            else:
                _run_words(code, used[0])
                outputs[0][:, start:stop] = canonical_word(ARITHMETIC, used[0][program.outputs])


def _execute_in_waves(program: Program, inputs: tuple[Array, Array], outputs: tuple[Array, Array]) -> None:
    """Execute ``program`` in double-double for a few states."""
    rows, waves, results = waves_of(program)
    states, first = inputs[0].shape[1], program.inputs
    block = max(1, min(states, MEMORY // (16 * max(1, rows))))
    values = np.empty((2, rows, block))
    with np.errstate(all="ignore"):
        for start in range(0, states, block):
            stop = min(start + block, states)
            high, low = values[:, :, : stop - start]
            for word, given, constants in zip((high, low), inputs, program.constant_words, strict=True):
                word[:first] = given[:, start:stop]
                word[first : first + len(constants)] = constants[:, None]
            for op, operands, begin, end in waves:
                made = DOUBLE_DOUBLE[op](ARITHMETIC, *((high[x], low[x]) for x in operands))
                high[begin:end], low[begin:end] = made
            outputs[0][:, start:stop], outputs[1][:, start:stop] = canonical(ARITHMETIC, (high[results], low[results]))


def _run_pairs(code: list[tuple[Op, int, int, int]], registers: Array) -> None:
    high, low = registers
    for op, a, b, target in code:
        operands = ((high[a], low[a]), (high[b], low[b])) if op in BINARY else ((high[a], low[a]),)
        high[target], low[target] = DOUBLE_DOUBLE[op](ARITHMETIC, *operands)


def _run_words(code: list[tuple[Op, int, int, int]], registers: Array) -> None:
    rows = list(registers)
    for op, a, b, target in code:
        operands = (rows[a], rows[b]) if op in BINARY else (rows[a],)
        if op in IN_PLACE:
            IN_PLACE[op](*operands, rows[target])
        else:
            rows[target][:] = FLOAT64[op](ARITHMETIC, *operands)


class Wave(NamedTuple):
    """One operation, the rows of its operands, and the rows of its results, which follow one another."""

    op: Op
    operands: tuple[Numbers, ...]
    start: int
    stop: int


class Waves(NamedTuple):
    """``rows`` values, of which the inputs and the constants are the first, the waves that make the others, and the outputs."""

    rows: int
    waves: list[Wave]
    outputs: Numbers


def waves_of(program: Program) -> Waves:
    """The same computation in waves."""
    first = program.inputs + len(program.constants)
    holds, level = list(range(program.registers)), [0] * first
    operands = []
    unary = [op not in BINARY for op in range(len(Op))]
    for n, (op, a, b, target) in enumerate(program.code.tolist(), first):
        x = holds[a]
        y = x if unary[op] else holds[b]
        operands.append((x, y))
        level.append(max(level[x], level[y]) + 1)
        holds[target] = n
    levels, ops = np.array(level[first:], np.intp), program.code[:, 0]
    order = np.lexsort((ops, levels))
    row = np.arange(first + len(order))
    row[first + order] = first + np.arange(len(order))
    sources = row[np.array(operands, np.intp).reshape(-1, 2)[order]].T
    levels, ops = levels[order], ops[order]
    borders = np.flatnonzero((np.diff(levels) != 0) | (np.diff(ops) != 0)) + 1
    waves = []
    for start, stop in pairwise([0, *borders.tolist(), len(order)]) if len(order) else ():
        op = Op(int(ops[start]))
        own = tuple(x[start:stop] for x in (sources if op in BINARY else sources[:1]))
        waves.append(Wave(op, own, first + start, first + stop))
    return Waves(len(row), waves, row[[holds[k] for k in program.outputs.tolist()]])
