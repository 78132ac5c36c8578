"""Runs the commands of one page in a folder of their own, as a newcomer would in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

TIMEOUT = 300.0
"""Seconds that a command of a page may take, times the number of processes that want each processor: compiling the JAX code of
array-frameworks.md costs minutes of a processor."""

WIDTH = 88
"""Characters in a line of the terminal."""

LONGEST = 100_000
"""Characters of output that are kept."""

LARGEST_FILE = 256 * 1024
"""KiB of a file that a command writes; what it prints goes to a file, too."""

PROGRESS = re.compile(r"^\[\d+/\d+\] .*\n", re.M)
"""Lines that a terminal overwrites."""

DURATION = re.compile(r"\b\d+(?:\.\d+)?(?= ?(?:s|ms|µs|min)\b)")


@dataclass(frozen=True)
class Outcome:
    """What a command printed to both streams, and its exit code."""

    output: str
    code: int


class Shell:
    """A folder with ``work``, where commands run, and ``bin``, with this Python's ``dalembert``, ``python`` and ``pytest``.

    Commands get no variable of the caller but ``PYTHONPATH`` and those of OpenBLAS, and the folder is their home: they see no
    configuration and no secrets of the person or job that builds the pages.
    """

    def __init__(self, folder: Path) -> None:
        self.work = folder / "work"
        programs = folder / "bin"
        for made in (self.work, programs):
            made.mkdir()
        for name, words in {"python": (), "dalembert": ("-m", "dalembert"), "pytest": ("-m", "pytest")}.items():
            script = programs / name
            script.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, *words])} "$@"\n', "utf-8")
            script.chmod(0o755)
        self._folder = folder
        self._environment = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")} | {
            "PATH": os.pathsep.join([str(programs), os.defpath]),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "COLUMNS": str(WIDTH),
            "NO_COLOR": "1",
            "TERM": "dumb",
        }

    def run(self, command: str) -> Outcome:
        """Run ``command`` with bash. What it started and left running is ended.

        Raises :class:`TimeoutError` if the command takes longer than :data:`TIMEOUT` allows.
        """
        with TemporaryFile() as printed:
            process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", f"ulimit -f {LARGEST_FILE}\n{command}"],
                cwd=self.work,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            limit = TIMEOUT * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired as error:
                raise TimeoutError(f"did not end within {limit:.3g} s") from error
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            printed.seek(0)
            return Outcome(self._masked(printed.read(4 * LONGEST).decode("utf-8", "replace")), code)

    def _masked(self, output: str) -> str:
        """Without what differs from build to build: this folder's name, progress and durations."""
        output = output.replace(str(self.work), "~").replace(str(self._folder), "~")
        output = DURATION.sub("…", PROGRESS.sub("", output))
        return output if len(output) <= LONGEST else output[:LONGEST] + "\n… (the output goes on)\n"
