"""Readings of one file, compared and explained."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cross_check.entry import Entry
from cross_check.readers import computed
from cross_check.readers.compare import compared_rows, differences, order_differs
from cross_check.readers.edited import File
from cross_check.readers.explain import explain
from cross_check.readers.hypotheses import HYPOTHESES
from cross_check.readers.nearby import FILES, STEP, nearby
from cross_check.readers.reader import Read, read_by
from cross_check.readers.rebuilt import in_order_of, rebuilt
from cross_check.readers.results import Comparison, Reader, known_of, to_json
from cross_check.results.objects import Cell
from cross_check.settings import Settings
from implementations.plugins.registry import READERS
from implementations.processes.remote import Remote
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, parse_urdf
from mechanisms.reading import Mass, Reading, combined
from mechanisms.robots import DEFAULT_ROBOTS
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


class AnsweringReader(Remote):
    """A reader that makes this reading of every file."""

    name, version = "e", "1"  # type: ignore[assignment]

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def read(self, *file: object) -> tuple[Reading, str]:  # type: ignore[override]
        return self._reading, ""


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


@pytest.mark.nightly
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


def test_two_misreadings_are_told_apart() -> None:
    file = File(document(), free_base=False)
    chosen = [
        one for one in file.candidates if one.hypothesis.sentence in ("ignores rpy of <inertial>", "ignores <dynamics damping>")
    ]
    theirs = file.read_as(chosen)
    assert theirs
    explained = explain(file, theirs)
    assert {one.hypothesis.sentence for one in explained.misread} == {one.hypothesis.sentence for one in chosen}


def test_two_misreadings_of_one_body_are_told_apart() -> None:
    """Neither of them brings the moments of the body nearer to the reader's."""
    impossible = (
        '<link name="cap"><inertial><mass value="1"/>'
        '<inertia ixx="0.001" ixy="0.001" ixz="0.001" iyy="0.001" iyz="0.001" izz="0.001"/></inertial></link>'
    )
    joints = JOINTS + '<joint name="w2" type="fixed"><parent link="tool"/><child link="cap"/></joint>'
    file = File(document(LINKS + impossible, joints).replace("<robot", '<robot unphysical="true"'), free_base=False)
    wanted = {
        "gives links without <inertial> a mass of 1 kg and moments of 1 kg m²",
        "drops the moments of an inertia that no body can have",
    }
    theirs = file.read_as([one for one in file.candidates if one.hypothesis.sentence in wanted])
    assert theirs
    explained = explain(file, theirs)
    assert {one.hypothesis.sentence for one in explained.misread} == wanted
    assert not explained.remaining


def test_a_range_of_zero_may_be_no_limit() -> None:
    file = File(document(joints=JOINTS.replace('lower="-1" upper="1"', "")), free_base=False)
    assert file.reading.joints[0].limits[:2] == (0.0, 0.0)
    (misread,) = [one for one in file.candidates if one.hypothesis.sentence.startswith("takes limits of zero")]
    assert misread.elements == (("joint", "j1"),)
    theirs = file.read_as([misread])
    assert theirs
    assert theirs.joints[0].limits == (None, None, 2.0, 3.0)
    assert explain(file, theirs).misread == (misread,)


@pytest.mark.parametrize("written", ['<transmission type="{}">', "<transmission><type>{}</type>"])
def test_a_transmission_that_is_not_simple_may_count_as_none(written: str) -> None:
    def transmission(kind: str, joint: str) -> str:
        return written.format(kind) + f'<joint name="{joint}"/></transmission>'

    both = transmission("transmission_interface/SimpleTransmission", "j1") + transmission("my/DifferentialTransmission", "j2")
    file = File(document(joints=JOINTS + both), free_base=False)
    (misread,) = [one for one in file.candidates if "SimpleTransmission" in one.hypothesis.sentence]
    theirs = file.read_as([misread])
    assert theirs
    assert [joint.limits[3] for joint in theirs.joints] == [3.0, None]


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


@pytest.mark.parametrize(
    ("written", "number"),
    [("1_0", None), ("\u0663", None), ("inf", None), ("1e999", None), (" 3\n", 3.0), ("1.7e308", 1.7e308)],
)
def test_a_limit_is_a_decimal_number_or_none(written: str, number: float | None) -> None:
    """Python's float would also take 1_0 for 10, and Arabic digits."""
    reading = read(document(joints=JOINTS.replace('effort="3"', f'effort="{written}"')))
    assert reading.joints[0].limits[3] == number


@pytest.mark.filterwarnings("error")
def test_a_number_that_float32_does_not_have_warns_of_nothing() -> None:
    file = File(document(joints=JOINTS.replace('effort="3"', 'effort="1e300"')), free_base=False)
    assert explain(file, file.reading).remaining == ()
    assert file.candidates


