"""``gate --since REV``: what moved between two revisions of a repository; whatever cannot be compared is one sentence."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from processes import started, wait

from dalembert.cli.exits import Interrupted, interruptible
from dalembert.since import checked_out

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None or os.name == "nt", reason="git is not installed, or code cannot be isolated"),
]

ROOT = Path(__file__).parents[2]

SETTINGS = """
[tool.dalembert]
implementations = "mine.py"
mechanisms = "pendulum"
states = 5
explain = false
"""

MINE = """
from implementations.spatial_algebra.reference import REFERENCE

name = "mine"


def kinetic_energy(mechanism, q, v):
    return REFERENCE.load(mechanism).kinetic_energy(q[None], v[None])[0]


def gravity(mechanism, q):
    return REFERENCE.load(mechanism).gravity(q[None])[0]
"""


STDIO = ROOT / "dalembert" / "skeletons" / "python" / "dalembert_stdio.py"

PROGRAM = """
from dalembert_stdio import serve

serve("mine", "1", lambda mechanism: mechanism, {"gravity": lambda mechanism, q: 0 * q})
"""


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=user", "-c", "user.email=user@example.org", "-c", "protocol.file.allow=always")
    return subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def commit(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=change")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Python writes bytecode beside the user's programs, which is not our doing.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, pyproject__toml=SETTINGS, mine__py=MINE)
    hook = folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return folder


@pytest.fixture
def gate(invoke: Any, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the gate in the repository; afterwards the repository and the folder of temporary files are as before."""
    monkeypatch.chdir(repository)

    def run(*words: object) -> Any:
        before = git(repository, "status", "--porcelain"), names(repository / ".git")
        done = invoke("gate", *words, "-j", 1, "-o", repository.parent / "r.json")
        assert (git(repository, "status", "--porcelain"), names(repository / ".git")) == before
        assert git(repository, "worktree", "list").count("\n") == 0
        assert names(repository.parent / "temporary") == []
        return done

    return run


def changes(repository: Path) -> list[tuple[str, str]]:
    """The kind of every change, and the quantity."""
    baseline = json.loads((repository.parent / "r.json").read_text())["baseline"]
    return [(change["kind"], change["id"].rpartition("/")[2]) for change in baseline["changes"]]


def test_code_of_two_precisions_is_not_compared(gate: Any, repository: Path) -> None:
    commit(repository, mine__py=MINE + '\nprecision = "float32"\n')
    refused = gate("--since", "HEAD~1")
    assert refused.exit_code == 2
    assert "computes in float64 and this code in float32, so their errors are not comparable" in refused.stderr


def times(factor: str, quantity: str) -> str:
    """Code that gives the quantity times this factor."""
    right = f"return REFERENCE.load(mechanism).{quantity}"
    assert MINE.count(right) == 1
    return MINE.replace(right, right.replace("return", f"return {factor} *"))


