"""Code that is wrong on purpose, made of the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES


@dataclass
class Code:
    """A user's code: ``make`` gets the mechanism and the reference for it, and returns the quantities as functions."""

    make: Callable[[Mechanism, Any], Mapping[str, Callable[..., Any]]]
    name: str = "code"
    version: str = "1"
    right: Any = REFERENCE

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        return SimpleNamespace(**self.make(mechanism, self.right.load(mechanism)))


@dataclass
class Changed:
    """The reference, the answers of which ``change(mechanism, quantity, answer, arguments)`` changes."""

    change: Callable[..., Any]
    only: str = ""
    """The name of the one mechanism that can be loaded; all if empty."""
    name: str = "code"
    version: str = "1"

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        if self.only and mechanism.name != self.only:
            raise Unsupported(f"this is generated code for {self.only}")
        right = REFERENCE.load(mechanism)

        def answer(quantity: str, *arguments: Any) -> Any:
            return self.change(mechanism, quantity, getattr(right, quantity)(*arguments), arguments)

        return SimpleNamespace(**{quantity: partial(answer, quantity) for quantity in QUANTITIES})


@dataclass
class Misread:
    """An implementation for the mechanism that ``read`` makes of the one that it is asked about."""

    read: Callable[[Mechanism], Mechanism]
    implementation: Any = REFERENCE
    name: str = "code"
    version: str = "1"

    def load(self, mechanism: Mechanism) -> Any:
        return self.implementation.load(self.read(mechanism))
