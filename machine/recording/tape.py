"""The tape of a recording: growing arrays of values, and the loops that append to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from machine.compiling.routines import Record, routines
from machine.compiling.translate import Bytes, Ints, Longs, Unsigned
from machine.program import Op

References = np.ndarray[Any, np.dtype[np.int32]]
"""Numbers of values, with signs: −n is the negative of the value n."""

CONSTANT, INPUT = -2, -1
"""They stand on the tape in the place of an operation, for values that no instruction makes."""

FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)
"""Odd numbers of 64 bits, whose products spread."""

WORD = 2**64 - 1

VALUES = ("op", "a", "b", "level", "place", "rank")
OPERANDS = ("first", "second", "made", "at")

SIZE, MASK = 0, 1
"""In ``counts``: how many values there are, and the last place of the table, which has a power of two."""


class Fields(Record):
    """What the loops read and write: the arrays of the tape, ``counts``, the open-addressed ``table``, and
    ``flags`` of values."""

    op: Bytes
    a: Ints
    b: Ints
    level: Ints
    place: Ints
    rank: Unsigned
    first: Ints
    second: Ints
    made: Ints
    at: Ints
    table: Ints
    flags: Bytes
    counts: Longs


class Tape:
    """Values in arrays ``op``, ``a``, ``b``, ``level``, ``place`` and ``rank``, of which the first ``size`` entries are in use.

    Operands a and b are numbers without signs; for constants and inputs, a counts them. ``level`` is the length of the longest
    chain of instructions that leads to a value. ``place`` says where in a program the instruction stands. ``rank``, a hash
    of how a value is computed, orders the operands of sums and products. So it does not depend on what else was recorded whether
    x − y stands on the tape or y − x, and a difference that is zero has the same sign in every program.

    The loops read references from the arrays ``first`` and ``second``, and places from ``at``, where −1 asks for the place at
    which the instruction is recorded; they write references to the results into ``made``. A table, at most half full, finds the
    instructions by their operation and operands, so that equal ones are recorded once.
    """

    def __init__(self) -> None:
        self.op = np.empty(1024, np.int8)
        self.a, self.b, self.level, self.place = (np.empty(1024, np.int32) for _ in range(4))
        self.rank = np.empty(1024, np.uint64)
        self.first, self.second, self.made, self.at = (np.empty(256, np.int32) for _ in range(4))
        self._counts, self._fields = np.zeros(2, np.int64), Fields()
        self._operate, self._total, self._fill, self._needed, *_ = routines(
            operate, total, fill, needed, slot_of, intern, in_order, sum_of, product_of, folds
        )
        self._moved(*VALUES, *OPERANDS)

    @property
    def size(self) -> int:
        """How many values there are."""
        return int(self._counts[SIZE])

    def append(self, op: int, count: int, first: int) -> References:
        """Append ``count`` constants or inputs, which are counted from ``first`` on."""
        self.reserve(count)
        start, stop = self.size, self.size + count
        self.op[start:stop], self.a[start:stop], self.b[start:stop] = op, np.arange(first, first + count), 0
        self.level[start:stop], self.place[start:stop] = 0, 0
        self.rank[start:stop] = np.arange(first + 1, first + count + 1).astype(np.uint64) * np.uint64(FACTORS[0])
        self._counts[SIZE] = stop
        return np.arange(start, stop, dtype=np.int32)

    def reserve(self, count: int) -> None:
        """Make room for so many operands and new values."""
        if count > len(self.first):
            for name in OPERANDS:
                setattr(self, name, np.empty(2 * count, np.int32))
            self._moved(*OPERANDS)
        size = self.size
        if size + count > len(self.op):
            for name in VALUES:
                old = getattr(self, name)
                new = np.empty(2 * (size + count), old.dtype)
                new[:size] = old[:size]
                setattr(self, name, new)
            self._moved(*VALUES)

    def operate(self, op: Op, count: int) -> bool:
        """``made`` = ``first`` op ``second`` for the first ``count`` operands.

        For ``ADD`` and ``MUL`` these are references. Nothing is done, and the answer is no, where both are constants
        that must be folded. For other operations they are numbers without signs, as they stand on the tape.
        """
        self.reserve(count)
        return bool(self._operate(self._fields, int(op), count))

    def total(self, terms: int, count: int) -> int:
        """The sums of ``made`` (terms, count), of pairs of neighbours, then of pairs of these sums, and so on.

        Returns the number of rows that are left in ``made``: more than one where constants must be folded first.
        """
        self.reserve(terms * count)
        return self._total(self._fields, terms, count)

    def needed(self, outputs: References) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For every value, whether these values are computed from it."""
        flags = np.zeros(self.size, np.int8)
        flags[np.abs(outputs)] = 1
        self._fields.give(flags=flags)
        self._needed(self._fields, len(flags))
        return flags.view(np.bool_)

    def _moved(self, *names: str) -> None:
        """Give these arrays to the loops, and make the table larger where the tape has outgrown it."""
        self._fields.give(**{name: getattr(self, name) for name in names}, counts=self._counts)
        mask = (1 << (2 * len(self.op) - 1).bit_length()) - 1
        if self._counts[MASK] != mask:
            self._counts[MASK] = mask
            self._table = np.zeros(mask + 1, np.int32)
            self._fields.give(table=self._table)
            self._fill(self._fields)


