"""Makes a program from code in single assignment: drops what no output needs, and assigns registers.

In single assignment every instruction makes a new value. Values are numbered: first the inputs, then the constants, then what the
instructions make, in order. A register is free again as soon as the last reader of its value ran; that reader may write its own
result there. The register that became free last is taken first, because it is still in the cache.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from machine.backends import llvm_allocate
from machine.backends.llvm_target import works
from machine.program import BINARY, Program, Words, words

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
    loops: Any = llvm_allocate if works() else sys.modules[__name__]
    last = loops.last_readers(first, code, outputs)
    used = last[inputs:first] != NEVER
    place = np.zeros(first, np.int32)
    place[:inputs] = np.arange(inputs)
    place[inputs:] = inputs + np.cumsum(used) - 1
    program, registers, places = loops.assign(inputs, code, last, place, inputs + int(used.sum()))
    kept = [x for x, needed in zip(constants, used, strict=True) if needed]
    return Program(inputs, program, tuple(kept), places[outputs], registers)


def last_readers(first: int, code: Words, outputs: np.ndarray[Any, Any]) -> Words:
    """For every value the last instruction that reads it and is needed; the number of instructions for outputs."""
    last = [NEVER] * (first + len(code))
    for x in outputs.tolist():
        last[x] = len(code)
    for n, (_, a, b) in zip(range(len(code) - 1, -1, -1), reversed(code.tolist()), strict=True):
        if last[first + n] != NEVER:
            if last[a] == NEVER:
                last[a] = n
            if last[b] == NEVER:
                last[b] = n
    return np.array(last, np.int32)


def assign(inputs: int, code: Words, last: Words, place: Words, registers: int) -> tuple[Words, int, Words]:
    """The needed instructions with registers, the number of registers, and the register of every value."""
    first = len(place)
    places, lasts = place.tolist() + [0] * len(code), last.tolist()
    free = [x for x in range(inputs) if lasts[x] == NEVER]
    result = []
    for n, (op, a, b) in enumerate(code.tolist()):
        if lasts[first + n] == NEVER:
            continue
        # A constant keeps its register, because it is there for the next block of states, too.
        if lasts[a] == n and not inputs <= a < first:
            free.append(places[a])
        if lasts[b] == n and b != a and not inputs <= b < first:
            free.append(places[b])
        if free:
            target = free.pop()
        else:
            target = registers
            registers += 1
        places[first + n] = target
        result.append((op, places[a], places[b], target))
    return np.array(result, np.int32).reshape(-1, 4), registers, np.array(places, np.int32)
