"""Rules for the scalars of a proof: what an algorithm under proof may do with its numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NoReturn

import numpy as np


class RuleError(TypeError):
    """The algorithm breaks a rule that proofs rest on; the message is one clause."""


class ComparisonError(RuleError):
    """The algorithm branches on a number that is drawn."""

    def __init__(self) -> None:
        super().__init__(
            "the algorithm compares numbers that are drawn; a proof holds only for algorithms that do not branch on them"
        )


class Incomparable:
    """A scalar that stands for a function of drawn numbers: comparing, hashing or testing it raises :class:`ComparisonError`."""

    __slots__ = ()

    comparisons = 0
    """How many were refused so far: an algorithm may catch the error."""

    def _compare(self, *other: Any) -> NoReturn:
        Incomparable.comparisons += 1
        raise ComparisonError

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = _compare


WHOLE = {int, *(kind for kind in np.sctypeDict.values() if issubclass(kind, np.integer))}

EXACT = {bool, np.bool_, Fraction, *WHOLE}
"""The constants of an algorithm. The classes themselves, as a subclass may have other arithmetic."""
