"""A program in C++ with quantities of constraints, compiled here: tried, checked and gated, right and with a wrong sign."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dalembert.cli.languages import write_project

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).with_name("closed_loops.cpp")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The implementation: the skeleton's example of dynamics, with quantities of constraints in its main file."""
    compiler = shutil.which("g++") or pytest.skip("this machine has no g++")
    folder = tmp_path_factory.mktemp("closed") / "loops"
    write_project("cpp", folder)
    shutil.copy(SOURCE, folder / "main.cpp")
    warnings = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-pedantic", "-Werror"]
    command = [compiler, "-std=c++17", "-O0", *warnings, "main.cpp", "-o", "loops"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return f"cmd:{folder / 'loops'}"


WORDS = ("-q", "constraints", "--states", "18", "--no-config", "--in-process")


def test_a_program_that_is_right_agrees_and_passes_the_gate(program: str, invoke: Any) -> None:
    done = invoke("smoke", program)
    assert done.exit_code == 0, done.output
    assert "✓ loads a mechanism of 5 bodies with a loop" in done.output
    assert "✓ dynamics: constraint_drift: agrees with the reference" in done.output
    done = invoke("gate", program, "four-bar", "flyball-governor", *WORDS, "--update-baseline", "--baseline", "baseline.json")
    assert done.exit_code == 0, done.output
    assert "agrees with the truth on 2 mechanisms" in done.output


def test_a_wrong_sign_of_the_drift_is_named_and_a_script_shows_it(program: str, invoke: Any, tmp_path: Path) -> None:
    done = invoke("check", "four-bar", "-i", f"{program} wrong", *WORDS, "-o", "results.json")
    assert done.exit_code == 1, done.output
    assert "✗ disagrees closed_loops: the drift has the opposite sign" in done.output
    assert "3 of 3 cells: J̇v, q̈, λ on four-bar" in done.output
    (cause,) = json.loads((tmp_path / "results.json").read_text("utf-8"))["causes"]
    script = cause["example"]["script"]
    for text, code in ((script, 1), (script.replace("loops wrong", "loops"), 0)):
        with pytest.raises(SystemExit) as ended:
            exec(text, {})
        assert ended.value.code == code
