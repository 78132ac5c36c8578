"""Words that no command can use: one sentence with the remedy, exit code 2, no other output, and every file as it was."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from released_engine import MINE

from mechanisms import find_mechanism, write_urdf

INERTIAL = '<inertial><mass value="heavy"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
CARD = f"""<robot name="r"><link name="base"/><link name="arm">{INERTIAL}</link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""

FILES = {
    "file": "mine",
    "bad.urdf": CARD,
    "nothing.py": "x = 1",
    "ends.py": "import os\n\ndef arm(): os._exit(0)\n",
    "mine.py": MINE,
    "my_dynamics.py": "mine",
    "pyproject.toml": "[tool.dalembert.profiles.nightly]\nstates = 5",
    "many.toml": "[tool.dalembert]\nimplementations = ['a', 'b']",
    "low.toml": "[tool.dalembert]\nimplementations = 'mine.py:engine'\nstates = 0",
    "wrong.toml": "[tool.dalembert]\nimplementations = 'mine.py:engine'\nannotations = 'gitea'",
    "empty.json": "{}",
    "in.urdf": write_urdf(find_mechanism("pendulum")),
    "pendulum/gravity.json": write_urdf(find_mechanism("pendulum")),
    "my.py": "def gravity(mechanism, q): return 0 * q\n",
    "package/__init__.py": "",
    "package/code.py": "def gravity(mechanism, q): return 0 * q\n",
    "my_arm.py": "from mechanisms import find_mechanism\n\narm = find_mechanism('pendulum')\n",
    "digests/SHA256SUMS": "no digest\n",
    "x.csv": "q.hinge,integrate.hinge\n1,2\n",
}

LINES = Path(__file__).with_name("mistakes.txt").read_text("utf-8").splitlines()
MISTAKES = [tuple(part.strip() for part in line.split(" | ")) for line in LINES]
"""The words of a command, and a part of the sentence."""


@pytest.fixture
def folder(tmp_path: Path, invoke: Any) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "symbolic").symlink_to("in.urdf")
    os.link(tmp_path / "in.urdf", tmp_path / "hard")
    (tmp_path / "folder.urdf").mkdir()
    (tmp_path / "folder.urdf" / "mine").touch()
    os.mkfifo(tmp_path / "pipe.urdf")
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*") if "__pycache__" not in str(path)
    }


@pytest.mark.parametrize(("words", "says"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_a_mistake_is_one_sentence_and_changes_nothing(invoke: Any, folder: Path, words: str, says: str) -> None:
    if "arm.csv" in words:
        assert invoke("states", "furuta-pendulum", "-q", "inverse_dynamics", "-o", "arm.csv", "--states", 18).exit_code == 0
    if "proofs.json" in words or "results.json" in words:
        assert invoke("check", "pendulum", "-i", "reference", "-q", "gravity", "--states", 3, "-o", "results.json").exit_code == 0
        assert invoke("prove", "pendulum", "-q", "gravity", "-o", "proofs.json").exit_code == 0
        (folder / "link").symlink_to("proofs.json")
    before = content(folder)
    found = invoke(*shlex.split(words))
    assert (found.exit_code, found.stdout) == (2, ""), found.output
    # Click shows how a command is used before it says what is wrong with this use of it.
    (said,) = (line for line in found.stderr.splitlines() if line and not line.startswith(("Usage: ", "Try ")))
    assert said.startswith("Error: ") and says in said
    assert content(folder) == before


def test_a_long_mistake_is_short_and_ends_with_the_remedy(invoke: Any) -> None:
    found = invoke("check", "x" * 3000 + ".urdf")
    (line,) = (line for line in found.stderr.splitlines() if line.startswith("Error: "))
    assert len(line) <= 500 + len("Error: ")
    assert line.endswith("give the path of a URDF file")


@pytest.mark.parametrize("option", ["-o", "--report", "--baseline"])
@pytest.mark.parametrize(("path", "why"), [("file/new.txt", "Not a directory"), ("x" * 300, "File name too long")])
def test_an_output_that_cannot_be_written_is_noticed_before_the_run(
    invoke: Any, folder: Path, option: str, path: str, why: str
) -> None:
    found = invoke("gate", "reference", "pendulum", "--update-baseline", option, path)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == f"Error: {path} cannot be written ({why}); choose another path\n"