def test_links_without_inertial_have_a_remedy_that_changes_no_robot() -> None:
    """Readers that give such links a mass take zero for zero, and our reading stays what it is."""
    zero = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    plain, remedied = (
        File(document(links), free_base=False)
        for links in (LINKS, LINKS.replace('<link name="tool"/>', f'<link name="tool">{zero}</link>'))
    )
    assert not differences(plain.reading, remedied.reading)
    given = [one for one in plain.candidates if "gives links without <inertial>" in one.hypothesis.sentence]
    assert len(given) == 2
    assert all("zero if it has none" in one.hypothesis.remedy for one in given)
    assert ("link", "tool") in {element for one in given for element in one.elements}
    still = {
        element for one in remedied.candidates if one.hypothesis in [g.hypothesis for g in given] for element in one.elements
    }
    assert ("link", "tool") not in still


def test_a_mechanism_that_is_rebuilt_from_a_reading_has_the_same_dynamics() -> None:
    import numpy as np

    reading, mechanism = reading_of(document())
    rng = np.random.default_rng(3)
    q, v, a = (rng.normal(size=(4, 2)) for _ in range(3))
    again = rebuilt(reading, mechanism.root)
    ours, theirs = (REFERENCE.load(one).inverse_dynamics(q, v, a) for one in (mechanism, again))
    assert np.abs(ours - theirs).max() < 1e-13 * np.abs(ours).max() + 1e-13


def test_numbers_are_asked_about_in_our_order() -> None:
    """States are drawn for the coordinates in their order. In another order, a fault that few states show may vanish."""
    links = LINKS + '<link name="other"/>'
    joints = JOINTS + '<joint name="j0" type="continuous"><parent link="base"/><child link="other"/></joint>'
    file = File(document(links, joints), free_base=False)
    turned = dataclasses.replace(file.reading, joints=file.reading.joints[::-1])
    read = read_by(file, Entry("e", "e", AnsweringReader(turned)))
    assert read.numbers
    assert read.numbers.coordinates == file.mechanism.coordinates
    stranger = dataclasses.replace(turned, joints=turned.joints[:-1])
    assert in_order_of(file.reading, stranger) is stranger


def test_what_is_no_number_is_a_difference() -> None:
    reading = read(document())
    first, second = reading.joints
    nan = float("nan")
    for row, changed in {
        "mass": dataclasses.replace(first, carries=Mass(nan, first.carries.com, first.carries.inertia)),
        "com": dataclasses.replace(first, carries=Mass(2.0, (nan, 5.0, 0.0), first.carries.inertia)),
        "limits": dataclasses.replace(first, limits=(-1.0, 1.0, nan, 3.0)),
    }.items():
        found = differences(reading, dataclasses.replace(reading, joints=(changed, second)))
        assert [(one.row, one.size, one.is_digits) for one in found] == [(row, None, False)]


def test_a_limit_that_is_dropped_at_one_joint_is_a_difference_and_one_that_is_never_kept_is_not_compared() -> None:
    reading = read(document())
    first, second = reading.joints
    dropped = dataclasses.replace(first, limits=(-1.0, 1.0, 2.0, None))
    assert [one.row for one in differences(reading, dataclasses.replace(reading, joints=(dropped, second)))] == ["limits"]
    never = tuple(dataclasses.replace(joint, limits=(None,) * 4, armature=None) for joint in reading.joints)
    theirs = dataclasses.replace(reading, joints=never)
    assert not differences(reading, theirs)
    assert {"limits", "armature"} & {*compared_rows(reading, reading)} == {"limits", "armature"}
    assert not {"limits", "armature"} & {*compared_rows(reading, theirs)}


FLOATING = """<robot name="f"><link name="base"/>
<link name="l"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="j" type="floating"><parent link="base"/><child link="l"/><origin rpy="0.3 0 0"/></joint></robot>"""


def test_a_misreading_that_no_reading_shows_is_tried_on_what_is_computed() -> None:
    file = File(FLOATING, free_base=False)
    assert "ignores <origin> of floating joints" in {one.hypothesis.sentence for one in file.hidden}
    assert not {one.hypothesis for one in file.hidden} & {one.hypothesis for one in file.candidates}


