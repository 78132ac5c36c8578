"""Runs on systems that lack something: fork, as on Windows, and the extra fast."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

COMMAND = """
import os, signal, sys, multiprocessing.util, subprocess, tempfile
gone = {os: ("fork", "forkpty", "register_at_fork", "setsid", "killpg"), signal: ("SIGHUP", "SIGKILL", "SIGCHLD")}
for module, names in gone.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
sys.modules["resource"] = None
from dalembert.cli.main import main
main(prog_name="dalembert")
"""

CODE = """
def gravity(mechanism, q):
    return -mechanism.arrays.masses * {sign} 0.002 * mechanism.arrays.gravity[2]
"""
"""The torque that holds a lead screw's nut."""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", COMMAND, *words, "--jobs", "1"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_check_and_a_gate_give_their_verdicts(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODE.format(sign="+"), "utf-8")
    done = run(tmp_path, "gate", "mine.py", "lead-screw", "--states", "14", "--update-baseline")
    assert (done.returncode, "mine agrees with the truth" in done.stdout) == (0, True), done.stdout + done.stderr
    (tmp_path / "mine.py").write_text(CODE.format(sign="-"), "utf-8")
    done = run(tmp_path, "gate", "mine.py", "--no-explain")
    assert (done.returncode, "✗ disagrees" in done.stdout) == (1, True), done.stdout + done.stderr


@pytest.mark.slow
def test_no_program_is_kept_where_code_under_test_runs_in_the_same_process(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODE.format(sign="+"), "utf-8")
    assert run(tmp_path, "check", "lead-screw", "-i", "mine").returncode == 0
    assert not list(tmp_path.rglob("*.program"))


def run_behind(folder: Path, *before: Path) -> tuple[dict[str, Any], str]:
    """The document and the text of a run with other folders ``before`` all others on Python's path."""
    path = os.pathsep.join([*map(str, before), *sys.path])
    words = ["check", "scara", "free:pendulum", "-i", "reference", "-i", "traced", "--output", "results.json"]
    command = [sys.executable, "-m", "dalembert", *words]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "results.json").read_text("utf-8")), done.stdout


@pytest.mark.nightly
def test_the_numbers_are_the_same_and_the_remedy_is_said_once(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite", reason="llvmlite has no wheel for this platform")
    absent = tmp_path / "absent"
    absent.mkdir()
    (absent / "llvmlite.py").write_text("raise ImportError\n")
    there, said = run_behind(tmp_path)
    without, advised = run_behind(tmp_path, absent)
    assert without["cells"] == there["cells"]
    assert advised.count('pip install "dalembert[fast]" makes them faster') == 1
    assert "dalembert[fast]" not in said
