"""A user's Python code with one edit of its source: which edits make its answers right. This runs in a worker process."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from implementations.plugins.user_code import load_user
from implementations.processes.own_files import own_files
from implementations.processes.subject import InProcess
from implementations.protocol import Array
from mechanisms import Mechanism

LONGEST = 1.0
"""Seconds of CPU that an edited code may take for the few states at which it is tried: an edit may make a loop endless."""


class Edit(NamedTuple):
    """In the file at this path the bytes from ``start`` to ``end`` become ``text``."""

    path: str
    start: int
    end: int
    text: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


def edit_imports(edit: Edit) -> Callable[[], None]:
    """From now on, modules that are imported have the edit, whatever bytecode there is. The result undoes this."""
    plain, path = SourceFileLoader.get_code, Path(edit.path).resolve()
    changed = edit.applied(path.read_bytes())

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        is_edited = Path(loader.path).resolve() == path
        return compile(changed, loader.path, "exec", dont_inherit=True) if is_edited else plain(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]
    return lambda: setattr(SourceFileLoader, "get_code", plain)


def right_edits(
    spec: str, edits: Sequence[Edit], mechanism: Mechanism, quantity: str, arguments: Sequence[Array], near: tuple[Array, Array]
) -> list[int]:
    """The places of the edits with which the code that ``spec`` names gives the right answers to the ``quantity``.

    ``near`` has what is expected (batch, …) and how far an answer may be off. The first state is tried alone first.
    """
    files = own_files()
    own = [name for name, module in sys.modules.items() if getattr(module, "__file__", None) in files]
    kept = {name: sys.modules[name] for name in own}
    try:
        return [k for k, edit in enumerate(edits) if _is_right(spec, own, edit, mechanism, quantity, arguments, near)]
    finally:
        sys.modules.update(kept)


def _is_right(
    spec: str,
    own: Sequence[str],
    edit: Edit,
    mechanism: Mechanism,
    quantity: str,
    arguments: Sequence[Array],
    near: tuple[Array, Array],
) -> bool:
    for name in own:
        sys.modules.pop(name, None)
    try:
        undo = edit_imports(edit)
    except OSError:
        return False
    try:
        with _at_most(LONGEST), np.errstate(all="ignore"):
            loaded = InProcess(load_user(spec)).load(mechanism)
            # No code is asked about a batch without states.
            for rows in (slice(0, 1), slice(1, None))[: len(arguments[0])]:
                expected, bound = (x[rows] for x in near)
                answer = loaded.ask(quantity, *(np.ascontiguousarray(x[rows]) for x in arguments)).value
                if not (np.abs(answer - expected) <= bound).all():
                    return False
            return True
    except Exception:
        return False  # Most edits make code that fails.
    finally:
        undo()


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raises :class:`TimeoutError` after so many seconds of CPU."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def executed_lines(loaded: Any, quantity: str, arguments: Sequence[Array]) -> dict[str, list[int]]:
    """By path: the lines of the user's own files that answering a question executes."""
    files, lines = own_files(), dict[str, set[int]]()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        path = frame.f_code.co_filename
        if path not in files:
            return None
        lines.setdefault(path, set()).add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        loaded.ask(quantity, *arguments)
    finally:
        sys.settrace(before)
    return {path: sorted(numbers) for path, numbers in lines.items()}
