"""`dalembert derive` on a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def on_a_terminal(answer: bytes, *words: str) -> tuple[int, str]:
    """The exit code and everything that the terminal shows."""
    import pty

    here, there = pty.openpty()
    os.write(here, answer)
    command = [sys.executable, "-m", "dalembert", "derive", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stdin=there, stdout=there, stderr=there) as process:
        os.close(there)
        shown = b""
        try:
            while part := os.read(here, 65536):
                shown += part
        except OSError:
            pass  # The other end of a terminal is closed.
        finally:
            os.close(here)
    return process.returncode, shown.decode()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize(
    ("words", "answer", "asks", "prints"),
    [
        (("screw-jack",), b"n\n", True, False),
        (("screw-jack",), b"y\n", True, True),
        (("screw-jack", "--yes"), b"n\n", False, True),
        (("pendulum",), b"n\n", False, True),
    ],
)
def test_long_equations_are_printed_on_a_terminal_after_a_question_only(
    words: tuple[str, ...], answer: bytes, asks: bool, prints: bool
) -> None:
    code, shown = on_a_terminal(answer, *words)
    assert code == 0, shown
    assert ("The equations of screw-jack are 23 KB of text. Print them?" in shown) is asks
    assert ("M[1,1] = " in shown) is prints
