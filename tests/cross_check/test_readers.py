"""Readings of one file, compared and explained."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cross_check.diff import SETTINGS
from cross_check.entry import Entry
from cross_check.exchange.results.objects import Cell
from cross_check.read.as_read.declared import HYPOTHESES
from cross_check.read.as_read.rewriting import Misreading
from cross_check.read.readers.compare import compared_rows, differences, order_differs
from cross_check.read.readers.computed import FILES, STEP, Check, Run, nearby, with_computed
from cross_check.read.readers.edited import File, Misread
from cross_check.read.readers.explain import explain
from cross_check.read.readers.reader import Read, in_order_of, read_by, rebuilt
from cross_check.read.readers.results import Comparison, Reader, known_of, to_json
from implementations.plugins.registry import READERS
from implementations.processes.remote import Remote
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, parse_urdf
from mechanisms.files.urdf.reading import reading_of
from mechanisms.library.robots import DEFAULT_ROBOTS
from mechanisms.reading import Mass, Reading, ReadJoint, combined

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


class AnsweringReader(Remote):
    """A reader that makes this reading of every file."""

    name, version = "e", "1"  # type: ignore[assignment]

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def read(self, *file: object) -> tuple[Reading, str]:  # type: ignore[override]
        return self._reading, ""


FILE = File(document(), free_base=False)
ROWS = FILE.reading.joints


def with_joints(*joints: ReadJoint) -> Reading:
    return dataclasses.replace(FILE.reading, joints=joints)


def taken_as(file: File, *beginnings: str) -> tuple[list[Misread], Reading]:
    """The candidates whose sentences begin so, and what a reader reads that does all of this."""
    chosen = [one for one in file.candidates if one.hypothesis.sentence.startswith(beginnings)]
    theirs = file.read_as(chosen)
    assert chosen and theirs
    return chosen, theirs


def test_a_reading_crosses_processes_without_loss() -> None:
    assert Reading.from_document(FILE.reading.to_document()) == FILE.reading
    with pytest.raises((ValueError, KeyError, TypeError)):
        Reading.from_document({**FILE.reading.to_document(), "extra": 1})


def test_a_reading_has_the_numbers_of_the_file() -> None:
    first, second = ROWS
    assert (first.origin, first.axis[1], first.limits) == ((0.0, 0.0, 0.5), 0.0, (-1.0, 1.0, 2.0, 3.0))
    assert first.carries.mass == 2.0
    assert second.parent == "j1"
    assert [link.joint for link in FILE.reading.links] == ["", "j1", "j1", "j2"]


@pytest.mark.nightly
@pytest.mark.parametrize("hypothesis", HYPOTHESES["urdf"], ids=lambda hypothesis: hypothesis.sentence)
def test_each_hypothesis_that_changes_the_file_is_named(hypothesis: Misreading) -> None:
    """A reader that does what a hypothesis says is explained by it, or by one that means the same for this file."""
    if hypothesis not in [one.hypothesis for one in FILE.candidates]:
        return
    _, theirs = taken_as(FILE, hypothesis.sentence)
    explained = explain(FILE, theirs)
    again = FILE.read_as(explained.misread)
    assert explained.misread and not explained.remaining
    assert again and not differences(again, theirs)


def test_welded_bodies_are_combined_as_by_the_mechanism() -> None:
    """Ours adds exact inertias; readings of engines are added here."""
    joints = JOINTS.replace('type="prismatic"', 'type="fixed"')
    (joint,) = read(document(joints=joints)).joints
    links = read(document(joints=joints)).links
    whole = combined(link.has for link in links if link.joint == "j1")
    for ours, theirs in ((joint.carries.com, whole.com), (joint.carries.inertia, whole.inertia)):
        assert ours == pytest.approx(theirs, rel=1e-13, abs=1e-15)
    assert (whole.mass, combined(())) == (3.5, Mass(0.0, (0.0,) * 3, (0.0,) * 6))
    light = Mass(0.0, (1.0, 2.0, 3.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    assert combined((light, light)) == Mass(0.0, (1.0, 2.0, 3.0), (2.0, 2.0, 2.0, 0.0, 0.0, 0.0))


IMPOSSIBLE = (
    '<link name="cap"><inertial><mass value="1"/>'
    '<inertia ixx="0.001" ixy="0.001" ixz="0.001" iyy="0.001" iyz="0.001" izz="0.001"/></inertial></link>'
)
CAPPED = JOINTS + '<joint name="w2" type="fixed"><parent link="tool"/><child link="cap"/></joint>'


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (document(), {"ignores rpy of <inertial>", "ignores <dynamics damping>"}),
        # Neither of them brings the moments of the body nearer to the reader's.
        (
            document(LINKS + IMPOSSIBLE, CAPPED).replace("<robot", '<robot unphysical="true"'),
            {
                "gives links without <inertial> a mass of 1 kg and moments of 1 kg m²",
                "drops the moments of an inertia that no body can have",
            },
        ),
    ],
)
def test_two_misreadings_are_told_apart(text: str, wanted: set[str]) -> None:
    file = File(text, free_base=False)
    explained = explain(file, taken_as(file, *wanted)[1])
    assert {one.hypothesis.sentence for one in explained.misread} == wanted
    assert not explained.remaining


def test_a_range_of_zero_may_be_no_limit() -> None:
    file = File(document(joints=JOINTS.replace('lower="-1" upper="1"', "")), free_base=False)
    assert file.reading.joints[0].limits[:2] == (0.0, 0.0)
    (misread,), theirs = taken_as(file, "takes limits of zero")
    assert misread.elements == (("joint", "j1"),)
    assert theirs.joints[0].limits == (None, None, 2.0, 3.0)
    assert explain(file, theirs).misread == (misread,)


@pytest.mark.parametrize(
    ("number", "sentence", "wanted"),
    [
        ('velocity="2"', "takes a largest speed of zero", (None, 3.0)),
        ('effort="3"', "takes a largest force of zero", (2.0, None)),
    ],
)
def test_a_speed_or_a_force_of_zero_may_be_no_limit(number: str, sentence: str, wanted: tuple[float | None, ...]) -> None:
    """Of one joint alone: a reader that keeps it nowhere does not keep such limits at all."""
    zero = re.sub(r'"\d"', '"0.0"', number)
    file = File(document(joints=JOINTS.replace(number, zero, 1)), free_base=False)
    (misread,), theirs = taken_as(file, sentence)
    assert [joint.limits[2:] for joint in theirs.joints if joint.name == misread.elements[0][1]] == [wanted]
    assert explain(file, theirs).misread == (misread,)


LIGHT = '<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [
        ('<axis xyz="0 0.6 0.8"/>', '<axis xyz="0 1 0"/>', ("joint", "j2")),
        ('<dynamics damping="0.5"/>', '<dynamics damping="0.7"/>', ("joint", "j1")),
        ('<mass value="2"/>', '<mass value="3"/>', ("link", "arm")),
        ('iyz="0.03" izz="0.25"/></inertial>', LIGHT, ("link", "arm")),
    ],
)
def test_the_last_of_several_elements_may_count(first: str, second: str, where: tuple[str, str]) -> None:
    assert first in document()
    file = File(document().replace(first, first + second, 1), free_base=False)
    (misread,), theirs = taken_as(file, "takes the last of several")
    assert misread.elements == (where,)
    assert explain(file, theirs).misread == (misread,)


@pytest.mark.parametrize("written", ['<transmission type="{}">', "<transmission><type>{}</type>"])
def test_a_transmission_that_is_not_simple_may_count_as_none(written: str) -> None:
    kinds = {"j1": "transmission_interface/SimpleTransmission", "j2": "my/DifferentialTransmission"}
    both = "".join(f'{written.format(kind)}<joint name="{joint}"/></transmission>' for joint, kind in kinds.items())
    _, theirs = taken_as(File(document(joints=JOINTS + both), free_base=False), "keeps no largest force")
    assert [joint.limits[3] for joint in theirs.joints] == [3.0, None]


def test_a_reader_that_does_so_at_one_link_only() -> None:
    """A welded link without <inertial> gets a kilogram; the root has none either, and keeps it."""
    links, cap = LINKS.replace('<link name="base"/>', '<link name="base"/><link name="cap"/>'), '<link name="cap"/>'
    joints = JOINTS + '<joint name="w2" type="fixed"><parent link="tip"/><child link="cap"/><origin xyz="0 0 1"/></joint>'
    heavy = links.replace(cap, f"{cap[:-2]}>{ZERO.replace('0', '1', 1)}</link>")
    explained = explain(File(document(links, joints), free_base=False), read(document(heavy, joints)))
    assert not explained.remaining
    assert [(one.hypothesis.sentence, one.elements) for one in explained.misread] == [
        ("gives links without <inertial> a mass of 1 kg", (("link", "cap"),))
    ]


NAN = float("nan")


@pytest.mark.parametrize(
    ("row", "change", "is_number"),
    [
        ("mass", {"mass": 2.0 + 1e-9}, True),
        ("com", {"com": (0.1, 0.2, 0.3)}, True),
        ("inertia", {"inertia": (0.1, 0.2, 0.3, 0, 0, 0)}, True),
        ("origins", {"origin": (0.0, 1e-9, 0.5)}, True),
        ("axes", {"axis": (0.0, 0.0, 1.0)}, True),
        ("limits", {"limits": (-1.0, 1.5, 2.0, 3.0)}, True),
        ("damping", {"damping": 0.0}, True),
        ("armature", {"armature": 0.1}, True),
        ("joints", {"kind": "prismatic"}, False),
        ("mass", {"mass": NAN}, False),
        ("com", {"com": (NAN, 5.0, 0.0)}, False),
        ("limits", {"limits": (-1.0, 1.0, NAN, 3.0)}, False),
        # Dropped at one joint, and kept at the other.
        ("limits", {"limits": (-1.0, 1.0, 2.0, None)}, False),
    ],
)
def test_every_row_sees_its_number(row: str, change: dict[str, Any], is_number: bool) -> None:
    first, second = ROWS
    if {*change} <= {"mass", "com", "inertia"}:
        change = {"carries": dataclasses.replace(first.carries, **change)}
    (found,) = differences(FILE.reading, with_joints(dataclasses.replace(first, **change), second))
    assert (found.row, found.joint, found.size is not None) == (row, "j1", is_number)
    assert is_number or not found.is_digits
    assert [d.row for d in differences(FILE.reading, dataclasses.replace(FILE.reading, gravity=(0.0, 0.0, 9.81)))] == ["gravity"]


def test_a_limit_that_is_never_kept_is_not_compared() -> None:
    never = with_joints(*(dataclasses.replace(joint, limits=(None,) * 4, armature=None) for joint in ROWS))
    assert not differences(FILE.reading, never)
    assert {*compared_rows(FILE.reading, FILE.reading)} - {*compared_rows(FILE.reading, never)} == {"limits", "armature"}


@pytest.mark.parametrize(
    ("written", "number"),
    [("1_0", None), ("\u0663", None), ("inf", None), ("1e999", None), (" 3\n", 3.0), ("1.7e308", 1.7e308)],
)
def test_a_limit_is_a_decimal_number_or_none(written: str, number: float | None) -> None:
    """Python's float would also take 1_0 for 10, and Arabic digits."""
    reading = read(document(joints=JOINTS.replace('effort="3"', f'effort="{written}"')))
    assert reading.joints[0].limits[3] == number


