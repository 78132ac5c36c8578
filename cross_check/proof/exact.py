"""The fields in which certificates are computed, for both sides: FLINT's fractions and residues, and degrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpz_mod_ctx, nmod

from cross_check.proof.degree import Degree, Drawn, RuleError, of
from implementations.field import Rational, Tensor
from mechanisms.numbers import stand_in


@dataclass(frozen=True)
class Exact(Rational):
    """A field whose scalars ``element`` makes from integers. An angle q is given by t = tan(q/2).

    The number that stands for the angle itself is made from a hash of t with this many ``bits``
    (:func:`mechanisms.numbers.stand_in`).
    """

    element: Callable[[int], Any]
    bits: int = 61

    def number(self, value: Any) -> Any:
        if not isinstance(value, (int, Fraction)):
            return value
        return self.element(value.numerator) / self.element(value.denominator)

    def plain(self, x: Tensor) -> Tensor:
        """Results are returned unchanged."""
        return x

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        # Both are divided by the same object, so that degrees have the same denominator.
        denominator = 1 + angle * angle
        return (1 - angle * angle) / denominator, 2 * angle / denominator

    def angle(self, position: Tensor) -> Tensor:
        # What stands for the angle is a hash, and the hash of a function has no degree.
        if any(isinstance(t, Degree) and type(t) is not Drawn for t in position.flat):
            raise RuleError("the algorithm takes the angle of a computed number; only positions have one")
        angles = [Degree(1) if isinstance(t, Degree) else self.element(stand_in(t, self.bits)) for t in position.flat]
        return np.array(angles, dtype=object).reshape(position.shape)

    def position(self, angle: Tensor) -> Tensor:
        # The hash of a number is as good as a number that is drawn: both sides get the same one only from the same angle.
        values = [Drawn(1) if isinstance(x, Degree) else self.element(stand_in(x, self.bits)) for x in angle.flat]
        return np.array(values, dtype=object).reshape(angle.shape)


RATIONALS = Exact(fmpq)

DEGREES = Exact(of)


def fractions(bits: int) -> Exact:
    """The rational numbers; what stands for an angle has this many ``bits``."""
    return Exact(fmpq, bits)


def residues(p: int) -> Exact:
    """The integers modulo the prime ``p``."""
    bits = p.bit_length()
    return Exact(lambda n: nmod(n, p), bits) if p < 2**64 else Exact(fmpz_mod_ctx(p), bits)
