"""No output is an input: files of the user stay as they are. A run that fails leaves no output of an earlier run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mechanisms import find_mechanism, write_urdf

OUTPUTS = {"output": "r.json", "badge": "b.json", "junit": "j.xml", "report": "r.html"}
NAMED = [word for option, name in OUTPUTS.items() for word in (f"--{option}", name)]
TABLE = "[tool.dalembert]\nmechanisms = 'pendulum'\nbadge = 'b.json'\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in OUTPUTS.values():
        (tmp_path / name).write_text("an earlier verdict")
    (tmp_path / "mine.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    (tmp_path / "broken.py").write_text("def gravity(\n")
    (tmp_path / "sly.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "in.urdf").write_text(write_urdf(find_mechanism("pendulum")))
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("gate", "broken.py", "pendulum"),
        ("gate", "sly.py", "pendulum"),
        ("gate", "mine.py", "pendulum"),
        ("gate", "nothing.py", "pendulum"),
        ("gate", "mine.py", "pendulum", "--timeout", 0),
        ("gate", "mine.py", "pendulum", "--no-such-option"),
        ("gate", "--profile", "none", "mine.py", "pendulum"),
        ("gate", "mine.py", "pendulum", "--since", "nowhere"),
        ("check", "pendulum", "-i", "nothing.py"),
        ("check", "broken.py", "pendulum", "-q", "nothing"),
    ],
)
def test_no_failure_keeps_an_earlier_verdict(invoke: Any, project: Path, words: tuple[object, ...]) -> None:
    assert invoke(*words, *NAMED).exit_code == 2
    assert [name for name in OUTPUTS.values() if (project / name).exists()] == []


def test_code_that_fails_at_import_has_a_verdict_of_its_own(invoke: Any, project: Path) -> None:
    assert invoke("check", "pendulum", "-i", "sly.py", *NAMED).exit_code == 3
    for file in OUTPUTS.values():
        text = (project / file).read_text()
        assert "fail" in text and "an earlier verdict" not in text


def test_a_file_with_the_name_of_a_mechanism_is_no_input(invoke: Any, project: Path) -> None:
    (project / "pendulum").write_text("")
    assert invoke("check", "pendulum", "-i", "reference", "-q", "gravity", "--states", 3, "-o", "pendulum").exit_code == 0


@pytest.mark.parametrize("mistake", ["", "state = 5\n", "states = 0\n", "mechanism = 5\n"])
def test_outputs_that_settings_name_go_too(invoke: Any, project: Path, monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    (project / "pyproject.toml").write_text(TABLE + mistake)
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    assert invoke("gate", "../broken.py").exit_code == 2
    assert not (project / "b.json").exists()
    assert (project / "r.json").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("gate", "mine.py", "free:in.urdf", "-o", "in.urdf"),
        ("gate", "mine.py", "-o", "in.urdf"),
        ("gate", "mine.py", "-o", "link"),
        ("gate", "mine.py", "in.urdf", "-o", "mine.py", "--timeout", 0),
        ("check", "-o", "in.urdf", "--no-such-option", "in.urdf"),
        ("check", "--no-such-option=in.urdf", "-oin.urdf"),
        ("check", "in.urdf", "-i", "cmd:python 'mine.py'", "-o", "mine.py", "--states", "x"),
        ("gate", "mine.py", "-o", "pyproject.toml", "--timeout", 0),
        ("gate", "mine.py", "-o", "dalembert-baseline.json", "--timeout", 0),
        ("gate", "mine.py", "--baseline", "in.urdf", "-o", "in.urdf", "--timeout", 0),
        ("gate", "mine.py", "--profile", "own", "--timeout", 0),
        ("gate", "--help", "-o", "in.urdf"),
    ],
)
@pytest.mark.parametrize("end", ["}", ""], ids=["a baseline", "a damaged one"])
def test_no_input_is_removed(invoke: Any, project: Path, words: tuple[object, ...], end: str) -> None:
    (project / "pyproject.toml").write_text(TABLE + "[tool.dalembert.profiles.own]\nrequire = 'x'\noutput = 'in.urdf'\n")
    (project / "dalembert-baseline.json").write_text('{"implementations": {"mine.py": {"spec": "free:in.urdf"}}' + end)
    (project / "link").symlink_to("in.urdf")
    kept = {path: path.read_bytes() for path in project.iterdir() if path.name not in OUTPUTS.values()}
    invoke(*words)
    assert {path: path.read_bytes() for path in kept} == kept


def test_a_baseline_may_name_anything(invoke: Any, project: Path) -> None:
    words = ["a\0b", "~nobody_x.py", "\ud800", "\ud800.py:x", "x" * 5000 + ".py", "..", "", "/", "cmd:'x", ".py", "a..b"]
    (project / "dalembert-baseline.json").write_text(json.dumps(words) + '"')
    assert invoke("gate", "mine.py", "pendulum", "--badge", "b.json").exit_code == 2
    assert not (project / "b.json").exists()
    assert invoke("gate", "~nobody_x.py", "pendulum").exit_code == 2