def test_a_number_that_float32_does_not_have_warns_of_nothing() -> None:
    file = File(document(joints=JOINTS.replace('effort="3"', 'effort="1e300"')), free_base=False)
    assert file.candidates and explain(file, file.reading).remaining == ()


ZERO = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'


def test_links_without_inertial_have_a_remedy_that_changes_no_robot() -> None:
    """Readers that give such links a mass take zero for zero, and our reading stays what it is."""
    remedied = File(document(LINKS.replace('<link name="tool"/>', f'<link name="tool">{ZERO}</link>')), free_base=False)
    assert not differences(FILE.reading, remedied.reading)
    before = taken_as(FILE, "gives links without <inertial>")[0]
    after = [one for one in remedied.candidates if one.hypothesis in [other.hypothesis for other in before]]
    assert len(before) == 2
    assert all("zero if it has none" in one.hypothesis.remedy and ("link", "tool") in one.elements for one in before)
    assert not any(("link", "tool") in one.elements for one in after)


def test_a_mechanism_that_is_rebuilt_from_a_reading_has_the_same_dynamics() -> None:
    import numpy as np

    reading, mechanism = reading_of(document())
    rng = np.random.default_rng(3)
    q, v, a = (rng.normal(size=(4, 2)) for _ in range(3))
    again = rebuilt(reading, mechanism.root)
    ours, theirs = (REFERENCE.load(one).inverse_dynamics(q, v, a) for one in (mechanism, again))
    assert np.abs(ours - theirs).max() < 1e-13 * np.abs(ours).max() + 1e-13


