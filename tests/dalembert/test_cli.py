"""The command line: one sentence and the right exit code for whatever goes wrong, and nothing lost."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner
from parsed_page import Page

from cross_check.harness import Progress
from cross_check.relations.table import RELATIONS, USUAL
from cross_check.results import read_results
from dalembert import progress
from dalembert.cli.comparing import cores
from dalembert.cli.main import main
from mechanisms import find_mechanism
from mechanisms.quantities import QUANTITIES
from mechanisms.quantities import USUAL as USUAL_QUANTITIES
from mechanisms.textbook import TEXTBOOK

LARGE = ("stanford-arm", "puma560", "floating-base-link", "every-joint")
WITHOUT_PARAMETERS = ("satellite", "wall-arms", "screw-jack", "swarm")
"""Textbook mechanisms whose equations with symbols would fill pages."""

COMMANDS = (
    "check",
    "gate",
    "demo",
    "prove",
    "catalogue",
    "report",
    "derive",
    "mechanisms",
    "implementations",
    "quantities",
    "states",
    "urdf",
    "smoke",
    "new",
    "completion",
    "vectors",
    "versions",
    "traits",
    "diff",
)
INERTIAL = '<inertial><mass value="{mass}"/><inertia ixx="{ixx}" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'


def urdf(
    mass: str = "1",
    ixx: str = "0.01",
    axis: str = "0 0 1",
    kind: str = "revolute",
    parent: str = "base",
    more: str = "",
    head: str = "",
) -> str:
    inertial = INERTIAL.format(mass=mass, ixx=ixx)
    joint = f'<joint name="j" type="{kind}"><parent link="{parent}"/><child link="arm"/><axis xyz="{axis}"/></joint>'
    return f'{head}<robot name="r"><link name="base"/><link name="arm">{inertial}</link>{joint}{more}</robot>'


def sentence(result: Any, code: int) -> str:
    """The one sentence that explains a failure; nothing is on standard output."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    # Click shows how a command is used before it says what is wrong with this use of it.
    told = [line for line in result.stderr.splitlines() if line and not line.startswith(("Usage: ", "Try "))]
    assert len(told) == 1, result.stderr
    assert told[0].startswith("Error: ")
    return told[0].removeprefix("Error: ")


BOMB = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
FILE = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
LOOP = '<joint name="k" type="fixed"><parent link="arm"/><child link="base"/></joint>'

BAD_URDF = {
    "not XML": ("robot: no", "this is no XML"),
    "empty": ("", "this is no XML"),
    "binary": ("\0\1\2", "this is no XML"),
    "cut off": (urdf()[:-20], "this is no XML"),
    "XML that is no URDF": ("<html/>", "the document's element is <html>; give a URDF document"),
    "entity bomb": (urdf(mass="&b;", head=BOMB), "has a DTD or entities, which no URDF needs"),
    "external entity": (urdf(mass="&a;", head=FILE), "has a DTD or entities, which no URDF needs"),
    "no link": ('<robot name="r"/>', "<robot> has no <link>; give at least one"),
    "no joint": ('<robot name="r"><link name="a"/></robot>', "has no joint that moves; give at least one"),
    "loop": (urdf(more=LOOP), "'base', 'arm' form a loop; cut it"),
    "two roots": (urdf(more='<link name="lonely"/>'), "links 'base', 'lonely' have no parent"),
    "two parents": (
        urdf(more=LOOP.replace("base", "arm").replace('parent link="arm"', 'parent link="base"')),
        "is the child of joints",
    ),
    "unknown parent": (urdf(parent="ghost"), "joint 'j': its parent 'ghost' is no link of the robot"),
    "duplicate link": (urdf(more='<link name="arm"/>'), "the link name 'arm' is used twice; rename one"),
    "duplicate joint": (urdf(more=LOOP.replace('"k"', '"j"')), "the joint name 'j' is used twice; rename one"),
    "zero mass": (urdf(mass="0"), "body 'arm' cannot exist, for it has rotational inertia and no mass"),
    "negative mass": (urdf(mass="-1"), "link 'arm': mass is -1 kg; give a positive mass"),
    "NaN mass": (urdf(mass="nan"), "link 'arm': mass is 'nan'; give a decimal number"),
    "infinite mass": (urdf(mass="inf"), "link 'arm': mass is 'inf'; give a decimal number"),
    "mass in words": (urdf(mass="heavy"), "link 'arm': mass is 'heavy'; give a decimal number"),
    "endless mass": (urdf(mass="9" * 5000), "mass has 5000 characters; give"),
    "impossible inertia": (
        urdf(ixx="0.1"),
        "body 'arm' cannot exist, for its rotational inertia violates the triangle inequality",
    ),
    "zero axis": (urdf(axis="0 0 0"), "joint 'j': its <axis>"),
    "axis of two": (urdf(axis="0 1"), "has 2 components; give 3"),
    "unsupported kind": (urdf(kind="screw"), "joint 'j': its type 'screw' is not supported; use one of revolute"),
    "mimic": (urdf().replace("<axis", '<mimic joint="k"/><axis'), "mimics 'k', which is no joint of the mechanism"),
}


