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
from hashlib import blake2b
from math import prod
from typing import Any

import numpy as np

from machine.program import Op, irreducible
from machine.recording.tape import CONSTANT, INPUT, References, Tape

FOLD: dict[Op, Callable[[Fraction, Fraction], Fraction]] = {Op.ADD: Fraction.__add__, Op.MUL: Fraction.__mul__}


class Recording(Tape):
    """A tape. Operations take arrays of references, which are broadcast as in NumPy, and append their instructions.

    Equal operations on equal values are one instruction. It stands where it was recorded first, or at its ``place`` where one is
    given, but never before its operands.
    """

    def __init__(self) -> None:
        super().__init__()
        self.inputs = 0
        self.exact: list[Fraction] = []
        self._known: dict[tuple[int, int], int] = {}
        self._folds: dict[tuple[Op, int, int], int] = {}
        self.constants([Fraction(0), Fraction(1)])

    def constants(self, values: Iterable[Fraction]) -> References:
        """References to exact numbers (n). Equal numbers are the same value."""
        return np.array([self.constant(x) for x in values], np.int32)

    def constant(self, value: Fraction) -> int:
        """The reference to one exact number."""
        return self.quotient(*value.as_integer_ratio())

    def quotient(self, p: int, q: int) -> int:
        """The reference to p / q, two whole numbers without a common divisor, q positive."""
        key = (abs(p), q)
        if key not in self._known:
            number = self._known[key] = int(self.append(CONSTANT, 1, len(self.exact))[0])
            self.rank[number] = int.from_bytes(blake2b(b"%x/%x" % key, digest_size=8).digest(), "little")
            self.exact.append(irreducible(*key))
        return -self._known[key] if p < 0 else self._known[key]

    def new_inputs(self, count: int) -> References:
        """References to the next ``count`` inputs."""
        self.inputs += count
        return self.append(INPUT, count, self.inputs - count)

    def add(self, a: References, b: References, place: Any = None) -> References:
        """a + b."""
        shape = self._read(a, b, place)
        return self._written(self._made(Op.ADD, shape), shape)

    def multiply(self, a: References, b: References, place: Any = None) -> References:
        """a · b."""
        shape = self._read(a, b, place)
        return self._written(self._made(Op.MUL, shape), shape)

    def contract(self, a: References, b: References, axes: int) -> References:
        """The sum of a · b over the first ``axes`` axes, as :meth:`sum` adds."""
        shape = self._read(a, b, None)
        self._made(Op.MUL, shape)
        return self._summed(prod(shape[:axes]), shape[axes:])

    def sum(self, terms: References, axes: int) -> References:
        """The sum over the first ``axes`` axes, of pairs of neighbours, then of pairs of these sums, and so on."""
        self.reserve(terms.size)
        np.copyto(self.made[: terms.size].reshape(terms.shape), terms)
        return self._summed(prod(terms.shape[:axes]), terms.shape[axes:])

    def divide(self, a: References, b: References, place: Any = None) -> References:
        """a / b. Raises :class:`ZeroDivisionError` where b is the constant zero."""
        if np.any(b == 0):
            raise ZeroDivisionError("a recorded algorithm divides by the constant zero")
        if np.any(constant := self.is_constant(b)):
            divisors = {x: self.constant(1 / self.value(x)) for x in np.unique(b[constant]).tolist()}
            # One, where the divisor is no constant, changes nothing.
            factor = np.array([divisors.get(x, 1) for x in b.ravel().tolist()], np.int32).reshape(b.shape)
            a, b = self.multiply(a, factor, place), np.where(constant, 1, b)
        a, b = np.broadcast_arrays(a, b)
        return self._general(Op.DIV, a, b, (a ^ b) < 0, (a != 0) & (b != 1), np.where(b == 1, a, 0), place)

    def apply(self, op: Op, a: References, place: Any = None) -> References:
        """The cosine, the sine, the square root or the sign of a."""
        simple = np.array(1 - a if op == Op.COS else a, np.int32)  # Right for zero, for the root of one, and for signs of ±1.
        # The second number of a root is one if its operand is negated, otherwise zero.
        second = np.array(a < 0, np.int32) if op == Op.SQRT else a
        is_general = (a != 0) & ((a != 1) | (op != Op.SQRT)) & ((np.abs(a) != 1) | (op != Op.SIGN))
        return self._general(op, a, second, (a < 0) & (op in (Op.SIN, Op.SIGN)), is_general, simple, place)

    def is_constant(self, a: References) -> np.ndarray[Any, np.dtype[np.bool_]]:
        return self.op[np.abs(a)] == CONSTANT

    def value(self, reference: int) -> Fraction:
        """The exact number that a reference to a constant means."""
        size = self.exact[self.a[abs(reference)]]
        return -size if reference < 0 else size

    def _read(self, a: References, b: References, place: Any) -> tuple[int, ...]:
        """Give operands and places to the loops. Returns the shape of the result."""
        shape = a.shape if a.shape == b.shape else np.broadcast(a, b).shape
        count = prod(shape)
        self.reserve(count)
        np.copyto(self.first[:count].reshape(shape), a)
        np.copyto(self.second[:count].reshape(shape), b)
        if place is None:
            self.at[:count] = -1
        else:
            np.copyto(self.at[:count].reshape(shape), place)
        return shape

    def _made(self, op: Op, shape: tuple[int, ...]) -> int:
        """Operate on the operands, of which there are as many as the shape has entries. Returns their number."""
        count = prod(shape)
        while not self.operate(op, count):
            self._fold(op, count)
        return count

    def _written(self, count: int, shape: tuple[int, ...]) -> References:
        return self.made[:count].reshape(shape).copy()

    def _fold(self, op: Op, count: int) -> None:
        """Replace two constants by their sum or product, and zero or one."""
        x, y, simple = self.first[:count], self.second[:count], int(op == Op.MUL)
        fold = np.flatnonzero(self.is_constant(x) & self.is_constant(y) & (np.minimum(np.abs(x), np.abs(y)) > simple))
        pairs = zip(x[fold].tolist(), y[fold].tolist(), strict=True)
        x[fold] = [self._folds.get((op, *pair)) or self._folded(op, *pair) for pair in pairs]
        y[fold] = simple

    def _folded(self, op: Op, m: int, n: int) -> int:
        """The sum or product of two constants, which is remembered."""
        result = self._folds[op, m, n] = self.constant(FOLD[op](self.value(m), self.value(n)))
        return result

    def _summed(self, terms: int, shape: tuple[int, ...]) -> References:
        """The sum of the ``terms`` rows that the loops have."""
        if not terms:
            return np.zeros(shape, np.int32)
        count = prod(shape)
        left = self.total(terms, count)
        if left == 1:
            return self._written(count, shape)
        rows = self._written(left * count, (left, *shape))
        even = left // 2 * 2
        return self.sum(np.concatenate((self.add(rows[:even:2], rows[1:even:2]), rows[even:])), 1)

    def _general(self, op: Op, a: References, b: References, negative: Any, general: Any, simple: Any, place: Any) -> References:
        """The operation on numbers without signs where it is ``general``, and ``simple`` elsewhere."""
        result = np.array(simple, np.int32)
        if general.any():
            at = None if place is None else np.broadcast_to(place, result.shape)[general]
            shape = self._read(np.abs(a[general]), np.abs(b[general]), at)
            made = self._written(self._made(op, shape), shape)
            result[general] = np.where(negative[general], -made, made)
        return result
