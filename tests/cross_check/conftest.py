from __future__ import annotations

import pytest
from altered import Altered


@pytest.fixture
def altered() -> type[Altered]:
    return Altered


@pytest.fixture(autouse=True, scope="module")
def only_the_verdicts(without_coverage: None) -> None:
    """A test about what a run would miss uses ``with_coverage``."""