@pytest.mark.parametrize("name", BAD_URDF)
def test_bad_urdf_is_one_sentence_that_names_the_file(invoke: Any, tmp_path: Path, name: str) -> None:
    text, says = BAD_URDF[name]
    (tmp_path / "bad.urdf").write_text(text)
    told = sentence(invoke("check", "bad.urdf", "-i", "reference"), 2)
    assert says in told
    assert "bad.urdf" in told or "mechanism 'r'" in told


@pytest.mark.parametrize("command", ["check", "derive", "urdf"])
@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("nowhere.urdf", "the file cannot be read (No such file or directory); give the path of a URDF file"),
        ("folder.urdf", "the file cannot be read (it is a directory, not a regular file); give the path of a URDF file"),
        ("cart-poll", "no mechanism is called 'cart-poll'; did you mean 'cart-pole'?"),
        ("random:x", "write whole numbers there"),
        ("random:1:99999", "ask for 1000 at most"),
    ],
)
def test_mechanisms_that_are_none(invoke: Any, tmp_path: Path, command: str, word: str, says: str) -> None:
    (tmp_path / "folder.urdf").mkdir()
    assert says in sentence(invoke(command, word), 2)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_file_that_may_not_be_read(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.urdf").write_text(urdf())
    (tmp_path / "secret.urdf").chmod(0)
    assert "Permission denied" in sentence(invoke("check", "secret.urdf"), 2)


@pytest.mark.parametrize(
    ("code", "spec", "says"),
    [
        (None, "code.py", "there is no file 'code.py'; correct the path"),
        ("x = 1", "code.py", "offers none of the quantities; define load(mechanism), or any of inverse_dynamics"),
        ("x = 1", "code.py:y", "there is no 'y' in it"),
        (None, "pinochio", "there is no implementation and no module called 'pinochio'; did you mean 'pinocchio'?"),
    ],
)
def test_code_that_cannot_be_used(invoke: Any, tmp_path: Path, code: str | None, spec: str, says: str) -> None:
    if code is not None:
        (tmp_path / "code.py").write_text(code)
    for command in (("check", "pendulum", "-i", spec), ("gate", spec, "pendulum", "--update-baseline")):
        assert says in sentence(invoke(*command), 2)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("1 / 0", "importing it raised ZeroDivisionError: division by zero (code.py:1: 1 / 0); mend that first"),
        (
            "\nraise ValueError('two\\nlines')",
            "importing it raised ValueError: two lines (code.py:2: raise ValueError('two\\nlines')); mend",
        ),
        ("raise SystemExit", "importing it raised SystemExit (code.py:1: raise SystemExit); mend that first"),
        ("x = (", "importing it raised SyntaxError"),
    ],
)
def test_code_that_does_not_load_fails_its_own_cells(invoke: Any, tmp_path: Path, code: str, says: str) -> None:
    (tmp_path / "code.py").write_text(code)
    found = invoke("check", "pendulum", "-i", "code.py", "-i", "reference", "-q", "gravity", "--states", 3, "-o", "r.json")
    assert (found.exit_code, "code.py failed 1 time" in found.stdout) == (3, True), found.output
    assert says in " ".join(found.stdout.split())
    verdicts = {cell.implementation: cell.verdict for cell in read_results(tmp_path / "r.json").cells}
    assert verdicts == {"code.py": "failed", "reference": "agrees"}
    assert invoke("gate", "code.py", "pendulum", "-q", "gravity", "--states", 3, "--update-baseline").exit_code == 3
    assert not Path("dalembert-baseline.json").exists()


