"""Readings of one file, compared and explained."""

from __future__ import annotations

import dataclasses

import pytest

from cross_check.readers.compare import differences, order_differs
from cross_check.readers.explain import File, explain
from cross_check.readers.hypotheses import HYPOTHESES
from cross_check.readers.rebuilt import rebuilt
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.reading import Mass, Reading
from mechanisms.urdf_reading import reading_of

LINKS = """
<link name="base"/>
<link name="arm"><inertial><origin xyz="0.1 0.2 0" rpy="0.3 0.2 0.1"/><mass value="2"/>
  <inertia ixx="0.1" ixy="0.01" ixz="0.02" iyy="0.2" iyz="0.03" izz="0.25"/></inertial></link>
<link name="tool"/>
<link name="tip"><inertial><mass value="1.5"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
"""

JOINTS = """
<joint name="j1" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.5" rpy="0 0.1 0"/>
  <limit lower="-1" upper="1" effort="3" velocity="2"/><dynamics damping="0.5"/></joint>
<joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0.3 0 0" rpy="0.4 0 0"/></joint>
<joint name="j2" type="prismatic"><parent link="tool"/><child link="tip"/><axis xyz="0 0.6 0.8"/>
  <limit lower="0" upper="1" effort="3" velocity="2"/></joint>
"""


def document(links: str = LINKS, joints: str = JOINTS) -> str:
    return f'<robot name="arm">{links}{joints}</robot>'


def read(text: str) -> Reading:
    return reading_of(text)[0]


def test_a_reading_crosses_processes_without_loss() -> None:
    reading = read(document())
    assert Reading.from_document(reading.to_document()) == reading
    with pytest.raises((ValueError, KeyError, TypeError)):
        Reading.from_document({**reading.to_document(), "extra": 1})


def test_a_reading_has_the_numbers_of_the_file() -> None:
    reading = read(document())
    first, second = reading.joints
    assert (first.origin, first.axis[1], first.limits) == ((0.0, 0.0, 0.5), 0.0, (-1.0, 1.0, 2.0, 3.0))
    assert first.carries.mass == 2.0
    assert second.parent == "j1"
    assert [link.joint for link in reading.links] == ["", "j1", "j1", "j2"]


@pytest.mark.parametrize("hypothesis", HYPOTHESES, ids=lambda hypothesis: hypothesis.sentence)
def test_each_hypothesis_that_changes_the_file_is_named(hypothesis) -> None:
    """A reader that does what a hypothesis says is explained by it, or by one that means the same for this file."""
    file = File(document(), free_base=False)
    (misread,) = [one for one in file.candidates if one.hypothesis is hypothesis] or [None]
    if misread is None:
        assert not differences(file.reading, file.reading)
        return
    theirs = file.read_as([misread])
    assert theirs
    explained = explain(file, theirs)
    assert explained.misread
    assert not explained.remaining
    assert file.read_as(explained.misread) is not None
    assert not differences(file.read_as(explained.misread), theirs)  # type: ignore[arg-type]


def test_two_misreadings_are_told_apart() -> None:
    file = File(document(), free_base=False)
    chosen = [
        one for one in file.candidates if one.hypothesis.sentence in ("ignores rpy of <inertial>", "ignores <dynamics damping>")
    ]
    theirs = file.read_as(chosen)
    assert theirs
    explained = explain(file, theirs)
    assert {one.hypothesis.sentence for one in explained.misread} == {one.hypothesis.sentence for one in chosen}


def test_a_reader_that_does_so_at_one_link_only() -> None:
    """A welded link without <inertial> gets a kilogram; the root has none either, and keeps it."""
    links = LINKS.replace('<link name="base"/>', '<link name="base"/><link name="cap"/>')
    joints = JOINTS + '<joint name="w2" type="fixed"><parent link="tip"/><child link="cap"/><origin xyz="0 0 1"/></joint>'
    file = File(document(links, joints), free_base=False)
    heavy = document(
        links.replace(
            '<link name="cap"/>',
            '<link name="cap"><inertial><mass value="1"/>'
            '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>',
        ),
        joints,
    )
    explained = explain(file, read(heavy))
    (misread,) = explained.misread
    assert (misread.hypothesis.sentence, misread.elements) == (
        "gives links without <inertial> a mass of 1 kg",
        (("link", "cap"),),
    )
    assert not explained.remaining


def test_what_no_hypothesis_explains_stays_unknown_and_says_what_was_ruled_out() -> None:
    file = File(document(), free_base=False)
    first, second = file.reading.joints
    odd = dataclasses.replace(first, carries=Mass(3.0, first.carries.com, first.carries.inertia))
    explained = explain(file, dataclasses.replace(file.reading, joints=(odd, second)))
    assert [(left.row, left.joint) for left in explained.remaining] == [("mass", "j1")]
    assert not explained.misread
    assert "ignores rpy of <inertial>" in explained.ruled_out


def test_order_is_no_difference() -> None:
    reading = read(document())
    turned = dataclasses.replace(reading, joints=reading.joints[::-1])
    assert not differences(reading, turned)
    assert order_differs(reading, turned)


def test_every_row_sees_its_number() -> None:
    reading = read(document())
    first, second = reading.joints
    for row, changed in {
        "mass": dataclasses.replace(first, carries=dataclasses.replace(first.carries, mass=2.0 + 1e-9)),
        "com": dataclasses.replace(first, carries=dataclasses.replace(first.carries, com=(0.1, 0.2, 0.3))),
        "inertia": dataclasses.replace(first, carries=dataclasses.replace(first.carries, inertia=(0.1, 0.2, 0.3, 0, 0, 0))),
        "origins": dataclasses.replace(first, origin=(0.0, 1e-9, 0.5)),
        "axes": dataclasses.replace(first, axis=(0.0, 0.0, 1.0)),
        "limits": dataclasses.replace(first, limits=(-1.0, 1.5, 2.0, 3.0)),
        "damping": dataclasses.replace(first, damping=0.0),
        "armature": dataclasses.replace(first, armature=0.1),
        "joints": dataclasses.replace(first, kind="prismatic"),
    }.items():
        found = differences(reading, dataclasses.replace(reading, joints=(changed, second)))
        assert {difference.row for difference in found} == {row}
    assert [d.row for d in differences(reading, dataclasses.replace(reading, gravity=(0.0, 0.0, 9.81)))] == ["gravity"]


def test_a_mechanism_that_is_rebuilt_from_a_reading_has_the_same_dynamics() -> None:
    import numpy as np

    reading, mechanism = reading_of(document())
    rng = np.random.default_rng(3)
    q, v, a = (rng.normal(size=(4, 2)) for _ in range(3))
    again = rebuilt(reading, mechanism.root)
    ours, theirs = (REFERENCE.load(one).inverse_dynamics(q, v, a) for one in (mechanism, again))
    assert np.abs(ours - theirs).max() < 1e-13 * np.abs(ours).max() + 1e-13
