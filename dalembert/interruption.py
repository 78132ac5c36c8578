"""Signals that ask a process to end: each interrupts a run in the same orderly way as Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

SIGNALS = tuple(signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__)

PAUSE = 0.5
"""A terminal or a supervisor may send several signals at once. Within this many seconds they count as one."""


class Interrupted(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(number).name}")
        self.number = number


class Interruption:
    """A signal's handler that raises :class:`Interrupted`, and remembers the first signal."""

    def __init__(self) -> None:
        self.number = 0
        """0 if there was none."""
        self._last = -PAUSE
        self._terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def exit_code(self, code: int) -> int:
        """The exit code of an interrupted process: 128 and the signal's number, else ``code``."""
        return 128 + self.number if self.number else code

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now, before = monotonic(), self._last
        self._last = now
        self.number = self.number or number
        self._leave_closed_terminal()
        if now - before >= PAUSE:
            raise Interrupted(number)

    def _leave_closed_terminal(self) -> None:
        """What is written to a closed terminal raises, which would end the run before its files are written."""
        for descriptor in self._terminals:
            if not os.isatty(descriptor):
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, descriptor)
                os.close(nothing)


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Within the context, SIGINT, SIGTERM and SIGHUP raise :class:`Interrupted` in the main thread.

    A signal that the process was told to ignore, as ``nohup`` does, stays ignored. In another thread nothing changes, because
    only the main thread may set handlers.
    """
    interruption = Interruption()
    ours = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    if threading.current_thread() is not threading.main_thread():
        ours = []
    before = {number: signal.signal(number, interruption) for number in ours}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            # None is a handler that Python did not set and cannot set again.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