@pytest.mark.nightly
def test_what_moved_got_better_or_worse_appeared_or_vanished(gate: Any, repository: Path) -> None:
    assert gate("--since", "HEAD").exit_code == 0
    assert changes(repository) == []
    for text, code, change, says in (
        (times("(1 + 2**-52)", "kinetic_energy"), 0, ("moved", "kinetic_energy"), "(1 cell moved within the bar)"),
        (times("(1 + 2**-49)", "kinetic_energy"), 1, ("worse", "kinetic_energy"), "1 cell is worse"),
        (MINE, 0, ("better", "kinetic_energy"), "(1 cell is better)"),
        (times("-1", "gravity").replace("def gravity", "def weight"), 1, ("lost", "gravity"), ""),
        (MINE, 0, ("new", "gravity"), ""),
        (times("-1", "gravity"), 1, ("broken", "gravity"), ""),
    ):
        commit(repository, mine__py=text)
        found = gate("--since", git(repository, "rev-parse", "main~1"))
        assert (found.exit_code, changes(repository), says in found.stdout) == (code, [change], True), found.output
    assert gate("--since", "HEAD").exit_code == 1, "wrong is wrong"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--since", "nowhere"), "there is no revision 'nowhere' in this repository"),
        (("--since", "--all"), "there is no revision '--all'"),
        (("reference", "--since", "HEAD"), "compares code of this repository"),
        ((f"cmd:{sys.executable} {{here}}/program.py", "--since", "HEAD"), "names a file of the checkout for both revisions"),
        (("{here}/mine.py", "--since", "HEAD"), "name it by a module or a relative path"),
        (("--since", "HEAD", "--in-process"), "without --in-process"),
        (("--since", "HEAD", "--since-setup", "echo no compiler; exit 7"), "ended with exit status 7 (no compiler)"),
        (("--since", "HEAD", "--since-setup", "kill -9 $$"), "ended with signal 9"),
        (("--since", "HEAD", "--since-setup", "true", "--python", "none/python"), "correct the path"),
        (("--since", "HEAD", "--since-setup", "rm mine.py"), "there is no file 'mine.py'"),
        (("--since", "HEAD", "--since-setup", "echo > mine.py"), "offers none of the quantities"),
        (("--since", "HEAD", "--since-setup", "sed -i 's/return/return 1 +/;s/q, v/q/' mine.py"), None),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(gate: Any, repository: Path, words: tuple[str, ...], says: str | None) -> None:
    if words[0].startswith("cmd:"):
        commit(repository, dalembert_stdio__py=STDIO.read_text(), program__py=PROGRAM)
    found = gate(*(word.replace("{here}", str(repository)) for word in words))
    if says is None:
        assert found.exit_code == 0, "the revision failed, and the present code is right"
        return
    assert found.exit_code == 2
    assert says in found.stderr.splitlines()[-1]


def test_a_program_of_the_checkout_is_refused_by_every_path(gate: Any, repository: Path) -> None:
    link = repository.parent / "link"
    link.symlink_to(repository)
    (repository / "elsewhere.py").symlink_to(link / "program.py")
    commit(repository, dalembert_stdio__py=STDIO.read_text(), program__py=PROGRAM)
    python = sys.executable
    for command in (
        f"{python} {link}/program.py",
        f"{python} program.py --model={link}/mine.py",
        f"{python} elsewhere.py",
        f"sh -c 'exec {python} {link}/program.py'",
    ):
        found = gate(f"cmd:{command}", "--since", "HEAD")
        refused = "names a file of the checkout for both revisions" in found.stderr
        assert (found.exit_code, refused) == (2, True), (command, found.output)


@pytest.mark.nightly
def test_a_program_is_compared_with_that_of_the_revision(gate: Any, repository: Path) -> None:
    commit(repository, dalembert_stdio__py=STDIO.read_text(), program__py=PROGRAM)
    commit(repository, program__py=PROGRAM.replace("0 * q", "1 + 0 * q"))
    assert gate(f"cmd:{sys.executable} ./program.py --rate=1e-3 -Onone", "--since", "HEAD~1").exit_code == 1
    assert ("moved", "gravity") in changes(repository)


