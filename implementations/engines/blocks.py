"""Batches of any length for engines that compile a program for every length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from implementations.protocol import Array

BLOCK = 64
"""How many states are asked at once."""


def in_blocks(ask: Callable[..., Mapping[str, Any]], neutral: Array, q: Array, *others: Array) -> dict[str, Array]:
    """What ``ask`` answers about states of a batch, each (batch, …), where it answers about :data:`BLOCK` states at once.

    It is asked about q (batch, nq) and the ``others`` (batch, n). Where there are too few states for the last block, positions
    are ``neutral`` (nq,) and all others zero.
    """
    blocks = []
    for start in range(0, max(len(q), 1), BLOCK):
        given = [_filled(x[start : start + BLOCK]) for x in (q, *others)]
        given[0][len(q) - start :] = neutral
        blocks.append(ask(*given))
    return {name: np.concatenate([np.asarray(one[name]) for one in blocks])[: len(q)] for name in blocks[0]}


def _filled(x: Array) -> Array:
    whole = np.zeros((BLOCK, x.shape[1]), x.dtype)
    whole[: len(x)] = x
    return whole
