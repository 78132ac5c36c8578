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
    """A program, the ``shape`` of the function's result for one state, and which output of the program each component is.

    A component that is zero for every state has −1 in ``rows``.
    """

    program: Program
    shape: tuple[int, ...]
    rows: np.ndarray[Any, np.dtype[np.intp]]

    def __call__(self, *arguments: Array, precision: Precision = "double-double", **options: Any) -> tuple[Array, Array]:
        """High and low words of the results (states, *shape) at batch-first arguments; float64 has low words of zero.

        The ``options`` are those of :func:`machine.run.run`, which says more.
        """
        columns = [x.reshape(len(x), math.prod(x.shape[1:])).T for x in arguments]
        high, low = run(self.program, np.concatenate(columns), precision, **options)
        return self._result(high), self._result(low)

    def _result(self, outputs: Array) -> Array:
        if len(outputs) < len(self.rows):
            rows = np.zeros((len(self.rows), outputs.shape[1]))
            # Memory that stays zero is not touched.
            rows[self.rows >= 0] = outputs[self.rows[self.rows >= 0]]
            outputs = rows
        return np.moveaxis(outputs.reshape(*self.shape, -1), -1, 0)


def record(function: Callable[..., Values], shapes: Sequence[tuple[int, ...]]) -> RecordedFunction:
    """Record ``function(recording, *arguments)`` for arguments of these shapes, each an array of new inputs."""
    recording = Recording()
    result = function(recording, *(new_inputs(recording, *shape) for shape in shapes))
    outputs = result.references.ravel()
    # The two halves of a symmetric matrix are computed once.
    distinct, inverse = np.unique(outputs[outputs != 0], return_inverse=True)
    rows = np.full(len(outputs), -1)
    rows[outputs != 0] = inverse
    if len(distinct) == len(outputs):
        distinct, rows = outputs, np.arange(len(outputs))
    return RecordedFunction(assemble(recording, distinct), result.shape, rows)
