"""Code that reads files itself: its reader is right, or what is wrong with it is said."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import pytest

import dalembert
from cross_check.exchange.results.objects import NOT_READ
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.relations.readings import READINGS, related
from cross_check.read.as_read.declared import REWRITINGS
from dalembert import Results
from dalembert.gatekeeper import run_gate

HERE = Path(__file__).parent

READER = (HERE / "users_reader.py").read_text("utf-8")

FILES = {
    name: (HERE / "robots" / f"{name.removeprefix('free:')}.urdf").read_text("utf-8") for name in ("arm", "rover", "free:drone")
}
"""An arm as many are: all axes are z, all inertias are diagonal, nothing is welded, and links come from the base on. The others
carry it: a rover on a planar joint, and a drone, whose base is free."""

BY_NAME = "own[body.joint.name].q, own[body.joint.name].v = q, v"


class Planted(NamedTuple):
    """A fault of reader_faults.toml."""

    right: str
    wrong: str
    says: str
    by: str = ""
    on: str = "arm"


PLANTED = {name: Planted(**fault) for name, fault in tomllib.loads((HERE / "reader_faults.toml").read_text("utf-8")).items()}


@pytest.fixture(autouse=True)
def robots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The robots' files, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(f"{name.removeprefix('free:')}.urdf").write_text(text)


def checked(robot: str, readers: dict[str, str], files: tuple[str, ...] = ("as-read",)) -> Results:
    """A check of these modules, by name, on one robot, with its file in every notation or in some."""
    for name, text in readers.items():
        Path(f"{name}.py").write_text(text)
    paths = [f"{name}.py" for name in readers]
    return dalembert.check(f"{robot}.urdf", paths, quantities=["inverse_dynamics", *files], states=18, in_process=True)


@pytest.mark.slow
@pytest.mark.parametrize("robot", FILES)
def test_a_right_reader_agrees_with_every_file(robot: str) -> None:
    results = checked(robot, {"right": READER})
    verdicts = {item.name: item.verdict for item in results.invariants}
    assert verdicts.keys() == READINGS.keys()
    assert not {name: verdict for name, verdict in verdicts.items() if verdict not in ("agrees", "unsupported")}
    assert sum(verdict == "unsupported" for verdict in verdicts.values()) <= 3
    assert not results.causes


@pytest.mark.slow
@pytest.mark.parametrize("robot", [pytest.param(one, marks=pytest.mark.nightly if one == "arm" else ()) for one in FILES])
def test_every_fault_of_a_reader_is_found_and_named(robot: str) -> None:
    planted = {f"reader_{k}": fault for k, fault in enumerate(PLANTED.values()) if fault.on == robot}
    for fault in planted.values():
        assert fault.right in READER
    results = checked(robot, {name: READER.replace(fault.right, fault.wrong) for name, fault in planted.items()})
    for name, fault in planted.items():
        own = [item for item in results.invariants if item.implementation == name]
        wrong = {item.name for item in own if item.verdict in ("discrepancy", "failed")}
        plain = {cell.verdict for cell in results.cells if cell.implementation == name}
        assert plain == {"agrees" if fault.by else "discrepancy"}, fault
        assert not fault.by or f"reads_{fault.by}" in wrong, (fault, wrong)
        said = [cause.sentence for cause in results.causes if cause.implementation == name]
        assert len(said) == 1, (fault, said)
        assert fault.says in said[0], (fault, said)


@pytest.mark.slow
def test_what_was_tried_and_does_not_fit_is_no_guess() -> None:
    rounded = READER.replace("return float(text)", "return round(float(text), 4)")
    results = checked("arm", {"rounded": rounded}, ("reads_oblique_inertial_rpy", "reads_oblique_axes"))
    said = [cause.sentence for cause in results.causes]
    assert said
    assert not any("rpy of <inertial>" in sentence or "takes x, y or z" in sentence for sentence in said), said


@pytest.mark.nightly
def test_exponents_of_the_robots_own_file_are_named() -> None:
    Path("arm.urdf").write_text(FILES["arm"].replace('xyz="0.2 0 0.05"', 'xyz="0.2 5e-04 0.05"'))
    says = {
        'return float(text.split("e")[0])': "ignores exponents that are written with a small e",
        'return 0.0 if "e" in text else float(text)': "takes numbers with a small e for zero",
    }
    readers = {f"reader_{k}": READER.replace("return float(text)", wrong) for k, wrong in enumerate(says)}
    results = checked("arm", readers)
    assert {cell.verdict for cell in results.cells} == {"discrepancy"}
    for k, sentence in enumerate(says.values()):
        said = [cause.sentence for cause in results.causes if cause.implementation == f"reader_{k}"]
        assert any(sentence in one for one in said), said
        assert not any("no fault that was tried" in one for one in said), said


@pytest.mark.slow
def test_the_command_says_the_fault_and_writes_the_file(invoke: Any) -> None:
    fault = PLANTED["rpy of <inertial> is ignored"]
    Path("mine.py").write_text(READER.replace(fault.right, fault.wrong))
    words = ("check", "arm.urdf", "-i", "mine.py", "-q", "inverse_dynamics", "--states", "18")
    assert invoke(*words).exit_code == 0
    found = invoke(*words, "--as-read", "-o", "results.json")
    assert found.exit_code == 1
    assert "In mine, the reader ignores rpy of <inertial>" in found.stdout
    assert "the same mechanism in a plain file: agrees" in found.stdout
    assert "dalembert check arm.urdf --implementation mine.py --quantity reads_" in found.stdout
    written = invoke("urdf", "arm.urdf", "--as-read", "reads_inertial_rpy")
    assert written.exit_code == 0
    assert 'rpy="1.5707963267948966 0.0 1.5707963267948966"' in written.stdout
    assert dalembert.parse_urdf(written.stdout).bodies == dalembert.parse_urdf(FILES["arm"]).bodies
    assert invoke("report", "results.json").exit_code == 0
    assert "ignores rpy of" in Path("report.html").read_text()


@pytest.mark.slow
def test_code_that_reads_no_file_is_told_so(invoke: Any) -> None:
    found = invoke("check", "arm.urdf", "-i", "reference", "-q", "inverse_dynamics", "--states", "18", "--as-read")
    assert found.exit_code == 0
    assert "reference did not ask for a file, so nothing is known of how files are read there" in found.stdout
    assert f"reads_inertial_rpy and {len(READINGS) - 2} others: it did not ask for the mechanism's file" in found.stdout


ASK = "    source = dalembert.source_of(mechanism)\n"
BY_PLACE = BY_NAME, "body = list(own.values())[mechanism.bodies.index(body)]; body.q, body.v = q, v"
KEPT = "    source = KEPT.setdefault({}, source)\n"
UNREAD = {
    "a fixed path": [(ASK, f'{ASK}    source = dalembert.source_of(dalembert.read_urdf("arm.urdf"))\n')],
    "the first file ever": [(ASK, ASK + KEPT.format("None"))],
    "a cache by the name of the robot": [(ASK, ASK + KEPT.format('ET.fromstring(source.text).get("name")'))],
    "a cache by the fingerprint": [(ASK, ASK + KEPT.format("mechanism.fingerprint"))],
    "the mechanism instead of its file": [
        (ASK, f"{ASK}    source = Record(text=dalembert.write_urdf(mechanism), free_base=False)\n")
    ],
}


@pytest.mark.slow
def test_code_that_does_not_read_what_it_is_given_is_told_so() -> None:
    readers = {}
    for k, changes in enumerate(UNREAD.values()):
        for j, more in enumerate(([], [BY_PLACE])):
            text = READER
            for right, wrong in [*changes, *more]:
                assert right in text
                text = text.replace(right, wrong)
            readers[f"reader_{k}_{j}"] = f"{text}\n\nKEPT = {{}}\n"
    results = checked("arm", readers)
    assert {cell.verdict for cell in results.cells} == {"agrees"}
    for name in readers:
        own = [item for item in results.invariants if item.implementation == name]
        assert {item.verdict for item in own} == {"failed", "unsupported"}
        assert {item.message for item in own if item.verdict == "failed"} == {NOT_READ}
        assert [cause.sentence for cause in results.causes if cause.implementation == name] == [f"In {name}, {NOT_READ}"]


@pytest.mark.nightly
def test_the_gate_and_the_fixture_read_files_too(invoke: Any) -> None:
    fault = PLANTED["the default axis is z"]
    Path("mine.py").write_text(READER.replace(fault.right, fault.wrong))
    found = invoke("gate", "mine.py", "arm.urdf", "--states", "18", "--update-baseline", "--as-read")
    assert found.exit_code == 1
    assert "takes z for the axis of joints without <axis>" in found.stdout
    _, problems = run_gate("mine.py", ["arm.urdf"], None, False, as_read=True, states=18)
    assert any("takes z for the axis of joints without <axis>" in line for line in problems)


@pytest.mark.nightly
def test_the_example_is_a_program_that_shows_the_fault() -> None:
    fault = PLANTED["rpy of <inertial> is ignored"]
    results = checked("arm", {"mine": READER.replace(fault.right, fault.wrong)})
    (cause,) = results.causes
    assert cause.example
    assert cause.example.bodies == 1
    assert 'rpy="1.5707963267948966 0.0 1.5707963267948966"' in cause.example.urdf
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for text, code in ((READER.replace(fault.right, fault.wrong), 1), (READER, 0)):
        Path("mine.py").write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", cause.example.script], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "got" in done.stdout


@pytest.mark.nightly
def test_the_reader_is_not_accused_of_what_the_dynamics_does() -> None:
    right = "body.F = body.inertia @ body.A"
    assert READER.count(right) == 1
    results = checked("arm", {"mine": READER.replace(right, "body.A[3] = 0\n        " + right)})
    assert {cell.verdict for cell in results.cells} == {"discrepancy"}
    broken = {item.id for item in results.invariants if item.verdict == "discrepancy"}
    assert broken, "a fault that depends on the frames of bodies breaks relations that turn them"
    assert not any("reader" in cause.sentence for cause in results.causes)
    assert broken <= {cell for cause in results.causes for cell in cause.cells}


def test_the_page_has_every_file_and_every_planted_fault() -> None:
    page = (Path(__file__).parents[2] / "docs" / "as-read.md").read_text("utf-8").replace("\\<", "<")
    for rewriting in REWRITINGS:
        assert f"| `reads_{rewriting.name}` | {rewriting.exercises} | " in page
    for name, fault in PLANTED.items():
        shown_by = f"`reads_{fault.by}`" if fault.by else "the file itself"
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {shown_by} |"))
        assert name in row


@pytest.mark.slow
@pytest.mark.engines
def test_pinocchio_reads_files_but_for_planar_axes_and_tabs() -> None:
    pytest.importorskip("pinocchio")
    code = Path(__file__).parents[2] / "docs" / "pinocchio_reader.py"
    results = dalembert.check(["arm.urdf", "rover.urdf"], [str(code)], as_read=True, quantities="inverse_dynamics", states=18)
    assert {cell.verdict for cell in results.cells} == {"agrees"}
    wrong = {(item.mechanism, item.name) for item in results.invariants if item.verdict in ("discrepancy", "failed")}
    planar = {("rover", f"reads_{name}") for name in ("negative_axes", "oblique_axes", "no_axis")}
    assert wrong == planar | {(robot, f"reads_{name}") for robot in ("arm", "rover") for name in ("spaces", "tabs")}
    said = [
        cause.sentence for cause in results.causes if {f"rover/pinocchio_reader/{name}" for _, name in planar} <= {*cause.cells}
    ]
    assert said == ["In pinocchio_reader, the reader takes z for <axis> of planar joints, whatever the file says"]


PROGRAM = """
from dalembert_stdio import serve


