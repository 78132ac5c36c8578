"""The data of the page: what is packed can be unpacked as the script does it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import accumulate

import pytest
from documents import KINDS, results, very_large, with_cell
from parsed_page import Page

from cross_check.results import INFINITE, Results
from reports import html
from reports.embedded import LARGEST, in_bytes


@pytest.mark.parametrize("error", [0.013, 0.2, 1.0, 15.9, 16.1, 1e3, 4.7e12, 9e18])
def test_a_byte_keeps_an_error_to_a_tenth(error: float) -> None:
    (byte,) = in_bytes([error])
    back = 10 ** ((byte - 1) / 12 - 2)
    assert back == pytest.approx(error, rel=0.1)


def test_the_ends_of_the_bytes() -> None:
    assert list(in_bytes([0.0, 1e-9, 1e40, INFINITE, math.inf])) == [0, 0, LARGEST - 1, LARGEST, LARGEST]


def test_the_errors_of_a_cell_are_where_the_script_looks_for_them() -> None:
    run = with_cell(results(), 1, verdict="discrepancy", error=1e6, by_kind={"zero": [0.5, 1e6], "fast": [0.0, INFINITE]})
    data, errors = Page(html.render(run)).packed
    lengths = [row[10] + row[11] + sum(n for _, n in row[12]) for row in data["cells"][: len(run.cells)]]
    assert len(errors) == sum(lengths)
    starts = list(accumulate(lengths, initial=0))
    for cell, start, row in zip(run.cells, starts, data["cells"], strict=False):
        assert errors[start : start + row[10]] == in_bytes(cell.errors)
    heat = starts[1] + data["cells"][1][10] + data["cells"][1][11]
    assert errors[heat : heat + 4] == in_bytes([0.5, 1e6, 0.0, math.inf])
    assert [data["kinds"][kind] for kind, _ in data["cells"][1][12]] == ["zero", "fast"]


def test_users_code_comes_before_engines_and_these_before_our_own() -> None:
    run = results(implementations=3)
    names = ("traced", "pinocchio", "mine")
    given = [replace(one, name=name, spec=name) for one, name in zip(run.implementations, names, strict=True)]
    cells = [replace(cell, implementation=names[int(cell.implementation[-1])]) for cell in run.cells]
    data = Page(html.render(replace(run, implementations=given, cells=cells, invariants=[]))).data
    assert [(name, own) for name, _, own in data["implementations"]] == [("mine", 0), ("pinocchio", 0), ("traced", 1)]
    shown = [data["implementations"][row[1]][0] for row in data["cells"]]
    assert shown == [cell.implementation for cell in cells]


def test_inputs_of_cells_that_agree_are_kept_while_they_are_few() -> None:
    def kept(run: Results) -> bool:
        data = Page(html.render(run)).data
        return bool(data["cells"][len(run.cells) - 1][13][-1])

    assert kept(results())
    assert not kept(results(mechanisms=22, implementations=4, nv=15))


def test_very_many_errors_are_kept_as_histograms() -> None:
    run = very_large()
    source = html.render(run)
    data, errors = Page(source).packed
    assert data["cells"][1][14]["fast"] == [[-40, 1000], [-3, 90000], [2, 50000]]
    assert [*data["cells"][0][14]] == list(KINDS)
    assert "half are within 0.6 ε-units, 99 in 100 within 2.0, 3 above the bar" in data["texts"][data["cells"][0][9]]
    assert len(errors) == sum(len(cell.coordinates) for cell in run.cells)
    assert "wrong in 3 of 987" in source
    assert len(source.encode()) < 300_000


def test_every_entry_names_the_cells_that_it_explains() -> None:
    run = with_cell(results(), 2, verdict="discrepancy", error=1e6)
    ((key, sentence, cells),) = Page(html.render(run)).data["fragments"]["entries"]
    assert key.startswith("engine0/") and "disagrees" in sentence and cells == [2]
