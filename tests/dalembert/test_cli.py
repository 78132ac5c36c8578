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
from processes import run

from cross_check.exchange.results import read_results
from cross_check.harness import Progress
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.relations.table import USUAL
from dalembert import printing
from dalembert.cli.main import main
from dalembert.commands.comparing import cores
from mechanisms import find_mechanism, write_urdf

ONE = ("check", "pendulum", "-i", "reference", "-q", "gravity", "--states", 3)


@pytest.mark.slow
def test_what_does_not_load_fails_its_own_cells(invoke: Any) -> None:
    Path("code.py").write_text("\nraise ValueError('two\\nlines')")
    Path("ends.py").write_text("import os; os._exit(0)")
    Path("code.so").write_text("no library")
    specs = ("code.py", "ends.py", "cmd:false", "lib:./code.so")
    found = invoke(*ONE, *(word for spec in specs for word in ("-i", spec)), "-o", "r.json")
    assert found.exit_code == 3, found.output
    said = " ".join(found.stdout.split())
    assert "importing it raised ValueError: two lines (code.py:2: raise ValueError('two\\nlines')); mend" in said
    assert "'ends.py' cannot be used: loading it ended the process (exit status 0)" in said
    for spec in specs:
        assert f"'{spec}' cannot be used: " in said
    verdicts = {cell.implementation: cell.verdict for cell in read_results(Path("r.json")).cells}
    assert verdicts == {"reference": "agrees", **dict.fromkeys(specs, "failed")}


BROKEN = {
    "raises": (
        "import json; json.loads('')",
        r"gravity raised JSONDecodeError: .* \(raises\.py:1: .*\); state 0 alone shows it$",
    ),
    "scalar": ("return q[0]", r"^gravity returned shape \(\); return \(2,\) for one state$"),
    "complex": ("return q + 1j", "^gravity returned complex128; return real numbers$"),
    "writes": ("q *= 2; return q", "^gravity writes into its input q; let it work on a copy"),
}


def test_code_that_breaks_the_protocol_fails_its_cells(invoke: Any) -> None:
    for name, (body, _) in BROKEN.items():
        Path(f"{name}.py").write_text(f"def gravity(mechanism, q): {body}\ndef potential_energy(mechanism, q): return 0.0\n")
    words = [word for name in BROKEN for word in ("-i", f"{name}.py")]
    found = invoke("check", "cart-pole", *words, "-q", "gravity", "-o", "results.json", "--states", 7)
    assert found.exit_code == 3
    for cell in json.loads(Path("results.json").read_text())["cells"]:
        assert cell["verdict"] == "failed"
        assert re.search(BROKEN[cell["implementation"]][1], cell["message"])
        assert found.stdout.count(cell["message"]) == 1


def test_failures_of_one_kind_are_one_cause(invoke: Any) -> None:
    code = "def gravity(mechanism, q): return [0.0] * (len(q) - 1)\n"
    code += "def nonlinear_effects(mechanism, q, v):\n    if len(q) == 2:\n        raise ValueError\n    raise ValueError\n"
    code += "def model():\n    import absent\n"
    code += "def mass_matrix(mechanism, q):\n    return model()\ndef kinetic_energy(mechanism, q, v):\n    return model()\n"
    Path("code.py").write_text(code)
    invoke("check", "cart-pole", "pendulum", "-i", "code.py", "-o", "results.json", "--states", 7)
    causes = json.loads(Path("results.json").read_text())["causes"]
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