@pytest.mark.nightly
@pytest.mark.parametrize("spec", ["cmd:./absent", "cmd:false", "lib:./code.so"])
def test_a_program_that_does_not_start_fails_its_own_cells(invoke: Any, spec: str) -> None:
    Path("code.so").write_text("no library")
    found = invoke("check", "pendulum", "-i", spec, "-i", "reference", "-q", "gravity", "--states", 3)
    assert (found.exit_code, f"{spec} failed 1 time" in found.stdout) == (3, True), found.output
    assert f"'{spec}' cannot be used: " in " ".join(found.stdout.split())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ValueError('no\\nway')", r"gravity raised ValueError: no way \(code\.py:1: .*\); state 0 alone shows it$"),
        ("import json; json.loads('')", r"gravity raised JSONDecodeError: .* \(code\.py:1: .*\); state 0 alone shows it$"),
        ("return q[0]", r"^gravity returned shape \(\); return \(2,\) for one state$"),
        ("return q + 1j", "^gravity returned complex128; return real numbers$"),
        ("return float('nan') * q", "gravity returned nan in state 0"),
        ("import sys; sys.exit(0)", r"gravity raised SystemExit: 0 \(code\.py:1: .*\); state 0 alone shows it$"),
    ],
)
def test_code_that_breaks_the_protocol_fails_its_cells(invoke: Any, tmp_path: Path, body: str, says: str) -> None:
    (tmp_path / "code.py").write_text(f"def gravity(mechanism, q): {body}\ndef potential_energy(mechanism, q): return 0.0\n")
    found = invoke("check", "cart-pole", "-i", "code.py", "-q", "gravity", "-o", "results.json", "--states", 7)
    (cell,) = json.loads((tmp_path / "results.json").read_text())["cells"]
    assert (found.exit_code, cell["verdict"]) == (3, "failed")
    assert re.search(says, cell["message"])
    assert cell["message"] in found.stdout


def test_failures_of_one_kind_are_one_cause(invoke: Any, tmp_path: Path) -> None:
    code = "def gravity(mechanism, q): return [0.0] * (len(q) - 1)\n"
    code += "def nonlinear_effects(mechanism, q, v):\n    if len(q) == 2:\n        raise ValueError\n    raise ValueError\n"
    code += "def model():\n    import absent\n"
    code += "def mass_matrix(mechanism, q):\n    return model()\ndef kinetic_energy(mechanism, q, v):\n    return model()\n"
    (tmp_path / "code.py").write_text(code)
    invoke("check", "cart-pole", "pendulum", "-i", "code.py", "-o", "results.json", "--states", 7)
    causes = json.loads((tmp_path / "results.json").read_text())["causes"]
    assert sorted((cause["sentence"].partition(", ")[2].split(" ")[0], len(cause["cells"])) for cause in causes) == [
        ("gravity", 2),
        ("mass_matrix", 8),
        ("nonlinear_effects", 2),
        ("nonlinear_effects", 2),
    ]


def test_code_that_writes_into_what_it_is_given(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(SPOILS)
    found = invoke("check", "cart-pole", "-i", "code.py", "--states", 7, "-q", "gravity")
    assert found.exit_code == 3
    assert "writes into its input q" in " ".join(found.stdout.split())


SPOILS = """
from types import SimpleNamespace

def spoil(q):
    q[:] = 0
    return q

def load(mechanism):
    return SimpleNamespace(gravity=spoil)
"""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("check", "pendulum", "-q", "torque"), "there is no quantity 'torque'; use all, dynamics"),
        (("check", "pendulum", "-q", "rubbish"), ", centroidal, integration, constraints, usual or a name that"),
        (("check", "pendulum", "-q", "delassus_matrx"), "there is no quantity 'delassus_matrx'; did you mean 'delassus_matrix'?"),
        (("check", "pendulum", "-q", "mass_matrx"), "there is no quantity 'mass_matrx'; did you mean 'mass_matrix'?"),
        (("check", "pendulum", "--state", 98), "--state 98 is out of range; there are 98 states, counted from 0"),
        (("check", "pendulum", "--state", 7, "--states", 7), "--state 7 is out of range"),
        (("check", "pendulum", "--state", -1), "-1 is not in the range x>=0"),
        (("check", "pendulum", "--states", 0), "0 is not in the range"),
        (("check", "pendulum", "--seed", "x"), "'x' is not a valid integer"),
        (("check", "pendulum", "--bar", 0), "0.0 is not in the range x>0"),
        (("check", "--frobnicate"), "No such option"),
        (("gate",), "name the implementation to check"),
        (("derive",), "Missing argument 'MECHANISM'"),
        (("derive", "random:1:60"), "the equations of random:1:60 ("),
        (("derive", "random:1:3", "--symbols"), "'random:1:3' has no parameters to keep as symbols; leave --symbols out"),
        (("derive", "pendulum", "--format", "prose"), "'prose' is not one of 'text', 'latex', 'python'"),
        (("report", "nowhere.json"), "nowhere.json cannot be read (No such file or directory); check the path"),
        (("urdf", "pendulum", "-o", "file/below.urdf"), "file/below.urdf cannot be written"),
        (("frobnicate",), "No such command 'frobnicate'"),
    ],
)
def test_usage_errors(invoke: Any, tmp_path: Path, words: tuple[Any, ...], says: str) -> None:
    (tmp_path / "file").write_text("")
    assert says in sentence(invoke(*words), 2)


