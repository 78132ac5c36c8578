"""Plots: right and wrong are told apart without colours, and a plot shows where and when code is wrong."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from documents import explained, results, with_cell

from cross_check.results import INFINITE
from cross_check.results.objects import Sharpness
from reports.causes import entries
from reports.charts import Axis, Row, axis_of, row_plot
from reports.profiles import profiles, sharpness_plot


def marks(svg: str, name: str) -> int:
    """How many marks of this kind a plot has."""
    paths = ElementTree.fromstring(svg).findall(f"path[@class='{name}']")
    return sum(path.attrib["d"].count("M") for path in paths)


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("text")]


def test_a_mark_above_the_bar_is_a_cross_and_any_other_a_dot() -> None:
    svg = row_plot([Row("right", 16.0), Row("wrong", 16.1, 0.1), Row("endless", INFINITE)], 16.0, "errors")
    assert marks(svg, "dots") == 1 and marks(svg, "crosses") == 2 and marks(svg, "range") == 1
    assert {"right", "wrong", "endless", "∞"} <= set(texts(svg))


def test_places_on_the_axis_ascend_and_stay_on_it() -> None:
    axis = axis_of([1e-30, 4.0, 1e12, INFINITE], 16.0, 10, 110)
    places = [axis(error) for error in (0.0, 1e-30, 0.5, 16.0, 1e12, INFINITE)]
    assert places == sorted(places) and places[0] == 10 and places[-1] == 110
    assert Axis(-2, 2, 0, 100)(1.0) == pytest.approx(50)


def test_what_failed_has_no_plots() -> None:
    run = explained()
    failed = next(entry for entry in entries(run) if entry.tone == "failed")
    assert profiles(run, failed) == ()


def test_sharpness_is_drawn_for_code_that_is_right() -> None:
    run = results(mechanisms=2)
    sharp = replace(run, cells=[replace(cell, sharpness=Sharpness(0.0, 3e-15, 4, 4)) for cell in run.cells])
    assert {"arm0", "arm1", "3.0e-15"} <= set(texts(sharpness_plot(sharp)))
    assert marks(sharpness_plot(sharp), "crosses") == 0
    assert sharpness_plot(run) == ""
    assert sharpness_plot(with_cell(sharp, 0, verdict="discrepancy", error=1e9)) == ""
