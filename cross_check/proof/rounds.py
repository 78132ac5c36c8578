"""Proofs of claims: their programs, evaluated at random points.

If two functions differ, the numerator of the difference is not the zero polynomial, and vanishes at few points
(:mod:`cross_check.proof.chances`). Several rounds pass by chance with at most the product of their probabilities. The
probability is not multiplied by the number of components or quantities: if a certificate is wrong, it is wrong about one
particular component of one particular quantity, and that component must have passed by chance.

In general position a round computes modulo a prime that is drawn. For a given mechanism a round computes in fractions. The
primes and the points are drawn from a hash of the seed and of the recorded programs of both sides. So nobody knows them before
the programs are written down, and a program cannot be made to fit them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple, TypeVar

from flint import fmpq

from cross_check.proof.chances import POINTS, Chance, drawn_prime
from cross_check.proof.evaluation import residues, values
from cross_check.proof.exact import OnTape
from cross_check.proof.generic import Draw
from cross_check.proof.objects import Proof, Witness
from cross_check.proof.recorded import Recorded, Recording, without_collection
from cross_check.proof.statement import Claim, Sides

C = TypeVar("C", bound=Claim)


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
    modular = claims[0].modular
    chances = [Chance(recording.degree(claim), recording.height(claim), modular) for claim in recording.claims]
    exponents = max(chances, key=lambda chance: chance.bad).rounds()
    program = sha256(recording.digest().encode()).hexdigest()
    rng = random.Random(f"{seed} {program}")
    digests, witnesses = [sha256() for _ in claims], dict[int, Witness]()
    for number, exponent in enumerate(exponents, 1):
        point = _point(recording, modular, exponent, rng)
        if point.values is None and len(claims) > 1:
            # One claim divides by zero. The others may be true.
            return [proof for claim in claims for proof in proofs_of([claim], seed, sides)]
        for k, claim in enumerate(recording.claims):
            if k not in witnesses:
                got, expected = _sides(claim, point.values)
                digests[k].update(" ".join(got).encode())
                if got != expected:
                    witnesses[k] = _witness(claim, number, got, expected, point)
    return [
        Proof(
            verdict="refuted" if k in witnesses else "proven",
            degree=chance.degree,
            height=chance.height,
            exponents=tuple(exponents),
            error=None if k in witnesses else chance.error(exponents),
            program=program[:16],
            values=digest.hexdigest()[:16],
            witness=witnesses.get(k),
        )
        for k, (chance, digest) in enumerate(zip(chances, digests, strict=True))
    ]


class _Point(NamedTuple):
    """A random point: the prime, if there is one, the numbers that were drawn, and the values of all sides by their numbers."""

    prime: int | None
    drawn: list[int]
    values: dict[int, str] | None
    """None if a divisor vanishes at every point that was tried."""


def _point(recording: Recording[C], modular: bool, exponent: int, rng: random.Random) -> _Point:
    tape = recording.tape
    outputs = {n for claim in recording.claims for side in (claim.left, claim.right) for n in side}
    for _ in range(POINTS):
        p = drawn_prime(exponent, rng) if modular else 2**exponent - 1
        drawn = [rng.randrange(p) for _ in tape.inputs]
        try:
            found = residues(tape, p, drawn) if modular else values(tape, fmpq, drawn)
        except ZeroDivisionError:
            continue
        return _Point(p if modular else None, drawn, {n: str(found[n] % p if modular else found[n]) for n in outputs})
    return _Point(p if modular else None, drawn, None)


def _sides(claim: Recorded[C], found: dict[int, str] | None) -> tuple[list[str], list[str]]:
    if found is None:
        return ["division by zero"], ["a number"]
    return [found[n] for n in claim.left], [found[n] for n in claim.right]


def _witness(claim: Recorded[C], number: int, got: list[str], expected: list[str], point: _Point) -> Witness:
    """The first component in which the sides differ, in the round of this ``number``."""
    k = next(k for k, (x, y) in enumerate(zip(got, expected, strict=True)) if x != y)
    prime = None if point.prime is None else str(point.prime)
    return Witness(number, prime, tuple(claim.claim.component(k)), got[k], expected[k], tuple(map(str, point.drawn)))
