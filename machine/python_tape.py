"""The loops of :class:`machine.tape.Tape` in Python. Every loop appends the same instructions as the one of
:mod:`machine.llvm_tape`."""

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
    """Python's loops over one tape. The table is a dictionary."""

    def __init__(self, tape: Any) -> None:
        self._tape = tape
        self._table: dict[tuple[int, int, int], int] = {}

    def moved(self) -> None:
        """Nothing points to the arrays."""

    def operate(self, op: int, count: int) -> bool:
        tape = self._tape
        first, second, at = (x[:count].tolist() for x in (tape.first, tape.second, tape.at))
        if op in (Op.ADD, Op.MUL) and self._folds(op, count):
            return False
        one = {Op.ADD: self._sum, Op.MUL: self._product}.get(Op(op))
        if one is None:
            made = [self._intern(op, x, y, place) for x, y, place in zip(first, second, at, strict=True)]
        else:
            made = [one(x, y, place) for x, y, place in zip(first, second, at, strict=True)]
        tape.made[:count] = made
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

    def _folds(self, op: int, count: int) -> bool:
        """Whether an operation has two constants, and none of them is zero, or one in a product, which simplify by themselves."""
        x, y = np.abs(self._tape.first[:count]), np.abs(self._tape.second[:count])
        constant = (self._tape.op[x] == CONSTANT) & (self._tape.op[y] == CONSTANT)
        return bool(np.any(constant & (np.minimum(x, y) > (op == Op.MUL))))

    def _sum(self, a: int, b: int, at: int) -> int:
        if not a or not b:
            return a or b
        if a == -b:
            return 0
        first, second = (a, b) if self._in_order(abs(a), abs(b)) else (b, a)
        made = self._intern(Op.SUB if (a < 0) != (b < 0) else Op.ADD, abs(first), abs(second), at)
        return -made if first < 0 else made

    def _product(self, a: int, b: int, at: int) -> int:
        x, y = abs(a), abs(b)
        if x <= 1 or y <= 1:
            return a * b
        made = self._intern(Op.MUL, *((x, y) if self._in_order(x, y) else (y, x)), at)
        return -made if (a < 0) != (b < 0) else made

    def _in_order(self, x: int, y: int) -> bool:
        rank = self._tape.rank
        return bool(rank[x] < rank[y] or (rank[x] == rank[y] and x <= y))

    def _intern(self, op: int, x: int, y: int, at: int) -> int:
        """The number of the instruction, which is appended if the tape does not have it."""
        tape = self._tape
        number = self._table.get((op, x, y))
        if number is not None and at < 0:
            return number
        early = max(int(tape.place[x]), int(tape.place[y]))
        if number is not None:
            tape.place[number] = min(int(tape.place[number]), max(early, at))
            return number
        number = self._table[op, x, y] = tape.size
        tape.size += 1
        tape.op[number], tape.a[number], tape.b[number] = op, x, y
        tape.rank[number] = ranked(op, int(tape.rank[x]), int(tape.rank[y]))
        tape.level[number] = max(int(tape.level[x]), int(tape.level[y])) + 1
        tape.place[number] = max(early, at if at >= 0 else number)
        return number
