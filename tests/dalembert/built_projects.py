"""Projects of `dalembert new`, built with the compilers of this machine."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from dalembert.cli.languages import LANGUAGES, next_commands, write_project

ROOT = Path(__file__).parents[2]

NEEDED = {"cpp": ("make", "g++"), "c": ("make", "cc"), "rust": ("cargo", "cc"), "python": (), "matlab": ("sh", "octave-cli")}
"""The programs that the languages need which are built and run here."""

PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", ""), str(Path.home() / ".cargo" / "bin")])

STRICT = "-O1 -Werror -Wshadow -Wconversion"
"""Users may ask for more warnings than the project's own."""

ENVIRONMENT = {
    **os.environ,
    "PATH": PATH,
    "PYTHONPATH": str(ROOT),
    "CFLAGS": STRICT,
    "CXXFLAGS": STRICT,
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
    "RUSTFLAGS": "-Dwarnings",
}


@dataclass(frozen=True)
class Project:
    """A project in ``folder``."""

    language: str
    folder: Path

    def build(self) -> None:
        for command in LANGUAGES[self.language].build:
            ran = self.run(command)
            assert ran.returncode == 0, ran.stdout + ran.stderr

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """What a shell makes of this command in the project's folder. `dalembert` is this checkout."""
        words = f'dalembert() {{ {shlex.quote(sys.executable)} -m dalembert "$@"; }}\n{command}'
        return subprocess.run(
            ["sh", "-ec", words], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=200, check=False
        )

    @property
    def spec(self) -> str:
        """The implementation, from any folder."""
        if self.language == "c":
            return f"lib:{self.folder / 'libmy_dynamics.so'}"
        words = {
            "cpp": ["my_dynamics"],
            "rust": ["target/release/my_dynamics"],
            "python": [sys.executable, "main.py"],
            "matlab": ["sh", "my_dynamics.sh", "octave-cli"],
        }[self.language]
        at = min(1, len(words) - 1)
        return "cmd:" + shlex.join([*words[:at], str(self.folder / words[at]), *words[at + 1 :]])

    def next_commands(self) -> list[str]:
        return list(next_commands(self.language, self.folder))


def built(language: str, folder: Path) -> Project:
    """A new project, built; the test is skipped where the machine lacks what it needs."""
    if missing := [word for word in NEEDED[language] if not shutil.which(word, path=PATH)]:
        pytest.skip(f"this machine has no {' and no '.join(missing)}, so the project in {LANGUAGES[language].title} is not built")
    write_project(language, folder)
    project = Project(language, folder)
    project.build()
    return project
