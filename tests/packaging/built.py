"""Building the package, and running commands in an environment that has it installed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in ``site``; dependencies come from the environment that runs the tests."""

    folder: Path
    site: Path

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    def run(self, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run ``python`` or a script of the environment in ``cwd``."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "COV"))}
        command = [str(self.folder / "bin" / str(words[0])), *map(str, words[1:])]
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def build(source: Path, folder: Path, target: str) -> Path:
    """Build ``source`` into ``folder``; ``target`` is "wheel" or "sdist"."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    done = subprocess.run(words, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built
