"""A program that answers over its standard input and output, as a child process."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from time import monotonic
from typing import IO, Any, TypeVar

from implementations.languages.lines import shown
from implementations.protocol import NotAMessage
from mechanisms.plain_text import one_line

GRACE = 2.0
"""Seconds that a program has to end after "end"."""

CHUNK = 1 << 16

Message = TypeVar("Message")

Heard = Callable[[str, bytes], None]
"""Is called with "sent" or "received", and a line or the bytes after it."""


class CannotStart(Exception):
    """The command does not start; a clause that says why."""


class ProgramEnded(Exception):
    """The program ended, closed a pipe, or did not answer in time; a clause that says how."""


def until_ready(sources: Sequence[Any], outputs: Sequence[Any], deadline: float | None) -> tuple[list[Any], list[Any]]:
    """What can be read of ``sources`` and written of ``outputs``, once there is any. Raises TimeoutError at the ``deadline``."""
    left = None if deadline is None else max(0.0, deadline - monotonic())
    readable, writable, _ = select.select(sources, outputs, [], left)
    if not (readable or writable):
        raise TimeoutError
    return readable, writable


def status_in_words(code: int) -> str:
    """The exit status of a process, which is negative for a signal."""
    if code >= 0:
        return f"exit status {code}"
    with suppress(ValueError):
        return f"signal {-code}, {signal.Signals(-code).name}"
    return f"signal {-code}"


def words_of(command: str) -> list[str]:
    """The words of a command, split as a shell splits them; no shell runs it. Raises :class:`CannotStart`."""
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError:
        raise CannotStart("it has a quote that is not closed") from None
    if not words:
        raise CannotStart("it names no program")
    return words


class Program:
    """A running program. ``timeout`` (s) limits every exchange; None leaves that to whoever watches this process."""

    def __init__(self, command: str, timeout: float | None = None, heard: Heard = lambda direction, data: None) -> None:
        self._timeout, self._heard = timeout, heard
        self._deadline: float | None = None
        self._buffer = bytearray()
        self._so_far = ""
        """What it has sent of a message that has no end yet."""
        self._closed = "closed its standard output"
        words = words_of(command)
        try:
            # A group of its own, so that its own children can be ended with it.
            group = 0 if os.name == "posix" else None
            self.process = subprocess.Popen(words, 0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=group)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise CannotStart(f"{one_line(words[0], 100)!r} cannot be started ({why})") from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._stdin, self._stdout = self.process.stdin, self.process.stdout
        if os.name == "posix":
            os.set_blocking(self._stdin.fileno(), False)
        self.kill = weakref.finalize(self, _kill, self.process)
        """Ends the program and what it started; so does the end of this object, or of this process."""

    def exchange(self, parts: Iterable[bytes], longest: int, read: Callable[[bytes, Callable[[int], bytes]], Message]) -> Message:
        """What ``read`` makes of the line that answers ``parts``; it is given a function that reads the bytes after the line.

        A line of more than ``longest`` bytes is refused. Raises :class:`ProgramEnded`, and :class:`NotAMessage`; the program is
        then killed, because nobody knows which bytes come next.
        """
        self._deadline = monotonic() + self._timeout if self._timeout else None
        try:
            for part in parts:
                self._heard("sent", part)
                self._send(memoryview(part))
            return read(self._line(longest), self._bytes)
        except TimeoutError:
            self.kill()
            raise ProgramEnded(f"did not answer within {self._timeout:g} s{self._so_far}") from None
        except (ProgramEnded, NotAMessage):
            self.kill()
            raise

    def _send(self, part: memoryview) -> None:
        while part:
            # A program may begin to answer before it has read everything; nobody may then wait for the other.
            if self._wait([self._stdout], [self._stdin]) and not self._fill():
                return
            try:
                part = part[self._stdin.write(part) or 0 :]
            except OSError:
                # What it has printed says more, if it printed anything.
                self._closed = "closed its standard input"
                return

    def _line(self, longest: int) -> bytes:
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if start > longest:
                raise NotAMessage(f"a line of more than {longest} bytes: {shown(bytes(self._buffer[:400]))}")
            self._so_far = f", in the middle of a line: {shown(bytes(self._buffer))}" if self._buffer else ""
            if not self._fill():
                raise ProgramEnded(self._how() + self._so_far)
        return self._taken(end + 1)

    def _bytes(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._so_far = f", after {len(self._buffer)} of the {size} bytes of its numbers"
            if not self._fill():
                raise ProgramEnded(self._how() + self._so_far)
        return self._taken(size)

    def _taken(self, size: int) -> bytes:
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._heard("received", data)
        return data

    def _fill(self) -> bool:
        """Read what is there. False at its end."""
        self._wait([self._stdout], [])
        data = os.read(self._stdout.fileno(), CHUNK)
        self._buffer += data
        return bool(data)

    def _wait(self, sources: list[IO[bytes]], outputs: list[IO[bytes]]) -> bool:
        """Until one of the pipes is ready; whether one can be read. Windows cannot wait for a pipe: reading and writing block."""
        if os.name != "posix":
            return False
        return bool(until_ready(sources, outputs, self._deadline)[0])

    def _how(self) -> str:
        """How it ended; which pipe it closed, if it still runs."""
        try:
            code = self.process.wait(GRACE / 4)
        except subprocess.TimeoutExpired:
            return self._closed
        return f"{'was ended by' if code < 0 else 'ended with'} {status_in_words(code)}"

    def end(self, parts: Iterable[bytes] = ()) -> int | None:
        """Ask it to end; its exit status, or None if it did not end by itself in time and was killed."""
        with suppress(OSError, ValueError):
            for part in parts:
                self._stdin.write(part)
        with suppress(OSError):
            self._stdin.close()
        try:
            return self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.kill()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe:
                pipe.close()
