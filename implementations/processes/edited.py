"""A user's Python code with edits of its source: which edits make its answers right. This runs in a worker process."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
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


def edited_sources(edits: Sequence[Edit]) -> dict[Path, bytes]:
    """By resolved path: the source of each edited file after the edits, which are made one after the other.

    The places of an edit are those of the source that the edits before it leave. Raises :class:`OSError`.
    """
    sources: dict[Path, bytes] = {}
    for edit in edits:
        path = Path(edit.path).resolve()
        sources[path] = edit.applied(sources[path] if path in sources else path.read_bytes())
    return sources


def import_as(sources: Mapping[Path, bytes]) -> Callable[[], None]:
    """From now on, modules of these files are imported from these sources, whatever bytecode there is. The result undoes this."""
    plain = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        source = sources.get(Path(loader.path).resolve())
        return plain(loader, name) if source is None else compile(source, loader.path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]
    return lambda: setattr(SourceFileLoader, "get_code", plain)


@contextmanager
def own_modules_kept() -> Iterator[list[str]]:
    """The names of the user's own modules. They are in their places again afterwards."""
    files = own_files()
    kept = {name: module for name, module in sys.modules.items() if getattr(module, "__file__", None) in files}
    try:
        yield [*kept]
    finally:
        sys.modules.update(kept)


@contextmanager
def code_with(sources: Mapping[Path, bytes], spec: str, own: Sequence[str]) -> Iterator[InProcess]:
    """The code that ``spec`` names, with these sources, loaded anew without any of its ``own`` modules."""
    for name in own:
        sys.modules.pop(name, None)
    undo = import_as(sources)
    try:
        with np.errstate(all="ignore"):
            yield InProcess(load_user(spec))
    finally:
        undo()


def right_edits(
    spec: str,
    edits: Sequence[Sequence[Edit]],
    mechanism: Mechanism,
    quantity: str,
    arguments: Sequence[Array],
    near: tuple[Array, Array],
) -> list[int]:
    """The places of the edits with which the code that ``spec`` names gives the right answers to the ``quantity``.

    Each place has edits that are made one after the other. ``near`` has what is expected (batch, …) and how far an answer may be
    off. The first state is tried alone first.
    """
    with own_modules_kept() as own:
        return [k for k, made in enumerate(edits) if _is_right(spec, own, made, mechanism, quantity, arguments, near)]


def _is_right(
    spec: str,
    own: Sequence[str],
    edits: Sequence[Edit],
    mechanism: Mechanism,
    quantity: str,
    arguments: Sequence[Array],
    near: tuple[Array, Array],
) -> bool:
    try:
        with at_most(LONGEST), code_with(edited_sources(edits), spec, own) as code:
            loaded = code.load(mechanism)
            # No code is asked about a batch without states.
            for rows in (slice(0, 1), slice(1, None))[: len(arguments[0])]:
                expected, bound = (x[rows] for x in near)
                answer = loaded.ask(quantity, *(np.ascontiguousarray(x[rows]) for x in arguments)).value
                if not (np.abs(answer - expected) <= bound).all():
                    return False
            return True
    except Exception:
        return False  # Most edits make code that fails.


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
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
