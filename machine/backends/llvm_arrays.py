"""The memory that compiled code reads and writes: arrays of the caller, and registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import local
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

KEPT = 2**23
"""Registers of so many bytes or fewer are kept for the next run of a thread: memory that is new is slow."""


def fits(x: Array) -> bool:
    """Whether compiled code can read an array (rows, states)."""
    if x.dtype != np.float64 or x.ndim != 2 or not x.flags.aligned:
        return False
    (rows, states), (by_component, by_state) = x.shape, x.strides
    one_follows = by_component == 8 or by_state == 8 or rows < 2 or states < 2
    return one_follows and not (by_component % 8 or by_state % 8)


def can_be_written(x: Array) -> bool:
    """Whether the numbers of a state follow one another, in memory that may be written."""
    return x.flags.writeable and (min(x.shape) < 1 or len(x) < 2 or x.strides[0] == 8)


def streams_of(inputs: Sequence[tuple[Array, Array | None]], words: int, zeros: Array) -> Iterator[tuple[int, ...]]:
    """What the interpreter reads (:mod:`machine.backends.llvm_interpreter`)."""
    first = 0
    for part in inputs:
        n, states = part[0].shape
        for word, x in enumerate(part[:words]):
            if x is None:
                yield zeros.ctypes.data, n, 0, 1, words * first + word
            else:
                by_component, by_state = (stride // 8 for stride in x.strides)
                # With one state, the distance between states means nothing.
                yield x.ctypes.data, n, by_state if states > 1 else 1, by_component, words * first + word
        first += n


_LOCAL = local()


def scratch(count: int) -> Array:
    """So many float64 numbers, whatever they are, that begin at a multiple of 64 bytes. A thread gets the same ones again."""
    if 8 * count > KEPT:
        return aligned(count)
    if len(getattr(_LOCAL, "memory", ())) < count:
        _LOCAL.memory = aligned(count)
    memory: Array = _LOCAL.memory[:count]
    return memory


def aligned(count: int) -> Array:
    """Zeros that begin at a multiple of 64 bytes."""
    memory = np.zeros(count + 8)
    offset = -memory.ctypes.data % 64 // 8
    return memory[offset : offset + count]
