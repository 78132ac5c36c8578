"""How a command ends: its exit code, and the signals that ask it to end.

Exit codes: 0 all agree, 1 a discrepancy or a regression, 2 usage, 3 an engine or the harness failed, 5 nothing compared,
6 with --strict a run that cannot show a basic term.

An interrupted run is 128 and the signal's number: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

import click

DIFFERENT, USAGE, FAILED, NOTHING, INTERRUPTED, UNREAD = 1, 2, 3, 5, 130, 141

UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF)
"""What the system says where a stream cannot be written."""


SIGNALS = tuple(signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__)

PAUSE = 0.5
"""A terminal or a supervisor may send several signals at once. Within this many seconds they count as one."""


class CommandError(click.ClickException):
    """Ends a command with one sentence and an exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]


class _Aside:
    """A stream for what is said beside the results. If it cannot be written, the command goes on in silence."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        _unwritable(self._stream)


class Group(click.Group):
    """Ends with the exit code that a command returns, if any, and turns errors into one sentence and the right exit code."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # A stream that the shell closed is None, and the libraries that print need one.
        sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
        sys.stderr = _Aside(sys.stderr or Path(os.devnull).open("w"))  # noqa: SIM115
        # Most of what a command makes lives to its end, and to search it for cycles takes a tenth of the time.
        gc.set_threshold(100_000, 20, 20)
        with interruptible() as signals:
            try:
                return super().__call__(*args, **kwargs)
            except SystemExit as end:
                raise SystemExit(signals.exit_code(INTERRUPTED) if end.code == INTERRUPTED else end.code) from None

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _writing():  # The text of --help.
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _writing():
            return self._invoke(ctx)

    def _invoke(self, ctx: click.Context) -> Any:
        try:
            raise click.exceptions.Exit(super().invoke(ctx) or 0)
        except click.exceptions.Exit:
            raise
        except click.ClickException as error:
            error.message = _sentence(error.message)  # type: ignore[misc]
            raise
        except SystemExit as end:
            # Click raises none while a command runs. Code that is called in this process must not choose the exit code.
            raise CommandError(f"code under test called exit({end.code!r}); the run is incomplete", FAILED) from end
        except (KeyboardInterrupt, click.Abort):
            raise CommandError("interrupted", INTERRUPTED) from None
        except Exception as error:
            if _is_about_writing(error):
                raise
            from cross_check.prove.proof.statement import ProofError
            from cross_check.trajectories.enclose import NotEnclosed
            from dalembert.session import MISSING_ERRORS, USER_ERRORS

            codes = {USER_ERRORS: USAGE, (*MISSING_ERRORS, ProofError): FAILED, (NotEnclosed,): NOTHING}
            if code := next((code for kinds, code in codes.items() if isinstance(error, kinds)), 0):
                raise CommandError(_sentence(str(error)), code) from None
            traceback.print_exc()
            raise CommandError("dalembert itself failed; the lines above say where, please report them", FAILED) from error


@contextmanager
def _writing() -> Iterator[None]:
    """Ends the command in good order if the standard output cannot be written: its reader is gone, or the disk is full."""
    ended: BaseException | None = None
    try:
        yield
    except BaseException as error:
        ended = error
    # Of a long text, nothing is left in the buffer that could show it.
    why = _unwritable(sys.stdout) or (ended if _is_about_writing(ended) else None)
    if isinstance(why, OSError) and (ended is None or isinstance(ended, (OSError, click.exceptions.Exit))):
        if why.errno == errno.EPIPE:
            raise click.exceptions.Exit(UNREAD) from None
        remedy = "make room, or write elsewhere"
        raise CommandError(f"the standard output cannot be written ({why.strerror}); {remedy}", FAILED) from None
    if ended:
        raise ended


def _is_about_writing(error: BaseException | None) -> bool:
    """Whether it is an error of a stream. Files are written by functions that raise :class:`ResultsError` instead."""
    return isinstance(error, OSError) and error.errno in UNWRITABLE and error.filename is None


def _unwritable(stream: Any) -> OSError | None:
    """Why what was written to the stream does not arrive, if so. It is dropped then: Python would complain at its end."""
    try:
        stream.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # It may have no file.
            _drop(stream.fileno())
        return error
    return None


def _drop(descriptor: int) -> None:
    """Let everything that is written there from now on go nowhere."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)


def _sentence(text: str) -> str:
    from mechanisms.plain_text import sentence

    return sentence(text)


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
                _drop(descriptor)


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Within the context, SIGINT, SIGTERM and SIGHUP raise :class:`Interrupted` in the main thread.

    A signal that the process ignores from its start, as ``nohup`` does, stays ignored. In another thread nothing changes, because
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