def operate(tape: Fields, op: int, count: int) -> int:
    """Operate on the operands, as :meth:`Tape.operate`."""
    if (op == Op.ADD or op == Op.MUL) and folds(tape, op, count) == 1:
        return 0
    for k in range(count):
        a, b, at = tape.first[k], tape.second[k], tape.at[k]
        if op == Op.ADD:
            tape.made[k] = sum_of(tape, a, b, at)
        elif op == Op.MUL:
            tape.made[k] = product_of(tape, a, b, at)
        else:
            tape.made[k] = intern(tape, op, a, b, at)
    return 1


def total(tape: Fields, terms: int, count: int) -> int:
    """Sum rows, as :meth:`Tape.total`."""
    while terms > 1:
        pairs = terms // 2
        for row in range(pairs):
            for k in range(row * count, (row + 1) * count):
                even = k + row * count
                tape.first[k], tape.second[k], tape.at[k] = tape.made[even], tape.made[even + count], -1
        if operate(tape, Op.ADD, pairs * count) == 0:
            return terms
        for k in range(2 * pairs * count, terms * count):
            tape.made[k - pairs * count] = tape.made[k]
        terms -= pairs
    return terms


def needed(tape: Fields, count: int) -> None:
    """Flag the values from which flagged values are computed."""
    for n in range(count - 1, -1, -1):
        if tape.flags[n] != 0 and tape.op[n] >= 0:
            tape.flags[tape.a[n]] = 1
            tape.flags[tape.b[n]] = 1


def folds(tape: Fields, op: int, count: int) -> int:
    """Whether any two operands are constants, and the result does not follow from what zero and one do."""
    simple = op >> 1
    for k in range(count):
        x, y = abs(tape.first[k]), abs(tape.second[k])
        if tape.op[x] == CONSTANT and tape.op[y] == CONSTANT and min(x, y) > simple:
            return 1
    return 0


def sum_of(tape: Fields, a: int, b: int, at: int) -> int:
    """The reference to a + b."""
    if a == 0 or b == 0 or a == -b:
        return a + b
    if in_order(tape, abs(a), abs(b)) == 0:
        a, b = b, a
    number = intern(tape, Op.SUB if (a ^ b) < 0 else Op.ADD, abs(a), abs(b), at)
    return -number if a < 0 else number


def product_of(tape: Fields, a: int, b: int, at: int) -> int:
    """The reference to a · b."""
    x, y = abs(a), abs(b)
    if min(x, y) <= 1:
        return a * b
    if in_order(tape, x, y) == 0:
        x, y = y, x
    number = intern(tape, Op.MUL, x, y, at)
    return -number if (a ^ b) < 0 else number


def in_order(tape: Fields, x: int, y: int) -> int:
    """Whether x is the first operand, and not y."""
    first, second = tape.rank[x], tape.rank[y]
    return 1 if first < second or (first == second and x <= y) else 0


def intern(tape: Fields, op: int, x: int, y: int, at: int) -> int:
    """The number of the instruction, which is appended if the tape does not have it."""
    slot = slot_of(tape, op, x, y)
    number = tape.table[slot]
    early = max(tape.place[x], tape.place[y])
    if number != 0:
        if at >= 0:
            tape.place[number] = min(tape.place[number], max(early, at))
        return number
    number = tape.counts[SIZE]
    tape.counts[SIZE] = number + 1
    tape.table[slot] = number
    tape.op[number], tape.a[number], tape.b[number] = op, x, y
    tape.level[number] = max(tape.level[x], tape.level[y]) + 1
    tape.place[number] = max(early, at if at >= 0 else number)
    mixed = (tape.rank[x] * FACTORS[0] + (tape.rank[y] ^ op) * FACTORS[1]) & WORD
    mixed = ((mixed ^ mixed >> 29) * FACTORS[2]) & WORD
    tape.rank[number] = mixed ^ mixed >> 32
    return number


def slot_of(tape: Fields, op: int, x: int, y: int) -> int:
    """Where the instruction is in the table, or where it belongs: an entry that is zero."""
    mask = tape.counts[MASK]
    slot = ((x * FACTORS[0] + (8 * y + op) * FACTORS[1]) & WORD) >> 32 & mask
    number = tape.table[slot]
    while number != 0 and not (tape.op[number] == op and tape.a[number] == x and tape.b[number] == y):
        slot = slot + 1 & mask
        number = tape.table[slot]
    return slot


def fill(tape: Fields) -> None:
    """Fill a new table."""
    for n in range(tape.counts[SIZE]):
        if tape.op[n] >= 0:
            tape.table[slot_of(tape, tape.op[n], tape.a[n], tape.b[n])] = n
