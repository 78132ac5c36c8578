"""A user's Python code with edits of its source: which edits make its answers right. This runs in a worker process."""

from __future__ import annotations

import builtins
import faulthandler
import math
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from implementations.plugins.user_code import load_user
from implementations.processes.own_files import own_files
from implementations.processes.subject import InProcess
from implementations.protocol import Array
from mechanisms import Mechanism

EDIT_SECONDS = 1.0
"""Seconds of CPU that an edited code may take for the few states at which it is tried: an edit may make a loop endless."""

MOST_CPU = 3
"""Seconds of CPU after which the system ends the process of one edited code: compiled code does not heed :data:`EDIT_SECONDS`."""

SWITCH = "__dalembert_edit__"
"""The name, in edited sources, of the number of the edit that is in force."""


class Edit(NamedTuple):
    """In the file at this path the bytes from ``start`` to ``end`` become ``text``."""

    path: str
    start: int
    end: int
    text: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


class Asked(NamedTuple):
    """A question about a mechanism: what is expected (batch, …), and how far an answer may be off."""

    mechanism: Mechanism
    quantity: str
    arguments: Sequence[Array]
    expected: Array
    bound: Array


def edited_sources(edits: Sequence[Edit]) -> dict[Path, bytes]:
    """By resolved path: the source of each edited file after the edits, which are made one after the other.

    The places of an edit are those of the source that the edits before it leave. Raises :class:`OSError`.
    """
    sources: dict[Path, bytes] = {}
    for edit in edits:
        path = Path(edit.path).resolve()
        sources[path] = edit.applied(sources[path] if path in sources else path.read_bytes())
    return sources


def import_as(sources: Mapping[Path, bytes | CodeType]) -> Callable[[], None]:
    """From now on, modules of these files are imported from these sources, whatever bytecode there is. The result undoes this.

    Sources may be compiled already.
    """
    plain, codes = SourceFileLoader.get_code, dict[Path, CodeType]()

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        path = Path(loader.path).resolve()
        if path not in sources:
            return plain(loader, name)
        if path not in codes:
            source = sources[path]
            codes[path] = source if isinstance(source, CodeType) else compile(source, loader.path, "exec", dont_inherit=True)
        return codes[path]

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]
    return lambda: setattr(SourceFileLoader, "get_code", plain)


@contextmanager
def loaded_anew(sources: Mapping[Path, bytes | CodeType], spec: str) -> Iterator[Callable[[], InProcess]]:
    """A function that loads the code that ``spec`` names, with these sources, anew at every call.

    The modules that the user's code has now are in their places again afterwards.
    """
    files = own_files()
    kept = {name: module for name, module in sys.modules.items() if getattr(module, "__file__", None) in files}

    def load() -> InProcess:
        for name in kept:
            sys.modules.pop(name, None)
        return InProcess(load_user(spec))

    undo = import_as(sources)
    try:
        with np.errstate(all="ignore"):
            yield load
    finally:
        undo()
        sys.modules.update(kept)


def alternatives(edits: Mapping[int, Edit]) -> dict[tuple[int, int], list[int]]:
    """The numbers of the edits, by the first byte that they change and the one after the last."""
    numbers: dict[tuple[int, int], list[int]] = {}
    for k, edit in edits.items():
        numbers.setdefault((edit.start, edit.end), []).append(k)
    return numbers


def switched(source: bytes, edits: Mapping[int, Edit]) -> bytes:
    """The source with all these edits of expressions. That whose number :data:`SWITCH` has is in force, and none else."""
    marks = []
    for (start, end), numbers in alternatives(edits).items():
        texts = "".join(f"({edits[k].text}) if {SWITCH} == {k} else " for k in numbers[:-1])
        others = f") if {SWITCH} not in {set(numbers)} else "
        # Of expressions that begin together, the longest is the outer one.
        marks.append((start, 1, -end, b"(("))
        marks.append((end, 0, -start, f"{others}{texts}({edits[numbers[-1]].text}))".encode()))
    return spliced(source, marks)


def spliced(source: bytes, marks: Sequence[tuple[int, int, int, bytes]]) -> bytes:
    """The source with texts inserted. A mark has its place, two numbers that order marks at one place, and the text."""
    parts, last = list[bytes](), 0
    for place, _, _, text in sorted(marks):
        parts += [source[last:place], text]
        last = place
    return b"".join([*parts, source[last:]])


