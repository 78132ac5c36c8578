"""Evaluates functions of one state on batches. Engines and users' functions take one state, the protocol asks for batches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from implementations.protocol import Array


def for_each_state(answer: Callable[..., ArrayLike], shape: tuple[int, ...], *batches: Array) -> Array:
    """``answer`` evaluated at every state. Row k of ``batches``, each (batch, n), gives entry k of the result (batch, *shape)."""
    states = [np.ascontiguousarray(batch, dtype=np.float64) for batch in batches]
    out = np.empty((len(states[0]), *shape))
    for k, state in enumerate(zip(*states, strict=True)):
        out[k] = answer(*state)
    return out
