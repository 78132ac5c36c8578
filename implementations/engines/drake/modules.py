"""The modules of ``pydrake`` that the adapter uses, imported when they are asked for."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from implementations.engines.installed import imported

_MODULES = (
    *("multibody.tree", "multibody.plant", "multibody.math", "multibody.parsing"),
    *("math", "common.eigen_geometry", "autodiffutils"),
)


@cache
def engine() -> Any:
    """All names of those modules in one namespace. Raises :class:`implementations.protocol.Missing` if Drake is not installed."""
    modules = [imported("Drake", "drake", f"pydrake.{module}") for module in _MODULES]
    names: dict[str, Any] = {"version": version("drake")}
    for module in modules:
        names |= vars(module)
    return SimpleNamespace(**names)
