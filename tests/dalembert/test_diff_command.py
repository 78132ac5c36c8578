"""``dalembert diff``: the same file through every engine's own reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dalembert.cli.main import main
from implementations.processes.find import find_subject
from implementations.processes.subject import Subject

pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
pytestmark = [pytest.mark.engines, pytest.mark.slow]

ODD = """<robot name="odd"><link name="base"/>
<link name="l1"><inertial><mass value="2.5 "/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<link name="l2"><inertial><mass value="1.5"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<joint name="j1" type="planar"><parent link="base"/><child link="l1"/><axis xyz="1 0 0"/></joint>
<joint name="j2" type="revolute"><parent link="l1"/><child link="l2"/>
  <limit lower="-1" upper="1" effort="3" velocity="2"/></joint>
</robot>"""

PLAIN = ODD.replace('"2.5 "', '"2.5"').replace("1 0 0", "0 0 1")


def diff(*words: object) -> Result:
    return CliRunner().invoke(main, ["diff", "-e", "pinocchio", *map(str, words)])


@pytest.mark.nightly
def test_a_difference_is_named_with_line_and_column_and_is_no_news_to_a_baseline(tmp_path: Path) -> None:
    file, document, page = (tmp_path / name for name in ("odd.urdf", "diff.json", "diff.html"))
    file.write_text(ODD)
    result = diff(file, "--json", document, "--report", page)
    assert result.exit_code == 1
    said = " ".join(result.output.split())
    assert (
        "takes a link for one without inertia if a number in its <inertial> has spaces around it (link 'l1', line 2, column 1)"
        in said
    )
    assert "takes z for <axis> of planar joints, whatever the file says (joint 'j1', line 4, column 1)" in said
    assert "with these undone, every number is the same, and what it computes is right" in said
    (reader,) = json.loads(document.read_text())["files"][0]["readers"]
    assert reader["verdict"] == "reading"
    assert not reader["remaining"]
    assert "line 4, column 1" in page.read_text()
    assert diff(file, "--baseline", document).exit_code == 0
    # The same misreading at one more link is news.
    file.write_text(ODD.replace('value="1.5"', 'value="1.5 "'))
    assert diff(file, "--baseline", document).exit_code == 1
    file.write_text(ODD.replace("1 0 0", "0 0 1"))
    again = diff(file, "--baseline", document)
    assert again.exit_code == 1
    assert "in the baseline: reading" in again.output


def test_a_baseline_is_no_output_and_sees_readers_that_are_gone_and_names_are_data(tmp_path: Path) -> None:
    file, document, page = (tmp_path / name for name in ("odd.urdf", "diff.json", "diff.html"))
    name = "[bold]&lt;script&gt;alert(1)&lt;/script&gt;"
    file.write_text(ODD.replace('"l1"', f'"{name}"').replace('"j1"', f'"{name}"'))
    result = diff(file, "--json", document, "--report", page)
    assert result.exit_code == 1
    assert "[bold]<script>" in " ".join(result.output.split())
    assert "<script" not in page.read_text()
    before = document.read_bytes()
    result = diff(file, "--baseline", document, "--json", document)
    assert result.exit_code == 2
    assert document.read_bytes() == before
    document.write_text(document.read_text().replace("pinocchio-urdf", "gone-urdf"))
    file.write_text(PLAIN)
    result = diff(file, "--baseline", document)
    assert result.exit_code == 1
    assert "gone-urdf: not compared; in the baseline: reading" in " ".join(result.output.split())
    document.write_text("[" * 200_000)
    result = diff(file, "--baseline", document)
    assert result.exit_code == 2
    assert "nested too deeply" in result.output


def test_a_file_that_we_refuse_does_not_end_the_run(tmp_path: Path) -> None:
    (tmp_path / "plain.urdf").write_text(PLAIN)
    (tmp_path / "bad.urdf").write_text("<robot")
    (tmp_path / "refused.urdf").write_text('<robot name="a"><link name="b"/></robot>')
    document = tmp_path / "diff.json"
    names = [tmp_path / name for name in ("bad.urdf", "refused.urdf", "plain.urdf")]
    result = diff(*names, "--json", document)
    assert result.exit_code == 2
    assert "bad.urdf, line 1: this is no XML" in result.output
    assert "no joint that moves" in " ".join(result.output.split())
    assert "alike" in result.output
    assert [Path(one["file"]).name for one in json.loads(document.read_text())["files"]] == ["refused.urdf", "plain.urdf"]


MJCF = """<mujoco model="b"><compiler angle="radian"/>
<worldbody><body name="a">
<joint type="hinge" axis="0 1 0" damping="0.5" armature="0.01" stiffness="3" springref="0.2"/>
<inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.2 0.25"/></body></worldbody></mujoco>"""

