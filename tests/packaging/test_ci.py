"""A user's repository from start to end: the gate on GitHub and GitLab, green, red and fail closed; and two revisions."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from built import ROOT, Installed
from workflow import Workflow, environment, read_yaml

pytestmark = pytest.mark.slow

SETTINGS = """
[tool.dalembert]
implementations = "my_dynamics.py"
mechanisms = ["planar-pendulum:2", "robot.urdf"]
quantities = "inverse_dynamics"
states = 7
jobs = 1
"""

URDF = """<robot name="::add-mask::arm">
<link name="base"/><link name="arm"><inertial><mass value="1"/><origin xyz="0 0 .5"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="::error::hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"""

RIGHT = "+ np.cross(w0, np.cross(w0, p[i])))"
WRONG = "- np.cross(w0, np.cross(w0, p[i])))"

FILES = ["badge.json", "junit.xml", "log.txt", "report.html", "results.json", "summary.md"]


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=user", "-c", "user.email=user@example.org")
    done = subprocess.run(["git", *who, *words], cwd=folder, env=environment(), capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A user's repository, committed. It has no baseline."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "repository"
    folder.mkdir()
    shutil.copy(ROOT / "docs" / "example.py", folder / "my_dynamics.py")
    (folder / "pyproject.toml").write_text(SETTINGS)
    (folder / "robot.urdf").write_text(URDF)
    (folder / ".gitignore").write_text("__pycache__/\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder)
    return folder


@pytest.fixture
def guarded(repository: Path, installed: Installed) -> Path:
    """The repository with a baseline."""
    done = installed.run("dalembert", "gate", "--update-baseline", cwd=repository)
    assert done.returncode == 0, done.stderr
    commit(repository)
    return repository


@pytest.fixture
def stand_in(installed: Installed, tmp_path: Path) -> Path:
    """A Python that makes environments in which ``pip install``, which takes many seconds, writes its words to ``pip.txt``."""
    program = tmp_path / "programs" / "python3"
    program.parent.mkdir()
    pip = f'echo "$@" >> "{tmp_path}/pip.txt" && ln -sfn "{installed.folder}/bin/dalembert" "${{0%/*}}/dalembert"'
    program.write_text(
        f'#!/bin/bash\nif [ "$1 $2 $3" != "-m venv --clear" ]; then exec "{sys.executable}" "$@"; fi\n'
        f'rm -rf "$4" && mkdir -p "$4/bin" && echo \'{pip}\' > "$4/bin/python" && chmod +x "$4/bin/python"\n'
    )
    program.chmod(0o755)
    return program


@pytest.fixture
def action(repository: Path, wheel: Path, installed: Installed, tmp_path: Path) -> Callable[..., Workflow]:
    """The action in the repository, with these inputs and an environment from the cache."""
    runner = tmp_path / "runner"
    runner.mkdir()
    (runner / "dalembert-environment").symlink_to(installed.folder)
    return lambda **inputs: Workflow(repository, runner, {"package": str(wheel), **inputs})


def commit(repository: Path) -> None:
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message=dynamics")


def plant_a_wrong_sign(repository: Path) -> int:
    """Commit it; the line where the function begins."""
    file = repository / "my_dynamics.py"
    assert RIGHT in file.read_text()
    file.write_text(file.read_text().replace(RIGHT, WRONG))
    commit(repository)
    lines = file.read_text().splitlines()
    return 1 + next(k for k, line in enumerate(lines) if line.startswith("def inverse_dynamics"))


def commands(printed: str) -> list[str]:
    """The workflow commands that GitHub obeys."""
    obeyed, token = [], ""
    for line in map(str.strip, printed.splitlines()):
        if token:
            token = "" if line == f"::{token}::" else token
        elif line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif line.startswith("::"):
            obeyed.append(line)
    assert not token, "commands stay switched off"
    return obeyed


@pytest.mark.nightly
def test_green_red_and_since(action: Any, guarded: Path) -> None:
    repository, green = guarded, action()
    (green.temporary / "dalembert-environment").unlink()  # So the action makes one.
    assert green.run() == 0, green.printed
    assert green.outputs["gate.exit-code"] == "0"
    assert green.summary.startswith("## ✅ my\\_dynamics agrees with the truth on 2 mechanisms")
    assert green.uploaded == FILES
    assert badge(green) == ("agrees", "brightgreen")
    assert commands(green.printed) == []

    line = plant_a_wrong_sign(repository)
    red = action()
    assert red.run() == 1
    assert (red.outputs["gate.exit-code"], red.uploaded) == ("1", FILES)
    assert "## ❌ my\\_dynamics disagrees with the truth" in red.summary
    assert badge(red) == ("1 discrepancy", "red")
    (error,) = commands(red.printed)
    assert error.startswith(f"::error file=my_dynamics.py,line={line},title=dalembert%3A disagrees::In my_dynamics, ")

    since = action(since="HEAD~1", arguments="--no-explain\n  --states 8")
    assert since.run() == 1
    results = json.loads(Path(since.outputs["gate.folder"], "results.json").read_text())
    before = git(repository, "rev-parse", "HEAD~1")[:12]
    assert results["baseline"]["path"] == f"revision HEAD~1 ({before})"
    assert [change["kind"] for change in results["baseline"]["changes"]] == ["broken"]
    assert "states" in str([one for one in results["effective"] if one["values"] == ["8"]])
    same = action(since="HEAD", arguments="--no-explain")
    assert same.run() == 1, "a wrong number is red, whether it was wrong before or not"
    assert git(repository, "status", "--porcelain") == ""


def badge(done: Workflow) -> tuple[str, str]:
    document = json.loads(Path(done.outputs["gate.folder"], "badge.json").read_text())
    assert (document["schemaVersion"], document["label"]) == (1, "dynamics")
    return document["message"], document["color"]


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({}, "there is no baseline dalembert-baseline.json"),
        pytest.param({"profile": "nightly"}, "has no profile 'nightly'", marks=pytest.mark.nightly),
        ({"mechanisms": "ur5"}, "name the implementation beside the mechanisms"),
        ({"implementation": "--help"}, "Error: "),
        ({"arguments": "--help"}, "dalembert wrote no results.json"),
        ({"arguments": "$(touch planted) ; touch planted"}, "Error: "),
    ],
    ids=["no baseline", "no profile", "mechanisms alone", "an option for code", "an option that ends", "commands"],
)
def test_the_action_fails_closed(action: Any, repository: Path, inputs: dict[str, str], says: str) -> None:
    done = action(**inputs)
    assert done.run() != 0
    assert says in done.printed
    assert not (repository / "planted").exists()
    assert not any(name == "badge.json" for name in done.uploaded)
    assert commands(done.printed), "the page says why"


