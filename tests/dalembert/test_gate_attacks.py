"""Ways around the gate that somebody tried: each must fail, and say why."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from processes import run

from cross_check.exchange.results import ResultsError, read_results, write_json

HEAD = "from implementations.spatial_algebra.reference import REFERENCE\n"
GRAVITY = "def gravity(mechanism, q): return REFERENCE.load(mechanism).gravity(q[None])[0]\n"
BASELINE = "dalembert-baseline.json"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """Right code."""
    path = tmp_path / "code.py"
    path.write_text(HEAD + GRAVITY)
    return path


READ = {
    "Property": "    @property\n    def gravity(self): raise SystemExit(0)\n",
    "Getattr": "    def __getattr__(self, name): raise SystemExit(0)\n",
    "Array": "    def __array__(self, *args, **kwargs): raise SystemExit(0)\n    def gravity(self, q): return self\n",
    "SecondRead": "    reads = 0\n    @property\n    def gravity(self):\n        self.reads += 1\n"
    "        if self.reads > 1: raise SystemExit(0)\n        return lambda q: q\n",
}
"""Where what is loaded exits."""


def test_code_that_exits_where_it_is_read_fails(invoke: Any) -> None:
    load = "    def load(self, mechanism): return self\n"
    Path("sly.py").write_text("".join(f"class {name}:\n{load}{body}" for name, body in READ.items()))
    specs = [word for name in READ for word in ("-i", f"sly.py:{name}")]
    found = invoke("check", "pendulum", *specs, "-q", "gravity", "--states", 7, "-o", "results.json")
    assert found.exit_code == 3, found.output
    said = {cell.implementation: cell.message for cell in read_results(Path("results.json")).cells}
    assert len(said) == len(READ)
    assert {name: message for name, message in said.items() if "SystemExit: 0" not in message} == {}


LOADED = {
    "sly.py": "def __getattr__(name): raise SystemExit(0)\n",
    "meta.py:Sly.x": "class Meta(type):\n    def __getattr__(cls, name): raise SystemExit(0)\nclass Sly(metaclass=Meta): pass\n",
    "property.py:Sly": "class Sly:\n    @property\n    def load(self): raise SystemExit(0)\n",
}


def test_code_that_exits_where_it_is_loaded_fails(invoke: Any) -> None:
    for word, sly in LOADED.items():
        Path(word.partition(":")[0]).write_text(sly)
    found = invoke("check", "pendulum", *(word for spec in LOADED for word in ("-i", spec)), "--states", 7)
    assert found.exit_code == 3
    for word in LOADED:
        assert f"'{word}' cannot be used: reading " in found.stdout


def test_an_exit_that_nothing_catches_is_no_success(tmp_path: Path) -> None:
    """Code that is called in this process never chooses the exit code, whichever place calls it."""
    (tmp_path / "late.py").write_text(
        "import click\nfrom dalembert.cli import main\n"
        "@main.main.command()\ndef leave(): raise SystemExit(0)\nmain.main(['leave'])\n"
    )
    done = subprocess.run([sys.executable, "late.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("recorded", "says"),
    [
        (("--states", 28), "7 states are fewer than the 28 of the baseline"),
        (("--states", 7, "--bar", 8), "the bar 16 is not the one of the baseline"),
    ],
)
def test_another_spelling_of_a_path_does_not_weaken_the_settings(
    invoke: Any, code: Path, recorded: tuple[object, ...], says: str
) -> None:
    """The settings came from the mechanisms whose words the baseline knows; they must fit all that are checked."""
    Path("arm.py").write_text("from mechanisms import find_mechanism\narm = find_mechanism('cart-pole')\n")
    invoke("gate", "code.py", "pendulum", "--states", 7, "--update-baseline")
    assert invoke("gate", "code.py", "arm.py", "--update-baseline", *recorded).exit_code == 0
    found = invoke("gate", "code.py", "pendulum", "./arm.py")
    assert (found.exit_code, found.stdout) == (2, "")
    assert says in found.stderr


@pytest.mark.usefixtures("in_this_process")
def test_another_mechanism_of_the_same_name_replaces_no_record(invoke: Any, code: Path) -> None:
    for k in (1, 2):
        Path(f"arm{k}.py").write_text(
            "from dataclasses import replace\nfrom mechanisms import find_mechanism\n"
            f"arm = replace(find_mechanism('planar-pendulum:{k}'), name='arm')\n"
        )
    words = ("-q", "gravity", "--states", 7, "--update-baseline")
    assert invoke("gate", "code.py", "arm1.py", *words).exit_code == 0
    before = Path(BASELINE).read_text()
    found = invoke("gate", "code.py", "arm2.py", *words)
    assert found.exit_code == 2
    assert "has another mechanism 'arm', from arm1.py, not arm2.py; rename one of them" in found.stderr
    assert Path(BASELINE).read_text() == before


@pytest.mark.nightly
@pytest.mark.parametrize("where", ["import", "call"])
def test_code_that_changes_the_directory_moves_no_file(invoke: Any, code: Path, tmp_path: Path, where: str) -> None:
    (tmp_path / "other").mkdir()
    invoke("gate", "code.py", "pendulum", "--states", 7, "--update-baseline")
    (tmp_path / "other" / BASELINE).write_text("{}")
    move = "import os; os.chdir('other' if os.path.isdir('other') else '.')\n"
    moved = move + GRAVITY if where == "import" else GRAVITY.replace("return", f"{move.strip()}; return")
    code.write_text(HEAD + moved)
    found = invoke("gate", "code.py", "-o", "results.json")
    assert found.exit_code == (0 if where == "import" else 3), found.output
    assert ("gravity changed the working directory" in found.output) == (where == "call")
    assert (tmp_path / "results.json").exists()
    assert not (tmp_path / "other" / "results.json").exists()


def test_results_that_contradict_themselves_are_refused(invoke: Any) -> None:
    invoke("check", "pendulum", "-i", "reference", "-q", "gravity", "--states", 3, "-o", "out.json")
    path = Path("out.json")
    right = read_results(path)
    (cell,) = right.cells
    unlisted = "has a mechanism or an implementation that the run does not list"
    for cells, says in (
        ([replace(cell, mechanism="acrobot")], unlisted),
        ([replace(cell, implementation="other")], unlisted),
        ([cell, cell], "occurs twice"),
    ):
        write_json(replace(right, cells=cells).document(), path)
        with pytest.raises(ResultsError, match=says):
            read_results(path)


@pytest.mark.nightly
@pytest.mark.parametrize("word", ["code", "code.py", "imports"])
def test_code_that_changed_within_a_second_is_tested_as_it_is(code: Path, tmp_path: Path, word: str) -> None:
    """Python takes bytecode for current if the source has the same size and the same second."""
    (tmp_path / "imports.py").write_text("from code_parts import gravity\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    statuses = []
    for factor in (1, 2):
        for name in ("code.py", "code_parts.py"):
            (tmp_path / name).write_text(HEAD + GRAVITY.replace("return", f"return {factor} *"))
            os.utime(tmp_path / name, (1e9, 1e9))
        words = ("check", "pendulum", "-i", word, "-q", "gravity", "--states", 7, "--no-explain")
        statuses.append(run(tmp_path, *words, env=environment).returncode)
    assert statuses == [0, 1]


def test_the_module_of_the_command_line_runs_it(tmp_path: Path) -> None:
    """It did nothing and ended with status 0."""
    words = [sys.executable, "-m", "dalembert.cli.main", "check", "nowhere"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nowhere" in done.stderr
