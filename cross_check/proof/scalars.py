"""Rules for the scalars of a proof: what an algorithm under proof may do with its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, NoReturn

import numpy as np


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