def test_outputs_that_cannot_be_written_lose_no_other(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalembert.outputs.require_writable", lambda path: None)
    Path("file").write_text("")
    found = invoke(*ONE, "--journal", "kept", "-o", "file/r.json", "--junit", "file/j.xml", "--markdown", "m.md")
    assert found.exit_code == 2
    for name in ("file/r.json", "file/j.xml"):
        assert f"{name} cannot be written (Not a directory); choose another path" in found.stderr
    assert "agrees with the truth on 1 mechanism" in found.stdout
    assert {path.name for path in Path.cwd().iterdir()} == {"file", "kept", "m.md"}


def test_a_report_that_breaks_loses_no_results(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.html.render", lambda results, proofs: 1 / 0)
    words = (*ONE, "-o", "results.json", "--report", "r.html", "--junit", "j.xml")
    found = CliRunner().invoke(main, [str(word) for word in words])
    assert found.exit_code == 3
    assert {path.name for path in Path.cwd().iterdir()} == {"results.json", "results.json.journal", "j.xml"}
    assert "agrees with the truth on 1 mechanism" in found.stdout


INTERRUPTING = """
from implementations.spatial_algebra.reference import REFERENCE

def gravity(mechanism, q):
    if mechanism.name == "cart-pole":
        raise KeyboardInterrupt
    return REFERENCE.load(mechanism).gravity(q[None])[0]
"""


def test_interrupted_in_the_middle_everything_finished_is_kept(invoke: Any) -> None:
    Path("code.py").write_text(INTERRUPTING)
    words = ("code.py", "pendulum", "cart-pole", "scara", "--update-baseline", "--in-process", "-q", "gravity", "--states", 7)
    found = invoke("gate", *words, "-o", "results.json", "--report", "report.html")
    assert found.exit_code == 130
    assert "Error: interrupted; what was finished is kept" in found.stderr
    results = read_results(Path("results.json"))
    assert results.interrupted
    assert [cell.id for cell in results.cells] == ["pendulum/code/gravity"]
    assert "pendulum" in Path("report.html").read_text()
    assert not Path("dalembert-baseline.json").exists()
    assert "Interrupted" in found.stdout


def test_no_line_of_progress_comes_twice(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    show = printing.PlainLines()
    show(Progress("pendulum", "deriving", 0, 2, is_new_mechanism=True))
    for activity in ("explaining gravity", "found: code.py:1 is wrong", "explaining gravity"):
        show(Progress("", activity, 2, 2))
    monkeypatch.setattr(printing, "PATIENCE", -1)
    for _ in range(3):
        show(Progress("", "explaining gravity", 2, 2))
    show(Progress("", "done", 2, 2))
    said = ["[0/2] pendulum", "[2/2] found: code.py:1 is wrong", "[2/2] explaining gravity", "[2/2] done"]
    assert capsys.readouterr().err.splitlines() == said


@pytest.mark.usefixtures("with_coverage")
def test_progress_is_plain_lines_and_apart_from_the_output(invoke: Any) -> None:
    found = invoke("check", "pendulum", "cart-pole", "-i", "reference", "--states", 7)
    begun = {"[0/4] pendulum", "[2/4] cart-pole"}, {"[0/4] cart-pole", "[2/4] pendulum"}
    *lines, last = found.stderr.splitlines()
    assert (set(lines) in begun, last) == (True, "[4/4] done")
    assert "\x1b" not in found.output
    table, _, prose = found.stdout.partition("\n\n")
    assert max(map(len, table.splitlines())) <= 80
    assert len(prose.splitlines()) == 5, "what reads a pipe gets every sentence whole"


@pytest.mark.usefixtures("in_this_process")
def test_a_command_to_copy_is_one_line(invoke: Any) -> None:
    Path("code.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    found = invoke("check", "planar-pendulum:2", "-i", "code.py", "-q", "gravity", "--states", 7, "--no-explain")
    again = next(line.strip() for line in found.stdout.splitlines() if "dalembert check" in line)
    assert re.search(r"--state \d+$", again)
    assert again.startswith("dalembert check planar-pendulum:2 --implementation code.py --quantity gravity")
    assert invoke(*shlex.split(again)[1:], "--no-explain").exit_code == 1


def test_one_state_shows_the_numbers_of_that_state_and_no_code_that_failed(invoke: Any) -> None:
    Path("code.py").write_text("def load(mechanism): raise ValueError('no')\n")
    words = ("check", "cart-pole", "-i", "reference", "-i", "code.py", "--states", 14, "-q", "gravity", "--state", 12)
    found = invoke(*words)
    assert (found.exit_code, found.stdout.count("State 12")) == (3, 1)
    for value in sample(find_mechanism("cart-pole"), 0, 14).q[12]:
        assert repr(float(value)) in found.stdout


def test_an_ulp_too_many_is_seen_where_the_truth_is_certified(
    invoke: Any, with_bridge: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mass, times gravity, times length: all of the pendulum's gravity, off by 2⁻⁵¹ of itself."""
    Path("code.py").write_text(
        "from implementations.spatial_algebra.reference import REFERENCE\n"
        "def gravity(mechanism, q): return REFERENCE.load(mechanism).gravity(q[None])[0] * (1 + 2**-49)\n"
    )
    monkeypatch.setattr("dalembert.printing.PATIENCE", 0.0)
    words = ("check", "pendulum", "-i", "code.py", "-i", "reference", "-q", "gravity", "--certified")
    found = invoke(*words, "-o", "results.json", "--report", "report.html")
    results = read_results(Path("results.json"))
    mine, right = results.cells
    assert mine.ulps.median >= 8
    assert right.ulps.median <= 2
    assert results.settings.certified is True
    assert results.mechanisms[0].certified.bits > 0
    assert "The truth is certified: the Lagrangian oracle in balls of up to" in found.stdout
    assert "An ulp is" in Path("report.html").read_text()
    assert "[0/3] pendulum: certifying gravity, 0 of 98 states done\n" in found.stderr


@pytest.mark.slow
def test_a_gate_may_be_certified(invoke: Any) -> None:
    words = ("gate", "reference", "pendulum", "-q", "gravity", "--states", 7, "-o", "results.json")
    assert invoke(*words, "--certified", "--update-baseline").exit_code == 0
    assert invoke(*words).exit_code == 0
    assert read_results(Path("results.json")).settings.certified is True


@pytest.mark.usefixtures("in_this_process")
def test_two_files_of_one_name_are_told_apart(invoke: Any) -> None:
    for name in ("a", "b"):
        Path(f"{name}.urdf").write_text(write_urdf(find_mechanism("pendulum")))
        Path(f"{name}.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    words = ("-q", "gravity", "--states", 7, "--no-explain", "-o", "r.json")
    invoke("check", "a.urdf", "b.urdf", "-i", "a.py", "-i", "b.py", *words)
    both = {cell.id: cell.worst for cell in read_results(Path("r.json")).cells}
    assert len(both) == 4
    invoke("check", "b.urdf", "-i", "a.py", *words)
    (alone,) = read_results(Path("r.json")).cells
    assert alone.worst == both["b.urdf/a/gravity"]


# The other commands


def test_urdf_and_back(invoke: Any) -> None:
    found = invoke("urdf", "branched-tree")
    assert found.exit_code == 0
    assert invoke("urdf", "branched-tree", "-o", "new/folder/tree.urdf").stdout == ""
    assert Path("new/folder/tree.urdf").read_text() == found.stdout
    again = invoke("urdf", "new/folder/tree.urdf")
    numbers = [[float(x) for x in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", result.stdout)] for result in (found, again)]
    np.testing.assert_allclose(*numbers, atol=1e-12)


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


def test_help_answers_at_once(tmp_path: Path) -> None:
    heavy = "numpy", "sympy", "jsonschema", "rich"
    code = f"import sys, dalembert.cli.main; print(*(name for name in {heavy} if name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert found.stdout.split() == []


@pytest.mark.slow
def test_output_can_be_piped_and_a_locale_that_cannot_print_it_all_will_do(tmp_path: Path) -> None:
    ascii_alone = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    found = run(tmp_path, *ONE, "-o", "/dev/stdout", env=ascii_alone)
    assert (found.returncode, "Traceback" in found.stderr) == (0, False), found.stderr
    document, end = json.JSONDecoder().raw_decode(found.stdout)
    assert document["schema"] == "dalembert-results-4"
    assert "agrees with the truth" in found.stdout[end:]
    found = run(tmp_path, "derive", "cart-pole", env=ascii_alone)
    assert (found.returncode, "Traceback" in found.stderr) == (0, False), found.stderr


def test_proofs_stand_in_the_report(invoke: Any) -> None:
    invoke("prove", "pendulum", "-q", "gravity", "-o", "proofs.json")
    assert invoke(*ONE, "--report", "r.html", "--proofs", "proofs.json").exit_code == 0
    assert "1 of 1 quantities" in Path("r.html").read_text()


@pytest.mark.slow
def test_every_core_computes_unless_jobs_are_given(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr("dalembert.commands.comparing.cores", lambda: 3)
    monkeypatch.setattr("dalembert.session.LocalProcesses", started.append)  # None computes in this process.
    for words in ((), ("-j", 2), ("-j", 1)):
        assert invoke(*ONE, *words).exit_code == 0
    assert started == [3, 2]
    assert cores() == len(os.sched_getaffinity(0))


@pytest.mark.usefixtures("in_this_process")
def test_a_gate_that_can_never_pass_says_so(invoke: Any) -> None:
    Path("wrong.py").write_text("def gravity(mechanism, q):\n    return 0 * q + 1\n")
    found = invoke("gate", "wrong.py", "pendulum", "--states", 3, "--update-baseline", "--no-explain")
    assert found.exit_code == 1
    assert "disagrees with the truth; the gate fails until the code is corrected, whichever baseline is used" in found.stderr


@pytest.mark.nightly
def test_relations_are_asked_for_by_name(invoke: Any) -> None:
    words = ("check", "pendulum", "-i", "reference", "--states", 6, "-o", "r.json")
    result = invoke(*words, "-q", "relations", "--report", "r.html")
    assert result.exit_code == 0, result.output
    assert "reference keeps 11 invariants on 1 mechanism; nothing was compared with the truth" in result.stdout
    results = read_results(Path("r.json"))
    assert ([item.name for item in results.invariants], results.cells) == ([*USUAL], ())
    page = Page(Path("r.html").read_text())
    assert all(name in json.dumps(page.data) for name in USUAL)
    invoke(*words, "-q", "scaled_mass", "-q", "gravity")
    results = read_results(Path("r.json"))
    assert ([cell.quantity for cell in results.cells], [item.name for item in results.invariants]) == (
        ["gravity"],
        ["scaled_mass"],
    )