SDF = """<sdf version="1.6"><model name="b"><link name="a"><inertial><mass>1</mass></inertial></link>
<link name="bar">
<inertial><pose>0.1 0 0 0 0 0.5</pose><mass>2</mass>
<inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>
<joint name="weld" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="j" type="revolute"><parent>a</parent><child>bar</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""


def test_an_engine_that_has_no_reader_of_the_form_is_left_out_and_names_are_given_to_joints_without_one(tmp_path: Path) -> None:
    (tmp_path / "b.xml").write_text(MJCF)
    result = diff(tmp_path / "b.xml", *(["-e", "idyntree"] if find_spec("idyntree") else []))
    assert result.exit_code == 0, result.output
    assert "idyntree" not in result.output
    # Pinocchio calls it jointa_0.
    assert "joints without a name get ours" in result.output


def test_a_file_that_nobody_reads_is_not_green(tmp_path: Path) -> None:
    page = tmp_path / "diff.html"
    (tmp_path / "a.sdf").write_text(SDF)
    result = diff(tmp_path / "a.sdf", "--report", page)
    assert result.exit_code == 5
    assert "No engine that is installed reads" in result.output
    assert "No engine that is installed reads" in page.read_text()


LIGHT = PLAIN.replace('type="planar"', 'type="continuous"').replace(
    "</joint>\n</robot>",
    """</joint>
