"""Records what an algorithm does with scalars: a program in single assignment, whose inputs are the numbers that are drawn.

A :class:`Number` is a scalar that is not known yet. Every operation appends an instruction to its :class:`Tape`, which gives the
result the next number. The tape simplifies by identities that hold for all rational functions:

    x + 0 = x        x − 0 = x        x · 0 = 0        x · 1 = x        x / 1 = x        0 / x = 0        constants are computed

Equal instructions are recorded once; the operands of sums and products are in the order of their numbers. So two values that are
computed in the same way have the same number. Nothing else is simplified: x − x is an instruction.

The program keeps every instruction, also one that no result needs, and ``divisors`` has the x of every 0 / x. Whoever evaluates
the tape thus notices a division by zero, even where the result is multiplied by zero afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
from flint import fmpq

from cross_check.proof.scalars import EXACT, WHOLE, Incomparable, RuleError


class Kind(IntEnum):
    """How a value is made. Of inputs and constants, the first operand counts them."""

    INPUT = 0
    CONSTANT = 1
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5


INPUT, CONSTANT, ADD, SUB, MUL, DIV = (int(kind) for kind in Kind)

MASK = 2**32 - 1

ZERO, ONE = 0, 1
"""The numbers of the constants zero and one on every tape."""


class Tape:
    """A program: value n is made as ``kind[n]`` says, from values that come before it."""

    def __init__(self) -> None:
        self.kind = bytearray()
        self.constants: list[Any] = []
        """FLINT's fractions."""
        self.inputs: list[int] = []
        """The numbers of the inputs."""
        self.divisors: list[int] = []
        """The numbers of x for every 0 / x."""
        self._operands: list[int] = []
        """2³² a + b for every value."""
        self._known: tuple[dict[int, Number], ...] = tuple({} for _ in Kind)
        """The results of each kind of instruction, by their operands."""
        self.sums, self.products = self._known[ADD], self._known[MUL]
        self._exact: dict[int, Any] = {}
        """The constants by their numbers."""
        self._constants: dict[Any, Number] = {}
        self._whole: dict[int, Number] = {}
        """The constants that an algorithm gave as integers."""
        self.zero, self.one = self.lift(0), self.lift(1)

    def __len__(self) -> int:
        return len(self.kind)

    def instructions(self, start: int = 0) -> Iterator[tuple[int, int, int]]:
        """The kind and the operands a and b of every value, from number ``start`` on."""
        packed = np.array(self._operands[start:], np.int64)
        return zip(self.kind[start:], (packed >> 32).tolist(), (packed & MASK).tolist(), strict=True)

    def input(self) -> Number:
        """A new number that is drawn."""
        self.inputs.append(len(self))
        return self._append(INPUT, len(self.inputs) - 1 << 32)

    def constant(self, value: int | Fraction) -> Number:
        """An exact number; equal ones are the same value."""
        return self._constant(fmpq(value.numerator, value.denominator))

    def lift(self, x: Any) -> Number:
        """``x`` as a value of this tape: a number of this tape, or an exact number.

        Raises :class:`RuleError` for anything else.
        """
        if type(x) is Number:
            self.require_own(x)
            return x
        if type(x) not in EXACT:
            raise RuleError(f"the algorithm computes with a {type(x).__name__}, which is no number of the field")
        if type(x) is Fraction:
            return self.constant(x)
        if x not in self._whole:
            self._whole[int(x)] = self.constant(int(x))
        return self._whole[x]

    def require_own(self, x: Number) -> None:
        """Raise :class:`RuleError` if ``x`` belongs to another tape."""
        if x.tape is not self:
            raise RuleError("the algorithm computes with a number of another proof")

    def exact(self, x: Number) -> Any:
        """The fraction that a constant means; None for other values."""
        return self._exact.get(x.n)

    def digest(self, outputs: Sequence[int]) -> str:
        """SHA-256 of everything that decides the values of ``outputs``, in hexadecimal digits."""
        digest = sha256(" ".join(map(str, self.constants)).encode())
        for part in (list(self.kind), self._operands, self.divisors, outputs):
            digest.update(np.array([len(part), *part], "<i8").tobytes())
        return digest.hexdigest()

    def result(self, kind: int, operands: int) -> Number:
        """The value that an instruction makes of the operands 2³² a + b: the known one, if it was recorded before."""
        known = self._known[kind]
        found = known.get(operands)
        if found is None:
            x = self._exact.get(operands >> 32)
            y = None if x is None else self._exact.get(operands & MASK)
            found = known[operands] = self._append(kind, operands) if y is None else self._constant(_computed(kind, x, y))
        return found

    def quotient(self, a: Number, b: Number) -> Number:
        """a / b. Raises :class:`ZeroDivisionError` where b is the constant zero."""
        if b.n == ZERO:
            raise ZeroDivisionError("division by the function zero")
        if a.n == ZERO:
            if b.n not in self._exact:
                self.divisors.append(b.n)
            return a
        return a if b.n == ONE else self.result(DIV, a.n << 32 | b.n)

    def _constant(self, value: Any) -> Number:
        if value not in self._constants:
            self._exact[len(self)] = value
            self.constants.append(value)
            self._constants[value] = self._append(CONSTANT, len(self.constants) - 1 << 32)
        return self._constants[value]

    def _append(self, kind: int, operands: int) -> Number:
        number = Number.__new__(Number)
        number.tape, number.n = self, len(self._operands)
        self.kind.append(kind)
        self._operands.append(operands)
        return number


