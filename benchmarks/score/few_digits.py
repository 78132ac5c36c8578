"""The bank's codes in another precision: what NumPy makes in them, and the numbers of the mechanism, are numbers of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy

from mechanisms import Mechanism
from score.entry import Entry
from score.library.model import Array, Model

MAKERS = ("zeros", "ones", "empty", "full", "eye", "array", "asarray", "zeros_like", "linspace")
"""Functions that make float64 arrays unless they are given a type."""


class NumPy:
    """NumPy, whose new arrays of floats have this type."""

    def __init__(self, real: type[numpy.floating[Any]]) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        made = getattr(numpy, name)
        return self._in_type(made) if name in MAKERS else made

    def _in_type(self, maker: Any) -> Any:
        def make(*given: Any, **named: Any) -> Any:
            made = maker(*given, **named)
            # A type that is given is that of other arrays, or complex.
            return made.astype(self._real) if made.dtype == numpy.float64 else made

        return make


@contextmanager
def computing_in(real: type[numpy.floating[Any]]) -> Iterator[None]:
    """Let the codes of the bank compute in this type, in this process."""
    given = Model.__init__

    def made(self: Model, mechanism: Any) -> None:
        given(self, mechanism)
        self.gravity = self.gravity.astype(real)
        for link in self.links:
            for field in ("R", "p", "com", "inertia", "turn", "slide"):
                setattr(link, field, getattr(link, field).astype(real))

    with patch.object(Model, "__init__", made):
        own = [module for name, module in sys.modules.items() if name.startswith("score.") and name != __name__]
        own = [module for module in own if getattr(module, "np", None) is numpy]
        for module in own:
            module.np = NumPy(real)  # type: ignore[attr-defined]
        try:
            yield
        finally:
            for module in own:
                module.np = numpy  # type: ignore[attr-defined]


class WithAllDigits:
    """An entry that computes in float64 for states of any type: then its fault alone makes it wrong."""

    def __init__(self, entry: Entry) -> None:
        self.name, self._entry = entry.name, entry

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        def in_float64(function: Callable[..., Array]) -> Callable[..., Array]:
            return lambda *given: function(*(x.astype(numpy.float64) for x in given))

        loaded = vars(self._entry.load(mechanism))
        return SimpleNamespace(**{name: in_float64(function) for name, function in loaded.items()})
