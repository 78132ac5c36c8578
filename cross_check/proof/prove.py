"""Certificates: proofs in exact arithmetic that two algorithms compute the same function.

Every quantity is a rational function of the state and of the numbers of the mechanism. Both algorithms are run on
:class:`cross_check.proof.degree.Degree`, which gives an upper bound d on the degree of the numerator of their difference.
Then both are evaluated in exact arithmetic at random points, where every coordinate has N = 2ᵉ − 1 possible values.

If the two functions differ, the numerator of the difference is not the zero polynomial, and it vanishes at a random point
with a probability of at most d/N (J. T. Schwartz 1980; R. Zippel 1979). If a denominator vanishes at a point, one more point
is drawn. Hence one round passes by chance with a probability of at most 2d/N, and k rounds with at most (2d/N)ᵏ. The
probability is not multiplied by the number of components or quantities: if a certificate is wrong, it is wrong about one
particular component of one particular quantity, and that component must have passed by chance.

In general position every number is drawn. The field is 𝔽ₚ with the prime p = N, and the certificate is about all mechanisms
with one tree and these kinds of joints. For a given mechanism only the state is drawn. The field is ℚ, and the mechanism
keeps its own numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from cross_check.proof.exact import Exact, fractions, residues
from cross_check.proof.generic import tree
from cross_check.proof.objects import Certificate, Proof, Witness, verdict
from cross_check.proof.statement import Claim, ProofError, Statement
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism, MechanismError
from mechanisms.limits import MOST_PROVEN
from mechanisms.quantities import GROUPS, QUANTITIES

GOAL = 100
"""Rounds are added until the probability of an error is at most 2^−100."""

EXPONENTS = (61, 127, 521, 1279, 2203, 4423, 9689, 19937)
"""Exponents e for which 2ᵉ − 1 is prime. A larger one is used only where the degree comes near to a smaller prime."""

MARGIN = 10
"""The least number of bits by which one round reduces the probability of an error."""

POINTS = 2
"""The largest number of points that one round draws."""

Progress = Callable[[str, int, int], None]
"""Receives what is proven now, the number of quantities done, and the number of all."""


def prove(
    mechanism: Mechanism,
    spec: str,
    in_general: bool = True,
    seed: int = 0,
    algorithms: Mapping[str, Callable[..., Tensor]] = ALGORITHMS,
    build: Callable[[Mechanism, Exact], Model] = build,
    quantities: Sequence[str] = GROUPS["dynamics"],
    progress: Progress = lambda doing, done, steps: None,
) -> Certificate:
    """The certificate of the mechanism that ``spec`` names: each of ``quantities`` is proven, or refuted with a witness.

    The reference is compared with the oracle, unless other ``algorithms``, or another ``build`` of their models, are given.
    A quantity that the given mechanism does not have is left out, and so is forward dynamics where M is singular. If no
    quantity remains, the verdict is :data:`~cross_check.proof.objects.NOTHING`.

    The same arguments give the same certificate; checking a certificate means making it again. Raises
    :class:`~cross_check.proof.statement.ProofError` for an algorithm that compares the numbers that it is given, or whose
    answer has a wrong shape, and :class:`mechanisms.MechanismError` for a mechanism that is too large.
    """
    if (entries := _mass_matrix_entries(mechanism)) > MOST_PROVEN:
        size = f"a proof for {spec} takes too much memory, because its mass matrix has {entries} entries that are not always zero"
        raise MechanismError(f"{size}; prove a mechanism with {MOST_PROVEN} at most, such as a chain of 200 joints")
    kinds = [body.joint.kind for body in mechanism.bodies]
    # A claim about every mechanism with this tree must not depend on the numbers and names of this one.
    subject = tree(mechanism.parents, kinds, mechanism.leaders) if in_general else mechanism
    regular = in_general or not mechanism.subtrees_without_inertia
    defined = (
        name
        for name, quantity in QUANTITIES.items()
        if in_general or (quantity.is_defined(mechanism) and (regular or not quantity.needs_regular_mass_matrix))
    )
    names = [name for name in defined if name in quantities and name in algorithms]
    proofs = {}
    for done, name in enumerate(names):
        progress(f"{spec}: {QUANTITIES[name].title}", done, len(names))
        proofs[name] = proof(Statement(subject, name, algorithms[name], build, in_general), seed)
    return Certificate(
        mechanism=spec,
        about="every mechanism of this tree and these kinds of joints" if in_general else "this mechanism",
        in_general=in_general,
        fingerprint=None if in_general else mechanism.fingerprint,
        parents=tuple(mechanism.parents),
        leaders=tuple(mechanism.leaders),
        kinds=tuple(kinds),
        seed=seed,
        asked=tuple(quantities),
        verdict=verdict(proofs),
        quantities=proofs,
    )


def _mass_matrix_entries(mechanism: Mechanism) -> int:
    """In one triangle: for every component of v, those of its own joint and of the joints that carry it."""
    carrying: list[int] = []
    for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True):
        carrying.append(body.joint.nv + (carrying[parent] if parent >= 0 else 0))
    return sum(body.joint.nv * n for body, n in zip(mechanism.bodies, carrying, strict=True))


def field(modular: bool, exponent: int) -> Exact:
    """The field that a proof computes in."""
    return residues(2**exponent - 1) if modular else fractions(exponent)


def rounds_for(degree: int) -> tuple[int, int, int]:
    """For the degree d: the exponent e, the bits ⌊log₂(N/2d)⌋ of one round, and the number of rounds that reach the goal."""
    bits = {e: ((2**e - 1) // (POINTS * degree)).bit_length() - 1 for e in EXPONENTS}
    e = next((e for e in EXPONENTS if bits[e] >= MARGIN), None)
    if e is None:
        raise ProofError(f"a degree of about 2^{degree.bit_length()} is too large for a proof; prove a smaller mechanism")
    return e, bits[e], -(-GOAL // bits[e])


def proof(claim: Claim, seed: int) -> Proof:
    """The proof or the refutation of one claim.

    The left side is run on degrees before it is evaluated. Raises :class:`~cross_check.proof.statement.ProofError`.
    """
    degree = claim.degree()
    exponent, bits, rounds = rounds_for(degree)
    rng = random.Random(f"{seed} {claim.name}")
    values, witness = sha256(), None
    for k in range(1, rounds + 1):
        drawn, got, expected = _point(claim, exponent, rng)
        values.update(" ".join(got).encode())
        if got != expected:
            witness = _witness(claim, k, got, expected, drawn)
            break
    return Proof(
        verdict="refuted" if witness else "proven",
        degree=degree,
        exponent=exponent,
        rounds=rounds,
        error=None if witness else f"2^-{bits * rounds}",
        values=values.hexdigest()[:16],
        witness=witness,
    )


def _point(claim: Claim, exponent: int, rng: random.Random) -> tuple[list[str], list[str], list[str]]:
    """A random point and the values of both sides there. A side that divides by zero at every point counts as different."""
    numbers = field(claim.modular, exponent)
    for _ in range(POINTS):
        drawn: list[int] = []

        def draw(drawn: list[int] = drawn) -> Any:
            drawn.append(rng.randrange(2**exponent - 1))
            return numbers.element(drawn[-1])

        try:
            got, expected = ([str(numbers.number(x)) for x in side] for side in claim.sides(numbers, draw))
            return [str(x) for x in drawn], got, expected
        except ZeroDivisionError:
            continue
    return [str(x) for x in drawn], ["division by zero"], ["a number"]


def _witness(claim: Claim, number: int, got: list[str], expected: list[str], drawn: list[str]) -> Witness:
    """The first component in which the sides differ, in the round of this ``number``."""
    k = next(k for k, (x, y) in enumerate(zip(got, expected, strict=True)) if x != y)
    return Witness(number, tuple(claim.component(k)), got[k], expected[k], tuple(drawn))
