"""Caches recorded programs in the user's cache folder (:mod:`machine.code_cache`), so that they are recorded once per computer.

A wrong program from an earlier state of the code would be worse than none. So the key of a program is a digest of the code that
records, as it is in memory (:mod:`machine.caching.loaded_code`), of the subject that is recorded, in its exact numbers, and of
the quantity. What has no such digest is recorded each time. The digest is made when the first program of a subject is asked for,
and again before one is written. A process in which the code has changed writes nothing, because what it computed before the
change may be part of what it records after it.

A file has these parts, all numbers little-endian:

    16 bytes        "dalembert prog 1"
    7 int64         inputs, registers, instructions, outputs, rows, axes, constants
    int64           the shape of the result, one number for every axis
    int32           the instructions, four numbers each; the registers of the outputs; the rows; the lengths of what follows
    bytes           the constants, each as numerator and denominator, in two's complement
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from machine.caching.loaded_code import LoadedCode
from machine.code_cache import PROGRAMS, FileKind, is_off, keep, kept
from machine.program import Program, irreducible
from machine.recording.recorded_function import RecordedFunction

MAGIC = b"dalembert prog 1"

NUMBERS = FileKind("programs", ".number", 2**20)

T = TypeVar("T")

MOST = 2**24
"""More inputs than any mechanism has."""


class Permission:
    """Whether this process may read and write programs. It must run the project's own code and nothing else: what other code
    replaces, and puts back, can change a program and leave no trace."""

    allowed = False


PERMISSION = Permission()


def may_keep(kind: FileKind) -> bool:
    """Whether this process may read and write files of a kind."""
    return PERMISSION.allowed and not is_off(kind)


def made_once(
    words: str,
    kind: FileKind,
    make: Callable[[], T],
    write: Callable[[T], bytes],
    read: Callable[[bytes], T | None],
    is_unchanged: Callable[[], bool] = lambda: True,
) -> T:
    """What ``make`` makes, or has made in an earlier process. ``words`` have all that decides it.

    What is made while ``is_unchanged`` does not hold is not kept.
    """
    if not may_keep(kind):
        return make()
    key = hashlib.sha256(words.encode()).hexdigest()
    content = kept(key, kind)
    found = read(content) if content else None
    if found is None:
        found = make()
        if is_unchanged():
            keep(key, write(found), kind)
    return found


class CachedPrograms:
    """The programs of one subject. ``subject`` says in words what it is, with every number; with None nothing is cached."""

    def __init__(self, code: LoadedCode, subject: str | None) -> None:
        self._code, self._subject = code, subject

    def get(self, quantity: str, record: Callable[[], RecordedFunction]) -> RecordedFunction:
        """The program of a quantity, as it was cached, or as ``record`` records it."""
        return self._get(quantity, PROGRAMS, record, written, read)

    def number(self, name: str, compute: Callable[[], int]) -> int:
        """A whole number, not negative, as it was cached, or as ``compute`` gives it."""
        return self._get(name, NUMBERS, compute, lambda x: b"%d" % x, lambda x: int(x) if x.isdigit() and len(x) < 20 else None)

    def _get(
        self,
        name: str,
        kind: FileKind,
        make: Callable[[], T],
        write: Callable[[T], bytes],
        read: Callable[[bytes], T | None],
    ) -> T:
        if self._subject is None or not may_keep(kind) or self._digest is None:
            return make()
        words = f"{MAGIC!r} {self._digest} {self._code.files} {name}\n{self._subject}"

        def is_unchanged() -> bool:
            return self._digest == self._code.digest() and not self._code.changed

        return made_once(words, kind, make, write, read, is_unchanged)

    @cached_property
    def _digest(self) -> str | None:
        return self._code.digest()


def written(function: RecordedFunction) -> bytes:
    """The function as the content of a file."""
    program, shape = function.program, function.shape
    numbers = [_bytes(x) for fraction in program.constants for x in fraction.as_integer_ratio()]
    lengths = np.array([len(x) for x in numbers], "<i4")
    counts = (program.inputs, program.registers, len(program.code), len(program.outputs), len(function.rows), len(shape))
    head = np.array([*counts, len(program.constants), *shape], "<i8")
    arrays = (program.code, program.outputs, function.rows, lengths)
    return MAGIC + head.tobytes() + b"".join([*(x.astype("<i4").tobytes() for x in arrays), *numbers])


def read(content: bytes) -> RecordedFunction | None:
    """The function in a file, or None where the content is no function: its program is checked as every program is."""
    try:
        start = len(MAGIC) + 56
        inputs, registers, instructions, outputs, rows, axes, constants = np.frombuffer(content, "<i8", 7, len(MAGIC)).tolist()
        counts = (4 * instructions, outputs, rows, 2 * constants)
        if content[: len(MAGIC)] != MAGIC or min(*counts, axes) < 0 or start + 8 * axes + 4 * sum(counts) > len(content):
            return None
        if not 0 <= inputs < MOST or not inputs <= registers <= inputs + constants + instructions:
            return None
        shape = np.frombuffer(content, "<i8", axes, start)
        numbers = np.frombuffer(content, "<i4", sum(counts), start + 8 * axes)
        code, out, row, lengths = np.split(numbers, np.cumsum(counts)[:-1])
        exact = _fractions(content[start + 8 * axes + 4 * len(numbers) :], lengths)
        if np.prod(shape, dtype=object) != rows or np.any(shape < 0) or not np.all((row >= -1) & (row < outputs)):
            return None
        program = Program(inputs, code.reshape(-1, 4), exact, out, registers)
        return RecordedFunction(program, tuple(shape.tolist()), row.astype(np.intp))
    except (ValueError, TypeError, OverflowError):
        return None


def _bytes(x: int) -> bytes:
    return x.to_bytes(x.bit_length() // 8 + 1, "little", signed=True)


def _fractions(content: bytes, lengths: np.ndarray[Any, Any]) -> tuple[Fraction, ...]:
    """The constants: numerators and denominators of these lengths. Raises :class:`ValueError` for other contents."""
    ends = [0, *np.cumsum(lengths, dtype=np.int64).tolist()]
    if np.any(lengths <= 0) or ends[-1] != len(content):
        raise ValueError("the constants have other lengths")
    numbers = [int.from_bytes(content[start:end], "little", signed=True) for start, end in pairwise(ends)]
    if min(numbers[1::2], default=1) <= 0:
        raise ValueError("a denominator is not positive")
    return tuple(map(irreducible, numbers[::2], numbers[1::2]))
