"""The probability that a round passes although its claim is false, and how many values a round must choose from.

Let the numerator of a difference be a polynomial that is not zero, with integer coefficients, a degree of at most d, and a
*height* of at most h: this is log₂ of the sum of the absolute values of its coefficients.

For a given mechanism, a round computes in fractions. Every coordinate has N = 2ᵉ − 1 possible values, and the numerator vanishes
at a random point with a probability of at most d/N (J. T. Schwartz 1980; R. Zippel 1979).

In general position, a round draws a prime p of e bits, and then a point modulo p. The numerator is zero modulo p only if p
divides all its coefficients. One of them is not zero and at most 2ʰ, so it is divisible by at most h/(e − 1) primes of e bits,
which are all larger than 2ᵉ⁻¹. There are more than 2ᵉ⁻¹/(3 e ln 2) of them (P. Finsler 1945: more than n/(3 ln 2n) primes
between n and 2n). Hence the probability of drawing one that divides all coefficients is at most 3 e ln 2/(e − 1) · h/2ᵉ⁻¹, which
is less than 3 h/2ᵉ⁻¹. Modulo any other prime, the numerator vanishes at a random point with a probability of at most d/p, which
is at most d/2ᵉ⁻¹.

If a divisor vanishes at a point, one more point is drawn, with a prime of its own. This doubles the probability.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from flint import fmpz

from cross_check.prove.proof.statement import ProofError

GOAL = 100
"""Rounds are added until the probability of an error is at most 2^−100."""

EXPONENTS = (61, 127, 521, 1279, 2203, 4423, 9689, 19937, 21701)
"""e in N = 2ᵉ − 1 for proofs in fractions. A larger one comes first only where the degree comes near to a smaller N."""

MARGIN = 10
"""The least number of bits by which one round in fractions reduces the probability of an error."""

LARGEST = 4096
"""The largest number of bits of a prime."""

PROVEN = 521
"""Up to this number of bits, primes are proven to be primes. For larger ones that takes too long."""

POINTS = 2
"""The largest number of points that one round draws."""


class Chance(NamedTuple):
    """Bounds on the ``degree`` and the ``height`` of a numerator, and whether proofs are ``modular``."""

    degree: int
    height: int
    modular: bool

    @property
    def bad(self) -> int:
        """A false claim passes one round with a probability of at most this number over that of the values to choose from."""
        return POINTS * (self.degree + 3 * self.height if self.modular else self.degree)

    def bits(self, exponent: int) -> int:
        """By how many bits one round reduces the probability of an error, rounded down."""
        return max(0, ((2 ** (exponent - 1) if self.modular else 2**exponent - 1) // self.bad).bit_length() - 1)

    def error(self, exponents: Sequence[int]) -> str:
        """The bound on the probability of an error after all rounds, as "2^-110"."""
        return f"2^-{sum(map(self.bits, exponents))}"

    def rounds(self) -> list[int]:
        """The exponents e of the rounds that reach the goal. Modulo a prime, one round does.

        Raises :class:`~cross_check.prove.proof.statement.ProofError` for a degree that is too large.
        """
        if self.modular:
            usable = [e for e in [GOAL + self.bad.bit_length() + 1] if e <= LARGEST]
        else:
            usable = [e for e in EXPONENTS if self.bits(e) >= MARGIN]
        if not usable:
            degree = f"a degree of about 2^{self.degree.bit_length()}"
            raise ProofError(f"{degree} is too large for a proof; prove a smaller mechanism")
        return usable[:1] * -(-GOAL // self.bits(usable[0]))


def drawn_prime(bits: int, rng: random.Random) -> int:
    """A random prime of that many ``bits``, all of them equally likely.

    FLINT's test for primes above ``PROVEN`` bits could be passed by a composite number, although none is known.
    """
    while True:
        p = fmpz(rng.getrandbits(bits) | 1 << bits - 1 | 1)
        if p.is_probable_prime() and (bits > PROVEN or p.is_prime()):
            return int(p)
