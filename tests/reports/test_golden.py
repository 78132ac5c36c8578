"""Every output of every run is what it was. This shows any change of a word, a number, a place or a mark."""

from __future__ import annotations

import pytest
from golden import RUNS, files


@pytest.mark.parametrize("name", RUNS)
def test_outputs_are_what_they_were(name: str) -> None:
    for path, text in files(name).items():
        kept = path.read_text("utf-8").splitlines()
        made = text.encode("utf-8", "backslashreplace").decode().splitlines()
        assert made == kept, f"read the difference; if it is right, run `python tests/reports/golden.py` for {path.name}"
