"""Proofs of claims: their programs, evaluated at random points.

If two functions differ, the numerator of the difference is not the zero polynomial. Let its degree be at most d, and let every
coordinate of a point have N possible values. The numerator vanishes at a random point with a probability of at most d/N
(J. T. Schwartz 1980; R. Zippel 1979). If a divisor vanishes at a point, one more point is drawn. Hence one round passes by chance
with a probability of at most 2d/N, and several rounds with at most the product. The probability is not multiplied by the number
of components or quantities: if a certificate is wrong, it is wrong about one particular component of one particular quantity,
and that component must have passed by chance.

In general position a round computes modulo a prime p = N, and the rounds of one proof have primes of at least two sizes. For a
given mechanism a round computes in fractions. The points are drawn from a hash of the seed and of the recorded programs of both
sides. So nobody knows them before the programs are written down, and a program cannot be made to fit them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeVar

from flint import fmpq

from cross_check.proof.evaluation import residues, values
from cross_check.proof.exact import OnTape
from cross_check.proof.generic import Draw
from cross_check.proof.objects import Proof, Witness
from cross_check.proof.recorded import Recorded, Recording, without_collection
from cross_check.proof.statement import Claim, ProofError, Sides
from cross_check.proof.tape import Tape

C = TypeVar("C", bound=Claim)

GOAL = 100
"""Rounds are added until the probability of an error is at most 2^−100."""

EXPONENTS = (61, 127, 521, 1279, 2203, 4423, 9689, 19937, 21701)
"""Exponents e for which 2ᵉ − 1 is prime. A larger one comes first only where the degree comes near to a smaller prime."""

MARGIN = 10
"""The least number of bits by which one round reduces the probability of an error."""

POINTS = 2
"""The largest number of points that one round draws."""


def bits(degree: int, exponent: int) -> int:
    """⌊log₂(N/2d)⌋: by how many bits one round reduces the probability of an error."""
    return ((2**exponent - 1) // (POINTS * degree)).bit_length() - 1


def rounds_for(degree: int, modular: bool, exponents: Sequence[int] = EXPONENTS) -> list[int]:
    """The exponents of the rounds that reach the goal for the degree d, chosen from ``exponents``.

    Modulo primes, the second round has the next larger prime, and so have all others: what is special about one prime decides
    nothing. Raises :class:`~cross_check.proof.statement.ProofError` for a degree that is too large.
    """
    usable = [e for e in exponents if bits(degree, e) >= MARGIN]
    if len(usable) < 2:
        raise ProofError(f"a degree of about 2^{degree.bit_length()} is too large for a proof; prove a smaller mechanism")
    chosen = usable[:2] if modular else usable[:1]
    while sum(bits(degree, e) for e in chosen) < GOAL:
        chosen.append(chosen[-1])
    return chosen


def proofs_of(
    claims: Sequence[C],
    seed: int,
    sides: Callable[[C, OnTape, Draw], Sides] = lambda claim, field, draw: claim.sides(field, draw),
    progress: Callable[[int], None] = lambda done: None,
) -> list[Proof]:
    """The proofs or the refutations of ``claims``, which are all modular or all not, at points that they share.

    ``sides`` computes both sides of a claim; ``progress`` receives the number of claims that are recorded. Raises
    :class:`~cross_check.proof.statement.ProofError`.
    """
    if not claims:
        return []
    with without_collection():
        return _proofs(claims, Recording(claims, sides, progress), seed, sides)


def _proofs(claims: Sequence[C], recording: Recording[C], seed: int, sides: Callable[[C, OnTape, Draw], Sides]) -> list[Proof]:
    degrees = [recording.degree(claim) for claim in recording.claims]
    modular = claims[0].modular
    exponents = rounds_for(max(degrees), modular, _exponents(recording.tape) if modular else EXPONENTS)
    program = sha256(recording.digest().encode()).hexdigest()
    rng = random.Random(f"{seed} {program}")
    digests, witnesses = [sha256() for _ in claims], dict[int, Witness]()
    for number, exponent in enumerate(exponents, 1):
        drawn, point = _point(recording, modular, exponent, rng)
        if point is None and len(claims) > 1:
            # One claim divides by zero. The others may be true.
            return [proof for claim in claims for proof in proofs_of([claim], seed, sides)]
        for k, claim in enumerate(recording.claims):
            if k not in witnesses:
                got, expected = _sides(claim, point)
                digests[k].update(" ".join(got).encode())
                if got != expected:
                    witnesses[k] = _witness(claim, number, got, expected, drawn)
    return [
        Proof(
            verdict="refuted" if k in witnesses else "proven",
            degree=degree,
            exponents=tuple(exponents),
            error=None if k in witnesses else f"2^-{sum(bits(degree, e) for e in exponents)}",
            program=program[:16],
            values=digest.hexdigest()[:16],
            witness=witnesses.get(k),
        )
        for k, (degree, digest) in enumerate(zip(degrees, digests, strict=True))
    ]


def _exponents(tape: Tape) -> list[int]:
    """Those of the primes that divide no numerator and no denominator of a constant."""
    numbers = [int(part) for x in tape.constants for part in (x.p, x.q) if part]
    return [e for e in EXPONENTS if all(number % (2**e - 1) for number in numbers)]


def _point(recording: Recording[C], modular: bool, exponent: int, rng: random.Random) -> tuple[list[str], dict[int, str] | None]:
    """The numbers of a random point, and the values of all sides there, by their numbers on the tape.

    There are no values if a divisor vanishes at every point that was tried.
    """
    tape, p = recording.tape, 2**exponent - 1
    outputs = {n for claim in recording.claims for side in (claim.left, claim.right) for n in side}
    for _ in range(POINTS):
        drawn = [rng.randrange(p) for _ in tape.inputs]
        try:
            found = residues(tape, p, drawn) if modular else values(tape, fmpq, drawn)
        except ZeroDivisionError:
            continue
        return list(map(str, drawn)), {n: str(found[n] % p if modular else found[n]) for n in outputs}
    return list(map(str, drawn)), None


def _sides(claim: Recorded[C], point: dict[int, str] | None) -> tuple[list[str], list[str]]:
    if point is None:
        return ["division by zero"], ["a number"]
    return [point[n] for n in claim.left], [point[n] for n in claim.right]


def _witness(claim: Recorded[C], number: int, got: list[str], expected: list[str], drawn: list[str]) -> Witness:
    """The first component in which the sides differ, in the round of this ``number``."""
    k = next(k for k, (x, y) in enumerate(zip(got, expected, strict=True)) if x != y)
    return Witness(number, tuple(claim.claim.component(k)), got[k], expected[k], tuple(drawn))
