"""Names of joints in drawings: none covers another one, whatever the shape and the number of joints."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest

from cross_check.pose import skeleton_of
from cross_check.results.objects import Bone, Skeleton
from mechanisms import find_mechanism
from reports.drawing import LINE, LONGEST, MOST_NAMES, WIDTH, Label, drawing, placed

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
