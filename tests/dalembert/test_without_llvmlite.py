"""A run without the extra "fast": the same numbers, and one sentence on how to get them faster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def run(folder: Path, *before: Path) -> tuple[dict[str, Any], str]:
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
    there, said = run(tmp_path)
    without, advised = run(tmp_path, absent)
    assert without["cells"] == there["cells"]
    assert advised.count('pip install "dalembert[fast]" makes them faster') == 1
    assert "dalembert[fast]" not in said
