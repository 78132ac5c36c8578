"""Programs in waves: all instructions of one operation whose operands are there are executed together.

An instruction takes NumPy a few dozen calls, whose cost does not depend on the number of states as long as they are few. So few
states take as long as many, unless several instructions share the calls. Results have the same bits in every order, because an
instruction of one state never sees another. Every value has a row of its own, so that no register is reused.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from machine.program import BINARY, Op, Program

Numbers = np.ndarray[Any, np.dtype[np.intp]]


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
