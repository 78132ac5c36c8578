"""Records arithmetic on arrays as code in single assignment; knows no mechanics.

A value has a number: 0 is the constant zero, 1 the constant one, and every further constant, input and instruction takes the
next number. A reference is a number with a sign: −n is the negative of the value n. So a negation costs no instruction, except
for outputs.

All simplifications are exact. Constants are folded; x + 0, x − x, x · 0, x · 1 and 0 / x vanish; x / c becomes x · (1/c). The
product with the constant zero is zero, even where the other factor is infinite or not a number, and so is x − x. The sign of a
zero may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from machine.program import Op

References = np.ndarray[Any, np.dtype[np.int32]]
"""Numbers of values, with signs."""

CONSTANT, INPUT = -2, -1
"""They stand on the tape in the place of an operation, for values that no instruction makes."""

FOLD: dict[Op, Callable[[Fraction, Fraction], Fraction]] = {Op.ADD: Fraction.__add__, Op.MUL: Fraction.__mul__}


class Recording:
    """A tape. Operations take arrays of references, which are broadcast as in NumPy, and append their instructions.

    The arrays ``op``, ``a``, ``b``, ``level`` and ``place`` have an entry for every value; the first ``size`` entries are in use.
    Operands a and b are numbers without signs; for constants and inputs, a counts them. ``level`` is the length of the longest
    chain of instructions that leads to a value. ``place`` says where in the program the instruction stands: by default where it
    was recorded, but never before its operands.
    """

    def __init__(self) -> None:
        self.size, self.inputs = 0, 0
        self.op = np.empty(1024, np.int8)
        self.a, self.b, self.level, self.place = (np.empty(1024, np.int32) for _ in range(4))
        self.exact: list[Fraction] = []
        self._known: dict[Fraction, int] = {}
        self.constants([Fraction(0), Fraction(1)])

    def constants(self, values: Iterable[Fraction]) -> References:
        """References to exact numbers (n). Equal numbers are the same value."""
        return np.array([self.constant(x) for x in values], np.int32)

    def constant(self, value: Fraction) -> int:
        """The reference to one exact number."""
        size = abs(value)
        if size not in self._known:
            self._known[size] = int(self._append(CONSTANT, np.array([len(self.exact)]), 0)[0])
            self.exact.append(size)
        return -self._known[size] if value < 0 else self._known[size]

    def new_inputs(self, count: int) -> References:
        """References to the next ``count`` inputs."""
        self.inputs += count
        return self._append(INPUT, np.arange(self.inputs - count, self.inputs), 0)

    def add(self, a: References, b: References, place: Any = None) -> References:
        """a + b."""
        result = np.add(a, b, dtype=np.int32)  # Right where an operand is zero, and where they cancel.
        return self._record(Op.ADD, a, b, (a != 0) & (b != 0) & (result != 0), result, place)

    def multiply(self, a: References, b: References, place: Any = None) -> References:
        """a · b."""
        result = np.multiply(a, b, dtype=np.int32)  # Right where an operand is 0, 1 or −1.
        return self._record(Op.MUL, a, b, (np.abs(a) > 1) & (np.abs(b) > 1), result, place)

    def divide(self, a: References, b: References, place: Any = None) -> References:
        """a / b. Raises :class:`ZeroDivisionError` where b is the constant zero."""
        if np.any(b == 0):
            raise ZeroDivisionError("a recorded algorithm divides by the constant zero")
        if np.any(constant := self.is_constant(b)):
            divisors = {x: self.constant(1 / self.value(x)) for x in np.unique(b[constant]).tolist()}
            # One, where the divisor is no constant, changes nothing.
            factor = np.array([divisors.get(x, 1) for x in b.ravel().tolist()], np.int32).reshape(b.shape)
            a, b = self.multiply(a, factor, place), np.where(constant, 1, b)
        return self._record(Op.DIV, a, b, (a != 0) & (b != 1), np.where(b == 1, a, 0), place)

    def apply(self, op: Op, a: References, place: Any = None) -> References:
        """The cosine, the sine or the square root of a."""
        result = np.array(1 - a if op == Op.COS else a, np.int32)  # Right for zero, and for the root of one.
        return self._record(op, a, a, (a != 0) & ((a != 1) | (op != Op.SQRT)), result, place)

    def is_constant(self, a: References) -> np.ndarray[Any, np.dtype[np.bool_]]:
        return self.op[np.abs(a)] == CONSTANT

    def value(self, reference: int) -> Fraction:
        """The exact number that a reference to a constant means."""
        size = self.exact[self.a[abs(reference)]]
        return -size if reference < 0 else size

    def _record(self, op: Op, a: References, b: References, general: Any, result: References, place: Any) -> References:
        """``result``, with references to new instructions where the operation is ``general``."""
        result = np.asarray(result)
        if not general.any():
            return result
        shape = result.shape
        x, y = ((operand if operand.shape == shape else np.broadcast_to(operand, shape))[general] for operand in (a, b))
        at = None if place is None else np.broadcast_to(place, shape)[general]
        if op in FOLD and (fold := self.is_constant(x) & self.is_constant(y)).any():
            values = np.empty_like(x)
            pairs = zip(x[fold].tolist(), y[fold].tolist(), strict=True)
            values[fold] = [self.constant(FOLD[op](self.value(m), self.value(n))) for m, n in pairs]
            at = at if at is None else at[~fold]
            x, y = x[~fold], y[~fold]
            ops, x, y, negative = canonical(op, x, y)
            values[~fold] = np.where(negative, -1, 1) * self._append(ops, x, y, at)
        else:
            ops, x, y, negative = canonical(op, x, y)
            values = self._append(ops, x, y, at)
            np.negative(values, out=values, where=negative)
        result[general] = values
        return result

    def _append(self, op: Any, a: Any, b: Any, place: Any = None) -> References:
        """References to new values, one for each entry of a."""
        start, stop = self.size, self.size + len(a)
        while stop > len(self.op):
            for name in ("op", "a", "b", "level", "place"):
                setattr(self, name, np.concatenate((getattr(self, name), np.empty_like(getattr(self, name)))))
        numbers = np.arange(start, stop, dtype=np.int32)
        self.size = stop
        self.op[start:stop], self.a[start:stop], self.b[start:stop] = op, a, b
        if isinstance(op, int) and op < 0:
            self.level[start:stop], self.place[start:stop] = 0, 0
            return numbers
        self.level[start:stop] = np.maximum(self.level[a], self.level[b]) + 1
        self.place[start:stop] = numbers if place is None else np.maximum(np.maximum(self.place[a], self.place[b]), place)
        return numbers


def canonical(op: Op, a: References, b: References) -> tuple[Any, References, References, Any]:
    """An operation on references as one on numbers: operations, numbers a and b, and whether the result is negated.

    A difference is the sum with −b. The operands of a sum and of a product are in the order of their numbers, so that equal
    operations look equal. A square root has the number 1 as b if its operand is negated, otherwise 0.
    """
    x, y, differ = np.abs(a), np.abs(b), (a ^ b) < 0
    if op == Op.DIV:
        return op, x, y, differ
    if op == Op.MUL:
        return op, np.minimum(x, y), np.maximum(x, y), differ
    if op == Op.ADD:
        return np.where(differ, Op.SUB, Op.ADD), np.minimum(x, y), np.maximum(x, y), np.where(x <= y, a, b) < 0
    if op == Op.SQRT:
        return op, x, (a < 0).astype(np.int32), np.zeros(a.shape, bool)
    return op, x, x, (a < 0) & (op == Op.SIN)