class Number(Incomparable):
    """A value of a ``tape``, with its number ``n`` there."""

    __slots__ = ("n", "tape")

    n: int
    tape: Tape

    # Sums and products occur a million times in a large mechanism: what is known already costs one look-up.

    def __add__(self, other: Any) -> Any:
        tape = self.tape
        if type(other) is not Number:
            if type(other) is int and not other:
                return self  # NumPy begins every sum with zero
            if type(other) not in EXACT:
                return NotImplemented  # NumPy adds elementwise, and another class has its own arithmetic
            other = tape.lift(other)
        elif other.tape is not tape:
            tape.require_own(other)
        a, b = self.n, other.n
        if not a or not b:
            return self if a else other
        operands = a << 32 | b if a < b else b << 32 | a
        found = tape.sums.get(operands)
        return tape.result(ADD, operands) if found is None else found

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        tape = self.tape
        if type(other) is not Number:
            if type(other) not in EXACT:
                return NotImplemented
            other = tape.lift(other)
        elif other.tape is not tape:
            tape.require_own(other)
        a, b = self.n, other.n
        if a <= ONE:
            return other if a else self
        if b <= ONE:
            return self if b else other
        operands = a << 32 | b if a < b else b << 32 | a
        found = tape.products.get(operands)
        return tape.result(MUL, operands) if found is None else found

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Any:
        return self._minus(self, self.tape.lift(other)) if _is_scalar(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return self._minus(self.tape.lift(other), self) if _is_scalar(other) else NotImplemented

    def _minus(self, a: Number, b: Number) -> Number:
        return a if b.n == ZERO else self.tape.result(SUB, a.n << 32 | b.n)

    def __pos__(self) -> Number:
        return self

    def __neg__(self) -> Number:
        return self._minus(self.tape.zero, self)

    def __truediv__(self, other: Any) -> Any:
        return self.tape.quotient(self, self.tape.lift(other)) if _is_scalar(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return self.tape.quotient(self.tape.lift(other), self) if _is_scalar(other) else NotImplemented

    def __pow__(self, n: Any) -> Any:
        """A power with a whole exponent, by squaring."""
        if type(n) not in WHOLE:
            return NotImplemented
        if n < 0:
            return self.tape.quotient(self.tape.one, self ** -int(n))
        power = self.tape.one
        for bit in f"{int(n):b}":
            power = power * power * (self if bit == "1" else 1)
        return power


def _is_scalar(x: Any) -> bool:
    return type(x) is Number or type(x) in EXACT


def _computed(kind: int, x: Any, y: Any) -> Any:
    if kind == MUL:
        return x * y
    return x / y if kind == DIV else x + y if kind == ADD else x - y
