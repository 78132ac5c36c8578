"""What engines' readers of files have in common; each engine's reader.py has the rest.

Engines report what they ignore in a file on the process's own stdout and stderr.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Numbers

EARTH: Numbers = (0.0, 0.0, -9.81)
"""The gravity of forms that say nothing of it."""

MOST_BYTES = 1 << 16
MOST_LINES = 200
LONGEST_LINE = 300

Answer = TypeVar("Answer")


@contextmanager
def as_file(text: str, name: str) -> Iterator[Path]:
    """A file with this text and this name, for readers that take no text."""
    with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
        path = Path(folder, name)
        path.write_text(text, "utf-8")
        yield path


def require_fixed_root(form: Form, free_base: bool) -> None:
    """Raise :class:`Unsupported` where another form than URDF is asked for a free base."""
    if form != "urdf" and free_base:
        raise Unsupported(f"{form.upper()} says itself what moves freely")


def require_kinds(engine: str, mechanism: Mechanism, kinds: Iterable[tuple[int, str]]) -> None:
    """Raise :class:`Unsupported` where the engine makes another kind of joint; ``kinds`` are pairs of a body and a kind."""
    for i, kind in kinds:
        joint = mechanism.bodies[i].joint
        if kind != joint.kind:
            raise Unsupported(f"{engine} makes a {kind} joint of {joint.name!r}, which is {joint.kind}")


def refusal(engine: str, error: Exception) -> Unsupported:
    """What says that the engine refuses a file, with the kind and the words of its error."""
    return Unsupported(f"{engine} refuses the file: {one_line(f'{type(error).__name__}: {error}', 300)}")


def numbers(x: Any) -> Numbers:
    """Any numbers as plain ones."""
    return tuple(map(float, x))


def limits_of(*limits: Any) -> tuple[float | None, ...]:
    """Limits of a joint as a reading has them: None for a limit that is missing."""
    return tuple(float(limit) if limit is not None and np.isfinite(limit) else None for limit in limits)


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
