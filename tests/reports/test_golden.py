"""Every output of every run is what it was. This shows any change of a word, a number, a place or a mark."""

from __future__ import annotations

import re

import pytest
from golden import CATALOGUE, RUNS, files, page, texts

STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]")
"""Control characters but tabs and ends of lines, a turn of the writing direction, and half a character."""


@pytest.mark.parametrize("name", [*RUNS, CATALOGUE])
def test_outputs_are_what_they_were(name: str) -> None:
    for path, text in files(name).items():
        kept = path.read_text("utf-8").splitlines()
        made = text.encode("utf-8", "backslashreplace").decode().splitlines()
        assert made == kept, f"read the difference; if it is right, run `python tests/reports/golden.py` for {path.name}"


def test_foreign_text_steers_no_terminal() -> None:
    """Settings and single cells are shown of one's own runs only, whose names are printable."""
    run = RUNS["hostile text"]()
    said = texts(run) | {"html": page(run)}
    assert [name for name, text in said.items() if STEERING.search(text)] == ["settings", "cells"]