def test_a_fault_of_our_own_says_so_and_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mechanisms.find_mechanism", lambda spec: 1 / 0)
    found = CliRunner().invoke(main, ["derive", "pendulum"])
    assert found.exit_code == 3
    assert "ZeroDivisionError" in found.stderr
    assert "dalembert itself failed; the lines above say where, please report them" in found.stderr


# Output


CHECK = ("check", "pendulum", "cart-pole", "-i", "reference", "--states", 7)
OUTPUTS = {"-o": "results.json", "--report": "report.html", "--junit": "junit.xml", "--markdown": "summary.md"}


@pytest.mark.parametrize("option", OUTPUTS)
@pytest.mark.parametrize(("path", "why"), [("file/new.txt", "Not a directory"), ("x" * 300, "File name too long")])
def test_an_output_that_cannot_be_written_is_noticed_before_the_run(
    invoke: Any, tmp_path: Path, option: str, path: str, why: str
) -> None:
    (tmp_path / "file").write_text("")
    assert sentence(invoke(*CHECK, option, path), 2) == f"{path} cannot be written ({why}); choose another path"
    assert why in sentence(invoke("gate", "reference", "pendulum", "--update-baseline", option, path), 2)
    assert why in sentence(invoke("gate", "reference", "pendulum", "--update-baseline", "--baseline", path), 2)
    assert {path.name for path in tmp_path.iterdir()} == {"file"}


@pytest.mark.nightly
@pytest.mark.parametrize("bad", OUTPUTS)
def test_one_output_that_cannot_be_written_loses_no_other(
    invoke: Any, tmp_path: Path, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalembert.outputs.require_writable", lambda path: None)
    (tmp_path / "file").write_text("")
    paths = OUTPUTS | {bad: f"file/{OUTPUTS[bad]}"}
    found = invoke(*CHECK, "--journal", "kept", *(word for pair in paths.items() for word in pair))
    assert found.exit_code == 2
    assert f"Error: file/{OUTPUTS[bad]} cannot be written (Not a directory); choose another path" in found.stderr
    assert "agrees with the truth on 2 mechanisms" in found.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"file", "kept", *OUTPUTS.values()} - {OUTPUTS[bad]}


