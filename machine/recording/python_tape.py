"""The loops of :class:`machine.recording.tape.Tape` in Python. Every loop appends the same instructions as the one of
:mod:`machine.recording.llvm_tape`."""

from __future__ import annotations

from typing import Any

import numpy as np

from machine.program import Op

CONSTANT, INPUT = -2, -1
"""They stand on the tape in the place of an operation, for values that no instruction makes."""

FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)
"""Odd numbers of 64 bits, whose products spread."""


def ranked(op: int, x: int, y: int) -> int:
    """The rank of a value from those of its operands: 64 bits."""
    mixed = (x * FACTORS[0] + (y ^ op) * FACTORS[1]) % 2**64
    mixed = (mixed ^ mixed >> 29) * FACTORS[2] % 2**64
    return mixed ^ mixed >> 32


class Loops:
    """Python's loops over one tape. The table is a dictionary.

    Levels, places and ranks are in lists, too, which Python reads in less time than arrays.
    """

    def __init__(self, tape: Any) -> None:
        self._tape = tape
        self._table: dict[tuple[int, int, int], int] = {}
        self._level, self._place, self._rank = list[int](), list[int](), list[int]()
        self._new: list[tuple[int, int, int]] = []

    def moved(self) -> None:
        """Nothing points to the arrays."""

    def operate(self, op: int, count: int) -> bool:
        tape = self._tape
        known = len(self._rank)
        for name in ("level", "place", "rank"):
            getattr(self, f"_{name}").extend(getattr(tape, name)[known : tape.size].tolist())
        first, second, at = (x[:count] for x in (tape.first, tape.second, tape.at))
        made = tape.made[:count]
        if op not in (Op.ADD, Op.MUL):
            made[:] = [
                self._intern(op, x, y, place) for x, y, place in zip(*(x.tolist() for x in (first, second, at)), strict=True)
            ]
        else:
            # Most sums and products are simple, and NumPy finds them in less time.
            x, y = np.abs(first), np.abs(second)
            smaller, is_sum = np.minimum(x, y), op == Op.ADD
            general = np.flatnonzero((smaller > 0) & (first != -second) if is_sum else smaller > 1)
            x, y = x[general], y[general]
            if np.any((tape.op[x] == CONSTANT) & (tape.op[y] == CONSTANT)):
                return False
            operands = [operand[general].tolist() for operand in (first, second, at)]
            made[:] = first + second if is_sum else first * second
            made[general] = list(map(self._sum if is_sum else self._product, *operands))
        self._write()
        return True

    def total(self, terms: int, count: int) -> int:
        tape = self._tape
        while terms > 1:
            pairs = terms // 2
            rows = tape.made[: 2 * pairs * count].reshape(pairs, 2, count)
            last = tape.made[2 * pairs * count : terms * count].copy()
            for operand, row in ((tape.first, rows[:, 0]), (tape.second, rows[:, 1])):
                operand[: pairs * count] = row.ravel()
            tape.at[: pairs * count] = -1
            if not self.operate(Op.ADD, pairs * count):
                break
            tape.made[pairs * count : pairs * count + len(last)] = last
            terms -= pairs
        return terms

    def needed(self, outputs: Any) -> Any:
        tape = self._tape
        needed = np.zeros(tape.size, bool)
        found = np.unique(outputs)
        while found.size:
            needed[found] = True
            made = found[tape.op[found] >= 0]
            found = np.unique(np.concatenate((tape.a[made], tape.b[made])))
            found = found[~needed[found]]
        return needed

    def _write(self) -> None:
        """Write the new instructions into the tape's arrays."""
        if self._new:
            tape, start = self._tape, self._tape.size
            tape.size += len(self._new)
            part = slice(start, tape.size)
            tape.op[part], tape.a[part], tape.b[part] = zip(*self._new, strict=True)
            tape.level[part], tape.place[part] = self._level[start:], self._place[start:]
            tape.rank[part] = np.array(self._rank[start:], np.uint64)
            self._new.clear()

    def _sum(self, a: int, b: int, at: int) -> int:
        first, second = (a, b) if self._in_order(abs(a), abs(b)) else (b, a)
        made = self._intern(Op.SUB if (a < 0) != (b < 0) else Op.ADD, abs(first), abs(second), at)
        return -made if first < 0 else made

    def _product(self, a: int, b: int, at: int) -> int:
        x, y = abs(a), abs(b)
        made = self._intern(Op.MUL, *((x, y) if self._in_order(x, y) else (y, x)), at)
        return -made if (a < 0) != (b < 0) else made

    def _in_order(self, x: int, y: int) -> bool:
        first, second = self._rank[x], self._rank[y]
        return first < second or (first == second and x <= y)

    def _intern(self, op: int, x: int, y: int, at: int) -> int:
        """The number of the instruction, which is appended if the tape does not have it."""
        number = self._table.get((op, x, y))
        if number is not None and at < 0:
            return number
        early = max(self._place[x], self._place[y])
        if number is not None:
            self._place[number] = min(self._place[number], max(early, at))
            if number < self._tape.size:
                self._tape.place[number] = self._place[number]
            return number
        number = self._table[op, x, y] = len(self._rank)
        self._new.append((op, x, y))
        self._rank.append(ranked(op, self._rank[x], self._rank[y]))
        self._level.append(max(self._level[x], self._level[y]) + 1)
        self._place.append(max(early, at if at >= 0 else number))
        return number
