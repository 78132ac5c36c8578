"""The states of a run in blocks, so that the memory of a run does not grow with their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, overload

import numpy as np

from cross_check.comparison import sampling
from cross_check.comparison.sampling import States
from mechanisms import Mechanism


class Block(NamedTuple):
    """``size`` states of a run from number ``first`` on. All are of one block of :mod:`cross_check.comparison.sampling`."""

    first: int
    size: int

    def draw(self, mechanism: Mechanism, seed: int) -> States:
        """The states. They depend on the seed, on the names of the mechanism's coordinates and on their numbers alone."""
        block, offset = divmod(self.first, sampling.BLOCK)
        if not offset:
            return sampling.sample(mechanism, seed, self.size, block)
        count = 2 ** math.ceil(math.log2(offset + self.size))
        return _begun(mechanism, seed, block, count).pick(np.arange(offset, offset + self.size))

    def pick(self, states: States) -> States:
        """Its part of all states of a run."""
        return states.pick(np.arange(self.first, self.first + self.size))


@lru_cache(maxsize=1)
def _begun(mechanism: Mechanism, seed: int, block: int, count: int) -> States:
    """The first states of a block of :mod:`cross_check.comparison.sampling`, for several blocks of a run."""
    return sampling.sample(mechanism, seed, min(count, sampling.BLOCK), block)


class Blocks(Sequence[Block]):
    """``states`` states in blocks of ``size``, made when they are asked for."""

    def __init__(self, states: int, size: int) -> None:
        self.states, self.size = states, size

    def __len__(self) -> int:
        return -(-self.states // self.size)

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...

    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        first = range(0, self.states, self.size)[index]
        return Block(first, min(self.size, self.states - first))
