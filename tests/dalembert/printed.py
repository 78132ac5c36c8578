"""What commands print, as it stands in ``printed/``, a file for each command.

``python tests/dalembert/printed.py`` writes these files again. Then read what has changed: ``git diff tests/dalembert/printed``.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2])]

from click.testing import CliRunner

from dalembert.cli.main import main

FOLDER = Path(__file__).with_name("printed")

COMMANDS = (
    *("--help", *(f"{name} --help" for name in sorted(main.commands))),
    *("mechanisms", "quantities", "traits", "traits 'plain file'", "completion bash"),
    *(f"derive planar-pendulum:2 --format {style}" for style in ("text", "latex", "python")),
    *(f"derive {name} --symbols" for name in ("pendulum", "cart-pole", "gyroscope")),
    *("urdf branched-tree", "urdf branched-tree --as-read reads_inertial_rpy", "mjcf pendulum", "sdf pendulum"),
    *("catalogue 000.9 000.36 003.1-atan2 000.6-not-a-point", "catalogue 000.29", "catalogue 000.29-free"),
)


def printed(command: str) -> str:
    """The exit code, standard output and standard error."""
    done = CliRunner().invoke(main, shlex.split(command), terminal_width=80)
    return f"$ dalembert {command}\n{done.stdout}exit code {done.exit_code}\n{done.stderr}"


def file_of(command: str) -> Path:
    return FOLDER / f"{command.replace(':', ' ').replace(' --help', ' help').strip('-')}.txt"


if __name__ == "__main__":
    for words in COMMANDS:
        file_of(words).write_text(printed(words), "utf-8")
