"""What shows nothing is not green, and a stream that cannot be written ends the command in good order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from processes import COMMAND, run

import dalembert
from cross_check.exchange.results import read_results, verdict_of
from mechanisms import Body, Inertia, Joint, Mechanism

LIGHT = """<robot name="light"><link name="base"/><link name="arm"/><joint name="j" type="revolute"><parent link="base"/>
<child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""

ZEROS = "import numpy as np\n\n\ndef inverse_dynamics(mechanism, q, v, a): return np.zeros(mechanism.nv)\n"

CORIOLIS = "this run cannot show Coriolis and centrifugal terms"


@pytest.fixture
def light(tmp_path: Path, with_coverage: None) -> None:
    (tmp_path / "light.urdf").write_text(LIGHT)
    (tmp_path / "zeros.py").write_text(ZEROS)


@pytest.mark.nightly
@pytest.mark.usefixtures("light")
def test_zeros_for_a_robot_without_masses_are_nothing_compared(invoke: Any) -> None:
    files = ("-o", "r.json", "--junit", "j.xml", "--badge", "b.json")
    found = invoke("check", "light.urdf", "-i", "zeros.py", "--states", 7, *files)
    assert found.exit_code == 5
    assert "· Nothing was compared: on 1 mechanism, code with any typical fault gives the same answers as zeros" in found.stdout
    assert verdict_of(read_results(Path("r.json"))).exit_code == 5
    suites = ElementTree.parse("j.xml").getroot()
    assert (suites.get("errors"), {case.find("skipped") is None for case in suites[0]}) == ("1", {False})
    assert '"not compared"' in Path("b.json").read_text()
    assert invoke("gate", "zeros.py", "light.urdf", "--states", 7, "--update-baseline").exit_code == 5
    assert not Path("dalembert-baseline.json").exists()


@pytest.mark.nightly
@pytest.mark.usefixtures("light")
def test_one_that_shows_nothing_is_named_beside_one_that_does(invoke: Any) -> None:
    found = invoke("check", "light.urdf", "-i", "zeros.py", "-i", "reference", "--states", 7)
    assert found.exit_code == 0
    assert "zeros compared nothing" in found.stdout
    assert "for reference this run cannot show gravity, rotational inertia or Coriolis and centrifugal terms" in found.stdout


@pytest.mark.nightly
@pytest.mark.usefixtures("with_coverage")
def test_a_run_that_cannot_show_a_basic_term_says_so_last(invoke: Any) -> None:
    words = ("check", "pendulum", "-i", "reference", "-q", "inverse_dynamics", "--states", 7)
    found = invoke(*words)
    assert (found.exit_code, CORIOLIS in found.stdout.splitlines()[-1]) == (0, True)
    Path("pyproject.toml").write_text("[tool.dalembert]\nstrict = true\n")
    found = invoke(*words, "--junit", "j.xml", "--badge", "b.json")
    assert (found.exit_code, CORIOLIS in found.stdout.splitlines()[-1]) == (6, True)
    assert found.stdout.splitlines()[-1].startswith("·")
    assert ElementTree.parse("j.xml").getroot().get("errors") == "1"
    assert "shows too little" in Path("b.json").read_text()
    assert invoke(*words, "--no-strict").exit_code == 0


@pytest.mark.slow
@pytest.mark.usefixtures("with_coverage")
def test_of_a_mechanism_that_is_too_large_to_try_nothing_is_claimed() -> None:
    bodies = [Body(f"b{k}", f"b{k - 1}" if k else "world", Joint(f"j{k}", "revolute"), Inertia(1)) for k in range(130)]
    results = dalembert.check(Mechanism("long", tuple(bodies)), "reference", quantities="gravity", states=3, strict=True)
    verdict = verdict_of(results)
    assert (verdict.exit_code, "cannot show" in verdict.headline) == (0, False)
    assert verdict.missed[0] == "It is not known which faults the run would miss, because long is too large to try them"


GRAVITY = ("check", "pendulum", "-i", "reference", "-q", "gravity", "--states", "3")


@pytest.mark.nightly
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110
@pytest.mark.parametrize(("words", "code"), [(("--help",), 3), (GRAVITY, 3), (("check", "nonsense"), 2)])
def test_a_full_standard_output_ends_in_good_order(tmp_path: Path, words: tuple[str, ...], code: int) -> None:
    with Path("/dev/full").open("w") as full:
        found = run(tmp_path, *words, stdout=full, stderr=subprocess.PIPE)
        assert (found.returncode, "Traceback" in found.stderr) == (code, False), found.stderr
        assert ("the standard output cannot be written (No space left on device)" in found.stderr) == (code == 3)
        # What is said beside the results changes no exit code.
        found = run(tmp_path, *words, stdout=subprocess.PIPE, stderr=full)
        assert found.returncode == (0 if code == 3 else code)


@pytest.mark.nightly
@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_changes_no_exit_code(tmp_path: Path, redirection: str) -> None:
    (tmp_path / "code.py").write_text("def gravity(mechanism, q): return 1 + q\n")
    command = f"'{sys.executable}' -m dalembert check pendulum -i code.py -q gravity --states 7 --no-explain {redirection}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (1, False), done.stderr


@pytest.mark.parametrize("words", [("--help",), ("mechanisms",)])
def test_a_reader_who_is_gone(words: tuple[str, ...]) -> None:
    """The command writes when its output is closed already."""
    waiting = "import sys; sys.stdin.read(); from dalembert.cli.main import main; main()"
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([COMMAND[0], "-c", waiting, *words], **streams) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
