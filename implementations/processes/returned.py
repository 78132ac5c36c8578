"""Notices when an array that code returned earlier changes, because the code uses it again."""

from __future__ import annotations

from collections import deque

import numpy as np

from implementations.protocol import Array

WATCHED = 4096
"""Arrays with more numbers than this are not watched: copies of them would cost time and memory."""


class ReturnedArrays:
    """The last few arrays that code returned, unless they are large."""

    def __init__(self) -> None:
        self._kept: deque[tuple[str, Array, Array]] = deque(maxlen=4)

    def keep(self, quantity: str, returned: object, given: tuple[Array, ...]) -> None:
        """Watch what was returned for ``quantity``. A part of the arguments that were ``given`` is not watched."""
        if not isinstance(returned, np.ndarray) or returned.dtype.kind not in "buif" or returned.size > WATCHED:
            return
        if not any(np.may_share_memory(returned, argument) for argument in given):
            self._kept.append((quantity, returned, returned.copy()))

    def changed(self) -> str:
        """The quantity of an array that has changed, or nothing. What has changed is not watched any longer."""
        for quantity, returned, copy in self._kept:
            if not np.array_equal(returned, copy, equal_nan=True):
                self._kept.clear()
                return quantity
        return ""
