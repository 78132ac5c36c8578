"""Dynamics with some quantities replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from implementations.protocol import Dynamics


class Repaired:
    """Dynamics in which the given ``methods`` replace those of the same names."""

    def __init__(self, dynamics: Dynamics, **methods: Callable[..., Any]) -> None:
        self._dynamics = dynamics
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        return self._methods[name] if name in self._methods else getattr(self._dynamics, name)