def right_edits(spec: str, before: Sequence[Edit], edits: Sequence[Edit], asked: Asked, apart: bool = False) -> list[int]:
    """The places of the edits with which the code that ``spec`` names gives the right answers.

    The edits of ``before`` are made in any case. All edits are compiled together, if that is possible. With ``apart`` each has a
    process of its own, which edited code may end.
    """
    sources, paths = edited_sources(before), [Path(edit.path).resolve() for edit in edits]
    for path in dict.fromkeys(paths):
        own = {k: edit for k, edit in enumerate(edits) if paths[k] == path}
        sources[path] = switched(sources[path] if path in sources else path.read_bytes(), own)
    try:
        codes = {path: compile(source, str(path), "exec", dont_inherit=True) for path, source in sources.items()}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Those that can be compiled are found by halving.
        half = len(edits) // 2
        parts = ((0, edits[:half]), (half, edits[half:])) if half else ()
        return [first + k for first, part in parts for k in right_edits(spec, before, part, asked, apart)]
    right = list[int]()
    with loaded_anew(codes, spec) as load:
        for k in range(len(edits)):
            setattr(builtins, SWITCH, k)
            is_right_there = partial(is_right, load, *asked)
            right += [k] * (answers_apart([is_right_there]) == b"\1" if apart else is_right_there())
    return right


def answers_apart(questions: Iterable[Callable[[], bool]]) -> bytes:
    """The answers that a process of its own finds, one byte each, until a question ends the process.

    None may take more than :data:`MOST_CPU` seconds of CPU.
    """
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        # Nothing of this process may go on in the child, whatever happens.
        try:
            import resource  # It is not everywhere; workers are not either.

            faulthandler.disable()
            for is_so in questions:
                used = math.ceil(time.process_time())
                resource.setrlimit(resource.RLIMIT_CPU, (used + MOST_CPU, resource.RLIM_INFINITY))
                os.write(writable, bytes([is_so()]))
        finally:
            os._exit(0)
    os.close(writable)
    os.waitpid(child, 0)
    # What it has started may keep the pipe open.
    os.set_blocking(readable, False)
    with os.fdopen(readable, "rb", 0) as pipe:
        return pipe.read(select.PIPE_BUF) or b""


def is_right(
    load: Callable[[], InProcess],
    mechanism: Mechanism,
    quantity: str,
    arguments: Sequence[Array],
    expected: Array,
    bound: Array,
    seconds_of_clock: float = 0,
) -> bool:
    """Whether the code that ``load`` loads answers right, within :data:`EDIT_SECONDS` of CPU or so many seconds of the clock.

    The first state is tried alone first.
    """
    try:
        with at_most(seconds_of_clock or EDIT_SECONDS, bool(seconds_of_clock)):
            loaded = load().load(mechanism)
            # No code is asked about a batch without states.
            for rows in (slice(0, 1), slice(1, None))[: len(arguments[0])]:
                answer = loaded.ask(quantity, *(np.ascontiguousarray(x[rows]) for x in arguments)).value
                if not (np.abs(answer - expected[rows]) <= bound[rows]).all():
                    return False
            return True
    except Exception:
        return False  # Most edits make code that fails.


@contextmanager
def at_most(seconds: float, of_clock: bool = False) -> Iterator[None]:
    """Raises :class:`TimeoutError` after so many seconds of CPU, or of the clock."""
    timer, number = (signal.ITIMER_REAL, signal.SIGALRM) if of_clock else (signal.ITIMER_PROF, signal.SIGPROF)

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(number, late)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


def executed_lines(
    spec: str, before: Sequence[Edit], mechanism: Mechanism, quantity: str, arguments: Sequence[Array]
) -> dict[str, list[int]]:
    """By path: the lines of the user's own files that importing the code, loading the mechanism and answering execute."""
    files, lines = own_files(), dict[str, set[int]]()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        path = frame.f_code.co_filename
        if path not in files:
            return None
        lines.setdefault(path, set()).add(frame.f_lineno)
        return trace

    former = sys.gettrace()
    with loaded_anew(edited_sources(before), spec) as load:
        sys.settrace(trace)
        try:
            load().load(mechanism).ask(quantity, *arguments)
        finally:
            sys.settrace(former)
    return {path: sorted(numbers) for path, numbers in lines.items()}
