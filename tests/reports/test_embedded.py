"""The data of the page: what is packed can be unpacked as the script does it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from documents import results
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
