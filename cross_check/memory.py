"""Results that are kept, so that every implementation of a mechanism is compared with the same arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Remembered:
    """``function`` of names and arrays, evaluated once for equal arguments. Its results are arrays that cannot be written."""

    def __init__(self, function: Callable[..., Array]) -> None:
        self._function = function
        self._results: dict[tuple[Any, ...], Array] = {}

    def __call__(self, *arguments: Any) -> Array:
        key = tuple(x if isinstance(x, str) else x.tobytes() for x in arguments)
        if key not in self._results:
            # Batch first in memory too, as the answers are that are compared with it.
            self._results[key] = np.ascontiguousarray(self._function(*arguments))
            self._results[key].setflags(write=False)
        return self._results[key]