def test_only_tiny_errors_and_amplified_rounding_are_lost_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that computes otherwise from what it has read is at fault, also where its numbers would excuse it."""
    file = File(document(), free_base=False)

    def judged(error: float, *kinds: str) -> str:
        wrong = [Cell(f"arm/e/{name}", "arm", "e", name, "discrepancy", error=error) for name in computed.SETTINGS.quantities]
        right = [dataclasses.replace(cell, verdict="agrees", error=1.0) for cell in wrong]
        numbers = dataclasses.replace(file.mechanism, name="numbers")

        def results(mechanism: object, group: object, settings: object, explain: bool = False) -> Any:
            causes = [SimpleNamespace(kind=kind, sentence=kind) for kind in kinds] if explain else []
            return SimpleNamespace(cells=right if mechanism is numbers else wrong, skipped=(), causes=causes)

        monkeypatch.setattr(computed, "_results", results)
        entry = Entry("e", "e", SimpleNamespace())
        read = Read(entry, Reader("e", "1", "agrees"), file.mechanism, numbers)
        (reader,) = computed.with_computed([read], lambda text: None)
        return reader.verdict

    assert judged(100.0) == "digits"
    assert judged(1e9) == "fault"
    assert judged(1e9, "arithmetic") == "digits"
    assert judged(1e9, "arithmetic", "term") == "fault"


@pytest.mark.parametrize(
    ("errors", "verdict"),
    [([12, 9, 15, 17, 8, 12, 17, 12], "digits"), ([12, 9, 17, 17, 8, 12, 17, 12], "fault"), ([12] * 7 + [33], "fault")],
)
@pytest.mark.parametrize("known", [False, True])
def test_an_engine_that_is_right_about_nearby_files_loses_digits(
    errors: list[float], verdict: str, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A known fault of the same size stays one."""
    mechanism = parse_urdf(document())
    later = iter(errors)

    def results(asked: Mechanism, group: object, settings: Settings, explain: bool = False) -> Any:
        error = 17.0 if asked is mechanism else float(next(later, 0.0))
        off = "known" if known else "discrepancy"
        cells = [Cell("arm/e/gravity", "arm", "e", "gravity", off if error > 16 else "agrees", error=error)]  # type: ignore[arg-type]
        return SimpleNamespace(cells=cells, skipped=(), causes=())

    monkeypatch.setattr(computed, "_results", results)
    read = Read(Entry("e", "e", SimpleNamespace()), Reader("e", "1", "agrees"), mechanism)
    (reader,) = computed.with_computed([read], lambda text: None)
    assert reader.verdict == ("fault" if known else verdict)


def test_nearby_files_differ_by_some_roundings() -> None:
    plain, texts = read(document()), [*nearby(document())]
    assert len({*texts}) == len(texts) == FILES
    for text in texts:
        (first, second), (a, b) = read(text).joints, plain.joints
        assert first.origin != a.origin
        assert first.carries.mass == a.carries.mass
        assert (first.origin, second.axis) == (pytest.approx(a.origin, rel=2 * STEP), pytest.approx(b.axis, abs=4 * STEP))


def test_a_reason_that_explains_a_part_is_no_reason() -> None:
    """The rest stays unknown, and no remedy is given."""
    file = File(document(), free_base=False)
    chosen = [one for one in file.candidates if one.hypothesis.sentence == "ignores <dynamics damping>"]
    theirs = file.read_as(chosen)
    assert theirs
    first, second = theirs.joints
    odd = dataclasses.replace(theirs, joints=(dataclasses.replace(first, axis=(0.0, 0.0, 1.0)), second))
    entry = Entry("e", "e", SimpleNamespace())
    read = read_by(file, dataclasses.replace(entry, subject=AnsweringReader(odd)))
    assert read.reader.verdict == "unknown"
    assert not read.reader.reasons
    assert read.reader.partly == ("ignores <dynamics damping>",)
    assert read.mechanism is None


def test_a_reader_that_agrees_costs_no_hypothesis() -> None:
    file = File(document(), free_base=False)
    read = read_by(file, Entry("e", "e", AnsweringReader(file.reading)))
    assert read.reader.verdict == "agrees"
    assert "_tried" not in vars(file)


def test_lost_digits_are_no_reason_to_try_single_elements() -> None:
    """Every element costs a reading of the file."""
    file = File(document(), free_base=False)
    theirs = file.read_as([one for one in file.candidates if one.hypothesis.sentence == "ignores <dynamics damping>"])
    assert theirs
    tried = {*file._read}
    first, second = theirs.joints
    carries = dataclasses.replace(second.carries, mass=second.carries.mass * (1 + 1e-8))
    explained = explain(file, dataclasses.replace(theirs, joints=(first, dataclasses.replace(second, carries=carries))))
    assert [one.hypothesis.sentence for one in explained.misread] == ["ignores <dynamics damping>"]
    assert [one.is_digits for one in explained.remaining] == [True]
    whole = {(one.hypothesis.sentence, one.elements) for one in file.candidates}
    assert {one for key in {*file._read} - tried for one in key} <= whole


def test_elements_that_cannot_change_what_differs_are_not_tried() -> None:
    file = File(document(), free_base=False)
    assert file.elements_before({"j1"}) == {
        ("link", "base"),
        ("link", "arm"),
        ("link", "tool"),
        ("joint", "j1"),
        ("joint", "weld"),
    }
    everything = {*file.elements_before({"j1"}), ("link", "tip"), ("joint", "j2")}
    assert file.elements_before({"j2"}) == everything
    assert file.elements_before({"somebody else's joint"}) == everything


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
    assert {reader for _, reader in known} == {*READERS}
    assert not [verdict for verdict, *_ in known.values() if verdict in ("unknown", "failed")]
