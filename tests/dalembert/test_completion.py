"""Completion as a shell asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from dalembert.cli.main import main

ROOT = Path(__file__).parents[2]


def completed(*words: str) -> list[str]:
    """What the last of the words can become."""
    items = ShellComplete(main, {}, "dalembert", "_DALEMBERT_COMPLETE").get_completions([*words[:-1]], words[-1])
    return [item.value or item.type for item in items]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("check", "cart"), ["cart-pole"]),
        (("check", "free:ur"), ["free:ur3", "free:ur5", "free:ur10"]),
        (("check", "ur5", "my_robot"), ["file"]),
        (("check", "-i", "pino"), ["pinocchio"]),
        (("gate", "pino"), ["pinocchio"]),
        (("gate", "my_dynamics"), ["file"]),
        (("gate", "my_dynamics", "cart"), ["cart-pole"]),
        (("check", "-q", "inverse_dynamics_d"), ["inverse_dynamics_dq", "inverse_dynamics_dv"]),
        (("check", "-q", "relat"), ["relations"]),
        (("prove", "cart"), ["cart-pole"]),
        (("check", "--profile", "night"), ["nightly"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("gat",), ["gate"]),
    ],
)
def test_words_are_completed(words: tuple[str, ...], some: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.dalembert.profiles.nightly]\nstates = 5")
    assert set(some) <= set(completed(*words))


def test_a_file_that_cannot_be_read_completes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[")
    assert completed("check", "--profile", "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_script(invoke: Any, shell: str) -> None:
    done = invoke("completion", shell)
    assert (done.exit_code, "_DALEMBERT_COMPLETE" in done.stdout) == (0, True)


@pytest.mark.slow
def test_bash_completes_with_the_script(tmp_path: Path) -> None:
    if not (bash := shutil.which("bash")):
        pytest.skip("bash is not installed")
    program = tmp_path / "dalembert"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom dalembert.cli.main import main\nmain()\n"
    )
    program.chmod(0o755)
    ask = (
        'eval "$(dalembert completion bash)"; complete -p dalembert > /dev/null || exit 1\n'
        'COMP_WORDS=(dalembert check cart); COMP_CWORD=2; _dalembert_completion dalembert; echo "${COMPREPLY[@]}"'
    )
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([bash, "--norc", "-c", ask], env=path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["cart-pole"], done.stderr
