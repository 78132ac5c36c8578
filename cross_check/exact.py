"""The scalars of certificates, for both sides: FLINT's fractions and residues, and degrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpz_mod_ctx, nmod

from cross_check.degree import of
from implementations.field import Rational, Tensor


@dataclass(frozen=True)
class Exact(Rational):
    """The scalars that ``element`` makes of integers; a revolute joint's position is t = tan(q/2)."""

    element: Callable[[int], Any]

    def number(self, value: Any) -> Any:
        if not isinstance(value, (int, Fraction)):
            return value
        return self.element(value.numerator) / self.element(value.denominator)

    def plain(self, x: Tensor) -> Tensor:
        """Results are left as they are."""
        return x

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        # One denominator for both: degrees know a factor by the object that it is.
        below = 1 + angle * angle
        return (1 - angle * angle) / below, 2 * angle / below


RATIONALS = Exact(fmpq)

DEGREES = Exact(of)


def residues(p: int) -> Exact:
    """The integers modulo the prime ``p``."""
    return Exact(lambda n: nmod(n, p)) if p < 2**64 else Exact(fmpz_mod_ctx(p))
