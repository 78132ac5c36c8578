"""The command line: one sentence and the right exit code for whatever goes wrong, and nothing lost."""

from __future__ import annotations

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
from printed import COMMANDS, file_of, printed

from cross_check.exchange.results import read_results
from cross_check.harness import Progress
from cross_check.judge.relations.table import USUAL
from dalembert import progress
from dalembert.cli.main import main
from dalembert.commands.comparing import cores
from mechanisms import find_mechanism, write_urdf
from mechanisms.quantities import USUAL as USUAL_QUANTITIES


@pytest.mark.nightly
def test_code_that_does_not_load_fails_its_own_cells(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("\nraise ValueError('two\\nlines')")
    found = invoke("check", "pendulum", "-i", "code.py", "-i", "reference", "-q", "gravity", "--states", 3, "-o", "r.json")
    assert (found.exit_code, "code.py failed 1 time" in found.stdout) == (3, True), found.output
    says = "importing it raised ValueError: two lines (code.py:2: raise ValueError('two\\nlines')); mend"
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
        ("import json; json.loads('')", r"gravity raised JSONDecodeError: .* \(code\.py:1: .*\); state 0 alone shows it$"),
        ("return q[0]", r"^gravity returned shape \(\); return \(2,\) for one state$"),
        ("return q + 1j", "^gravity returned complex128; return real numbers$"),
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


def test_a_fault_of_our_own_says_so_and_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mechanisms.find_mechanism", lambda spec: 1 / 0)
    found = CliRunner().invoke(main, ["derive", "pendulum"])
    assert found.exit_code == 3
    assert "ZeroDivisionError" in found.stderr
    assert "dalembert itself failed; the lines above say where, please report them" in found.stderr


# Output


CHECK = ("check", "pendulum", "cart-pole", "-i", "reference", "--states", 7)
OUTPUTS = {"-o": "results.json", "--report": "report.html", "--junit": "junit.xml"}


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
from cross_check.explain.findings.finding import Repaired

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


def test_what_is_found_is_shown_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    show = progress.PlainLines()
    for activity in ("explaining gravity", "found: code.py:1 is wrong", "explaining gravity"):
        show(Progress("", activity, 2, 2))
    assert capsys.readouterr().err.splitlines() == ["[2/2] found: code.py:1 is wrong"]


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


def test_one_state_shows_the_numbers_of_that_state(invoke: Any, tmp_path: Path) -> None:
    from cross_check.judge.comparison.sampling import sample

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
        (tmp_path / f"{name}.urdf").write_text(write_urdf(find_mechanism("pendulum")))
        (tmp_path / f"{name}.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    invoke("check", "a.urdf", "b.urdf", "-i", "a.py", "-i", "b.py", "--states", 7, "-o", "both.json")
    results = read_results(tmp_path / "both.json")
    assert len({cell.id for cell in results.cells}) == 4 * len(USUAL_QUANTITIES)
    invoke("check", "b.urdf", "-i", "a.py", "--states", 7, "-o", "alone.json")
    alone = read_results(tmp_path / "alone.json")
    both = [cell for cell in results.cells if cell.mechanism == "b.urdf" and cell.implementation == "a"]
    assert [cell.worst for cell in both] == [cell.worst for cell in alone.cells]


# The other commands


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


@pytest.mark.parametrize("command", COMMANDS)
def test_what_commands_print_is_what_it_was(command: str) -> None:
    made, kept = printed(command), file_of(command).read_text("utf-8")
    assert made.splitlines() == kept.splitlines(), "read the difference; if it is right, run `python tests/dalembert/printed.py`"


@pytest.mark.parametrize("command", [*main.commands])
def test_help(invoke: Any, command: str) -> None:
    found = invoke(command, "--help")
    assert found.stdout == invoke(command, "-h").stdout
    assert max(map(len, found.stdout.splitlines())) <= 80
    assert all(parameter.help for parameter in main.commands[command].params if isinstance(parameter, click.Option))


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


@pytest.mark.slow
def test_a_locale_that_cannot_print_it_all(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for words in (("check", "pendulum", "-i", "reference", "--states", "7"), ("derive", "cart-pole"), ("mechanisms",)):
        found = run(*words, cwd=tmp_path, env=environment)
        assert (found.returncode, "Traceback" in found.stderr) == (0, False), found.stderr


ONE = ("check", "pendulum", "-i", "reference", "--states", 3)


def test_proofs_stand_in_the_report(invoke: Any) -> None:
    invoke("prove", "pendulum", "-q", "gravity", "-o", "proofs.json")
    assert invoke(*ONE, "-q", "gravity", "--report", "r.html", "--proofs", "proofs.json").exit_code == 0
    assert "1 of 1 quantities" in Path("r.html").read_text()


@pytest.mark.nightly
def test_every_core_computes_unless_jobs_are_given(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr("dalembert.commands.comparing.cores", lambda: 3)
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
