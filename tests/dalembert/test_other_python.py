"""``--python``: code runs in the user's environment, which has NumPy and the user's packages and nothing of ours."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import numpy
import pytest

from implementations.plugins.user_code import UserCodeError
from implementations.processes.home import BOOT_ELSEWHERE, NAMES, ROOT, require_python

pytestmark = pytest.mark.slow

MINE = """
import sys
from users_engine import SIGN  # Installed in the user's environment alone.

for name in ("click", "flint", "jsonschema", "rich", "sympy", "pytest"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise AssertionError(f"{name} is visible")

version = sys.prefix


def gravity(mechanism, q):
    return SIGN * mechanism.arrays.masses + q  # Wrong, so that there is a verdict.
"""


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with NumPy and a package of the user's, as the folder ``.venv`` of a project."""
    project = tmp_path_factory.mktemp("project")
    venv.create(project / ".venv", symlinks=True)
    (site,) = (project / ".venv").glob("lib/python*/site-packages")
    outer = Path(numpy.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (outer / name).exists():
            (site / name).symlink_to(outer / name)
    (site / "users_engine.py").write_text("SIGN = 1\n")
    (project / "mine.py").write_text(MINE)
    return project


@pytest.fixture
def alone(users: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project as the present folder. The checkout is not on the path: an installed dalembert is not, either."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(users)
    return users


def test_code_runs_in_the_environment_of_the_user(alone: Path, invoke: Any) -> None:
    words = ("check", "pendulum", "-i", "mine.py", "-q", "gravity", "--states", "3", "--no-explain")
    without = invoke(*words)
    assert (without.exit_code, "No module named 'users_engine'" in without.stdout) == (3, True)
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from dalembert.cli.main import main; main(prog_name='dalembert')"
    command = [sys.executable, "-P", "-c", f"if __name__ == '__main__': {code}", *words]
    more = ("--python", ".venv/bin/python", "-o", "r.json", "-j", "2")
    done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    results = json.loads((alone / "r.json").read_text())
    assert results["implementations"][0]["version"] == str(alone / ".venv")
    assert [cell["verdict"] for cell in results["cells"]] == ["discrepancy"], "the code was called"
    assert {"name": "python", "values": [".venv/bin/python"], "origin": "command line"} in results["effective"]


def test_the_project_can_say_which_python_and_code_can_ask_for_the_file_there(
    alone: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (alone / "reader.py").write_text(
        "import dalembert\n\n\ndef gravity(mechanism, q):\n"
        "    assert '<robot' in dalembert.source_of(mechanism).text\n"
        "    dalembert.check\n"
    )
    (alone / "pyproject.toml").write_text(
        '[tool.dalembert]\npython = ".venv/bin/python"\nimplementations = ["mine.py", "reader.py"]\n'
    )
    (alone / "sub").mkdir(exist_ok=True)
    monkeypatch.chdir(alone / "sub")
    Path("arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/></joint></robot>'
    )
    done = invoke("check", "arm.urdf", "-q", "gravity", "--states", 3, "--no-explain", "-o", "r.json")
    (alone / "pyproject.toml").unlink()
    mine, reader = json.loads(Path("r.json").read_text())["cells"]
    assert mine["verdict"] == "discrepancy", done.output
    assert "No module named '" in reader["message"]
    assert "(reader.py:6: " in reader["message"], "the file is there; what needs more packages says which"


def test_a_worker_needs_numpy_alone(users: Path) -> None:
    boot = BOOT_ELSEWHERE.format(package="implementations.processes").replace("from implementations.processes.keeper", "#")
    loads = f"{boot}\nimport implementations.processes.worker; print('loaded')"
    words = [users / ".venv" / "bin" / "python", "-P", "-c", loads, json.dumps([NAMES, str(ROOT)])]
    done = subprocess.run(words, env={}, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "loaded", done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be run (No such file or directory); correct the path"),
        ("not executable", "cannot be run (Permission denied)"),
        ("#!/bin/sh\necho hello", "is no Python"),
        ("#!/bin/sh\necho 3 9", "is 3.9; give 3.11 or a later one"),
        (
            "#!/bin/sh\necho 3 12; echo 'ModuleNotFoundError: numpy' >&2; exit 1",
            "has no NumPy that works (ModuleNotFoundError: numpy)",
        ),
    ],
)
def test_what_cannot_run_a_worker_is_one_sentence(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "python"
    if text:
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    with pytest.raises(UserCodeError, match=r"the Python|is no Python") as caught:
        require_python(str(path))
    assert says in str(caught.value)
