"""Plots and drawings of mechanisms: nothing is hidden, and nothing covers anything else."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest
from documents import results, with_cell

from cross_check.exchange.pose import skeleton_of
from cross_check.exchange.results import INFINITE
from cross_check.exchange.results.objects import Bone, Sharpness, Skeleton
from mechanisms import find_mechanism
from reports.charts import Axis, axis_of
from reports.drawing import HIGHEST, LINE, LONGEST, MOST_NAMES, WIDTH, Label, drawing, placed
from reports.profiles import sharpness_plot
from reports.words import level


def test_places_on_the_axis_ascend_and_stay_on_it() -> None:
    axis = axis_of([1e-30, 4.0, 1e12, INFINITE], 16.0, 10, 110)
    places = [axis(error) for error in (0.0, 1e-30, 0.5, 16.0, 1e12, INFINITE)]
    assert places == sorted(places) and places[0] == 10 and places[-1] == 110
    assert Axis(-2, 2, 0, 100)(1.0) == pytest.approx(50)


def test_sharpness_is_drawn_for_code_that_is_right() -> None:
    run = results(mechanisms=2)
    sharp = replace(run, cells=[replace(cell, sharpness=Sharpness(0.0, 3e-15, 4, 4)) for cell in run.cells])
    plot = sharpness_plot(sharp)
    assert all(f">{word}<" in plot for word in ("arm0", "arm1", "3.0e-15")) and "crosses" not in plot
    assert sharpness_plot(run) == ""
    assert sharpness_plot(with_cell(sharp, 0, verdict="discrepancy", error=1e9)) == ""


def test_a_flat_mechanism_is_seen_at_right_angles() -> None:
    skeleton = skeleton_of(find_mechanism("planar-pendulum:3"), [0.5, 0.5, 0.5])
    assert {bone.origin[1] for bone in skeleton} == {0.0}
    origins = [(bone.origin[0], -bone.origin[2]) for bone in skeleton]
    svg = ElementTree.fromstring(drawing(skeleton, "pendulum"))
    circles = [node.find("circle") for node in svg.findall("g[@class='joint']")]
    drawn = [(float(node.attrib["cx"]), float(node.attrib["cy"])) for node in circles if node is not None]
    scales = [(drawn[k + 1][i] - drawn[k][i]) / (origins[k + 1][i] - origins[k][i]) for k in range(2) for i in range(2)]
    assert scales == pytest.approx([scales[0]] * 4, rel=0.01)


def test_nothing_is_drawn_of_nothing_and_one_point_is_drawn() -> None:
    assert drawing((), "nothing") == ""
    point = Bone("b", "j", "free", -1, [0, 0, 0], [0, 0, 0], [0, 0, 0], [])
    ElementTree.fromstring(drawing((point,), "a point"))
    arm = [replace(point, parent=parent, axis=[0, 0, 1]) for parent in (-1, 0, 1, 0)]
    joints = ElementTree.fromstring(drawing(arm, "all at one point")).findall("g[@class='joint']/circle")
    places = [(float(node.attrib["cx"]), float(node.attrib["cy"])) for node in joints]
    assert all(math.dist(a, b) > 20 for a, b in combinations(places, 2))
    far = replace(point, origin=[1e30, 0, -1e30], center=[1e-30, 0, 0])
    ElementTree.fromstring(drawing((far,), "a long way"))


WIDE = 6.2
"""Pixels that a character of 11 pixels takes at the least in usual fonts, on average."""


def names(skeleton: Skeleton, levels: list[int]) -> list[tuple[str, float, float, float]]:
    """Every name in the drawing with its left and right end and its height, in pixels."""
    svg = ElementTree.fromstring(drawing(skeleton, "a mechanism", (), levels))
    found = []
    for node in svg.findall("text"):
        text, x, y = node.text or "", float(node.attrib["x"]), float(node.attrib["y"])
        width = WIDE * len(text)
        left = x if node.attrib["text-anchor"] == "start" else x - width
        found.append((text, left, left + width, y))
    return found


def along_an_axis(joints: int) -> list[Bone]:
    """An arm that is seen along its axis: all joints are at one place of the picture."""
    side: list[tuple[float, float, float]] = [(0.0, 0.0, 0.0)] + [(0.0, 0.1 * k, 0.0) for k in range(1, joints)]
    return [Bone(f"link{k}", f"a_long_joint_{k}", "revolute", k - 1, p, p, p, (0, 1, 0)) for k, p in enumerate(side)]


@pytest.mark.parametrize("name", ["every-joint", "random:3:20", "planar-pendulum:30"])
def test_everything_is_within_the_picture_and_no_name_covers_another_one(name: str) -> None:
    skeleton = skeleton_of(find_mechanism(name))
    svg = ElementTree.fromstring(drawing(skeleton, name))
    assert len(svg.findall("g[@class='joint']")) == len(svg.findall("circle[@class='mass']")) == len(skeleton)
    height = float(svg.attrib["height"])
    assert svg.attrib["width"] == str(WIDTH) and height <= HIGHEST
    for node in svg.iter("circle"):
        assert 0 <= float(node.attrib["cx"]) <= WIDTH and 0 <= float(node.attrib["cy"]) <= height
    found = names(skeleton, [5] * len(skeleton))
    assert min(6, len(skeleton)) <= len(found) <= MOST_NAMES
    for a, b in combinations(found, 2):
        assert a[2] <= b[1] or b[2] <= a[1] or abs(a[3] - b[3]) >= LINE - 0.2, (a, b)
    assert all(left >= 0 and right <= WIDTH and len(text) <= LONGEST for text, left, right, _ in found)


def test_an_arm_seen_along_its_axis_shows_all_names() -> None:
    found = names([*along_an_axis(5)], [])
    assert sorted(text for text, *_ in found) == [f"a_long_joint_{k}" for k in range(5)]


def test_a_name_away_from_its_joint_has_a_line_that_crosses_no_name_and_one_without_a_place_is_left_out() -> None:
    labels = placed([(k, f"joint {k}") for k in range(7)], [(180.0, 150.0)] * 7, [], 360, 300)
    assert len(labels) == 7
    leaders = [label.leader for label in labels if label.leader]
    assert leaders
    assert not any(label.is_met(leader) for label in labels for leader in leaders)
    assert placed([(0, "x" * 40)], [(50.0, 50.0)], [], 100, 100) == []


def test_rectangles_and_lines() -> None:
    label = Label(0, "abc", 10, 20)
    assert label.is_met(((0, 20), (50, 20))) and label.is_met(((15, 0), (15, 40)))
    assert not label.is_met(((0, 0), (50, 0))) and not label.is_met(((0, 20), (9, 20)))
    assert label.covers(Label(1, "d", 12, 25)) and not label.covers(Label(1, "d", 12, 34))


def test_levels() -> None:
    errors = (None, 0.0, 0.9, 1.1, 16.0, 16.1, 1e3, 1.1e3, 2e6, 2e9, INFINITE)
    assert [level(error, 16.0) for error in errors] == [0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 5]
