"""What shows nothing is not green, and what cannot be written or loaded ends in good order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import dalembert
from cross_check.exchange.results import read_results, verdict_of
from dalembert.gatekeeper import run_gate
from mechanisms import Body, Inertia, Joint, Mechanism

LIGHT = """<robot name="light"><link name="base"/><link name="arm"/><joint name="j" type="revolute"><parent link="base"/>
<child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""

ZEROS = "import numpy as np\n\n\ndef inverse_dynamics(mechanism, q, v, a): return np.zeros(mechanism.nv)\n"

pytestmark = pytest.mark.usefixtures("with_coverage")

CORIOLIS = "this run cannot show Coriolis and centrifugal terms"


@pytest.fixture
def light(tmp_path: Path) -> Path:
    (tmp_path / "light.urdf").write_text(LIGHT)
    (tmp_path / "zeros.py").write_text(ZEROS)
    return tmp_path


@pytest.mark.nightly
def test_zeros_for_a_robot_without_masses_are_nothing_compared(invoke: Any, light: Path) -> None:
    found = invoke(
        "check", "light.urdf", "-i", "zeros.py", "--states", 7, "-o", "r.json", "--junit", "j.xml", "--badge", "b.json"
    )
    assert found.exit_code == 5
    assert "· Nothing was compared: on 1 mechanism, code with any typical fault gives the same answers as zeros" in found.stdout
    assert verdict_of(read_results(light / "r.json")).exit_code == 5
    suites = ElementTree.parse(light / "j.xml").getroot()
    assert (suites.get("errors"), {case.find("skipped") is None for case in suites[0]}) == ("1", {False})
    assert '"not compared"' in (light / "b.json").read_text()
    assert invoke("gate", "zeros.py", "light.urdf", "--states", 7, "--update-baseline").exit_code == 5
    assert not (light / "dalembert-baseline.json").exists()
    results, _ = run_gate(str(light / "zeros.py"), [str(light / "light.urdf")], None, False, states=7)
    assert verdict_of(results).exit_code == 5


@pytest.mark.nightly
def test_one_that_shows_nothing_is_named_beside_one_that_does(invoke: Any, light: Path) -> None:
    found = invoke("check", "light.urdf", "-i", "zeros.py", "-i", "reference", "--states", 7)
    assert found.exit_code == 0
    assert "zeros compared nothing" in found.stdout
    assert "for reference this run cannot show gravity, rotational inertia or Coriolis and centrifugal terms" in found.stdout


@pytest.mark.nightly
def test_a_run_that_cannot_show_a_basic_term_says_so_last(invoke: Any, tmp_path: Path) -> None:
    words = ("check", "pendulum", "-i", "reference", "-q", "inverse_dynamics", "--states", 7)
    found = invoke(*words)
    assert (found.exit_code, CORIOLIS in found.stdout.splitlines()[-1]) == (0, True)
    found = invoke(*words, "--strict", "--junit", "j.xml", "--badge", "b.json")
    assert (found.exit_code, CORIOLIS in found.stdout.splitlines()[-1]) == (6, True)
    assert found.stdout.splitlines()[-1].startswith("·")
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("errors") == "1"
    assert "shows too little" in (tmp_path / "b.json").read_text()
    (tmp_path / "pyproject.toml").write_text("[tool.dalembert]\nstrict = true\n")
    assert invoke(*words).exit_code == 6
    assert invoke(*words, "--no-strict").exit_code == 0
    strict = dalembert.check("pendulum", "reference", quantities="inverse_dynamics", states=7, strict=True)
    assert verdict_of(strict).exit_code == 6
    assert invoke("check", "cart-pole", "-i", "reference", "-q", "inverse_dynamics", "--strict").exit_code == 0


@pytest.mark.slow
def test_of_a_mechanism_that_is_too_large_to_try_nothing_is_claimed() -> None:
    bodies = [Body(f"b{k}", f"b{k - 1}" if k else "world", Joint(f"j{k}", "revolute"), Inertia(1)) for k in range(130)]
    results = dalembert.check(Mechanism("long", tuple(bodies)), "reference", quantities="gravity", states=3, strict=True)
    verdict = verdict_of(results)
    assert (verdict.exit_code, "cannot show" in verdict.headline) == (0, False)
    assert verdict.missed[0] == "It is not known which faults the run would miss, because long is too large to try them"


def test_a_function_of_one_state_that_writes_into_its_arguments(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "writes.py").write_text(
        "import numpy as np\n\n\ndef gravity(mechanism, q):\n    tau = 4.7088 * np.sin(q)\n    q *= 2\n    return tau\n"
    )
    found = invoke("check", "pendulum", "-i", "writes.py", "--states", 7)
    assert found.exit_code == 3
    assert found.stdout.count("gravity writes into its input q; let it work on a copy") == 1


def _run(*words: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "dalembert", *words], text=True, check=False, **streams)


@pytest.mark.nightly
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("mechanisms",), 3),
        (("--help",), 3),
        (("check", "--help"), 3),
        (("check", "pendulum", "-i", "reference", "-q", "gravity", "--states", "3"), 3),
        (("check", "nonsense"), 2),
    ],
)
def test_a_full_standard_output_ends_in_good_order(words: tuple[str, ...], code: int) -> None:
    with Path("/dev/full").open("w") as full:
        found = _run(*words, stdout=full, stderr=subprocess.PIPE)
        assert (found.returncode, "Traceback" in found.stderr) == (code, False), found.stderr
        assert ("the standard output cannot be written (No space left on device)" in found.stderr) == (code == 3)
        # What is said beside the results changes no exit code.
        found = _run(*words, stdout=subprocess.PIPE, stderr=full)
        assert found.returncode == (0 if code == 3 else code)


@pytest.mark.parametrize("words", [("--help",), ("check", "--help"), ("mechanisms",)])
def test_a_reader_who_is_gone(words: tuple[str, ...]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read(); from dalembert.cli.main import main; main()", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
