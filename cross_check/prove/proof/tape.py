"""Records what an algorithm does with scalars: a program in single assignment, whose inputs are the numbers that are drawn.

A :class:`~cross_check.prove.proof.scalars.Number` is a scalar that is not known yet. Every operation appends an instruction to
its :class:`Tape`, which gives the result the next number. The tape simplifies by identities that hold for all rational functions:

    x + 0 = x        x − 0 = x        x · 0 = 0        x · 1 = x        x / 1 = x        0 / x = 0        constants are computed

Equal instructions are recorded once; the operands of sums and products are in the order of their numbers. So two values that are
computed in the same way have the same number. Nothing else is simplified: x − x is an instruction.

A tape that does not ``merge`` records equal instructions as often as they are computed. Then two values with one number are one
object in the algorithms, so that nothing in a program depends on what the tape takes for equal. Exported claims are such tapes.

The program keeps every instruction, also one that no result needs, and ``divisors`` has the x of every 0 / x. Whoever evaluates
the tape thus notices a division by zero, even where the result is multiplied by zero afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
from flint import fmpq

from cross_check.prove.proof.instructions import ADD, CONSTANT, DIV, INPUT, MASK, MUL, ONE, OPERATIONS, SUB, ZERO, Kind
from cross_check.prove.proof.scalars import EXACT, Number, RuleError, ZeroDivisor

_SET_TAPE, _SET_N = vars(Number)["tape"].__set__, vars(Number)["n"].__set__
"""Numbers refuse that their attributes are set; only a tape makes them."""


class Tape:
    """A program: value n is made as ``kind[n]`` says, from values that come before it."""

    def __init__(self, merges: bool = True) -> None:
        self.merges = merges
        self.kind = bytearray()
        self.constants: list[Any] = []
        """FLINT's fractions."""
        self.inputs: list[int] = []
        """The numbers of the inputs."""
        self.divisors: list[int] = []
        """The numbers of x for every 0 / x."""
        self._numbers: list[Number] = []
        """All values; number n is value n, unless somebody has changed it."""
        self._operands: list[int] = []
        """2³² a + b for every value."""
        self._known: tuple[dict[int, Number], ...] = tuple({} for _ in Kind)
        """The results of each kind of instruction, by their operands."""
        self.sums, self.products = self._known[ADD], self._known[MUL]
        self._first: list[int] = []
        self._firsts: dict[tuple[int, int, int], int] = {}
        self._exact: dict[int, Any] = {}
        """The constants by their numbers."""
        self._constants: dict[Any, Number] = {}
        self._whole: dict[int, Number] = {}
        """The constants that an algorithm gave as integers."""
        self.zero, self.one = self.lift(0), self.lift(1)

    def __len__(self) -> int:
        return len(self.kind)

    def instructions(self) -> Iterator[tuple[int, int, int]]:
        """The kind and the operands a and b of every value."""
        packed = np.array(self._operands, np.int64)
        return zip(self.kind, (packed >> 32).tolist(), (packed & MASK).tolist(), strict=True)

    def values(self, element: Callable[[int], Any], inputs: Sequence[int]) -> list[Any]:
        """All values in the field whose scalars ``element`` makes from integers.

        Raises :class:`ZeroDivisionError` if a divisor is zero, also if no result needs the quotient.
        """
        found = self._evaluated(OPERATIONS, element, inputs)
        if any(found[n] == 0 for n in self.divisors):
            raise ZeroDivisionError
        return found

    def residues(self, p: int, inputs: Sequence[int]) -> list[int]:
        """All values modulo the prime ``p``, as integers that are congruent to them.

        Raises :class:`ZeroDivisionError` as :meth:`values` does. Sums are not reduced, which saves a third of the time. FLINT's
        residues are faster than Python's integers for primes below 2⁶⁴, but slower for larger ones.
        """
        reduced = {MUL: lambda x, y: x * y % p, DIV: lambda x, y: x * _inverse(y, p) % p}
        found = self._evaluated(OPERATIONS | reduced, int, inputs)
        if any(not found[n] % p for n in self.divisors):
            raise ZeroDivisionError
        return found

    def _evaluated(
        self, operations: dict[int, Callable[[Any, Any], Any]], element: Callable[[int], Any], inputs: Sequence[int]
    ) -> list[Any]:
        found: list[Any] = []
        add = found.append
        for kind, a, b in self.instructions():
            if kind > CONSTANT:
                add(operations[kind](found[a], found[b]))
            elif kind == INPUT:
                add(element(inputs[a]))
            else:
                add(operations[DIV](element(int(self.constants[a].p)), element(int(self.constants[a].q))))
        return found

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

    def value(self, n: int) -> Number:
        """Value n."""
        return self._numbers[n]

    def exact(self, x: Number) -> Fraction:
        """The constant that ``x`` is. Raises :class:`KeyError` for any other value."""
        value = self._exact[x.n]
        return Fraction(int(value.p), int(value.q))

    def require_own(self, x: Number) -> None:
        """Raise :class:`RuleError` if ``x`` belongs to another tape."""
        if x.tape is not self:
            raise RuleError("the algorithm computes with a number of another proof")

    def require_unchanged(self) -> None:
        """Raise :class:`RuleError` if a number of this tape has become another value: ``object.__setattr__`` can do that."""
        if any(number.n != n or number.tape is not self for n, number in enumerate(self._numbers)):
            raise RuleError("the algorithm writes into a number")

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
            found = self._append(kind, operands) if y is None else self._constant(OPERATIONS[kind](x, y))
            if self.merges:
                known[operands] = found
        return found

    def negated(self, x: Number) -> Number | None:
        """The value that ``x`` was made as the negative of, if it was."""
        zero, n = self._operands[x.n] >> 32, self._operands[x.n] & MASK
        return self._numbers[n] if self.kind[x.n] == SUB and zero == ZERO else None

    def first(self, n: int) -> int:
        """The first value that is computed as value n is; on a tape that merges, n itself."""
        if self.merges:
            return n
        for v in range(len(self._first), n + 1):
            kind, a, b = self.kind[v], self._operands[v] >> 32, self._operands[v] & MASK
            if kind not in (INPUT, CONSTANT):
                a, b = self._first[a], self._first[b]
                if kind in (ADD, MUL):
                    a, b = min(a, b), max(a, b)
            self._first.append(self._firsts.setdefault((kind, a, b), v))
        return self._first[n]

    def quotient(self, a: Number, b: Number) -> Number:
        """a / b. Raises :class:`~cross_check.prove.proof.scalars.ZeroDivisor` where b is the constant zero."""
        if b.n == ZERO:
            raise ZeroDivisor
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
        _SET_TAPE(number, self)
        _SET_N(number, len(self._operands))
        self._numbers.append(number)
        self.kind.append(kind)
        self._operands.append(operands)
        return number


def _inverse(x: int, p: int) -> int:
    try:
        return pow(x, -1, p)
    except ValueError:
        raise ZeroDivisionError from None