def test_changes_that_are_not_committed_count_only_if_that_is_meant(
    gate: Any, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a hook of git calls it, which gets these variables."""
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository / ".git" / "index"))
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    (repository / "mine.py").write_text(MINE.replace("v[None])[0]", "v[None])[0] + 1"))
    refused = gate("--since", "HEAD")
    assert (refused.exit_code, "(mine.py); commit them" in refused.stderr) == (2, True)
    assert gate("--since", "HEAD", "--dirty").exit_code == 1
    assert changes(repository) == [("broken", "kinetic_energy")]


def test_submodules_are_refused(gate: Any, repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    commit(other, file="x")
    git(repository, "submodule", "--quiet", "add", str(other), "engine")
    commit(repository)
    found = gate("--since", "HEAD")
    assert (found.exit_code, "has submodules (engine)" in found.stderr) == (2, True)
    assert gate("--since", "HEAD~1").exit_code == 0


@pytest.mark.nightly
def test_a_shallow_clone_and_a_subfolder_will_do(repository: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "arm").mkdir()
    for name in ("mine.py", "pyproject.toml"):
        shutil.move(repository / name, repository / "arm" / name)
    commit(repository)
    commit(repository, note="x")
    shallow = repository.parent / "shallow"
    git(repository, "clone", "--quiet", "--depth=2", repository.as_uri(), str(shallow))
    monkeypatch.chdir(shallow / "arm")
    assert invoke("gate", "--since", "HEAD~1", "-j", 1).exit_code == 0
    gone = invoke("gate", "--since", "HEAD~2", "-j", 1)
    assert (gone.exit_code, "fetch it" in gone.stderr) == (2, True)
    monkeypatch.chdir(repository / "arm")
    early = invoke("gate", "--since", "HEAD~2", "-j", 1)
    assert (early.exit_code, "has no folder arm" in early.stderr) == (2, True)


@pytest.mark.nightly
def test_code_of_the_checkout_is_not_taken_for_that_of_the_revision(
    gate: Any, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "src").mkdir()
    helper = repository / "src" / "sign_of_mine.py"
    helper.write_text("SIGN = -1\n")
    commit(repository, mine__py=MINE.replace("return REF", "from sign_of_mine import SIGN\n    return SIGN * REF"))
    helper.write_text("SIGN = 1\n")
    commit(repository)
    monkeypatch.setattr(sys, "path", [*sys.path, str(repository / "src")])  # As an editable install does.
    early = gate("--since", "HEAD~1")
    assert early.exit_code == 0, early.stderr
    assert set(changes(repository)) == {("fixed", "gravity"), ("fixed", "kinetic_energy")}

    late = MINE.replace(
        "    return REF", f"    import sys; sys.path.append({str(repository / 'late')!r}); import later\n    return REF"
    )
    (repository / "late").mkdir()
    (repository / "late" / "later.py").write_text("")
    commit(repository, mine__py=late)
    found = gate("--since", "HEAD")
    assert (found.exit_code, "later is loaded from the checkout, not from the revision" in found.stderr) == (2, True)

    monkeypatch.setattr(sys, "path", [*sys.path, str(repository.parent)])
    (repository.parent / "elsewhere.py").write_text(MINE)
    same = gate("elsewhere", "--since", "HEAD")
    assert (same.exit_code, "is not loaded from the repository" in same.stderr) == (2, True)


@pytest.mark.nightly
def test_every_revision_has_its_environment(gate: Any, repository: Path) -> None:
    setup = "echo 'FACTOR = 3' > made.py"
    commit(
        repository,
        mine__py=MINE.replace("return REF", "from made import FACTOR\n    return FACTOR * REF"),
        __gitignore="made.py\n",
    )
    (repository / "made.py").write_text("FACTOR = 1\n")
    assert "No module named 'made'" in gate("--since", "HEAD").stderr
    assert gate("--since", "HEAD", "--since-setup", setup).exit_code == 0
    assert ("fixed", "gravity") in changes(repository)


def test_an_interrupted_set_up_leaves_nothing_behind(repository: Path) -> None:
    temporary, pid = (repository.parent / name for name in ("temporary", "pid"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PID": str(pid), "TMPDIR": str(temporary)}
    words = ("gate", "--since", "HEAD", "--since-setup", "sleep 654 & echo $! > $PID; wait")
    process = started(repository, *words, until=lambda: pid.exists() and pid.read_text(), env=environment)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143, said
    assert names(temporary) == []
    wait(lambda: not is_running(int(pid.read_text())), lambda: f"{shown(int(pid.read_text()))} is still there; it said {said}")


def test_a_signal_during_the_start_of_a_set_up_ends_what_it_starts(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid, start = repository.parent / "pid", subprocess.Popen

    def interrupted_start(*words: Any, **options: Any) -> Any:
        process = start(*words, **options)
        if options.get("start_new_session"):
            wait(lambda: pid.exists() and pid.read_text())
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.2)
        return process

    monkeypatch.chdir(repository)
    monkeypatch.setattr(subprocess, "Popen", interrupted_start)
    with interruptible(), pytest.raises(Interrupted), checked_out("HEAD", setup=f"sleep 654 & echo $! > {pid}; wait"):
        pass
    wait(lambda: not is_running(int(pid.read_text())))


def is_running(pid: int) -> bool:
    # A process that was killed and that nobody waits for is a zombie.
    return shown(pid).partition(" ")[0][:1] not in ("", "Z")


def shown(pid: int) -> str:
    """The state of the process, and what it is; empty if there is none."""
    words = ["ps", "-o", "stat=,ppid=,pgid=,lstart=,args=", "-p", str(pid)]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