<link name="tip"><inertial><mass value="0"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"/></inertial></link>
<joint name="weld" type="fixed"><parent link="l2"/><child link="tip"/></joint>
</robot>""",
)
ALMOST = LIGHT.replace('izz="0.25"', 'izz="0.300000001"')

# Some readers count the position of a base that moves freely from its pose, others from the world's origin.
MOVING = re.sub('<joint name="weld".*</joint>', "<pose>1 2 3 0 0 0</pose>", SDF.replace("0 0 0.5", "0 0 0"))
OTHER = '<body name="b"><joint name="f"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>'
EQUALITY = '<equality><joint joint1="f" joint2="l" polycoef="0 2 0 0 0"/></equality>'
COUPLED = (
    MJCF.replace("<joint type", '<joint name="l" type').replace("</worldbody>", OTHER + EQUALITY).replace('stiffness="3"', "")
)
ON_MARS = MJCF.replace("<worldbody>", '<option gravity="0 0 -3.7"/><worldbody>')
OF_MESH = MJCF.replace("<inertial", '<geom type="mesh" mesh="m"/><inertial').replace(
    "<compiler", "<compiler inertiafromgeom='true'"
)
# A slide has no place, and MuJoCo's is where its position is zero.
SLIDE = MJCF.replace('type="hinge"', 'type="slide" ref="0.3" pos="1 2 3"')

# DART gives links 1 kg at their origins, as these are.
LIFTED = """<mujoco><worldbody><body name="arm" gravcomp="0.5"><joint name="a" axis="0 1 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><body name="tip" pos="0 0 1"><joint name="b" axis="0 1 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"""

# With a shape, DART keeps the mass and its place.
SHAPED = """<mujoco><worldbody><body name="arm"><joint name="a" axis="0 1 0"/><geom size="0.1"/>
<inertial pos="0 0.1 0.2" mass="3" fullinertia="5 6 7 0.1 0 0"/><body name="tip" pos="0 0 1"><joint name="b" axis="0 1 0"/>
<geom size="0.1" pos="0.1 0 0" mass="2"/></body></body></worldbody></mujoco>"""

READ: list[tuple[str, str, str, int, str]] = [
    # PyBullet keeps the moments of links without mass, and MuJoCo drops them.
    (LIGHT, "pybullet", "agrees", 0, "agree"),
    (LIGHT, "mujoco", "reading", 1, "docs/findings/mujoco-fusestatic-massless-inertia.md has the proof"),
    # A violation of the triangle inequality by 3e-9 of the moments is one for Drake.
    (ALMOST.replace('mass value="0"', 'mass value="1"'), "drake", "reading", 1, "puts a ball of water of the same mass"),
    # urdfdom does not take the line ends of attributes for spaces, as XML has it.
    (
        LIGHT.replace("<inertial><mass", '<inertial><origin xyz="0 0\\n 0.1"/><mass', 1).replace("\\n", "\n"),
        "pinocchio",
        "reading",
        1,
        "a line end",
    ),
    (ALMOST.replace('mass value="0"', 'mass value="1"').replace('izz="', 'izz="\n', 1), "pinocchio", "agrees", 0, "agree"),
    (re.sub(r'izz="([^"]*)"', 'izz="\\1\n"', LIGHT), "pinocchio", "reading", 1, "takes the moments of a link for zero"),
    (LIGHT, "adam", "refuses", 5, "✗ x.urdf: of 1 engine, adam refused it"),
    # What we refuse has no right reading.
    (
        LIGHT.replace("</robot>", '<joint name="j3" type="fixed"><parent link="base"/><child link="l2"/></joint></robot>'),
        "pinocchio",
        "agrees",
        2,
        "✗ dalembert refuses x.urdf, line 3: link 'l2' is the child of joints",
    ),
    (MJCF, "pinocchio", "agrees", 0, "agree"),
    (ON_MARS, "pinocchio", "reading", 1, "takes 9.81 m/s² along −z for gravity"),
    (MJCF, "mujoco", "agrees", 0, "= = = ="),
    (SLIDE, "mujoco", "agrees", 0, "= = = ="),
    (MJCF, "drake", "reading", 1, "ignores the springs of joints (joint 'a', line 3, column 1)"),
    (OF_MESH, "mujoco", "agrees", 2, "dalembert refuses x.xml, line 4: body 'a'"),
    (SDF, "drake", "agrees", 0, "= = = ="),
    (MOVING, "dart", "fault", 1, "DART: a ball or free joint that is turned by less than 0.001 rad"),
    (COUPLED, "mujoco", "agrees", 0, "= = = ="),
    (COUPLED, "pinocchio", "reading", 1, "reads the first <body> of <worldbody> alone (joint 'f', line 4"),
    (COUPLED, "drake", "reading", 1, "ignores armature"),
    (MJCF.replace("damping", 'frictionloss="1" damping'), "mujoco", "agrees", 0, "= = = ="),
    (MJCF.replace("damping", 'frictionloss="1" damping'), "drake", "reading", 1, "which drake does not read"),
    (LIFTED, "mujoco", "agrees", 0, "= = = ="),
    (LIFTED, "dart", "reading", 1, "ignores gravity compensation (body 'arm', line 1"),
    (LIFTED, "pinocchio", "agrees", 0, "body 'arm' has gravity compensation, which pinocchio does not read"),
    (
        SHAPED,
        "dart",
        "reading",
        1,
        "places a body without pos where its <inertial> is (body 'arm', line 1, column 20), and takes every moment",
    ),
    # Of what we do not read, no reading says anything: what is computed cannot be judged.
    (MJCF.replace("damping", 'springdamper="1 1" damping'), "pinocchio", "agrees", 2, "dalembert refuses x.xml, line 3"),
    (SDF, "dart", "reading", 1, "does not turn moments by the <pose> of <inertial> (link 'bar', line 2, column 1)"),
]


@pytest.fixture(scope="module")
def running() -> Iterator[Callable[[str], Subject]]:
    """Finds engines whose processes go on from case to case: to import an engine takes longer than to read a file."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:

        @cache
        def find(spec: str) -> Subject:
            subject = find_subject(spec)
            stack.callback(subject.close)
            patch.setattr(subject, "close", lambda: None)
            return subject

        yield find


@pytest.mark.parametrize(
    ("text", "engine", "verdict", "code", "said"), READ, ids=[f"{one[1]}-{one[2]}-{one[4][:20]}" for one in READ]
)
def test_a_reader_is_accused_of_what_it_does_and_of_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, running: Any, text: str, engine: str, verdict: str, code: int, said: str
) -> None:
    pytest.importorskip({"drake": "pydrake", "dart": "dartpy"}.get(engine, engine))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dalembert.commands.diff.find_subject", running)
    file = {MJCF[:7]: "x.xml", SDF[:7]: "x.sdf"}.get(text[:7], "x.urdf")
    Path(file).write_text(text)
    result = CliRunner().invoke(main, ["diff", "-e", engine, file, "--json", "x.json"])
    (reader,) = json.loads(Path("x.json").read_text())["files"][0]["readers"]
    assert (reader["verdict"], result.exit_code) == (verdict, code), result.output
    assert said in " ".join(result.output.split())