@pytest.mark.parametrize(
    "crash",
    ["exit 0", "kill -9 $$", 'for x in "$@"; do case $x in */results.json) echo {} > "$x";; esac; done'],
    ids=["writes nothing", "is killed", "writes empty results"],
)
def test_a_tool_that_crashes_or_lies_is_red(action: Any, crash: str) -> None:
    done = action()
    (done.temporary / "dalembert-environment").unlink()
    environment = done.temporary / "dalembert-environment" / "bin"
    environment.mkdir(parents=True)
    tool = environment / "dalembert"
    tool.write_text(f'#!/bin/bash\nif [ "$1" = --version ]; then exit 0; fi\n{crash}\n')
    tool.chmod(0o755)
    (environment / "python").symlink_to(shutil.which("python3") or "python3")
    assert done.run() != 0
    assert "dalembert has no result" in done.summary
    assert "::error::dalembert" in "\n".join(commands(done.printed))


def test_a_damaged_environment_from_the_cache_is_made_again(action: Any, stand_in: Path, tmp_path: Path, wheel: Path) -> None:
    done = action(requirements="-r requirements.txt\n  scipy")
    done.python = str(stand_in)
    (done.temporary / "dalembert-environment").unlink()
    damaged = done.temporary / "dalembert-environment" / "bin"
    damaged.mkdir(parents=True)
    (damaged / "dalembert").symlink_to("gone")
    assert done.run(last="environment") == 0, done.printed
    quiet = "-m pip install --quiet --disable-pip-version-check"
    assert (tmp_path / "pip.txt").read_text() == f"{quiet} {wheel}\n{quiet} -r requirements.txt scipy\n"


