"""The map of a run: the gravest verdict of every mechanism and implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from documents import results, with_cell

from cross_check.results import INFINITE
from reports.overview import Square, heat_map, square
from reports.words import level


@pytest.mark.parametrize(
    ("error", "expected"),
    [(None, 0), (0.0, 0), (0.9, 0), (1.1, 1), (16.0, 1), (16.1, 2), (1e3, 2), (1.1e3, 3), (2e6, 4), (2e9, 5), (INFINITE, 5)],
)
def test_levels(error: float | None, expected: int) -> None:
    assert level(error, 16.0) == expected


def test_a_square_has_the_gravest_verdict_and_the_largest_error_with_it() -> None:
    run = results()
    assert square([], 16.0) == Square("not run", None, 0)
    assert square(run.cells, 16.0).verdict == "agrees"
    run = with_cell(with_cell(run, 0, verdict="known", error=1e12), 1, verdict="discrepancy", error=40.0)
    assert square(run.items, 16.0) == Square("discrepancy", 40.0, 2)
    run = with_cell(run, 2, verdict="failed", error=None, errors=[])
    assert square(run.items, 16.0) == Square("failed", None, 0)


def test_users_code_comes_first_and_nothing_is_mixed_up() -> None:
    run = results(mechanisms=2, implementations=3)
    specs = ("reference", "rbdl", "my.py")
    run = replace(run, implementations=[replace(one, spec=spec) for one, spec in zip(run.implementations, specs, strict=True)])
    wrong = [replace(cell, verdict="discrepancy", error=1e9) if cell.id == "arm1/engine2/gravity" else cell for cell in run.cells]
    found = heat_map(replace(run, cells=wrong))
    assert found.implementations == ("engine2", "engine1", "engine0")
    assert [[one.verdict for one in squares] for _, squares in found.rows] == [
        ["agrees"] * 3,
        ["discrepancy", "agrees", "agrees"],
    ]
