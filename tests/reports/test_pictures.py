"""Plots, drawings of mechanisms, equations and the map: nothing is hidden, and right and wrong are told apart without colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest
from documents import EQUATIONS, HOSTILE, equations, explained, results, with_cell

from cross_check.exchange.pose import skeleton_of
from cross_check.exchange.results import INFINITE
from cross_check.exchange.results.objects import Bone, Item, Sharpness, Skeleton
from mechanisms import find_mechanism
from reports.causes import entries
from reports.charts import Axis, PlotRow, axis_of, row_plot
from reports.drawing import HIGHEST, LINE, LONGEST, MOST_NAMES, WIDTH, Label, drawing, placed
from reports.html import MAP_GRAVITY, heat_map
from reports.mathml import typeset
from reports.profiles import profiles, sharpness_plot
from reports.words import cleaned, gravest, level


def marks(svg: str, name: str) -> int:
    """How many marks of this kind a plot has."""
    paths = ElementTree.fromstring(svg).findall(f"path[@class='{name}']")
    return sum(path.attrib["d"].count("M") for path in paths)


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("text")]


def test_a_mark_above_the_bar_is_a_cross_and_any_other_a_dot() -> None:
    svg = row_plot([PlotRow("right", 16.0), PlotRow("wrong", 16.1, 0.1), PlotRow("endless", INFINITE)], 16.0, "errors")
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


@pytest.mark.parametrize("name", ["pendulum", "stanford-arm", "every-joint", "free-rigid-body", "branched-tree", "swarm"])
def test_every_body_and_joint_is_drawn_within_the_picture(name: str) -> None:
    skeleton = skeleton_of(find_mechanism(name))
    svg = ElementTree.fromstring(drawing(skeleton, name))
    assert len(svg.findall("g[@class='joint']")) == len(skeleton)
    assert len(svg.findall("circle[@class='mass']")) == len(skeleton)
    height = float(svg.attrib["height"])
    assert svg.attrib["width"] == str(WIDTH) and height <= HIGHEST
    for node in svg.iter("circle"):
        assert 0 <= float(node.attrib["cx"]) <= WIDTH and 0 <= float(node.attrib["cy"]) <= height


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


@pytest.mark.parametrize("name", ["puma560", "every-joint", "swarm", "random:3:20", "random:7:40", "planar-pendulum:30"])
def test_no_name_covers_another_one_or_leaves_the_picture(name: str) -> None:
    skeleton = skeleton_of(find_mechanism(name))
    found = names(skeleton, [5] * len(skeleton))
    assert len(found) >= min(6, len(skeleton))
    for a, b in combinations(found, 2):
        assert a[2] <= b[1] or b[2] <= a[1] or abs(a[3] - b[3]) >= LINE - 0.2, (a, b)
    assert all(left >= 0 and right <= WIDTH for _, left, right, _ in found)
    assert len(found) <= MOST_NAMES and all(len(text) <= LONGEST for text, *_ in found)


def test_an_arm_seen_along_its_axis_shows_all_names() -> None:
    found = names([*along_an_axis(5)], [])
    assert sorted(text for text, *_ in found) == [f"a_long_joint_{k}" for k in range(5)]


def test_a_name_away_from_its_joint_has_a_line_that_crosses_no_name() -> None:
    labels = placed([(k, f"joint {k}") for k in range(7)], [(180.0, 150.0)] * 7, [], 360, 300)
    assert len(labels) == 7
    leaders = [label.leader for label in labels if label.leader]
    assert leaders
    assert not any(label.is_met(leader) for label in labels for leader in leaders)


def test_a_name_without_a_place_is_left_out() -> None:
    assert placed([(0, "x" * 40)], [(50.0, 50.0)], [], 100, 100) == []


def test_rectangles_and_lines() -> None:
    label = Label(0, "abc", 10, 20)
    assert label.is_met(((0, 20), (50, 20))) and label.is_met(((15, 0), (15, 40)))
    assert not label.is_met(((0, 0), (50, 0))) and not label.is_met(((0, 20), (9, 20)))
    assert label.covers(Label(1, "d", 12, 25)) and not label.covers(Label(1, "d", 12, 34))


@pytest.mark.parametrize(
    ("error", "expected"),
    [(None, 0), (0.0, 0), (0.9, 0), (1.1, 1), (16.0, 1), (16.1, 2), (1e3, 2), (1.1e3, 3), (2e6, 4), (2e9, 5), (INFINITE, 5)],
)
def test_levels(error: float | None, expected: int) -> None:
    assert level(error, 16.0) == expected


def test_a_square_has_the_gravest_verdict_and_the_largest_error_with_it() -> None:
    def square(items: Sequence[Item]) -> tuple[str, float | None, int]:
        found = gravest(items, MAP_GRAVITY)
        return found.verdict, found.error, level(found.error, 16.0)

    run = results()
    assert square([]) == ("not run", None, 0)
    assert square(run.cells)[0] == "agrees"
    run = with_cell(with_cell(run, 0, verdict="known", error=1e12), 1, verdict="discrepancy", error=40.0)
    assert square(run.items) == ("discrepancy", 40.0, 2)
    run = with_cell(run, 2, verdict="failed", error=None, errors=[])
    assert square(run.items) == ("failed", None, 0)


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


CORE = {"math", "mi", "mn", "mo", "mrow", "msub", "msup", "msubsup", "mfrac", "mtable", "mtr", "mtd", "mspace"}


def test_equations_are_well_formed_core_mathml() -> None:
    tree = ElementTree.fromstring(typeset(EQUATIONS))
    assert {node.tag for math in tree.iter("math") for node in math.iter()} <= CORE
    assert len(tree.findall(".//mtable")) == 4


def test_names_are_escaped() -> None:
    hostile = cleaned(equations(v=[HOSTILE, "x"], V=[[HOSTILE, {HOSTILE: 2}]]))
    source = typeset(hostile)
    assert "<script" not in source
    ElementTree.fromstring(source)
