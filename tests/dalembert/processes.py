"""`dalembert` as a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "dalembert")


def run(folder: Path, *words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    streams = {} if "stdout" in options else {"capture_output": True}
    words = (*COMMAND, *map(str, words))
    return subprocess.run(words, cwd=folder, text=True, check=False, timeout=120, **streams, **options)


def started(folder: Path, *words: object, until: Callable[[], Any], **options: Any) -> subprocess.Popen[str]:
    """A run that goes on, once ``until()`` holds."""
    words = (*COMMAND, *map(str, words))
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    wait(until)
    return process


def wait(until: Callable[[], Any], otherwise: Callable[[], str] = lambda: "") -> None:
    deadline = time.monotonic() + 60
    while not until():
        assert time.monotonic() < deadline, otherwise()
        time.sleep(0.02)
