"""Identity certificates: agreement without tolerance.

Every quantity is a rational function of the state, and of every number of the mechanism; so are both sides' results.
Run on :class:`cross_check.proof.degree.Degree`, both bound the degree d of the numerator of their difference. Run in exact
arithmetic on numbers drawn from N = 2ᵉ − 1 values each, they are compared. If they are different functions, that numerator
is no zero polynomial, and vanishes at a random point with probability d/N at most (J. T. Schwartz 1980; R. Zippel 1979).
A point where a denominator vanishes is drawn again, once: a round is passed by chance with probability 2d/N at most, and
k rounds with (2d/N)ᵏ. No union over components or quantities: whoever doubts a certificate doubts some component of some
quantity, and that one would have had to pass by chance.

In general position every number is drawn, over 𝔽ₚ with p = N, a prime: the certificate is about all mechanisms of one tree
and kinds of joints. For a given mechanism its own numbers stay, over ℚ, and the state alone is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from cross_check.proof.exact import RATIONALS, Exact, residues
from cross_check.proof.generic import tree
from cross_check.proof.statement import Claim, Statement
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism
from mechanisms.quantities import GROUPS, QUANTITIES

GOAL = 100
"""Rounds are added until error is no likelier than 2^−100."""

EXPONENTS = (61, 127, 521, 1279, 2203, 4423, 9689, 19937)
"""Exponents e for which 2ᵉ − 1 is prime; the first as long as degrees are far below it."""

MARGIN = 10
"""The bits that a round has to be worth."""

POINTS = 2
"""How many points a round may draw."""

Progress = Callable[[str, int, int], None]
"""Told what is proven now, and how many of how many quantities are done."""


def prove(
    mechanism: Mechanism,
    spec: str,
    in_general: bool = True,
    seed: int = 0,
    algorithms: Mapping[str, Callable[..., Tensor]] = ALGORITHMS,
    build: Callable[[Mechanism, Exact], Model] = build,
    quantities: Sequence[str] = GROUPS["dynamics"],
    progress: Progress = lambda doing, done, steps: None,
) -> dict[str, Any]:
    """The certificate of the mechanism that ``spec`` names: each of ``quantities`` proven, or refuted with a witness.

    What is held against the oracle is the reference, unless other ``algorithms``, or another ``build`` of their models,
    are given. Forward dynamics of a given mechanism is left out where M is singular.

    The same arguments give the same certificate, which is how one is checked again.
    """
    kinds = [body.joint.kind for body in mechanism.bodies]
    # A claim about every mechanism of the tree is made without this one's numbers and names.
    subject = tree(mechanism.parents, kinds) if in_general else mechanism
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
    return {
        "mechanism": spec,
        "about": "every mechanism of this tree and these kinds of joints" if in_general else "this mechanism",
        "in general": in_general,
        "fingerprint": None if in_general else mechanism.fingerprint,
        "parents": list(mechanism.parents),
        "kinds": kinds,
        "seed": seed,
        "asked": list(quantities),
        "verdict": "refuted" if any(found["witness"] for found in proofs.values()) else "proven",
        "quantities": proofs,
    }


def field(modular: bool, exponent: int) -> Exact:
    """Where a proof computes."""
    return residues(2**exponent - 1) if modular else RATIONALS


def rounds_for(degree: int) -> tuple[int, int, int]:
    """For a degree: the exponent e, how many bits ⌊log₂(N/2d)⌋ a round is worth, and how many rounds reach the goal."""
    bits = {e: ((2**e - 1) // (POINTS * degree)).bit_length() - 1 for e in EXPONENTS}
    e = next(e for e in EXPONENTS if bits[e] >= MARGIN)
    return e, bits[e], -(-GOAL // bits[e])


def proof(claim: Claim, seed: int) -> dict[str, Any]:
    """What a certificate says of one claim; ``values`` is the digest of all that stands on its left."""
    degree = claim.degree()
    exponent, bits, rounds = rounds_for(degree)
    rng = random.Random(f"{seed} {claim.name}")
    values, witness = sha256(), None
    for k in range(1, rounds + 1):
        drawn, got, expected = _point(claim, exponent, rng)
        values.update(" ".join(got).encode())
        if got != expected:
            witness = {"round": k, **_witness(claim, got, expected), "drawn": drawn}
            break
    return {
        "verdict": "refuted" if witness else "proven",
        "degree": degree,
        "exponent": exponent,
        "rounds": rounds,
        "error": None if witness else f"2^-{bits * rounds}",
        "values": values.hexdigest()[:16],
        "witness": witness,
    }


def _point(claim: Claim, exponent: int, rng: random.Random) -> tuple[list[str], list[str], list[str]]:
    """A random point and both sides there; a function that divides by zero wherever one looks has no value to agree."""
    where = field(claim.modular, exponent)
    for _ in range(POINTS):
        drawn: list[int] = []

        def draw(drawn: list[int] = drawn) -> Any:
            drawn.append(rng.randrange(2**exponent - 1))
            return where.element(drawn[-1])

        try:
            got, expected = ([str(where.number(x)) for x in side] for side in claim.sides(where, draw))
            return [str(x) for x in drawn], got, expected
        except ZeroDivisionError:
            continue
    return [str(x) for x in drawn], ["division by zero"], ["a number"]


def _witness(claim: Claim, got: list[str], expected: list[str]) -> dict[str, Any]:
    """A component in which the sides differ: its indices, counted from 0, and both values."""
    k = next(k for k, (x, y) in enumerate(zip(got, expected, strict=True)) if x != y)
    return {"component": claim.component(k), "got": got[k], "expected": expected[k]}
