"""Functions of arrays that are recorded once and then executed on batches of states."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from machine.instructions import Precision
from machine.program import Program, Words
from machine.recording.assemble import assemble
from machine.recording.recording import Recording
from machine.recording.values import Values, new_inputs
from machine.run import run_batch

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class RecordedFunction:
    """A program, the ``shape`` of the function's result for one state, and which output of the program each component is.

    A component that is zero for every state has −1 in ``rows``.
    """

    program: Program
    shape: tuple[int, ...]
    rows: np.ndarray[Any, np.dtype[np.intp]]

    def __call__(
        self, *arguments: Array | tuple[Array, Array], precision: Precision = "double-double", **options: Any
    ) -> tuple[Array, Array]:
        """High and low words of the results (states, *shape) at batch-first arguments; float64 has low words of zero.

        An argument is an array of float64, or a pair of such arrays, whose sum is meant. The
        ``options`` are those of :func:`machine.run.run_batch`, which says more. Results are contiguous, and low words of zero
        read-only.
        """
        columns = [tuple(map(_columns, x)) if isinstance(x, tuple) else _columns(x) for x in arguments]
        results = run_batch(self.program, columns, self.numbers, precision, **options)
        high, low = (x.reshape(len(x), *self.shape) for x in results)
        return high, low

    @cached_property
    def numbers(self) -> Words:
        """The register of each component; zeros are in the one after the last."""
        program = self.program
        return np.append(program.outputs, np.int32(program.registers))[self.rows]


def record(function: Callable[..., Values], shapes: Sequence[tuple[int, ...]]) -> RecordedFunction:
    """Record ``function(recording, *arguments)`` for arguments of these shapes, each an array of new inputs."""
    recording = Recording()
    return function_of(function(recording, *(new_inputs(recording, *shape) for shape in shapes)), recording.inputs)


def function_of(result: Values, inputs: int) -> RecordedFunction:
    """The function of the first ``inputs`` inputs of a recording that gives this result, which depends on no others.

    Several functions may share one recording. The bits of their results do not depend on what else was recorded.
    """
    recording, outputs = result.recording, result.references.ravel()
    # The two halves of a symmetric matrix are computed once.
    distinct, inverse = np.unique(outputs[outputs != 0], return_inverse=True)
    rows = np.full(len(outputs), -1)
    rows[outputs != 0] = inverse
    if len(distinct) == len(outputs):
        distinct, rows = outputs, np.arange(len(outputs))
    return RecordedFunction(assemble(recording, distinct, inputs), result.shape, rows)


def _columns(x: Array) -> Array:
    return x.reshape(len(x), math.prod(x.shape[1:])).T
