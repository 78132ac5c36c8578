from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.quantities import USUAL


class Altered:
    """The reference, some of its answers changed: each change is given the right answer and what was asked."""

    name, version = "altered", "1"

    def __init__(self, only: tuple[str, ...] = USUAL, **changes: Callable[..., Any]) -> None:
        self._only, self._changes = only, changes

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        right = REFERENCE.load(mechanism)

        def answer(name: str, *arguments: Any) -> Any:
            exact = getattr(right, name)(*(x.copy() for x in arguments))
            return self._changes[name](exact, *arguments) if name in self._changes else exact

        return SimpleNamespace(**{name: partial(answer, name) for name in self._only})


@pytest.fixture
def altered() -> type[Altered]:
    return Altered


@pytest.fixture(autouse=True, scope="module")
def only_the_verdicts(without_coverage: None) -> None:
    """A test about what a run would miss uses ``with_coverage``."""
