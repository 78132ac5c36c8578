"""The bank of mutants fits the product; mutants are drawn, planted in a copy, and judged by the tests that reach their file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from edits import Edit, read_edits
from mutants import __main__ as command
from mutants.draw import PRODUCT, Sites, draw, edit_of, room
from mutants.reach import nearest_tests

PROJECT = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["helpers"]\n',
    "machine/__init__.py": "",
    "machine/add.py": "def add(x, y):\n    return x + y\n\n\ndef unused(x):\n    return x - 1\n",
    "machine/use.py": "from machine.add import add\n\n\ndef twice(x):\n    return add(x, x)\n",
    "machine/by_name.py": "VALUE = 1\n",
    "helpers/short.py": "from machine import use\n",
    "tests/test_far.py": "import short\n\n\ndef test_twice():\n    assert short.use.twice(2) == 4\n",
    "tests/test_near.py": "from machine.add import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}


BANK = [
    Edit("machine/add.py", "not tested", "return x - 1", "return x - 2"),
    Edit("machine/add.py", "noticed", "return x + y", "return x - y"),
    Edit("machine/add.py", "gone", "return x * y", "return x / y"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def planted(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Plants so many mutants of the bank."""

    def plant(most: int) -> None:
        subprocess.run("git init -q && git add .", shell=True, cwd=project, check=True)
        monkeypatch.setattr(command, "ROOT", project)
        monkeypatch.setattr(command, "read_edits", lambda _: BANK)
        monkeypatch.setattr(sys, "argv", ["mutants", "-j", "1", "--most", f"{most}", "--output", str(project / "found.jsonl")])
        command.main()

    return plant


def edits(text: str) -> dict[str, str]:
    """What is changed, and the lines that come of it, for all changes of a text."""
    made = [edit_of("x.py", text, site) for site in Sites(text).found]
    return {edit.sentence.partition(": ")[2]: edit.new for edit in made if edit}


@pytest.mark.parametrize(
    ("text", "what", "new"),
    [
        ("x = a + b\n", "+ is -", "x = a - b"),
        ("x = a + b\n", "the second term is dropped", "x = (a)"),
        ("x = -a\n", "the sign or “not” is dropped", "x = (a)"),
        ("ω = ä < b\n", "< is <=", "ω = ä <= b"),
        ("x = a not in b\n", "not in is in", "x = a in b"),
        ("x = a and b\n", "and is or", "x = a or b"),
        ("x = [1]\n", "1 is 2", "x = [2]"),
        ("x = f(a, b, c)\n", "two arguments are exchanged", "x = f(b, a, c)"),
        ("f(1.5)\n", "a statement is dropped", "pass"),
        ("x.y = a\n", "an assignment is dropped", "pass"),
    ],
)
def test_changes_of_a_syntax_tree(text: str, what: str, new: str) -> None:
    assert edits(text)[what] == new


def test_what_changes_nothing_is_no_mutant_and_equal_lines_take_the_lines_before() -> None:
    assert "two arguments are exchanged" not in edits("x = f(a, a)\n")
    assert not edits('x = f"{a + 1}"\n')
    text = "if a:\n    x += 1\nelse:\n    x += 1\n"
    last = edit_of("x.py", text, Sites(text).found[-1])
    assert last and last.old == "else:\n    x += 1"


def test_the_same_seed_draws_the_same_mutants_of_every_room(project: Path) -> None:
    drawn = list(draw(project, 3, 0))
    assert drawn == list(draw(project, 3, 0)) and len(drawn) == 3
    assert {room(edit.file) for edit in drawn} == {"machine"}
    assert len({edit.old for edit in drawn}) == 3, "one mutant a line"


def test_tests_that_reach_a_file_by_the_fewest_imports_come_first(project: Path) -> None:
    reached = nearest_tests(project)
    assert reached["machine/add.py"] == ["tests/test_near.py", "tests/test_far.py"]
    assert reached["machine/use.py"] == ["tests/test_far.py"]
    assert reached["machine/by_name.py"] == ["tests/test_near.py", "tests/test_far.py"], "it has the tests of its folder"


@pytest.mark.slow
def test_mutants_are_killed_survive_or_are_gone_and_nothing_is_measured_twice(
    project: Path, planted: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    planted(3)
    results = [json.loads(line) for line in (project / "found.jsonl").read_text().splitlines()]
    assert [(one["verdict"], one["test"]) for one in results] == [
        ("survived", ""), ("killed", "tests/test_near.py::test_add"), ("gone", ""),
    ]  # fmt: skip
    assert "| machine | 3 | 1 | 1 |  |  | 1 |" in capsys.readouterr().out
    assert (project / "machine/add.py").read_text() == PROJECT["machine/add.py"], "mutants are planted in a copy"
    planted(3)
    assert len((project / "found.jsonl").read_text().splitlines()) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tests/test_near.py", "from machine.add import add\n\n\ndef test_add():\n    assert add(1, 2) == 4\n"),
        ("tests/conftest.py", "import nothing_of_this_name\n"),
    ],
)
def test_tests_that_fail_without_a_mutant_measure_nothing(
    file: str, text: str, project: Path, planted: Callable[[int], None]
) -> None:
    (project / file).write_text(text)
    with pytest.raises(SystemExit, match="also fail without one, so nothing was measured"):
        planted(1)


def test_the_bank_is_large_and_of_every_part_of_the_product() -> None:
    bank = read_edits(command.BANK)
    assert len(bank) >= 400 and len(set(bank)) == len(bank)
    assert {edit.file.split("/")[0] for edit in bank} == set(PRODUCT)
