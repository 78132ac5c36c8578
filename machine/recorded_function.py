"""Functions of arrays that are recorded once and then executed on batches of states."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from machine.assemble import assemble
from machine.instructions import Precision
from machine.program import Program
from machine.recording import Recording
from machine.run import run
from machine.values import Values, new_inputs

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class RecordedFunction:
    """A program, and the ``shape`` of the function's result for one state."""

    program: Program
    shape: tuple[int, ...]

    def __call__(self, *arguments: Array, precision: Precision = "double-double", threads: int = 1) -> tuple[Array, Array]:
        """High and low words of the results (states, *shape) at batch-first arguments; float64 has low words of zero.

        :func:`machine.run.run` says more.
        """
        columns = [x.reshape(len(x), math.prod(x.shape[1:])).T for x in arguments]
        high, low = run(self.program, np.concatenate(columns), precision, threads=threads)
        return tuple(np.moveaxis(words.reshape(*self.shape, -1), -1, 0) for words in (high, low))  # type: ignore[return-value]


def record(function: Callable[..., Values], shapes: Sequence[tuple[int, ...]]) -> RecordedFunction:
    """Record ``function(recording, *arguments)`` for arguments of these shapes, each an array of new inputs."""
    recording = Recording()
    result = function(recording, *(new_inputs(recording, *shape) for shape in shapes))
    return RecordedFunction(assemble(recording, result.references.ravel()), result.shape)
