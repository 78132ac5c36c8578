"""Drawings of mechanisms: every body and joint, whatever the shape; what is at fault is marked."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest

from cross_check.pose import skeleton_of
from cross_check.results.objects import Bone
from mechanisms import find_mechanism
from reports.drawing import HIGHEST, WIDTH, drawing


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
