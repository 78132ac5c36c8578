"""No output may be an input: the user's files are as they were."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from mechanisms import find_mechanism, write_urdf

CODE = "def gravity(mechanism, q): return 0 * q\n"
ARM = "from mechanisms import find_mechanism\n\narm = find_mechanism('pendulum')\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """The user's files, and links to some of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.urdf").write_text(write_urdf(find_mechanism("pendulum")))
    (tmp_path / "my.py").write_text(CODE)
    (tmp_path / "my_arm.py").write_text(ARM)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "code.py").write_text(CODE)
    (tmp_path / "baseline.json").write_text("{}")
    (tmp_path / "symbolic").symlink_to("in.urdf")
    os.link(tmp_path / "in.urdf", tmp_path / "hard")
    return snapshot(tmp_path)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.nightly
def test_a_baseline_that_is_read_is_an_input(invoke: Any, files: Any, tmp_path: Path) -> None:
    invoke("gate", "reference", "pendulum", "--states", 3, "--update-baseline", "--baseline", "b.json")
    before = snapshot(tmp_path)
    for output in ("b.json", "./b.json"):
        found = invoke("gate", "reference", "--baseline", "b.json", "--report", output)
        assert (found.exit_code, "b.json is also an input" in found.stderr) == (2, True)
    found = invoke("gate", "reference", "pendulum", "--update-baseline", "--baseline", "b.json", "-o", "b.json")
    assert (found.exit_code, "b.json is named twice" in found.stderr) == (2, True)
    assert snapshot(tmp_path) == before


def test_other_outputs_are_written(invoke: Any, files: Any, tmp_path: Path) -> None:
    (tmp_path / "pendulum").write_text("a file with the name of a textbook mechanism is no input")
    assert invoke("check", "in.urdf", "pendulum", "-i", "reference", "--states", 3, "-o", "pendulum").exit_code == 0
