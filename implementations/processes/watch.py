"""What code must leave as it was: its process, on which numbers, texts and paths of other code depend, and what it returned."""

from __future__ import annotations

import ctypes
import locale
import os
import platform
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from implementations.protocol import Array


class Aspect(NamedTuple):
    """One part of a process's state. ``restore`` takes what ``read`` gave."""

    name: str
    read: Callable[[], Any]
    restore: Callable[[Any], object]


class Watch:
    """The state of this process at one time."""

    def __init__(self) -> None:
        self._before = [(aspect, aspect.read()) for aspect in ASPECTS]
        self._threads = set(threading.enumerate())

    def accept_imports(self) -> None:
        """Take the present state as given, but for the arithmetic: libraries set handlers while they are imported."""
        arithmetic, *others = self._before
        self._before = [arithmetic, *((aspect, aspect.read()) for aspect, _ in others)]
        self._threads = set(threading.enumerate())

    def changes(self) -> list[str]:
        """What has changed since, in words. It is restored, as far as that is possible."""
        changed = []
        for aspect, before in self._before:
            if aspect.read() != before:
                changed.append(f"changed {aspect.name}")
                with suppress(Exception):
                    aspect.restore(before)
        for thread in set(threading.enumerate()) - self._threads:
            if not thread.daemon and not _is_pooled(thread):
                changed.append("started a thread that keeps the process from ending")
            self._threads.add(thread)
        return list(dict.fromkeys(changed))


def _is_pooled(thread: threading.Thread) -> bool:
    """The threads of a ThreadPoolExecutor end with the process, though they are no daemons."""
    pools = sys.modules.get("concurrent.futures.thread")
    return thread in getattr(pools, "_threads_queues", ())


_ENVIRONMENT = 256
"""Bytes, more than any fenv_t has."""

C = ctypes.CDLL(None)
"""The C library of this process."""

_ARM = ((0, 0xFFFF), (2, 0xFFFF))
_CONTROLS = {"x86_64": ((0, 0x0F3F), (28, 0xFFC0)), "aarch64": _ARM, "arm64": _ARM}.get(platform.machine(), ())
"""The offset of each 16-bit word of fenv_t that controls arithmetic, and its bits that are not flags."""

_SIGNALS = [
    number
    for name in ("INT", "TERM", "HUP", "QUIT", "ABRT", "SEGV", "FPE", "ILL", "BUS", "ALRM", "CHLD", "PIPE", "USR1", "USR2")
    if (number := getattr(signal, f"SIG{name}", None))
]


def _environment() -> Any:
    stored = ctypes.create_string_buffer(_ENVIRONMENT)
    with suppress(AttributeError, OSError):
        C.fegetenv(stored)
    return stored


def _controls() -> tuple[int, ...]:
    stored = _environment().raw
    return tuple(int.from_bytes(stored[offset : offset + 2], "little") & bits for offset, bits in _CONTROLS)


def _set_controls(controls: tuple[int, ...]) -> None:
    stored = _environment()
    for (offset, bits), word in zip(_CONTROLS, controls, strict=True):
        kept = int.from_bytes(stored.raw[offset : offset + 2], "little") & ~bits & 0xFFFF
        stored[offset : offset + 2] = (kept | word).to_bytes(2, "little")
    C.fesetenv(stored)


def _handlers() -> list[Any]:
    return [*map(signal.getsignal, _SIGNALS), signal.pthread_sigmask(signal.SIG_BLOCK, [])]


def _set_handlers(before: list[Any]) -> None:
    *handlers, mask = before
    for number, handler in zip(_SIGNALS, handlers, strict=True):
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


_FUNCTIONS = [
    (vars(module), {name: function for name, function in vars(module).items() if callable(function)})
    for module in (np, np.linalg, np.random)
]


def _functions() -> list[list[Any]]:
    return [list(map(names.get, functions)) for names, functions in _FUNCTIONS]


def _set_functions(before: list[list[Any]]) -> None:
    for names, functions in _FUNCTIONS:
        names.update(functions)


ASPECTS = (
    # The arithmetic comes first.
    Aspect("the rounding or the precision of floating-point numbers", _controls, _set_controls),
    Aspect("NumPy's functions", _functions, _set_functions),
    Aspect("NumPy's handling of floating-point errors", np.geterr, lambda before: np.seterr(**before)),
    Aspect(
        "the locale",
        lambda: locale.setlocale(locale.LC_ALL),
        lambda before: locale.setlocale(locale.LC_ALL, before),
    ),
    Aspect("the working directory", _working_directory, os.chdir),
    Aspect("the handling of signals", _handlers, _set_handlers),
)


WATCHED = 4096
"""Arrays with more numbers than this are not watched: copies of them would cost time and memory."""


class ReturnedArrays:
    """The last few arrays that code returned, unless they are large."""

    def __init__(self) -> None:
        self._kept: deque[tuple[str, Array, Array]] = deque(maxlen=4)

    def keep(self, quantity: str, returned: object, given: tuple[Array, ...]) -> None:
        """Watch what was returned for ``quantity``. A part of the arguments that were ``given`` is not watched."""
        if not isinstance(returned, np.ndarray) or returned.dtype.kind not in "buif" or returned.size > WATCHED:
            return
        if not any(np.may_share_memory(returned, argument) for argument in given):
            self._kept.append((quantity, returned, returned.copy()))

    def changed(self) -> str:
        """The quantity of an array that has changed, or nothing. What has changed is not watched any longer."""
        for quantity, returned, copy in self._kept:
            if not np.array_equal(returned, copy, equal_nan=True):
                self._kept.clear()
                return quantity
        return ""
