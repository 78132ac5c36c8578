"""Proofs of claims: both sides recorded once, as functions of the numbers that are drawn, and evaluated at random points.

If two functions differ, the numerator of the difference is not the zero polynomial, and vanishes at few points
(:mod:`cross_check.prove.proof.chances`). Several rounds pass by chance with at most the product of their probabilities. The
probability is not multiplied by the number of components or quantities: if a certificate is wrong, it is wrong about one
particular component of one particular quantity, and that component must have passed by chance.

In general position a round computes modulo a prime that is drawn. For a given mechanism a round computes in fractions. The
primes and the points are drawn from a hash of the seed and of the recorded programs of both sides. So nobody knows them before
the programs are written down, and a program cannot be made to fit them.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import NamedTuple

from flint import fmpq

from cross_check.prove.proof.chances import POINTS, Chance, drawn_prime
from cross_check.prove.proof.degrees import Degrees, difference, height
from cross_check.prove.proof.exact import on_tape
from cross_check.prove.proof.objects import Proof, Witness
from cross_check.prove.proof.scalars import RuleError
from cross_check.prove.proof.statement import Claim, ProofError


class Recorded(NamedTuple):
    """A claim, and the places of both sides' values on a tape."""

    claim: Claim
    left: list[int]
    right: list[int]


class Recording:
    """Both sides of ``claims`` on one tape. If it ``merges``, what they have in common is computed once.

    ``progress`` receives the number of claims that are recorded. Raises :class:`ProofError` for an algorithm that does more with
    its numbers than +, −, × and ÷.
    """

    def __init__(self, claims: Sequence[Claim], progress: Callable[[int], None] = lambda done: None, merges: bool = True) -> None:
        field = on_tape(merges)
        self.tape = field.tape
        self.claims: list[Recorded] = []

        for done, claim in enumerate(claims):
            progress(done)
            with proof_errors(claim.name):
                left, right = ([self.tape.lift(x).n for x in side] for side in claim.sides(field, self.tape.input))
            self.claims.append(Recorded(claim, left, right))
        self.degrees = Degrees(self.tape)

    def degree(self, claim: Recorded) -> int:
        """An upper bound on the degree of the difference's numerator, over all components; at least 1."""
        return max(1, *(difference(self.degrees, x, y) for x, y in zip(claim.left, claim.right, strict=True)))

    def height(self, claim: Recorded) -> int:
        """An upper bound on the height of this numerator (:mod:`cross_check.prove.proof.chances`), over all components."""
        return max(0, *(height(self.degrees, x, y) for x, y in zip(claim.left, claim.right, strict=True)))

    def digest(self) -> str:
        """The names of all claims, and the SHA-256 of the programs of both sides."""
        names = " ".join(recorded.claim.name for recorded in self.claims)
        outputs = [n for recorded in self.claims for side in (recorded.left, recorded.right) for n in (len(side), *side)]
        return f"{names} {self.tape.digest(outputs)}"


@contextmanager
def without_collection() -> Iterator[None]:
    """Python does not search for cycles of references. A tape has none, and the search takes half the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def proof_errors(name: str) -> Iterator[None]:
    """Raise :class:`ProofError` for what an algorithm under proof may not do."""
    try:
        yield
    except RuleError as error:
        raise ProofError(f"{name} cannot be proven: {error}") from error
    except TypeError as error:
        raise ProofError(f"{name} cannot be proven: it does more with its numbers than +, −, × and ÷ ({error})") from error
    except ZeroDivisionError as error:
        raise ProofError(f"{name} cannot be proven: it divides by the function zero") from error


def proofs_of(claims: Sequence[Claim], seed: int, progress: Callable[[int], None] = lambda done: None) -> list[Proof]:
    """The proofs or the refutations of ``claims``, at points that they share. Either all claims are modular or none is.

    ``progress`` receives the number of claims that are recorded. Raises :class:`ProofError`.
    """
    if not claims:
        return []
    with without_collection():
        return _proofs(claims, Recording(claims, progress), seed)


def _proofs(claims: Sequence[Claim], recording: Recording, seed: int) -> list[Proof]:
    modular = claims[0].modular
    chances = [Chance(recording.degree(claim), recording.height(claim), modular) for claim in recording.claims]
    # The claim that most likely passes by chance says how many rounds all of them need.
    exponents = max(chances, key=lambda chance: chance.bad).rounds()
    program = sha256(recording.digest().encode()).hexdigest()
    rng = random.Random(f"{seed} {program}")
    digests, witnesses = [sha256() for _ in claims], dict[int, Witness]()
    for number, exponent in enumerate(exponents, 1):
        point = _point(recording, modular, exponent, rng)
        if point.values is None and len(claims) > 1:
            # One claim divides by zero. So each is proven alone, because the others may be true.
            return [proof for claim in claims for proof in proofs_of([claim], seed)]
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
    """A random point: the prime, if there is one, the numbers that were drawn, and the values of all sides by their places."""

    prime: int | None
    drawn: list[int]
    values: dict[int, str] | None
    """None if a divisor vanishes at every point that was tried."""


def _point(recording: Recording, modular: bool, exponent: int, rng: random.Random) -> _Point:
    tape = recording.tape
    outputs = {n for claim in recording.claims for side in (claim.left, claim.right) for n in side}
    for _ in range(POINTS):
        p = drawn_prime(exponent, rng) if modular else 2**exponent - 1
        drawn = [rng.randrange(p) for _ in tape.inputs]
        try:
            found = tape.residues(p, drawn) if modular else tape.values(fmpq, drawn)
        except ZeroDivisionError:
            continue
        return _Point(p if modular else None, drawn, {n: str(found[n] % p if modular else found[n]) for n in outputs})
    return _Point(p if modular else None, drawn, None)


def _sides(claim: Recorded, found: dict[int, str] | None) -> tuple[list[str], list[str]]:
    if found is None:
        return ["division by zero"], ["a number"]
    return [found[n] for n in claim.left], [found[n] for n in claim.right]


def _witness(claim: Recorded, number: int, got: list[str], expected: list[str], point: _Point) -> Witness:
    """The first component in which the sides differ, in the round of this ``number``."""
    k = next(k for k, (x, y) in enumerate(zip(got, expected, strict=True)) if x != y)
    prime = None if point.prime is None else str(point.prime)
    return Witness(number, prime, tuple(claim.claim.component(k)), got[k], expected[k], tuple(map(str, point.drawn)))
