"""Plots: right and wrong are told apart without colours, and a plot shows where and when code is wrong."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from documents import HOSTILE, explained, hostile, results, very_large, with_cell

from cross_check.results import INFINITE, Results
from cross_check.results.objects import Sharpness
from reports.causes import entries
from reports.charts import Axis, Row, axis_of, histogram, points, row_plot
from reports.overview import codes
from reports.profiles import Figure, profiles, sharpness_plot
from reports.words import cleaned


def marks(svg: str, name: str) -> int:
    """How many marks of this kind a plot has."""
    paths = ElementTree.fromstring(svg).findall(f"path[@class='{name}']")
    return sum(path.attrib["d"].count("M") for path in paths)


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("text")]


def figure(run: Results, title: str, cause: int = 0) -> Figure:
    return next(one for one in profiles(run, entries(run)[cause]) if one.title == title)


def wrong_at_speed() -> Results:
    """A cell that is wrong at the second joint in all but two kinds of state."""
    run = results(mechanisms=2)
    errors = [0.5 if kind in ("zero", "at rest") else 1e9 for kind in run.mechanisms[0].kinds]
    return with_cell(run, 0, verdict="discrepancy", error=1e9, errors=errors, coordinates=[0.5, 1e9])


def test_a_mark_above_the_bar_is_a_cross_and_any_other_a_dot() -> None:
    svg = row_plot([Row("right", 16.0), Row("wrong", 16.1, 0.1), Row("endless", INFINITE)], 16.0, "errors")
    assert marks(svg, "dots") == 1 and marks(svg, "crosses") == 2 and marks(svg, "range") == 1
    assert {"right", "wrong", "endless", "∞"} <= set(texts(svg))


def test_a_known_fault_is_a_diamond() -> None:
    svg = points([(0.5, False), (1e9, True), (1e9, False)], 16.0, axis_of([1e9], 16.0, 0, 100), "errors")
    assert [marks(svg, name) for name in ("dots", "crosses", "diamonds")] == [1, 1, 1]


def test_places_on_the_axis_ascend_and_stay_on_it() -> None:
    axis = axis_of([1e-30, 4.0, 1e12, INFINITE], 16.0, 10, 110)
    places = [axis(error) for error in (0.0, 1e-30, 0.5, 16.0, 1e12, INFINITE)]
    assert places == sorted(places) and places[0] == 10 and places[-1] == 110
    assert Axis(-2, 2, 0, 100)(1.0) == pytest.approx(50)


def test_columns_are_as_tall_as_their_counts() -> None:
    svg = ElementTree.fromstring(histogram({-1: 10, 9: 5}, 16.0, "sizes"))
    tall = [float(node.attrib["height"]) for node in svg.findall("rect")]
    assert tall[0] == pytest.approx(2 * tall[1])
    assert [node.attrib["class"] for node in svg.findall("rect")] == ["right", "wrong"]


def test_plots_say_at_which_joint_and_in_which_states_code_is_wrong() -> None:
    run = wrong_at_speed()
    kinds, joints = figure(run, "By kind of state"), figure(run, "By joint")
    assert marks(kinds.plot, "dots") == 2 and marks(kinds.plot, "crosses") == len(set(run.mechanisms[0].kinds)) - 2
    assert texts(kinds.plot)[-4::2] == ["zero", "at rest"], "what is right comes last"
    assert marks(joints.plot, "dots") == marks(joints.plot, "crosses") == 1 and "arm0" in joints.note
    assert marks(figure(run, "By mechanism").plot, "dots") == 1
    assert marks(figure(run, "By quantity").plot, "crosses") == 1
    assert figure(run, "By size").note.startswith("14 states")


def test_states_that_are_only_counted_have_plots_too() -> None:
    run = very_large(wrong=7)
    assert "7" in texts(figure(run, "By size").plot)
    assert marks(figure(run, "By kind of state").plot, "crosses") == 1


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


def test_every_code_has_a_row_and_code_that_agrees_comes_last() -> None:
    run = results(implementations=10)
    bad = with_cell(run, 4 * len(run.cells) // 10, verdict="discrepancy", error=1e9)
    found, _ = codes(bad, [])
    assert sorted(code.tally.name for code in found) == sorted(one.name for one in run.implementations)
    assert sum(code.word.word == "disagrees" for code in found) == 1


def test_names_in_plots_are_escaped() -> None:
    run = cleaned(hostile())
    name = cleaned(HOSTILE)
    sources = [row_plot([Row(name, 1.0), Row(name, 2.0)], 16.0, name)]
    sources += [one.plot for entry in entries(run) for one in profiles(run, entry)]
    assert len(sources) > 3
    for source in sources:
        assert "<script" not in source
        ElementTree.fromstring(source)
