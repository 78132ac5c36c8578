"""Runs work in a child process, because foreign code can end a process in the middle of it.

A native ``exit(0)`` or ``os._exit(0)`` inside a user's library cannot be caught. In a child it cannot do harm: the work is
complete only if its result arrives. Systems without ``fork`` (Windows) run the work in the same process, unguarded.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from time import monotonic
from types import FrameType
from typing import Any

FORWARDED = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

PAUSE = 0.5
"""A terminal sends SIGINT to both processes, and the parent forwards its own. Within this many seconds they count as one."""

_parent: socket.socket | None = None
"""In a child: where notes and the result go."""


class EndedEarly(Exception):
    """The work did not come to its end; one sentence says where it stopped. ``plan`` is what :func:`announce` sent."""

    def __init__(self, message: str, plan: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.plan = plan


def note(activity: str) -> None:
    """Tell the parent, if there is one, what is being done."""
    if _parent:
        _send({"note": activity})


def announce(plan: dict[str, Any]) -> None:
    """Tell the parent, if there is one, what the run is to write (JSON data), so that it can write how the run ended."""
    if _parent:
        _send({"plan": plan})


def run_guarded(work: Callable[[], str], forward_signals: bool = False) -> str:
    """What ``work`` returns, computed in a child process. Raises :class:`EndedEarly` if the child ends before that.

    With ``forward_signals`` the parent passes SIGINT, SIGTERM and SIGHUP on and waits. Otherwise an interrupt ends the child.
    """
    if not hasattr(os, "fork") or _parent:
        return work()
    _flush()
    ours, childs = socket.socketpair()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads. Our code starts none before this.
        child = os.fork()
    if child == 0:
        ours.close()
        _be_child(work, childs, forward_signals)
    childs.close()
    try:
        with ours, ours.makefile(encoding="utf-8") as lines, _forwarding(child) if forward_signals else nullcontext():
            last = _last_message(lines)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    if "result" in last:
        return last["result"]
    if forward_signals and os.WIFSIGNALED(status) and os.WTERMSIG(status) in FORWARDED:
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit status {os.waitstatus_to_exitcode(status)}"
    where = f" while {last['note']}" if "note" in last else ""
    remedy = "the run is incomplete; find the call that ends the process"
    raise EndedEarly(f"the process ended before the verdict{where} ({how}); {remedy}", last.get("plan"))


def _last_message(lines: Iterable[str]) -> dict[str, Any]:
    """The result, or the last note and the plan of a child that ended without one."""
    last: dict[str, Any] = {}
    for line in lines:
        if line.endswith("\n"):
            last |= json.loads(line)
        if "result" in last:
            break  # A process that the user's code started may hold the socket open.
    return last


def _be_child(work: Callable[[], str], parent: socket.socket, signals_come: bool) -> None:
    """Never returns."""
    global _parent
    _parent = parent
    try:
        threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
        if signals_come:
            signal.signal(signal.SIGINT, _Interrupt())
        result = work()
        _flush()
        _send({"result": result})
    except KeyboardInterrupt:
        os._exit(130)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(70)
    os._exit(0)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # None where the shell closed it.
            stream.flush()


def _send(message: dict[str, Any]) -> None:
    assert _parent is not None
    with suppress(OSError):  # The parent is gone, so nobody waits for the message.
        _parent.sendall(json.dumps(message).encode() + b"\n")


def _end_with_parent(parent: socket.socket) -> None:
    """A parent that is killed takes its child along."""
    with suppress(OSError):
        parent.recv(1)
    os._exit(70)


class _Interrupt:
    """Raises KeyboardInterrupt, once for signals that come together."""

    def __init__(self) -> None:
        self.last = -PAUSE

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = monotonic()
        if now - self.last >= PAUSE:
            self.last = now
            raise KeyboardInterrupt


@contextmanager
def _forwarding(child: int) -> Iterator[None]:
    def forward(number: int, frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    before = {number: signal.signal(number, forward) for number in FORWARDED}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