class Model:
    def __init__(self, mechanism):
        self.arrays = Record(gravity=mechanism.gravity)
        self.bodies = read(mechanism.urdf["text"], mechanism.urdf["free_base"], mechanism.joints[0])
        self.joints = [body.name for body in self.bodies]
        q = v = 0
        for body in self.bodies:
            nv = body.S.shape[1]
            body.q, body.v = slice(q, q + nv + (nv == 6)), slice(v, v + nv)
            q, v = body.q.stop, body.v.stop


def load(model):
    return model.bodies


serve("program", "1", Model, {"inverse_dynamics": inverse_dynamics}, urdf=True)
"""


@pytest.mark.slow
def test_programs_that_ask_for_files_are_tried_too() -> None:
    skeleton = Path(dalembert.__file__).parent / "skeletons" / "python" / "dalembert_stdio.py"
    Path("dalembert_stdio.py").write_text(skeleton.read_text("utf-8"))
    fault = PLANTED["the sign of axes is ignored"]
    Path("program.py").write_text(READER.replace("import dalembert\n", "").replace(fault.right, fault.wrong) + PROGRAM)
    spec = f"cmd:{sys.executable} program.py"
    results = dalembert.check("arm.urdf", spec, as_read=True, quantities="inverse_dynamics", states=18)
    assert {cell.verdict for cell in results.cells} == {"agrees"}
    assert [cause.sentence for cause in results.causes] == ["In program, the reader ignores the sign of <axis>"]


HELIX = """
from dalembert import Body, Inertia, Joint, Mechanism

