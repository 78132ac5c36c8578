"""The bank's codes in another precision: what NumPy makes in them, and the numbers of the mechanism, are numbers of it."""

from __future__ import annotations

import sys
from typing import Any

import numpy

from score.library.model import Model

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


def compute_in(real: type[numpy.floating[Any]]) -> None:
    """Let the codes of the bank compute in this type, in this process."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("score.") and name != __name__ and getattr(module, "np", None) is numpy:
            module.np = NumPy(real)  # type: ignore[attr-defined]
    given = Model.__init__

    def made(self: Model, mechanism: Any) -> None:
        given(self, mechanism)
        self.gravity = self.gravity.astype(real)
        for link in self.links:
            for field in ("R", "p", "com", "inertia", "turn", "slide"):
                setattr(link, field, getattr(link, field).astype(real))

    Model.__init__ = made  # type: ignore[method-assign]
