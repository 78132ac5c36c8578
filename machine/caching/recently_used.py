"""What was made last, such as programs, cached in memory up to a number of instructions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, Protocol, TypeVar

LIMIT = 2**22
"""Instructions: 64 MiB of code."""


class Sized(Protocol):
    """What can be cached."""

    @property
    def instructions(self) -> int:
        """How many it has now; it may get more while it is cached."""


T = TypeVar("T", bound=Sized)


class RecentlyUsed(Generic[T]):
    """The things that were asked for last, by their keys. All but the last one are released where they exceed ``limit``."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit, self._things, self._lock = limit, OrderedDict[Hashable, T](), RLock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made for this key, or else what ``make`` makes."""
        with self._lock:
            if key not in self._things:
                self._things[key] = make()
            self._things.move_to_end(key)
            while len(self._things) > 1 and sum(thing.instructions for thing in self._things.values()) > self._limit:
                self._things.popitem(last=False)
            return self._things[key]
