"""The tape of a recording: growing arrays of values, and the loops that append to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from machine.backends.llvm_target import works
from machine.program import Op
from machine.recording import llvm_tape, python_tape

References = np.ndarray[Any, np.dtype[np.int32]]
"""Numbers of values, with signs: −n is the negative of the value n."""

VALUES = ("op", "a", "b", "level", "place", "rank")
OPERANDS = ("first", "second", "made", "at")


class Tape:
    """Values in arrays ``op``, ``a``, ``b``, ``level``, ``place`` and ``rank``, of which the first ``size`` entries are in use.

    Operands a and b are numbers without signs; for constants and inputs, a counts them. ``level`` is the length of the longest
    chain of instructions that leads to a value. ``place`` says where in a program the instruction stands. ``rank``, a hash
    of how a value is computed, orders the operands of sums and products. So it does not depend on what else was recorded whether
    x − y stands on the tape or y − x, and a difference that is zero has the same sign in every program.

    The loops read references from the arrays ``first`` and ``second``, and places from ``at``, where −1 asks for the place at
    which the instruction is recorded; they write references to the results into ``made``. ``table`` finds the
    instructions by their operation and operands, so that equal ones are recorded once.
    """

    def __init__(self) -> None:
        self.size = 0
        self.op = np.empty(1024, np.int8)
        self.a, self.b, self.level, self.place = (np.empty(1024, np.int32) for _ in range(4))
        self.rank = np.empty(1024, np.uint64)
        self.first, self.second, self.made, self.at = (np.empty(256, np.int32) for _ in range(4))
        self.loops: Any = (llvm_tape if works() else python_tape).Loops(self)

    def append(self, op: int, count: int, first: int) -> References:
        """Append ``count`` constants or inputs, which are counted from ``first`` on."""
        self.reserve(count)
        start, stop = self.size, self.size + count
        self.op[start:stop], self.a[start:stop], self.b[start:stop] = op, np.arange(first, first + count), 0
        self.level[start:stop], self.place[start:stop] = 0, 0
        self.rank[start:stop] = np.arange(first + 1, first + count + 1).astype(np.uint64) * np.uint64(python_tape.FACTORS[0])
        self.size = stop
        return np.arange(start, stop, dtype=np.int32)

    def reserve(self, count: int) -> None:
        """Make room for so many operands and new values."""
        if count > len(self.first):
            for name in OPERANDS:
                setattr(self, name, np.empty(2 * count, np.int32))
            self.loops.moved()
        if self.size + count > len(self.op):
            for name in VALUES:
                old = getattr(self, name)
                new = np.empty(2 * (self.size + count), old.dtype)
                new[: self.size] = old[: self.size]
                setattr(self, name, new)
            self.loops.moved()

    def operate(self, op: Op, count: int) -> bool:
        """``made`` = ``first`` op ``second`` for the first ``count`` operands.

        For ``ADD`` and ``MUL`` these are references. Nothing is done, and the answer is no, where both are constants
        that must be folded. For other operations they are numbers without signs, as they stand on the tape.
        """
        self.reserve(count)
        return bool(self.loops.operate(int(op), count))

    def total(self, terms: int, count: int) -> int:
        """The sums of ``made`` (terms, count), of pairs of neighbours, then of pairs of these sums, and so on.

        Returns the number of rows that are left in ``made``: more than one where constants must be folded first.
        """
        self.reserve(terms * count)
        return int(self.loops.total(terms, count))

    def needed(self, outputs: References) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For every value, whether these values are computed from it."""
        return np.asarray(self.loops.needed(np.abs(outputs)))