screw = Mechanism("screw", (Body("nut", "world", Joint("thread", "helical", pitch=1), Inertia(1, (1, 0, 0))),))
"""


def test_what_urdf_cannot_describe_is_not_compared() -> None:
    Path("helix.py").write_text(HELIX)
    Path("mine.py").write_text(READER)
    results = dalembert.check("helix.py:screw", "mine.py", as_read=True, quantities="inverse_dynamics", states=5, in_process=True)
    verdicts = {(item.verdict, item.message) for item in results.items}
    assert {verdict for verdict, _ in verdicts} == {"unsupported"}
    assert any("helical, which URDF cannot say" in message for _, message in verdicts)


def test_hostile_names_survive_every_file() -> None:
    """Names are text: markup, quotes, brackets, line ends, and what turns a terminal."""
    name = "]]>&#10;<b name='x\">\u202e\ue009 [plain]"
    text = FILES["arm"].replace("upper_arm", escape(name, {'"': "&quot;"})).replace("elbow", "a&#9;b&#10;c")
    mechanism = dalembert.parse_urdf(text)
    states = sample(mechanism, 0, 2)
    for rewriting in REWRITINGS:
        with suppress(dalembert.Unsupported):
            both = related(rewriting, mechanism, states)
            assert len(both.images[0].mechanism.bodies) == 2
