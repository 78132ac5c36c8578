"""The harness's end of a worker process: it starts it, sends requests, waits within limits, and reads what the code prints."""

from __future__ import annotations

import json
import math
import os
import select
import socket
import subprocess
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from time import monotonic
from typing import Any

from implementations.languages.program import status_in_words, until_ready
from implementations.processes.home import Home
from implementations.processes.keeper import keep
from implementations.processes.limits import Limits
from implementations.processes.messages import encoded, received
from implementations.processes.waiting import PATIENCE, tell
from implementations.protocol import Array, NotAMessage

GRACE = 1.0
"""Seconds that a worker has to end by itself."""

KEPT = 1000
"""Characters of output that are kept from the beginning, and as many from the end."""


class WorkerEnded(Exception):
    """The worker is gone; ``how`` it ended, in words, and what was printed before."""

    def __init__(self, how: str, output: str, timed_out: bool = False) -> None:
        super().__init__(how)
        self.how, self.output, self.timed_out = how, output, timed_out


class Output:
    """The beginning and the end of what a process prints."""

    def __init__(self) -> None:
        self._head, self._tail, self._left_out = b"", b"", False

    def add(self, text: bytes) -> None:
        room = KEPT - len(self._head)
        self._head += text[:room]
        rest = self._tail + text[room:] if room > 0 else self._tail + text
        self._left_out = self._left_out or len(rest) > KEPT
        self._tail = rest[-KEPT:]

    def taken(self) -> str:
        """The text so far, which is then forgotten. A line that is repeated comes once."""
        between = b"\n[...]\n" if self._left_out else b""
        text = (self._head + between + self._tail).decode("utf-8", "replace")
        self._head, self._tail, self._left_out = b"", b"", False
        lines = ((line, len(list(same))) for line, same in groupby(text.strip().splitlines()))
        return "\n".join(f"{line} ({n} times)" if n > 1 else line for line, n in lines)


