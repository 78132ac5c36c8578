"""The modules of ``pydrake`` that the adapter uses, imported when they are asked for."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from implementations.protocol import Missing

_MODULES = {
    "multibody": ("multibody.tree", "multibody.plant", "multibody.math", "multibody.parsing"),
    "math": ("math", "common.eigen_geometry", "autodiffutils"),
}


def engine() -> Any:
    """All names of those modules in one namespace. Raises :class:`Missing` if Drake is not installed."""
    try:
        return _imported()
    except ImportError:
        # A folder called pydrake beside the user's files imports too, as an empty package.
        raise Missing('Drake is not installed; pip install "dalembert[drake]"') from None


@cache
def _imported() -> SimpleNamespace:
    names: dict[str, Any] = {"version": version("drake")}
    for module in sum(_MODULES.values(), ()):
        names |= vars(importlib.import_module(f"pydrake.{module}"))
    return SimpleNamespace(**names)
