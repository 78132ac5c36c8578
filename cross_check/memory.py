"""Results that are kept, so that every implementation of a mechanism is compared with the same arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

KEPT = "_kept_results"
"""The attribute of an object that has the results of its remembered methods."""


def remembered(method: Callable[..., Array]) -> Callable[..., Array]:
    """A method of names and arrays, evaluated once for equal arguments. Its results are arrays that cannot be written.

    They are released with the object. :func:`forget` releases them before.
    """

    @wraps(method)
    def once(self: Any, *arguments: Any) -> Array:
        results = self.__dict__.setdefault(KEPT, {})
        key = (method.__name__, *(x if isinstance(x, str) else x.tobytes() for x in arguments))
        if key not in results:
            # Batch first in memory too, as the answers are that are compared with it.
            results[key] = np.ascontiguousarray(method(self, *arguments))
            results[key].setflags(write=False)
        return results[key]

    return once


def forget(instance: Any) -> None:
    """Release what the remembered methods of ``instance`` have kept."""
    instance.__dict__[KEPT] = {}
