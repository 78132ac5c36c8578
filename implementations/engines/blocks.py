"""States in blocks of one size, for programs that are compiled for every size of a batch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from implementations.protocol import Array
from implementations.state_by_state import OfState, StateByState

BLOCK = 64
"""How many states are asked at once."""


def blocks_of(batches: Sequence[Array]) -> Iterator[list[Array]]:
    """``batches``, each (batch, n) of one state or more, as arrays (BLOCK, n); the last state fills the last block up."""
    for start in range(0, len(batches[0]), BLOCK):
        parts = [x[start : start + BLOCK] for x in batches]
        yield [np.concatenate([x, np.repeat(x[-1:], BLOCK - len(x), axis=0)]) for x in parts]


class BlockByBlock(StateByState):
    """The quantities of ``calls``, each of which answers for BLOCK states at once: (BLOCK, …) of arrays (BLOCK, n)."""

    def _of_batches(self, name: str) -> OfState:
        return partial(self._joined, getattr(self._calls, name))

    @staticmethod
    def _joined(ask: OfState, shape: tuple[int, ...], *batches: Array) -> Array:
        if not len(batches[0]):
            return np.empty((0, *shape))
        answers = [np.asarray(ask(*given)).reshape(BLOCK, *shape) for given in blocks_of(batches)]
        return np.concatenate(answers)[: len(batches[0])]


class InJAX:
    """An engine that computes in JAX, with JAX's own default of the precision."""

    @property
    def precision(self) -> str:
        """That in which JAX computes, by its own variable of the environment."""
        is_double = os.environ.get("JAX_ENABLE_X64", "").lower() in ("y", "yes", "t", "true", "on", "1")
        return "float64" if is_double else "float32"
