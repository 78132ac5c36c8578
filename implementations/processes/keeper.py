"""The keeper: a small process between the harness and a worker. It ends the worker, and all that the worker started.

The harness holds one end of a socket, the lifeline. When the harness closes it, or is killed, the keeper kills everything
below it. When the worker ends first, the keeper sends its exit status through the lifeline and does the same. Code in
a worker may ignore signals, fork, or leave its process group; it escapes only if it kills the keeper.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

PATIENCE = 5.0
"""Seconds that killed processes have to disappear."""


def keep(lifeline: socket.socket, channel: socket.socket, work: Callable[[], None]) -> NoReturn:
    """Run ``work`` in a child process and keep it; this process becomes the keeper.

    ``channel`` is the worker's; the keeper closes its copy, so that the harness sees when the worker is gone.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # A handler, even one that does nothing, makes the end of the child wake select.
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(writable)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        _become_worker(keeper, [lifeline.fileno(), readable, writable], work)
    channel.close()
    _close_output()
    status = _wait(worker, lifeline, readable)
    with suppress(OSError):
        lifeline.sendall(status.to_bytes(4, "little", signed=True))
    _kill_all(worker)
    os._exit(0)


def _become_worker(keeper: int, descriptors: list[int], work: Callable[[], None]) -> NoReturn:
    status = 70
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        for descriptor in descriptors:
            os.close(descriptor)
        os.setpgid(0, 0)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == keeper:
            work()
            status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def _close_output() -> None:
    """The harness reads the worker's output to its end, which comes when nobody can write any more."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _wait(worker: int, lifeline: socket.socket, readable: int) -> int:
    """The exit status of the worker, once it has ended or the harness has let go; negative for a signal."""
    while True:
        ready, _, _ = select.select([lifeline.fileno(), readable], [], [])
        if readable in ready:
            os.read(readable, 4096)
        ended, status = os.waitpid(worker, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if lifeline.fileno() in ready:
            return -signal.SIGKILL


def _kill_all(worker: int) -> None:
    """Kill what is left below this process. Orphans become its children, where the system can do that (Linux)."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(worker, signal.SIGKILL)
        for child in _children():
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _children() -> list[int]:
    with suppress(OSError, ValueError):
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    return []


def _prctl(option: int, value: int) -> None:
    """Linux only; elsewhere the process group is all that can be killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def main() -> None:
    """The entry of a new process: its arguments are the numbers of two sockets and the memory (GiB), as JSON.

    The worker's modules are imported after the fork, so that the keeper stays small.
    """
    channel, lifeline, memory = json.loads(sys.argv[1])
    ours = socket.socket(fileno=channel)

    def work() -> None:
        from implementations.processes.worker import run

        run(ours, memory)

    keep(socket.socket(fileno=lifeline), ours, work)
