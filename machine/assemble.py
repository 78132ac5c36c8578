"""Makes a program of a recording: only what the outputs need, equal instructions once, in the order of their places."""

from __future__ import annotations

from copy import copy
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from machine.allocate import allocate
from machine.program import Op, Program
from machine.recording import CONSTANT, INPUT, Recording, References, canonical

KINDS = (Op.ADD, Op.MUL, Op.DIV, Op.SQRT, Op.COS, Op.SIN)
"""The kinds of instructions on a tape; differences count as sums."""


def assemble(recording: Recording, outputs: References, inputs: int | None = None) -> Program:
    """The program that makes ``outputs`` (n) from the first ``inputs`` inputs of the recording, by default from all.

    Raises :class:`ValueError` if an output needs another input.
    """
    part, outputs = needed_part(recording, outputs)
    given = part.a[: part.size][part.op[: part.size] == INPUT]
    part.inputs = recording.inputs if inputs is None else inputs
    if given.max(initial=-1) >= part.inputs:
        raise ValueError(f"an output needs input {given.max()}, and the program has {part.inputs}")
    tape = Tape(part)
    return tape.program(tape.turn(tape.share()[np.abs(outputs)] * np.sign(outputs)))


def needed_part(recording: Recording, outputs: References) -> tuple[Recording, References]:
    """A recording of what ``outputs`` need and nothing else, and the references to them there.

    The order of values stays, so that the work on a small part of a long recording is small.
    """
    needed = np.zeros(recording.size, bool)
    needed[:2] = True  # Zero and one keep their numbers.
    found = np.unique(np.abs(outputs))
    while found.size:
        needed[found] = True
        made = found[recording.op[found] >= 0]
        found = np.unique(np.concatenate((recording.a[made], recording.b[made])))
        found = found[~needed[found]]
    kept = np.flatnonzero(needed)
    new = np.cumsum(needed, dtype=np.int32) - 1
    part = copy(recording)
    part.size = len(kept)
    for name in ("op", "a", "b", "level", "place"):
        setattr(part, name, getattr(recording, name)[kept])
    made = part.op >= 0
    part.a[made], part.b[made] = new[part.a[made]], new[part.b[made]]
    return part, new[np.abs(outputs)] * np.sign(outputs)


class Tape:
    """A copy of a recording's instructions, sorted by levels; at one level in the order of the program."""

    def __init__(self, recording: Recording) -> None:
        size = recording.size
        self.recording = recording
        self.op = recording.op[:size].copy()
        self.a, self.b, self.place = (x[:size].copy() for x in (recording.a, recording.b, recording.place))
        level = recording.level[:size]
        order = np.lexsort((self.place, level))
        borders = np.searchsorted(level[order], np.arange(1, level.max(initial=0) + 2))
        self.levels = [order[start:stop] for start, stop in pairwise(borders)]

    def keep_needed(self, outputs: References) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Drop the instructions that no output needs. Returns for every value whether it is needed."""
        needed = np.zeros(len(self.op), bool)
        needed[np.abs(outputs)] = True
        for k in reversed(range(len(self.levels))):
            self.levels[k] = level = self.levels[k][needed[self.levels[k]]]
            needed[self.a[level]] = True
            needed[self.b[level]] = True
        return needed

    def share(self) -> References:
        """Let the first of several equal instructions stand for all. Returns a reference to what stands for every value."""
        same = np.arange(len(self.op), dtype=np.int32)
        for level in self.levels:
            ops = self.op[level]
            for kind in KINDS:
                part = level[(ops == kind) | (ops == Op.SUB)] if kind == Op.ADD else level[ops == kind]
                if not part.size:
                    continue
                a, b = same[self.a[part]], same[self.b[part]]
                if kind == Op.ADD:
                    b = np.where(self.op[part] == Op.SUB, -b, b)
                elif kind == Op.SQRT:
                    a = np.where(self.b[part], -a, a)
                op, x, y, negative = canonical(kind, a, b)
                keys = (x.astype(np.int64) << 32 | y) << 1 | (op == Op.SUB)
                _, first, which = np.unique(keys, return_index=True, return_inverse=True)
                kept = part[first]
                self.op[kept], self.a[kept], self.b[kept] = np.broadcast_to(op, part.shape)[first], x[first], y[first]
                same[part] = np.where(negative, -1, 1) * kept[which]
        return same

    def turn(self, outputs: References) -> References:
        """Exchange the operands of differences that are negated outputs and nothing else. Returns the outputs."""
        needed = self.keep_needed(outputs)
        made = np.concatenate([*self.levels, np.empty(0, np.int64)])
        needed[:] = False
        needed[self.a[made]] = needed[self.b[made]] = needed[outputs[outputs > 0]] = True
        turned = ~needed & (self.op == Op.SUB)
        turned = turned[np.abs(outputs)] & (outputs < 0)
        numbers = np.unique(-outputs[turned])
        self.a[numbers], self.b[numbers] = self.b[numbers], self.a[numbers]
        return np.where(turned, -outputs, outputs)

    def program(self, outputs: References) -> Program:
        """The program for ``outputs``, with references to what stands for them."""
        needed = self.keep_needed(outputs)
        made = np.concatenate([*self.levels, np.empty(0, np.int64)])
        roots = made[(self.op[made] == Op.SQRT) & (self.b[made] == 1)]
        negated = np.unique(np.concatenate((-outputs[outputs < 0], self.a[roots])))
        behind = np.concatenate((np.arange(len(self.op)), negated))
        minus = np.zeros(len(self.op), np.int64)
        minus[negated] = np.arange(len(self.op), len(behind))
        exact = self.append_negatives(negated)
        self.a[roots] = minus[self.a[roots]]
        outputs = np.where(outputs < 0, minus[np.abs(outputs)], outputs)

        constants = np.flatnonzero(np.concatenate((needed, np.ones(len(negated), bool))) & (self.op == CONSTANT))
        made = np.concatenate((made, minus[negated][self.op[minus[negated]] == Op.NEG]))
        made = made[np.lexsort((made, behind[made], self.place[made]))]
        given, inputs = np.flatnonzero(self.op == INPUT), self.recording.inputs
        index = np.zeros(len(self.op), np.int64)
        index[given] = self.a[given]
        index[constants] = inputs + np.arange(len(constants))
        index[made] = inputs + len(constants) + np.arange(len(made))
        code = np.stack((self.op[made], index[self.a[made]], index[self.b[made]]), 1)
        return allocate(inputs, code, [exact[k] for k in self.a[constants]], index[outputs])

    def append_negatives(self, numbers: Any) -> list[Fraction]:
        """Append the negatives of values: constants, or instructions at the values' places. Returns all exact constants."""
        constant = self.op[numbers] == CONSTANT
        exact = [*self.recording.exact, *(-self.recording.exact[k] for k in self.a[numbers[constant]])]
        operands = numbers.astype(np.int32)
        operands[constant] = np.arange(len(self.recording.exact), len(exact))
        self.op = np.concatenate((self.op, np.where(constant, CONSTANT, Op.NEG).astype(np.int8)))
        self.a, self.b = np.concatenate((self.a, operands)), np.concatenate((self.b, operands))
        self.place = np.concatenate((self.place, self.place[numbers]))
        return exact
