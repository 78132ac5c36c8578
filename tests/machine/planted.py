"""Faults in functions that Python executes and LLVM compiles: edits of their source."""

from __future__ import annotations

import inspect
import linecache
from types import ModuleType
from typing import Any

import pytest


def plant(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, *edits: tuple[str, str]) -> None:
    """Replace a function of a module by one whose source has other text."""
    source = inspect.getsource(getattr(module, name))
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    file = f"<planted {name} {edits}>"
    # This is where the compiler of functions looks for their source.
    monkeypatch.setitem(linecache.cache, file, (len(source), None, source.splitlines(keepends=True), file))
    found: dict[str, Any] = {}
    exec(compile(source, file, "exec", dont_inherit=False), vars(module), found)
    monkeypatch.setattr(module, name, found[name])