def test_the_key_of_the_cache_changes_with_what_is_installed(action: Any, repository: Path) -> None:
    def key() -> str:
        done = action()
        assert done.run(last="key") == 0
        return str(done.outputs["key.digest"])

    first = key()
    assert len(first) == 32
    assert key() == first
    (repository / "requirements.txt").write_text("numpy==2.0\n")
    assert key() != first


def gitlab(repository: Path, package: Path | str, programs: Path) -> subprocess.CompletedProcess[str]:
    """The job of the template, as a runner of GitLab runs it; ``programs`` come before those of the system."""
    job = read_yaml(ROOT / "docs" / "ci" / "gitlab.yml")[".dalembert"]
    variables = {name: value.replace("$CI_PROJECT_DIR", str(repository)) for name, value in job["variables"].items()}
    ours = {"DALEMBERT_PACKAGE": str(package), "DALEMBERT_ARGUMENTS": "--no-explain", "CI_PROJECT_DIR": str(repository)}
    given = environment(**{**variables, **ours})
    given["PATH"] = f"{programs}:{given['PATH']}"
    script = "set -eo pipefail\n" + "\n".join(job["script"])
    return subprocess.run(["bash", "-c", script], cwd=repository, env=given, capture_output=True, text=True, check=False)


@pytest.mark.nightly
def test_the_job_for_gitlab(guarded: Path, wheel: Path, stand_in: Path, tmp_path: Path) -> None:
    report = guarded / "dalembert-report"
    programs = stand_in.parent
    green = gitlab(guarded, wheel, programs)
    assert green.returncode == 0, green.stdout + green.stderr
    assert (tmp_path / "pip.txt").read_text() == f"-m pip install --quiet {wheel}\n"
    assert json.loads((report / "codequality.json").read_text()) == []
    line = plant_a_wrong_sign(guarded)
    assert gitlab(guarded, wheel, programs).returncode == 1
    (issue,) = json.loads((report / "codequality.json").read_text())
    assert issue["location"] == {"path": "my_dynamics.py", "lines": {"begin": line}}
    (guarded / "dalembert-baseline.json").unlink()
    closed = gitlab(guarded, wheel, programs)
    assert closed.returncode == 2
    assert list(report.iterdir()) == [], "an earlier verdict must not stay"


def test_the_job_for_gitlab_installs_nothing_that_is_not_named(repository: Path, tmp_path: Path) -> None:
    """An index may have another package of this name, as long as ours is not published."""
    done = gitlab(repository, "", tmp_path)
    assert (done.returncode, "DALEMBERT_PACKAGE is empty" in done.stdout) == (2, True)


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("citation-file-format", "CITATION.cff"),
        ("dependabot", ".github/dependabot.yml"),
        ("github-actions", "action.yml"),
        ("github-workflows", ".github/workflows/ci.yml"),
        ("github-workflows", ".github/workflows/release.yml"),
        ("gitlab-ci", "docs/ci/gitlab.yml"),
        ("readthedocs", ".readthedocs.yaml"),
    ],
)
def test_the_files_follow_the_schemas_of_the_services(schema: str, path: str) -> None:
    from importlib.resources import files

    import jsonschema

    pytest.importorskip("check_jsonschema", reason="check-jsonschema, which has the schemas, is not installed")
    folder = files("check_jsonschema") / "builtin_schemas" / "vendor"
    described = json.loads((folder / f"{schema}.json").read_text("utf-8"))
    document = read_yaml(ROOT / path)
    jsonschema.validate(document, described)


def test_the_hook_for_pre_commit_names_a_command_that_exists() -> None:
    from dalembert.cli.main import main

    (hook,) = read_yaml(ROOT / ".pre-commit-hooks.yaml")
    program, command = hook["entry"].split()
    assert (program, command in main.commands, hook["language"]) == ("dalembert", True, "python")
    assert hook["pass_filenames"] is False, "the gate would take the names of files for mechanisms"
    assert {"c", "c++", "cuda", "fortran", "julia", "python", "rust"} <= set(hook["types_or"])
