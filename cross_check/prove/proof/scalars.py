"""Scalars of a proof: the rules that an algorithm under proof keeps, and numbers that record what the algorithm does.

A :class:`Number` is a value of a :mod:`cross_check.prove.proof.tape`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, NoReturn

import numpy as np

from cross_check.prove.proof.instructions import ADD, MUL, ONE, SUB, ZERO


class RuleError(TypeError):
    """The algorithm breaks a rule that proofs rest on; the message is one clause."""

    said: ClassVar[list[str]] = []
    """The messages of all errors, for :func:`rules`: an algorithm may catch the errors."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        RuleError.said.append(message)


@contextmanager
def rules() -> Iterator[None]:
    """Raise :class:`RuleError` if the algorithm that runs inside breaks a rule, also if it catches the error."""
    before = len(RuleError.said)
    try:
        yield
    finally:
        said = RuleError.said[before:]
        del RuleError.said[before:]
    if said:
        raise RuleError(said[0])


class ComparisonError(RuleError):
    """The algorithm branches on a number that is drawn, or could."""

    def __init__(self, does: str = "compares") -> None:
        super().__init__(
            f"the algorithm {does} numbers that are drawn; a proof holds only for algorithms that do not branch on them"
        )


class ZeroDivisor(RuleError, ZeroDivisionError):
    """The algorithm divides by the constant zero."""

    def __init__(self) -> None:
        super().__init__("the algorithm divides by the function zero")


class Incomparable:
    """A scalar that stands for a function of drawn numbers.

    What depends on its size or its sign raises :class:`ComparisonError`: comparing, hashing, testing, converting or rounding it,
    its absolute value and its remainder.
    """

    __slots__ = ()

    def _compare(self, *other: Any) -> NoReturn:
        raise ComparisonError

    def _convert(self, *other: Any) -> NoReturn:
        raise ComparisonError("rounds or converts")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = _compare
    __abs__ = _compare
    __float__ = __int__ = __index__ = __complex__ = __round__ = __floor__ = __ceil__ = __trunc__ = _convert
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = _convert


WHOLE = {int, *(kind for kind in np.sctypeDict.values() if issubclass(kind, np.integer))}

EXACT = {bool, np.bool_, Fraction, *WHOLE}
"""The constants of an algorithm. The classes themselves, as a subclass may have other arithmetic."""


def require_exact(x: Any) -> None:
    """Raise :class:`RuleError` if ``x`` is a rounded number."""
    if isinstance(x, (float, complex, Decimal, np.inexact)):
        raise RuleError(f"the algorithm computes with a {type(x).__name__}, which is no number of the field")


LONGEST = 2**15
"""The largest number of bits of an exponent. The degree of a longer power is beyond all primes of proofs."""


class Number(Incomparable):
    """A value of a ``tape``, with its number ``n`` there."""

    __slots__ = ("n", "tape")

    n: int
    tape: Any
    """A :class:`~cross_check.prove.proof.tape.Tape`."""

    def __copy__(self) -> Number:
        return self

    def __deepcopy__(self, memo: Any) -> Number:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise RuleError("the algorithm writes into a number")

    def __delattr__(self, name: str) -> None:
        raise RuleError("the algorithm writes into a number")

    # Sums and products occur a million times in a large mechanism: what is known already costs one look-up.

    def __add__(self, other: Any) -> Any:
        tape = self.tape
        if type(other) is not Number:
            if type(other) is int and not other:
                return self  # NumPy begins every sum with zero
            if type(other) not in EXACT:
                require_exact(other)
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
                require_exact(other)
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

    @property
    def sqrt(self) -> NoReturn:
        """NumPy's functions of an array of objects look for methods with their names."""
        raise RuleError("it does more with its numbers than +, −, × and ÷")

    cbrt = exp = exp2 = expm1 = log = log2 = log10 = log1p = sqrt
    sin = cos = tan = arcsin = arccos = arctan = sinh = cosh = tanh = sqrt
    hypot = arctan2 = fabs = rint = floor = ceil = trunc = fmod = sqrt

    def __pow__(self, n: Any) -> Any:
        """A power with a whole exponent, by squaring."""
        if type(n) not in WHOLE:
            require_exact(n)
            return NotImplemented
        if abs(int(n)).bit_length() > LONGEST:
            raise RuleError("the algorithm takes a power that is too large for a proof")
        if n < 0:
            return self.tape.quotient(self.tape.one, self ** -int(n))
        power = self.tape.one
        for bit in f"{int(n):b}":
            power = power * power * (self if bit == "1" else 1)
        return power


def _is_scalar(x: Any) -> bool:
    if type(x) is Number or type(x) in EXACT:
        return True
    require_exact(x)
    return False