def test_order_is_no_difference_and_numbers_are_asked_about_in_our_order() -> None:
    """States are drawn for the coordinates in their order. In another order, a fault that few states show may vanish."""
    links = LINKS + '<link name="other"/>'
    joints = JOINTS + '<joint name="j0" type="continuous"><parent link="base"/><child link="other"/></joint>'
    file = File(document(links, joints), free_base=False)
    turned = dataclasses.replace(file.reading, joints=file.reading.joints[::-1])
    assert order_differs(file.reading, turned) and not differences(file.reading, turned)
    read = read_by(file, Entry("e", "e", AnsweringReader(turned)))
    assert read.reader.verdict == "agrees"
    assert read.numbers and read.numbers.coordinates == file.mechanism.coordinates
    stranger = dataclasses.replace(turned, joints=turned.joints[:-1])
    assert in_order_of(file.reading, stranger) is stranger


FLOATING = """<robot name="f"><link name="base"/>
<link name="l"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="j" type="floating"><parent link="base"/><child link="l"/><origin rpy="0.3 0 0"/></joint></robot>"""


def test_a_misreading_that_no_reading_shows_is_tried_on_what_is_computed() -> None:
    file = File(FLOATING, free_base=False)
    hidden, shown = ({one.hypothesis.sentence for one in some} for some in (file.hidden, file.candidates))
    assert "ignores <origin> of floating joints" in hidden - shown and not hidden & shown


