"""Runs on systems that lack something: fork, as on Windows, and the extra fast."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import run

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


@pytest.mark.slow
def test_a_gate_gives_its_verdicts_and_keeps_no_program_where_code_runs_in_the_same_process(tmp_path: Path) -> None:
    gate = [sys.executable, "-c", COMMAND, "gate", "mine.py", "--jobs", "1"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)}
    for sign, words, code, says in (
        ("+", ("lead-screw", "--states", "14", "--update-baseline"), 0, "mine agrees with the truth"),
        ("-", ("--no-explain",), 1, "✗ disagrees"),
    ):
        (tmp_path / "mine.py").write_text(CODE.format(sign=sign), "utf-8")
        done = subprocess.run([*gate, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, says in done.stdout) == (code, True), done.stdout + done.stderr
    assert not list(tmp_path.rglob("*.program"))


@pytest.mark.nightly
def test_without_llvmlite_the_numbers_are_the_same_and_the_remedy_is_said_once(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite", reason="llvmlite has no wheel for this platform")
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / "llvmlite.py").write_text("raise ImportError\n")
    cells, said = [], []
    for before in ([], [str(tmp_path / "absent")]):
        words = ("check", "scara", "free:pendulum", "-i", "reference", "-i", "traced", "--output", "results.json")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([*before, *sys.path])}
        done = run(tmp_path, *words, env=environment)
        assert done.returncode == 0, done.stderr
        cells.append(json.loads((tmp_path / "results.json").read_text("utf-8"))["cells"])
        said.append(done.stdout)
    assert cells[0] == cells[1]
    assert said[1].count('pip install "dalembert[fast]" makes them faster') == 1
    assert "dalembert[fast]" not in said[0]