@pytest.mark.nightly
def test_a_report_that_breaks_loses_no_results(invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.html.render", lambda results, proofs: 1 / 0)
    found = CliRunner().invoke(
        main, [str(word) for word in (*CHECK, "-o", "results.json", "--report", "r.html", "--junit", "j.xml")]
    )
    assert found.exit_code == 3
    assert {path.name for path in tmp_path.iterdir()} == {"results.json", "results.json.journal", "j.xml"}
    assert "agrees with the truth on 2 mechanisms" in found.stdout


INTERRUPTING = """
from implementations.spatial_algebra.reference import REFERENCE
from cross_check.findings.repaired import Repaired

class engine:
    def load(self, mechanism):
        right = REFERENCE.load(mechanism)

        def stop(q):
            if mechanism.name == "cart-pole":
                raise KeyboardInterrupt
            return right.gravity(q)

        return Repaired(right, gravity=stop)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("command", ["check", "gate"])
def test_interrupted_in_the_middle_everything_finished_is_kept(invoke: Any, tmp_path: Path, command: str) -> None:
    (tmp_path / "code.py").write_text(INTERRUPTING)
    mechanisms = ("pendulum", "cart-pole", "scara")
    words = (*mechanisms, "-i", "code.py:engine") if command == "check" else ("code.py:engine", *mechanisms, "--update-baseline")
    found = invoke(command, *words, "--in-process", "--states", 7, "-o", "results.json", "--report", "report.html")
    assert found.exit_code == 130
    assert "Error: interrupted; what was finished is kept" in found.stderr
    results = read_results(tmp_path / "results.json")
    assert results.interrupted
    assert {cell.mechanism for cell in results.cells} == {"pendulum"}
    assert len(results.cells) == len(USUAL_QUANTITIES)
    assert "pendulum" in (tmp_path / "report.html").read_text()
    assert not (tmp_path / "dalembert-baseline.json").exists()
    assert "Interrupted" in found.stdout


def test_no_line_of_progress_comes_twice(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    show = progress.PlainLines()
    show(Progress("pendulum", "deriving", 0, 2, is_new_mechanism=True))
    for _ in range(3):
        show(Progress("", "explaining gravity", 2, 2))
    monkeypatch.setattr(progress, "PATIENCE", -1)
    for _ in range(3):
        show(Progress("", "explaining gravity", 2, 2))
    show(Progress("", "done", 2, 2))
    assert capsys.readouterr().err.splitlines() == ["[0/2] pendulum", "[2/2] explaining gravity", "[2/2] done"]


@pytest.mark.usefixtures("with_coverage")
def test_progress_is_plain_lines_and_apart_from_the_output(invoke: Any) -> None:
    found = invoke(*CHECK)
    begun = {"[0/4] pendulum", "[2/4] cart-pole"}, {"[0/4] cart-pole", "[2/4] pendulum"}
    *lines, last = found.stderr.splitlines()
    assert (set(lines) in begun, last) == (True, "[4/4] done")
    assert "\x1b" not in found.output
    table, _, prose = found.stdout.partition("\n\n")
    assert max(map(len, table.splitlines())) <= 80
    assert len(prose.splitlines()) == 5, "what reads a pipe gets every sentence whole"


def test_progress_is_said_where_one_mechanism_takes_long(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalembert.progress.PATIENCE", 0.0)
    words = ("check", "pendulum", "-i", "reference", "-q", "gravity", "--states", 7, "--certified")
    assert "[0/2] pendulum: certifying gravity, 0 of 7 states done\n" in invoke(*words).stderr


@pytest.mark.usefixtures("in_this_process")
def test_a_command_to_copy_is_one_line(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    found = invoke("check", "planar-pendulum:2", "-i", "code.py", "-q", "gravity", "--states", 7)
    again = next(line.strip() for line in found.stdout.splitlines() if "dalembert check" in line)
    state = re.search(r"--state (\d+)$", again)
    assert state
    assert again.startswith("dalembert check planar-pendulum:2 --implementation code.py --quantity gravity")
    assert invoke(*shlex.split(again)[1:]).exit_code == 1


def test_results_become_reports_later(invoke: Any, tmp_path: Path) -> None:
    assert invoke(*CHECK, "-o", "results.json", "--report", "now.html").exit_code == 0
    found = invoke("report", "results.json", "--html", "later.html", "--markdown", "later.md", "--junit", "later.xml")
    assert (found.exit_code, found.stdout) == (0, "")
    assert (tmp_path / "later.html").read_text() == (tmp_path / "now.html").read_text()


def test_one_state_in_full(invoke: Any, tmp_path: Path) -> None:
    found = invoke(*CHECK, "-q", "gravity", "-q", "mass_matrix", "--state", 5, "-o", "results.json")
    assert found.exit_code == 0
    assert len(re.findall(r"^State 5 \(large\)", found.stdout, re.M)) == 4
    cells = read_results(tmp_path / "results.json").cells
    cell = next(cell for cell in cells if cell.worst and cell.worst.state != 5)
    assert cell.worst.state == int(np.argmax(cell.errors)), "the results keep the worst state"


def test_one_state_shows_the_numbers_of_that_state(invoke: Any, tmp_path: Path) -> None:
    from cross_check.comparison.sampling import sample

    found = invoke("check", "cart-pole", "-i", "reference", "--states", 14, "-q", "gravity", "--state", 12)
    q = sample(find_mechanism("cart-pole"), 0, 14).q[12]
    for value in q:
        assert repr(float(value)) in found.stdout


@pytest.mark.nightly
def test_a_certified_truth_is_asked_for_and_said(invoke: Any, tmp_path: Path) -> None:
    words = ("pendulum", "-i", "reference", "-q", "gravity", "--states", 7)
    found = invoke("check", *words, "--certified", "-o", "results.json", "--report", "report.html")
    assert found.exit_code == 0
    assert "The truth is certified: the Lagrangian oracle in balls of up to" in found.stdout
    assert "ulps" in found.stdout
    results = read_results(tmp_path / "results.json")
    assert results.settings.certified is True
    assert results.mechanisms[0].certified.bits > 0
    assert results.cells[0].ulps.largest < 100
    assert "An ulp is" in (tmp_path / "report.html").read_text()
    plain = invoke("check", *words, "-o", "results.json")
    assert "in double-double arithmetic" in plain.stdout
    assert read_results(tmp_path / "results.json").settings.certified is False


def test_an_ulp_too_many_is_seen_where_the_truth_is_certified(invoke: Any, tmp_path: Path) -> None:
    """Mass, times gravity, times length: all of the pendulum's gravity, off by 2⁻⁵¹ of itself."""
    (tmp_path / "code.py").write_text(
        "from implementations.spatial_algebra.reference import REFERENCE\n"
        "def gravity(mechanism, q): return REFERENCE.load(mechanism).gravity(q[None])[0] * (1 + 2**-49)\n"
    )
    invoke("check", "pendulum", "-i", "code.py", "-i", "reference", "-q", "gravity", "--certified", "-o", "results.json")
    mine, right = read_results(tmp_path / "results.json").cells
    assert mine.ulps.median >= 8
    assert right.ulps.median <= 2


@pytest.mark.nightly
def test_a_gate_may_be_certified(invoke: Any, tmp_path: Path) -> None:
    words = ("gate", "reference", "pendulum", "--states", 7, "-o", "results.json")
    assert invoke(*words, "--certified", "--update-baseline").exit_code == 0
    assert invoke(*words, "--certified").exit_code == 0
    assert read_results(tmp_path / "results.json").settings.certified is True
    assert invoke(*words).exit_code == 0


def test_state_of_code_that_fails_is_not_shown(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("def load(mechanism): raise ValueError('no')\n")
    assert invoke("check", "pendulum", "-i", "code.py", "--state", 3, "--states", 7).exit_code == 3


@pytest.mark.nightly
def test_two_files_of_one_name_are_told_apart(invoke: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.urdf").write_text(urdf())
        (tmp_path / f"{name}.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    invoke("check", "a.urdf", "b.urdf", "-i", "a.py", "-i", "b.py", "--states", 7, "-o", "both.json")
    results = read_results(tmp_path / "both.json")
    assert len({cell.id for cell in results.cells}) == 4 * len(USUAL_QUANTITIES)
    invoke("check", "b.urdf", "-i", "a.py", "--states", 7, "-o", "alone.json")
    alone = read_results(tmp_path / "alone.json")
    both = [cell for cell in results.cells if cell.mechanism == "b.urdf" and cell.implementation == "a"]
    assert [cell.worst for cell in both] == [cell.worst for cell in alone.cells]


# The other commands


def test_derived_python_runs_and_agrees(invoke: Any) -> None:
    import oracle

    found = invoke("derive", "spatial-3r", "--format", "python")
    assert (found.exit_code, found.stderr) == (0, "")
    ast.parse(found.stdout)
    space: dict[str, Any] = {}
    exec(found.stdout, space)
    evaluator = oracle.Evaluator(oracle.derive(find_mechanism("spatial-3r")))
    q, v = np.random.default_rng(1).normal(size=(2, 1, 3))
    damping = [float(body.joint.damping) for body in find_mechanism("spatial-3r").bodies]
    M, C, g = space["mass_matrix"](q[0]), space["coriolis_matrix"](q[0], v[0]), space["gravity"](q[0])
    np.testing.assert_allclose(M, evaluator.mass_matrix(q)[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(g, evaluator.gravity(q)[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(C @ v[0] + g + damping * v[0], evaluator.nonlinear_effects(q, v)[0], rtol=1e-12, atol=1e-14)


def test_derived_text_and_latex(invoke: Any) -> None:
    text, latex = (invoke("derive", "cart-pole", "--format", style).stdout for style in ("text", "latex"))
    assert "cos" in text
    assert "\\cos" in latex
    assert latex.count("{") == latex.count("}")


@pytest.mark.parametrize("name", [name for name in TEXTBOOK if name not in (*LARGE, *WITHOUT_PARAMETERS)])
def test_symbols_keep_the_parameters(invoke: Any, name: str) -> None:
    found = invoke("derive", name, "--symbols")
    assert (found.exit_code, found.stderr) == (0, "")
    assert "gravity" in found.stdout
    if name == "pendulum":
        assert "M[1,1] = inertia + length^2 mass\n" in found.stdout


def test_urdf_and_back(invoke: Any, tmp_path: Path) -> None:
    found = invoke("urdf", "branched-tree")
    assert found.exit_code == 0
    assert found.stdout.startswith('<?xml version="1.0"?>')
    (tmp_path / "tree.urdf").write_text(found.stdout)
    assert invoke("urdf", "branched-tree", "-o", "new/folder/tree.urdf").stdout == ""
    assert (tmp_path / "new" / "folder" / "tree.urdf").read_text() == found.stdout
    again = invoke("urdf", "tree.urdf")
    numbers = [[float(x) for x in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", result.stdout)] for result in (found, again)]
    np.testing.assert_allclose(*numbers, atol=1e-12)
    assert invoke("check", "tree.urdf", "-i", "reference", "--states", 7).exit_code == 0


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*list(TEXTBOOK)[:11], "puck"])
def test_every_textbook_mechanism_that_urdf_can_say_survives_its_own_urdf(invoke: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "it.urdf").write_text(invoke("urdf", name).stdout)
    assert find_mechanism("it.urdf").faults.keys() == find_mechanism(name).faults.keys()
    assert invoke("check", "it.urdf", "-i", "reference", "-q", "gravity", "--states", 7).exit_code == 0


def test_what_urdf_cannot_say_is_refused_in_one_sentence(invoke: Any) -> None:
    found = invoke("urdf", "lead-screw")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "joint 'thread' is helical, which URDF cannot say; use revolute, " in found.stderr


@pytest.mark.nightly
def test_lists(invoke: Any) -> None:
    listed = invoke("mechanisms").stdout
    assert all(re.search(rf"^{name} +\d+ DoF   [A-Z]?\w", listed, re.M) for name in TEXTBOOK)
    assert "ur5" in listed
    engines = invoke("implementations").stdout
    assert all(re.search(rf"^{name} +\S", engines, re.M) for name in ("reference", "traced", "pinocchio", "rbdl"))
    described = set(re.findall(r"^(\S+) .*\n {13}\S.*\.$", engines, re.M))
    assert described == {"reference", "traced", "newton-euler", "screws"}, "one sentence for each of our own"


def test_the_list_of_quantities_gives_the_frame_of_each(invoke: Any) -> None:
    listed = invoke("quantities").stdout
    frames = re.findall(r"^  (\w+)\(.*\n.*\n      (\w+): of the body's point at ", listed, re.M)
    assert dict(frames) == {name: quantity.frame for name, quantity in QUANTITIES.items() if quantity.frame}
    assert "gets and returns these without `batch`" in listed


def test_help_gives_the_defaults_of_each_command(invoke: Any) -> None:
    check, gate = (" ".join(invoke(command, "--help").stdout.split()) for command in ("check", "gate"))
    for default in (0, 98, 16):
        assert f"[default: {default}]" in check
        assert f"[default: the baseline's, or {default}]" in gate


@pytest.mark.parametrize("command", COMMANDS)
def test_help(invoke: Any, command: str) -> None:
    assert set(main.commands) == set(COMMANDS)
    found = invoke(command, "--help")
    assert found.exit_code == 0
    assert found.stdout == invoke(command, "-h").stdout
    assert re.match(rf"Usage: \S+ {command} ", found.stdout)
    assert max(map(len, found.stdout.splitlines())) <= 80
    assert all(parameter.help for parameter in main.commands[command].params if isinstance(parameter, click.Option))


def test_help_of_all(invoke: Any) -> None:
    found = invoke("--help")
    assert all(re.search(rf"^  {command} +[A-Z]", found.stdout, re.M) for command in COMMANDS)
    assert re.search(r"\d+\.\d+", invoke("--version").stdout)


# As a process of its own


def run(*words: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from dalembert.cli.main import main; main()", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, **options)


def test_help_answers_at_once(tmp_path: Path) -> None:
    heavy = "numpy", "sympy", "jsonschema", "rich"
    code = f"import sys, dalembert.cli.main; print(*(name for name in {heavy} if name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert found.stdout.split() == []


def test_output_can_be_piped(tmp_path: Path) -> None:
    found = run("check", "pendulum", "-i", "reference", "--states", "7", "-o", "/dev/stdout", cwd=tmp_path)
    document, end = json.JSONDecoder().raw_decode(found.stdout)
    assert document["schema"] == "dalembert-results-4"
    assert "agrees with the truth" in found.stdout[end:]


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "from dalembert.cli.main import main; main()", "mechanisms"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.slow
def test_a_locale_that_cannot_print_it_all(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for words in (("check", "pendulum", "-i", "reference", "--states", "7"), ("derive", "cart-pole"), ("mechanisms",)):
        found = run(*words, cwd=tmp_path, env=environment)
        assert (found.returncode, "Traceback" in found.stderr) == (0, False), found.stderr


ONE = ("check", "pendulum", "-i", "reference", "--states", 3)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*ONE, "-o", "a", "--report", "a"), "a is named twice, so that one file"),
        ((*ONE, "--report", "r", "--junit", "./r"), "is named twice"),
        (("report", "results.json", "--html", "results.json"), "results.json is named twice"),
        ((*ONE, "--proofs", "proofs.json"), "no report is asked for; add --report FILE"),
        ((*ONE, "--report", "r.html", "--proofs", "results.json"), "results.json holds no proofs"),
    ],
)
def test_files_that_would_be_lost_or_ignored(words: tuple[Any, ...], said: str, invoke: Any) -> None:
    invoke("check", "pendulum", "-i", "reference", "--states", 3, "-o", "results.json")
    invoke("prove", "pendulum", "-q", "gravity", "-o", "proofs.json")
    before = Path("results.json").read_bytes()
    found = invoke(*words)
    assert found.exit_code == 2
    assert said in found.stderr
    assert Path("results.json").read_bytes() == before


def test_proofs_stand_in_the_report(invoke: Any) -> None:
    invoke("prove", "pendulum", "-q", "gravity", "-o", "proofs.json")
    assert invoke(*ONE, "-q", "gravity", "--report", "r.html", "--proofs", "proofs.json").exit_code == 0
    assert "1 of 1 quantities" in Path("r.html").read_text()


@pytest.mark.nightly
def test_every_core_computes_unless_jobs_are_given(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr("dalembert.cli.comparing.cores", lambda: 3)
    monkeypatch.setattr("dalembert.session.LocalProcesses", started.append)  # None computes in this process.
    for words in ((), ("-j", 2), ("-j", 1)):
        assert invoke("check", "pendulum", "-i", "reference", "-q", "gravity", "--states", 2, *words).exit_code == 0
    assert started == [3, 2]
    assert cores() == len(os.sched_getaffinity(0))


@pytest.mark.usefixtures("in_this_process")
def test_a_gate_that_can_never_pass_says_so(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("def gravity(mechanism, q):\n    return 0 * q + 1\n")
    found = invoke("gate", "wrong.py", "pendulum", "--states", 3, "--update-baseline")
    assert found.exit_code == 1
    assert "disagrees with the truth; the gate fails until the code is corrected, whichever baseline is used" in found.stderr


@pytest.mark.nightly
def test_relations_are_asked_for_by_name(invoke: Any, tmp_path: Path) -> None:
    result = invoke(
        "check", "pendulum", "-i", "reference", "-q", "relations", "--states", 6, "-o", "r.json", "--report", "r.html"
    )
    assert result.exit_code == 0, result.output
    assert "reference keeps 11 invariants on 1 mechanism; nothing was compared with the truth" in result.stdout
    document = json.loads((tmp_path / "r.json").read_text())
    assert [item["name"] for item in document["invariants"]] == list(USUAL)
    assert document["cells"] == []
    page = Page((tmp_path / "r.html").read_text())
    assert all(name in json.dumps(page.data) for name in USUAL)
    result = invoke("check", "pendulum", "-i", "reference", "-q", "scaled_mass", "-q", "gravity", "--states", 6, "-o", "r.json")
    document = json.loads((tmp_path / "r.json").read_text())
    assert [cell["quantity"] for cell in document["cells"]] == ["gravity"]
    assert [item["name"] for item in document["invariants"]] == ["scaled_mass"]


def test_the_list_of_quantities_has_the_relations(invoke: Any) -> None:
    listed = invoke("quantities").stdout
    assert all(f"  {relation.name}\n      {relation.meaning}\n" in listed for relation in RELATIONS.values())