def judged(results: Run, mechanism: Mechanism, numbers: Mechanism | None = None) -> str:
    """The verdict on an engine that computes such results."""
    read = Read(Entry("e", "e", SimpleNamespace()), Reader("e", "1", "agrees"), mechanism, numbers)
    (reader,) = with_computed([read], lambda text: None, Check(results, SETTINGS.quantities, 16.0))
    return reader.verdict


@pytest.mark.parametrize(
    ("error", "kinds", "verdict"),
    [
        (100.0, [], "digits"),
        (1e9, [], "fault"),
        (1e9, ["arithmetic"], "digits"),
        (1e9, ["arithmetic", "term"], "fault"),
    ],
)
def test_only_tiny_errors_and_amplified_rounding_are_lost_digits(error: float, kinds: list[str], verdict: str) -> None:
    """An engine that computes otherwise from what it has read is at fault, also where its numbers would excuse it."""
    wrong = [Cell(f"arm/e/{name}", "arm", "e", name, "discrepancy", error=error) for name in SETTINGS.quantities]
    right = [dataclasses.replace(cell, verdict="agrees", error=1.0) for cell in wrong]
    numbers = dataclasses.replace(FILE.mechanism, name="numbers")

    def results(mechanism: object, group: object, quantities: object, explain: bool) -> Any:
        causes = [SimpleNamespace(kind=kind, sentence=kind) for kind in kinds] if explain else []
        return SimpleNamespace(cells=right if mechanism is numbers else wrong, skipped=(), causes=causes)

    assert judged(results, FILE.mechanism, numbers) == verdict


@pytest.mark.parametrize(
    ("errors", "verdict"),
    [([12, 9, 15, 17, 8, 12, 17, 12], "digits"), ([12, 9, 17, 17, 8, 12, 17, 12], "fault"), ([12] * 7 + [33], "fault")],
)
@pytest.mark.parametrize("known", [False, True])
def test_an_engine_that_is_right_about_nearby_files_loses_digits(errors: list[float], verdict: str, known: bool) -> None:
    """A known fault of the same size stays one."""
    mechanism, later = parse_urdf(document()), iter(errors)

    def results(asked: Mechanism, group: object, quantities: object, explain: bool) -> Any:
        error = 17.0 if asked is mechanism else float(next(later, 0.0))
        off: Any = "agrees" if error <= 16 else "known" if known else "discrepancy"
        return SimpleNamespace(cells=[Cell("arm/e/gravity", "arm", "e", "gravity", off, error=error)], skipped=(), causes=())

    assert judged(results, mechanism) == ("fault" if known else verdict)


