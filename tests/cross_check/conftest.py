from __future__ import annotations

import pytest
from altered import Altered


@pytest.fixture
def altered() -> type[Altered]:
    return Altered


@pytest.fixture(autouse=True, scope="module")
def only_these(only_the_verdicts: None) -> None:
    """A test about what a run would miss uses ``with_coverage``, and one about the line of a fault ``with_lines``."""
