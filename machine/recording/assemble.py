"""Makes a program of a recording: only what the outputs need, in the order of the instructions' places."""

from __future__ import annotations

from typing import Any

import numpy as np

from machine.allocate import allocate
from machine.program import Op, Program
from machine.recording.recording import Recording
from machine.recording.tape import CONSTANT, INPUT, References

Numbers = np.ndarray[Any, np.dtype[np.intp]]


def assemble(recording: Recording, outputs: References, inputs: int | None = None) -> Program:
    """The program that makes ``outputs`` (n) from the first ``inputs`` inputs of the recording, by default from all.

    Raises :class:`ValueError` if an output needs another input.
    """
    inputs = recording.inputs if inputs is None else inputs
    kept = np.flatnonzero(recording.needed(outputs))
    op, place = recording.op[kept], recording.place[kept]
    # From here on values are numbered in the order of ``kept``.
    number = np.zeros(recording.size, np.intp)
    number[kept] = np.arange(len(kept))
    made = np.flatnonzero(op >= 0)
    given, constants = np.flatnonzero(op == INPUT), np.flatnonzero(op == CONSTANT)
    a, b = recording.a[kept].astype(np.intp), recording.b[kept].astype(np.intp)
    if a[given].max(initial=-1) >= inputs:
        raise ValueError(f"an output needs input {a[given].max()}, and the program has {inputs}")
    exact = [recording.exact[k] for k in a[constants].tolist()]
    negated_root = op == Op.SQRT
    negated_root[made] &= b[made] == 1
    a[made], b[made] = number[a[made]], number[b[made]]
    b[op == Op.SQRT] = a[op == Op.SQRT]
    wanted = number[np.abs(outputs)]
    negative = turned(op, a, b, made, wanted, outputs < 0)

    # The negatives of values get the numbers that follow: constants, and instructions right behind the values.
    minus = np.unique(np.concatenate((wanted[negative], a[negated_root])))
    behind = np.zeros(len(kept), np.intp)
    behind[minus] = len(kept) + np.arange(len(minus))
    wanted = np.where(negative, behind[wanted], wanted)
    a[negated_root] = behind[a[negated_root]]
    is_constant = op[minus] == CONSTANT
    exact += [-recording.exact[k] for k in a[minus[is_constant]].tolist()]
    ops = np.concatenate((op, np.full(len(minus), Op.NEG, np.int8)))
    a, b = np.concatenate((a, minus)), np.concatenate((b, minus))
    made = np.concatenate((made, behind[minus[~is_constant]]))
    after = np.concatenate((np.arange(len(kept)), minus))
    places = np.concatenate((place, place[minus]))
    made = made[np.lexsort((made, after[made], places[made]))]

    index = np.zeros(len(ops), np.intp)
    index[given] = recording.a[kept[given]]
    index[constants] = inputs + np.arange(len(constants))
    index[behind[minus[is_constant]]] = inputs + len(constants) + np.arange(is_constant.sum())
    index[made] = inputs + len(exact) + np.arange(len(made))
    code = np.stack((ops[made], index[a[made]], index[b[made]]), 1)
    return allocate(inputs, code, exact, index[wanted])


def turned(op: Any, a: Numbers, b: Numbers, made: Numbers, outputs: Numbers, negative: Any) -> Any:
    """Exchange the operands of differences that are negated outputs and nothing else. Returns which outputs are still negated."""
    used = np.zeros(len(op), bool)
    used[a[made]] = used[b[made]] = used[outputs[~negative]] = True
    turn = negative & (op[outputs] == Op.SUB) & ~used[outputs]
    numbers = np.unique(outputs[turn])
    a[numbers], b[numbers] = b[numbers], a[numbers]
    return negative & ~turn
