"""What an engine prints while it is called. Engines report what they ignore in a file on the process's own stdout and stderr."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Callable
from typing import TypeVar

from mechanisms.plain_text import one_line

MOST_BYTES = 1 << 16
MOST_LINES = 200
LONGEST_LINE = 300

Answer = TypeVar("Answer")


def with_what_it_said(call: Callable[[], Answer]) -> tuple[Answer, tuple[str, ...]]:
    """The answer of ``call``, and what was printed meanwhile, by C and C++ too: each line once, within bounds.

    It redirects the two streams of the whole process, so no other thread may print meanwhile.
    """
    with tempfile.TemporaryFile() as printed:
        _flush()
        kept = [os.dup(stream) for stream in (1, 2)]
        try:
            for stream in (1, 2):
                os.dup2(printed.fileno(), stream)
            answer = call()
        finally:
            _flush()
            for stream, original in zip((1, 2), kept, strict=True):
                os.dup2(original, stream)
                os.close(original)
        printed.seek(0)
        text = printed.read(MOST_BYTES).decode("utf-8", "replace")
    lines = (one_line(line, LONGEST_LINE) for line in text.splitlines() if line.strip())
    return answer, tuple(dict.fromkeys(lines))[:MOST_LINES]


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    ctypes.CDLL(None).fflush(None)
