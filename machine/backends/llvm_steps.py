"""What the interpreter executes: a program's code, in which some instructions are joined.

Every instruction takes a call, and its operands and results go through memory. So instructions that belong together are one step:

- a cosine and a sine of one angle, one after the other, which have most of their work in common;
- a product and the sum or difference that alone needs it.

The results have the same bits, because a joined step rounds as often as its parts. A step is an operation, the registers a and b,
the target, and the register c.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from machine.program import BINARY, Op, Program, Words

Numbers = np.ndarray[Any, Any]
"""Whole numbers: registers, or places in the code."""

BOTH = len(Op)
"""The cosine of a goes into the target, the sine into b."""

PRODUCTS = {"ab + c": BOTH + 1, "c + ab": BOTH + 2, "ab - c": BOTH + 3, "c - ab": BOTH + 4}
"""Sums and differences with the product of a and b, in both orders."""

JOINED = len(Op) + 1 + len(PRODUCTS)
"""The number of operations."""

_STEPS: WeakKeyDictionary[Program, Words] = WeakKeyDictionary()


def steps_of(program: Program) -> Words:
    """int32 (steps, 5). They are kept as long as the program."""
    if program not in _STEPS:
        _STEPS[program] = with_turns(with_products(program))
    return _STEPS[program]


def with_turns(steps: Words) -> Words:
    """The same steps, with one for a cosine and a sine of the same angle that follow one another."""
    op, a, target = steps[:, 0], steps[:, 1], steps[:, 3]
    first, second = slice(None, -1), slice(1, None)
    pair = np.zeros(len(steps), bool)
    pair[first] = (
        (np.minimum(op[first], op[second]) == Op.COS)
        & (np.maximum(op[first], op[second]) == Op.SIN)
        & (a[first] == a[second])
        & (target[first] != a[first])
        & (target[first] != target[second])
    )
    # Of several in a row, every other one begins a pair.
    place = np.arange(len(steps))
    since = place - np.maximum.accumulate(np.where(pair, 0, place + 1))
    at = np.flatnonzero(pair & (since % 2 == 0))
    cosine, sine = at + (op[at] == Op.SIN), at + (op[at] == Op.COS)
    joined = steps.copy()
    joined[at, 0], joined[at, 2], joined[at, 3] = BOTH, target[sine], target[cosine]
    return np.delete(joined, at + 1, axis=0)


def with_products(program: Program) -> Words:
    """The code as steps, in which products are parts of the sums that need them."""
    op, a, b, target = program.code.T
    count = len(op)
    steps = np.column_stack((program.code, np.zeros(count, np.int32)))
    # One number for a register and a time: the instructions in the order of the registers that they write.
    order = np.lexsort((np.arange(count), target))
    written = target[order] * np.int64(count + 1) + order

    def writer(register: Numbers, time: Numbers) -> Numbers:
        """The last instruction before a time that writes a register, or −1."""
        k = np.searchsorted(written, register * np.int64(count + 1) + time) - 1
        return np.where((k >= 0) & (target[order[k]] == register), order[k], -1) if count else np.zeros(0, np.int64)

    def overwritten(register: Numbers, after: Numbers) -> Numbers:
        """The first instruction after another one that writes a register, or one that is later than all."""
        k = np.searchsorted(written, register * np.int64(count + 1) + after, side="right")
        inside = np.minimum(k, count - 1)
        return np.where((k < count) & (target[order[inside]] == register), order[inside], count)

    now = np.arange(count)
    makers = [writer(a, now), np.where(np.isin(op, BINARY), writer(b, now), -1)]
    finals = writer(program.outputs, np.full(len(program.outputs), count))
    uses = np.bincount(np.concatenate((*makers, finals)) + 1, minlength=count + 1)[1:]
    gone = np.zeros(count, bool)
    for operand, names in ((1, ("c + ab", "c - ab")), (0, ("ab + c", "ab - c"))):
        maker = makers[operand]
        sums = np.flatnonzero(((op == Op.ADD) | (op == Op.SUB)) & (maker >= 0) & (steps[:, 0] == op))
        made = maker[sums]
        alone = (op[made] == Op.MUL) & (uses[made] == 1)
        sums, made = sums[alone], made[alone]
        there = (overwritten(a[made], made) >= sums) & (overwritten(b[made], made) >= sums)
        sums, made = sums[there], made[there]
        steps[sums, 4] = (a, b)[1 - operand][sums]
        steps[sums, 1], steps[sums, 2] = a[made], b[made]
        steps[sums, 0] = np.where(op[sums] == Op.ADD, PRODUCTS[names[0]], PRODUCTS[names[1]])
        gone[made] = True
    return steps[~gone]
