"""The page of the largest known errors: its tables are those of its files, and the states in them show their errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from write_accuracy import FOLDER, PAGE, codes, page

from cross_check.exchange.worst_states import read
from mechanisms.numbers.precision import PRECISIONS


def test_the_tables_are_those_of_the_files() -> None:
    assert page() == PAGE.read_text("utf-8"), "run python docs/write_accuracy.py"


def test_every_code_has_one_file() -> None:
    names = [code.code for code in codes()]
    assert len(set(names)) == len(names) >= 12


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_states_are_numbers_of_the_precision_and_their_errors_those_of_the_numbers(path: Path) -> None:
    found = read(path)
    precision = PRECISIONS[found.precision]
    for one in found.worst:
        for texts in one.state.values():
            numbers = np.array([*map(float.fromhex, texts)])
            assert np.array_equal(precision.rounded(numbers), numbers)
        value, expected, magnitude = map(float.fromhex, (one.value, one.expected, one.magnitude))
        error = abs(value - expected) / (np.finfo(float).eps * magnitude)
        # The expected number is rounded to float64, which is not more than one rounding.
        assert abs(error - one.found) <= abs(expected) / magnitude + 1e-9 * one.found