class WorkerProcess:
    """A worker process and its keeper. With ``serve`` it is a fork of this process that runs ``serve(channel)``."""

    def __init__(self, limits: Limits, serve: Callable[[socket.socket], None] | None = None, home: Home | None = None) -> None:
        self.limits = limits
        home = home or Home()
        command = [] if serve else home.command()
        self._channel, theirs = socket.socketpair()
        self._lifeline, keepers = socket.socketpair()
        readable, writable = os.pipe()
        self._printed = Output()
        self._requests = 0
        self._what, self._next_word = "", math.inf
        self._keeper: int | subprocess.Popen[bytes]
        try:
            if serve:
                self._keeper = _forked(theirs, keepers, writable, (self._channel, self._lifeline), serve)
            else:
                self._keeper = _spawned(theirs, keepers, writable, limits.memory, home, command)
        finally:
            theirs.close()
            keepers.close()
            os.close(writable)
        os.set_blocking(readable, False)
        self._channel.setblocking(False)
        self._pipe = readable
        self._finalizer = weakref.finalize(self, _release, os.getpid(), self._channel, self._lifeline, readable, self._keeper)

    @property
    def is_alive(self) -> bool:
        return self._finalizer.alive

    def request(
        self, header: dict[str, Any], arrays: Sequence[Array] = (), timeout: float | None = None, what: str = ""
    ) -> tuple[dict[str, Any], list[Array], str]:
        """The reply's header and arrays, and what the code printed. Raises :class:`WorkerEnded`; the worker is then closed.

        If it takes long, ``what`` is told to :func:`implementations.processes.waiting.telling`.
        """
        timeout = self.limits.timeout if timeout is None else timeout
        deadline = monotonic() + timeout
        self._what, self._next_word = what, monotonic() + PATIENCE if what else math.inf
        self._requests += 1
        try:
            for part in encoded({**header, "request": self._requests}, arrays):
                self._send(memoryview(part), deadline)
            reply, answer = received(partial(self._receive, deadline))
            self._drain()
            if reply.pop("request", None) != self._requests:
                raise NotAMessage("a reply to another request")
        except TimeoutError:
            how = f"did not answer within {timeout:g} s"
            raise self._ended(how, timed_out=True) from None
        except NotAMessage as error:
            raise self._ended(f"sent {error} to the harness") from None
        except (EOFError, OSError):
            raise self._ended(f"ended the process ({self._exit_status()})") from None
        return reply, answer, self._printed.taken()

    def close(self) -> None:
        """End the worker and everything that it started."""
        if self.is_alive:
            with suppress(OSError):
                for part in encoded({"do": "end", "request": 0}, []):
                    self._channel.send(part)
                select.select([self._lifeline], [], [], GRACE)
        self._finalizer()

    def _ended(self, how: str, timed_out: bool = False) -> WorkerEnded:
        self._finalizer()
        return WorkerEnded(how, self._printed.taken(), timed_out)

    def _exit_status(self) -> str:
        """What the keeper says."""
        status = b""
        if select.select([self._lifeline], [], [], GRACE)[0]:
            with suppress(OSError):
                status = self._lifeline.recv(4)
        self._drain()
        if len(status) < 4:
            return "it closed its connection"
        return status_in_words(int.from_bytes(status, "little", signed=True))

    def _send(self, part: memoryview, deadline: float) -> None:
        part = part.cast("B")
        while part:
            self._wait(deadline, write=True)
            with suppress(BlockingIOError):
                part = part[self._channel.send(part) :]

    def _receive(self, deadline: float, buffer: memoryview) -> None:
        while buffer:
            try:
                n = self._channel.recv_into(buffer)
            except BlockingIOError:
                self._wait(deadline)
                continue
            if not n:
                raise EOFError
            buffer = buffer[n:]

    def _wait(self, deadline: float, write: bool = False) -> None:
        """Until the channel is ready. What the code prints is read meanwhile, because a full pipe would stop it."""
        channel = self._channel.fileno()
        while True:
            if deadline <= monotonic():
                raise TimeoutError  # Code that prints without end keeps the pipe readable.
            sources = [self._lifeline.fileno()] if write else [channel, self._lifeline.fileno()]
            outputs = [channel] if write else []
            try:
                ready, writable = until_ready([*sources, self._pipe], outputs, min(deadline, self._next_word))
            except TimeoutError:
                if deadline <= monotonic():
                    raise
                self._next_word += PATIENCE
                tell(self._what)
                continue
            if self._pipe in ready and not self._drain() and not (channel in ready or writable):
                # The worker closed its output, which makes the pipe readable for ever.
                ready, writable = until_ready(sources, outputs, deadline)
            if channel in ready or writable:
                return
            if self._lifeline.fileno() in ready:
                raise EOFError

    def _drain(self) -> bool:
        """Read what was printed. False at its end."""
        with suppress(BlockingIOError):
            while text := os.read(self._pipe, 1 << 16):
                self._printed.add(text)
            return False
        return True


def _spawned(
    channel: socket.socket, lifeline: socket.socket, output: int, memory: float, home: Home, command: Sequence[str]
) -> subprocess.Popen[bytes]:
    numbers = (channel.fileno(), lifeline.fileno())
    return subprocess.Popen(
        [*command, json.dumps([*numbers, memory]), home.paths()],
        pass_fds=numbers,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        cwd=home.folder,
        env=home.variables,
    )


def _forked(
    channel: socket.socket,
    lifeline: socket.socket,
    output: int,
    harness: Sequence[socket.socket],
    serve: Callable[[socket.socket], None],
) -> int:
    keeper = os.fork()
    if keeper:
        return keeper
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for descriptor, number in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(descriptor, number)
        for end in harness:
            end.close()
        os.close(output)
        keep(lifeline, channel, partial(serve, channel))
    finally:
        os._exit(70)


def _release(
    owner: int, channel: socket.socket, lifeline: socket.socket, pipe: int, keeper: int | subprocess.Popen[bytes]
) -> None:
    """The keeper sees that the lifeline is closed, and kills what it keeps."""
    if os.getpid() == owner:
        # Forks of this process have copies of the lifeline, and closing ours would not tell the keeper.
        with suppress(OSError):
            lifeline.shutdown(socket.SHUT_RDWR)
    for end in (channel, lifeline):
        end.close()
    os.close(pipe)
    if isinstance(keeper, int):
        with suppress(ChildProcessError):
            os.waitpid(keeper, 0)
    else:
        keeper.wait()
