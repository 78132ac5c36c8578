"""Hashes that are computed once: keys of caches are looked up far more often than they are made."""

from __future__ import annotations

from typing import Any, TypeVar

KEPT = "_kept_hash"

T = TypeVar("T")


def hashed_once(frozen: type[T]) -> type[T]:
    """The frozen dataclass, with instances that keep their hash. It is not pickled: another process hashes strings otherwise."""
    changed: Any = frozen
    compute = changed.__hash__

    def kept(self: Any) -> int:
        if KEPT not in self.__dict__:
            self.__dict__[KEPT] = compute(self)
        found: int = self.__dict__[KEPT]
        return found

    def pickled(self: Any) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != KEPT}

    changed.__hash__, changed.__getstate__ = kept, pickled
    return frozen
