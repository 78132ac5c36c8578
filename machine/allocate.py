"""Makes a program from code in single assignment: drops what no output needs, and assigns registers.

In single assignment every instruction makes a new value. Values are numbered: first the inputs, then the constants, then what the
instructions make, in order. A register is free again as soon as the last reader of its value ran; that reader may write its own
result there. The register that became free last is taken first, because it is still in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from machine.compiling.routines import Record, routines
from machine.compiling.translate import Ints
from machine.program import BINARY, Program, words

NEVER = -1
"""The last reader of a value that nothing reads."""


def allocate(inputs: int, code: Any, constants: Sequence[Fraction], outputs: Any) -> Program:
    """The program for code in single assignment.

    - ``code``: whole numbers (instructions, 3): :class:`~machine.program.Op`, first operand, second operand, as numbers of
      values. An operation with one operand ignores the second number.
    - ``outputs``: numbers of values (outputs); a value may be named twice, and inputs and constants may be outputs.

    Raises :class:`ValueError` if an operand or an output is a value that does not exist, or not yet.
    """
    if inputs < 0:
        raise ValueError(f"there cannot be {inputs} inputs")
    code, outputs = words(code, "code", 3), words(outputs, "outputs")
    first = inputs + len(constants)
    # An operation with one operand reads it twice here, which changes nothing.
    code = np.where((np.arange(3) == 2) & ~np.isin(code[:, :1], BINARY), code[:, 1:2], code)
    made = first + np.arange(len(code))
    late = (code[:, 1:] >= made[:, None]).any(axis=1)
    if late.any():
        raise ValueError(f"instruction {int(np.argmax(late))} reads a value that is not made before it")
    if outputs.size and outputs.max() >= first + len(code):
        raise ValueError(f"an output is a value that does not exist: there are {first + len(code)}")
    values = first + len(code)
    last = np.full(values, NEVER, np.int32)
    last[outputs] = len(code)
    work = Work(code=np.ascontiguousarray(code, np.int32).ravel(), last=last)
    find, place = routines(last_readers, assign)
    find(work, len(code), first)
    used = last[inputs:first] != NEVER
    places = np.zeros(values, np.int32)
    places[:inputs] = np.arange(inputs)
    places[inputs:first] = inputs + np.cumsum(used) - 1
    unread = np.flatnonzero(last[:inputs] == NEVER)
    counts = np.array([len(unread), inputs + int(used.sum()), 0], np.int32)
    # No more registers can be free than there are.
    free = np.zeros(counts[REGISTERS] + len(code), np.int32)
    free[: len(unread)] = unread
    result = np.empty((len(code), 4), np.int32)
    work.give(places=places, free=free, counts=counts, result=result.ravel())
    place(work, len(code), inputs, first)
    kept = [x for x, needed in zip(constants, used, strict=True) if needed]
    return Program(inputs, result[: counts[KEPT]], tuple(kept), places[outputs], int(counts[REGISTERS]))


class Work(Record):
    """What the loops read and write.

    - ``code``: the instructions, three numbers each; ``result``: those that are needed, with registers, four numbers each.
    - ``last``: for every value the last instruction that reads it and is needed; the number of instructions for outputs.
    - ``places``: for every value its register; ``free``: registers that are free, the last one first.
    - ``counts``: how many registers are free, how many there are, and how many instructions are needed.
    """

    code: Ints
    last: Ints
    places: Ints
    free: Ints
    counts: Ints
    result: Ints


FREE, REGISTERS, KEPT = 0, 1, 2
"""The places in ``counts``."""


def last_readers(work: Work, instructions: int, first: int) -> None:
    """Complete ``last``, in which the outputs are marked."""
    code, last = work.code, work.last
    for n in range(instructions - 1, -1, -1):
        if last[first + n] != NEVER:
            for operand in (1, 2):
                x = code[3 * n + operand]
                if last[x] == NEVER:
                    last[x] = n


def assign(work: Work, instructions: int, inputs: int, first: int) -> None:
    """Write ``result`` and ``places``; inputs and constants have their registers."""
    code, last, places, free, counts, result = work.code, work.last, work.places, work.free, work.counts, work.result
    for n in range(instructions):
        if last[first + n] != NEVER:
            a, b = code[3 * n + 1], code[3 * n + 2]
            # A constant keeps its register, because it is there for the next block of states, too.
            if last[a] == n and not inputs <= a < first:
                free[counts[FREE]] = places[a]
                counts[FREE] += 1
            if last[b] == n and b != a and not inputs <= b < first:
                free[counts[FREE]] = places[b]
                counts[FREE] += 1
            if counts[FREE] > 0:
                counts[FREE] -= 1
                target = free[counts[FREE]]
            else:
                target = counts[REGISTERS]
                counts[REGISTERS] += 1
            places[first + n] = target
            to = 4 * counts[KEPT]
            result[to], result[to + 1], result[to + 2], result[to + 3] = code[3 * n], places[a], places[b], target
            counts[KEPT] += 1
