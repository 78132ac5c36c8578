"""Ways around the gate that somebody tried: each must fail, and say why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cross_check.exchange.results import ResultsError, read_results

HEAD = "from implementations.spatial_algebra.reference import REFERENCE\n"
GRAVITY = "def gravity(mechanism, q): return REFERENCE.load(mechanism).gravity(q[None])[0]\n"
EXIT = "class Sly:\n    name = 'sly'\n    def load(self, mechanism): return Loaded()\n"
BASELINE = "dalembert-baseline.json"
RUN = (sys.executable, "-m", "dalembert")


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """Right code."""
    path = tmp_path / "code.py"
    path.write_text(HEAD + GRAVITY)
    return path


@pytest.mark.parametrize(
    "sly",
    [
        "class Loaded:\n    @property\n    def gravity(self): raise SystemExit(0)\n" + EXIT,
        "class Loaded:\n    def __getattr__(self, name): raise SystemExit(0)\n" + EXIT,
        "class Array:\n    def __array__(self, *args, **kwargs): raise SystemExit(0)\n"
        "class Loaded:\n    def gravity(self, q): return Array()\n" + EXIT,
        "class Loaded:\n    reads = 0\n    @property\n    def gravity(self):\n        self.reads += 1\n"
        "        if self.reads > 1: raise SystemExit(0)\n        return lambda q: q\n" + EXIT,
    ],
    ids=["property", "getattr", "array", "second read"],
)
def test_code_that_exits_where_it_is_read_fails(invoke: Any, tmp_path: Path, sly: str) -> None:
    (tmp_path / "sly.py").write_text(sly)
    found = invoke("check", "pendulum", "-i", "sly.py:Sly", "-q", "gravity", "--states", 7)
    assert found.exit_code == 3, found.output
    assert "SystemExit: 0" in found.output


@pytest.mark.parametrize(
    ("sly", "word"),
    [
        ("def __getattr__(name): raise SystemExit(0)\n", "sly.py"),
        (
            "class Meta(type):\n    def __getattr__(cls, name): raise SystemExit(0)\nclass Sly(metaclass=Meta): pass\n",
            "sly.py:Sly.x",
        ),
        ("class Sly:\n    @property\n    def load(self): raise SystemExit(0)\n", "sly.py:Sly"),
    ],
)
def test_code_that_exits_where_it_is_loaded_fails(invoke: Any, tmp_path: Path, sly: str, word: str) -> None:
    (tmp_path / "sly.py").write_text(sly)
    found = invoke("check", "pendulum", "-i", word, "--states", 7)
    assert found.exit_code == 3
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
def test_a_run_with_fewer_states_than_the_baseline_is_refused(invoke: Any, code: Path) -> None:
    invoke("gate", "code.py", "pendulum", "--states", 14, "--update-baseline")
    found = invoke("gate", "code.py", "--states", 13)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "13 states are fewer than the 14 of the baseline" in found.stderr
    assert invoke("gate", "code.py", "--states", 15).exit_code == 0


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("recorded", "says"),
    [
        (("--states", 28), "7 states are fewer than the 28 of the baseline"),
        (("--states", 7, "--bar", 8), "the bar 16 is not the one of the baseline"),
    ],
)
def test_another_spelling_of_a_path_does_not_weaken_the_settings(
    invoke: Any, code: Path, tmp_path: Path, recorded: tuple[object, ...], says: str
) -> None:
    """The settings came from the mechanisms whose words the baseline knows; they must fit all that are checked."""
    arm = "from mechanisms import find_mechanism\narm = find_mechanism('cart-pole')\n"
    (tmp_path / "arm.py").write_text(arm)
    invoke("gate", "code.py", "pendulum", "--states", 7, "--update-baseline")
    assert invoke("gate", "code.py", "arm.py", "--update-baseline", *recorded).exit_code == 0
    found = invoke("gate", "code.py", "pendulum", "./arm.py")
    assert (found.exit_code, found.stdout) == (2, "")
    assert says in found.stderr


@pytest.mark.nightly
def test_another_mechanism_of_the_same_name_replaces_no_record(invoke: Any, code: Path, tmp_path: Path) -> None:
    for k in (1, 2):
        (tmp_path / f"arm{k}.py").write_text(
            "from dataclasses import replace\nfrom mechanisms import find_mechanism\n"
            f"arm = replace(find_mechanism('planar-pendulum:{k}'), name='arm')\n"
        )
    assert invoke("gate", "code.py", "arm1.py", "--states", 7, "--update-baseline").exit_code == 0
    before = (tmp_path / BASELINE).read_text()
    found = invoke("gate", "code.py", "arm2.py", "--states", 7, "--update-baseline")
    assert found.exit_code == 2
    assert "has another mechanism 'arm', from arm1.py, not arm2.py; rename one of them" in found.stderr
    assert (tmp_path / BASELINE).read_text() == before


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


@pytest.mark.nightly
def test_code_that_kills_its_parent_leaves_no_verdict_of_an_earlier_run(invoke: Any, code: Path, tmp_path: Path) -> None:
    outputs = ("--junit", "out.xml", "--markdown", "out.md", "--report", "out.html", "-o", "out.json")
    assert invoke("check", "pendulum", "-i", "code.py", "--states", 7, *outputs).exit_code == 0
    kill = "import os, signal; os.kill(os.getppid(), signal.SIGKILL); os.kill(os.getpid(), signal.SIGKILL); "
    code.write_text(HEAD + GRAVITY.replace("return", f"{kill}return"))
    words = ("check", "pendulum", "-i", "code.py", "--states", "7", *outputs)
    done = subprocess.run([*RUN, *words], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 3
    for name in ("out.xml", "out.md", "out.html", "out.json"):
        assert "gravity ended the process" in (tmp_path / name).read_text()


@pytest.mark.nightly
@pytest.mark.parametrize(("field", "value"), [("mechanism", "acrobot"), ("implementation", "other")])
def test_results_that_contradict_themselves_are_refused(invoke: Any, code: Path, tmp_path: Path, field: str, value: str) -> None:
    invoke("check", "pendulum", "-i", "code.py", "--states", 7, "-o", "out.json")
    path = tmp_path / "out.json"
    document = json.loads(path.read_text())
    cell = next(cell for cell in document["cells"] if cell["verdict"] == "agrees")
    cell[field] = value
    path.write_text(json.dumps(document))
    with pytest.raises(ResultsError, match="has a mechanism or an implementation that the run does not list"):
        read_results(path)
    document["cells"].append(document["cells"][-1])
    cell.update({"mechanism": "pendulum", "implementation": "code"})
    path.write_text(json.dumps(document))
    with pytest.raises(ResultsError, match="occurs twice"):
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
        words = [*RUN, "check", "pendulum", "-i", word, "-q", "gravity", "--states", "7", "--no-explain"]
        statuses.append(subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, check=False).returncode)
    assert statuses == [0, 1]


def test_the_module_of_the_command_line_runs_it(tmp_path: Path) -> None:
    """It did nothing and ended with status 0."""
    words = [sys.executable, "-m", "dalembert.cli.main", "check", "nowhere"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nowhere" in done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_changes_no_exit_code(code: Path, tmp_path: Path, redirection: str) -> None:
    code.write_text(HEAD + GRAVITY.replace("return", "return 2 *"))
    command = f"'{sys.executable}' -m dalembert check pendulum -i code.py -q gravity --states 7 --no-explain {redirection}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
