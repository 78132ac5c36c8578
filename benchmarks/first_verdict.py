"""From nothing to a verdict: what `dalembert new` and the commands that it prints take, for every language that this machine has.

python benchmarks/first_verdict.py              # all
python benchmarks/first_verdict.py cpp rust
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from time import perf_counter

ROOT = Path(__file__).parents[1]
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"], str(Path.home() / ".cargo" / "bin")])
NEEDED = {"cpp": "g++", "c": "cc", "rust": "cargo", "python": "python3", "julia": "julia", "matlab": "octave-cli"}


def timed(command: str, folder: Path) -> str:
    """The seconds that a shell takes; `dalembert` is this checkout. Ends the program if the command fails."""
    start = perf_counter()
    script = f'dalembert() {{ {shlex.quote(sys.executable)} -m dalembert "$@"; }}\n{command}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": PATH}
    ran = subprocess.run(["sh", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{command}\n{ran.stdout}{ran.stderr}")
    return f"{perf_counter() - start:7.1f} s  {command}"


def main(languages: list[str]) -> None:
    for language in languages or NEEDED:
        with TemporaryDirectory() as name:
            folder = Path(name) / "my_dynamics"
            new = f"dalembert new --language {language} my_dynamics"
            if not which(NEEDED[language], path=PATH):
                print(f"{language}: this machine has no {NEEDED[language]}")
                continue
            start = perf_counter()
            print(timed(new, folder.parent))
            _, *commands = _printed(language, folder)
            for command in commands:
                print(timed(command, folder))
            print(f"{perf_counter() - start:7.1f} s  in all\n")


def _printed(language: str, folder: Path) -> list[str]:
    sys.path.insert(0, str(ROOT))
    from dalembert.cli.languages import next_commands

    return list(next_commands(language, folder))


if __name__ == "__main__":
    main(sys.argv[1:])