def test_numbers_of_a_reading_are_not_asked_along_axes_of_links_which_it_does_not_say() -> None:
    numbers, asked = rebuilt(FILE.reading, "base"), dict[str, Any]()

    def results(mechanism: Mechanism, group: object, quantities: object, explain: bool) -> Any:
        asked[mechanism.name] = quantities
        return SimpleNamespace(cells=(), skipped=(), causes=())

    names = (
        "mass_matrix",
        "placements",
        "jacobians_aligned",
        "jacobians_local",
        "inverse_dynamics_with_forces",
        "joint_torque_regressor",
    )
    check = Check(results, names, 16.0)
    for mechanism in (numbers, dataclasses.replace(FILE.mechanism, name="of the file")):
        check.results(mechanism, [Read(Entry("e", "e", SimpleNamespace()), Reader("e", "1", "digits"), mechanism, numbers)])
    assert asked == {numbers.name: ("mass_matrix", "jacobians_aligned"), "of the file": names}


def test_nearby_files_differ_by_some_roundings() -> None:
    plain, texts = FILE.reading, [*nearby(document())]
    assert len({*texts}) == len(texts) == FILES
    for text in texts:
        (first, second), (a, b) = read(text).joints, plain.joints
        assert first.origin != a.origin
        assert first.carries.mass == a.carries.mass
        assert (first.origin, second.axis) == (pytest.approx(a.origin, rel=2 * STEP), pytest.approx(b.axis, abs=4 * STEP))


def test_a_reason_that_explains_a_part_is_no_reason() -> None:
    """The rest stays unknown, no remedy is given, and it says what was ruled out."""
    links, joints = LINKS.partition('<link name="tool"/>')[0], JOINTS.partition('<joint name="weld"')[0]
    file = File(document(links, joints), free_base=False)
    (joint,) = taken_as(file, "ignores <dynamics damping>")[1].joints
    odd = dataclasses.replace(file.reading, joints=(dataclasses.replace(joint, axis=(0.0, 0.0, 1.0)),))
    read = read_by(file, Entry("e", "e", AnsweringReader(odd)))
    assert (read.reader.verdict, read.reader.reasons, read.mechanism) == ("unknown", (), None)
    assert read.reader.partly == ("ignores <dynamics damping>",)
    assert [(left.row, left.joint) for left in read.reader.remaining] == [("axes", "j1")]
    assert "ignores rpy of <inertial>" in read.reader.ruled_out


def test_elements_that_cannot_change_what_differs_are_not_tried() -> None:
    before = {("link", "base"), ("link", "arm"), ("link", "tool"), ("joint", "j1"), ("joint", "weld")}
    everything = {*before, ("link", "tip"), ("joint", "j2")}
    assert [FILE.elements_before({name}) for name in ("j1", "j2", "no joint of ours")] == [before, everything, everything]


def test_a_baseline_knows_the_message_of_a_fault() -> None:
    one = Comparison("a.urdf", "a", False, 1, (Reader("e", "1", "fault", "the sign of g"),))
    other = Comparison("a.urdf", "a", False, 1, (Reader("e", "1", "fault", "M is 10 % off"),))
    first, second = (known_of(json.loads(to_json([comparison]))) for comparison in (one, other))
    assert first != second


def test_what_readers_are_known_to_do_is_kept_for_the_robots_of_tox() -> None:
    root = Path(__file__).parents[2]
    known = known_of(json.loads((root / "docs" / "readers.json").read_text("utf-8")))
    (asked,) = re.findall(r"dalembert diff ([^\\]+)\\", (root / "tox.ini").read_text("utf-8"))
    assert asked.split() == [*dict.fromkeys(file for file, _ in known)] == [*DEFAULT_ROBOTS]
    (installed,) = re.findall(r'all-engines = \["dalembert\[(.+?)\]"\]', (root / "pyproject.toml").read_text("utf-8"))
    engines = {"pinocchio", "rbdl", *installed.split(",")}
    assert {reader for _, reader in known} == {reader for reader in READERS if reader.removesuffix("-urdf") in engines}
    assert not [verdict for verdict, *_ in known.values() if verdict in ("unknown", "failed")]
