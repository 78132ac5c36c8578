"""Makes the n-th operation of a run fail: a call of the system, an allocation, or a signal at any step of our own code.

``every_failure("os.write", OSError(errno.ENOSPC, "full"), run, judge)`` runs until a run does not come to its n-th write.
"""

from __future__ import annotations

import errno
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDERS = ("dalembert", "reports", "cross_check", "oracle", "implementations", "mechanisms", "machine")
OURS = tuple(f"{ROOT / folder}{os.sep}" for folder in FOLDERS)

STEP = "a step of our code"
"""The operation before every line, call and return in the package's own files, where a signal's handler can raise."""

Error = BaseException | Callable[..., Any]
"""What is raised; or what is called in place of the function, with the function and its arguments."""


@dataclass
class Injection:
    """How often the operation was called, and whether the failure came."""

    calls: int = 0
    happened: bool = False


@contextmanager
def failing(operation: str, n: int, error: Error, lasting: bool = False) -> Iterator[Injection]:
    """Within the context, the ``n``-th ``operation`` of this process (from 1) fails, and if ``lasting`` all later ones too.

    ``operation`` is ``"module.function"`` or ``"module.Class.method"``, called by this name, or :data:`STEP`.
    """
    injection = Injection()

    def fails() -> bool:
        injection.calls += 1
        now = injection.calls == n or (lasting and injection.calls > n)
        injection.happened = injection.happened or now
        return now

    with _at_every_step(fails, error) if operation == STEP else _at_every_call(operation, fails, error):
        yield injection


def every_failure(
    operation: str, error: Error, run: Callable[[], Any], after: Callable[[int], Any], lasting: bool = False
) -> int:
    """Call ``run`` with its 1st, 2nd, … operation failing, and each time ``after``, until no operation fails. Returns the number.

    Whatever ``run`` raises is dropped: it is ``after`` that judges what is left.
    """
    for n in count(1):
        with failing(operation, n, error, lasting) as injection, suppress(BaseException):
            run()
        if not injection.happened:
            return n - 1
        after(n)
    raise AssertionError


@contextmanager
def _at_every_call(operation: str, fails: Callable[[], bool], error: Error) -> Iterator[None]:
    owner_name, _, name = operation.rpartition(".")
    owner = pkgutil.resolve_name(owner_name)
    function = getattr(owner, name)

    def instead(*arguments: Any, **options: Any) -> Any:
        if not fails():
            return function(*arguments, **options)
        if isinstance(error, BaseException):
            raise _fresh(error)
        return error(function, *arguments, **options)

    setattr(owner, name, instead)
    try:
        yield
    finally:
        setattr(owner, name, function)


@contextmanager
def _at_every_step(fails: Callable[[], bool], error: Error) -> Iterator[None]:
    assert isinstance(error, BaseException)

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        if event != "exception" and fails():
            raise _fresh(error)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _fresh(error: BaseException) -> BaseException:
    """An error of its own for every failure: it holds what its frames hold, such as open files."""
    return type(error)(*error.args)


def short_write(write: Callable[[int, bytes], int], descriptor: int, data: bytes) -> int:
    """In place of ``os.write``: it takes half of the data, and of little data nothing, as when a disk becomes full."""
    if len(data) < 8:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return write(descriptor, data[: len(data) // 2])
