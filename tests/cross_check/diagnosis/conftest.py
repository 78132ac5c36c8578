from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def only_the_diagnosis(without_coverage: None) -> None:
    """No test of this folder is about what a run would miss."""
