"""Certificates as frozen objects, and the JSON Schema of the same fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from cross_check.exchange.results.codec import Frozen, Natural, schema_of
from mechanisms import Mechanism
from mechanisms.constraint import WELD
from mechanisms.joint import MOVING
from mechanisms.limits import MOST_PROVEN
from mechanisms.quantities import ALL_QUANTITIES, GROUPS

REFERENCE = "reference"
"""The implementation that is proven if none is named."""

BY_DEFAULT = (*GROUPS["dynamics"], "constraint_jacobian", "constraint_drift")
"""The quantities that are proven if none is named; the last two of mechanisms with constraints only."""

NOTHING: Final = "nothing compared"
"""The verdict of a certificate without proofs: none of the quantities asked for is defined."""

ProofVerdict = Literal["proven", "refuted"]
CertificateVerdict = Literal["proven", "refuted", "nothing compared"]


ERROR_BOUND = r"^2\^-[0-9]{1,9}\Z"
"""The pattern of a bound on the probability of an error."""

ErrorBound = Annotated[str | None, {"pattern": ERROR_BOUND}]
"""The bound on the probability of an error, as "2^-110"; None if a claim is refuted."""


BodyIndex = Annotated[int, {"minimum": -1}]
"""The number of a body; −1 for the root."""

Joints = {"minItems": 1, "maxItems": 1000}
"""What is true of every list with an entry for each joint."""


@dataclass(frozen=True)
class Witness(Frozen):
    """A random point at which the two sides of a claim differ. Exact numbers are written as text."""

    round: int
    prime: str | None
    """What the numbers are modulo; None if they are fractions."""
    component: Sequence[int]
    """The indices of the first component that differs, counted from 0."""
    got: str
    expected: str
    drawn: Sequence[str]
    """All numbers of the point, in the order in which they were drawn."""


@dataclass(frozen=True)
class Proof(Frozen):
    """One claim, proven or refuted."""

    verdict: ProofVerdict
    degree: int
    height: int
    """A bound on log₂ of the sum of the absolute values of the coefficients, in the numerator of the difference."""
    exponents: Annotated[Sequence[int], {"minItems": 1}]
    """For each round, the number e of bits of its prime. In fractions, a coordinate has 2ᵉ − 1 possible values."""
    error: ErrorBound
    program: str
    """A digest of the recorded programs of both sides, from which the points are drawn: SHA-256, 16 digits."""
    values: str
    """A digest of all values of the left side: SHA-256, 16 digits."""
    witness: Witness | None


@dataclass(frozen=True)
class Constrained(Frozen):
    """The bodies of a constraint, −1 for the root, and the directions in which it keeps their frames together."""

    first: BodyIndex
    second: BodyIndex
    directions: Annotated[Sequence[str], {"minItems": 1, "maxItems": len(WELD), "items": {"enum": list(WELD)}}]


def constrained(mechanism: Mechanism) -> tuple[Constrained, ...]:
    """The constraints of a mechanism without their frames."""
    index = {mechanism.root: -1, **{body.name: i for i, body in enumerate(mechanism.bodies)}}
    return tuple(Constrained(index[one.first], index[one.second], one.directions) for one in mechanism.constraints)


@dataclass(frozen=True)
class Certificate(Frozen):
    """The proofs about one mechanism, or about every mechanism of its tree."""

    mechanism: str
    implementation: str
    """What has the algorithms: "reference", or a user's module or file."""
    about: str
    in_general: bool
    fingerprint: str | None
    """Of a given mechanism; None in general position."""
    parents: Annotated[Sequence[BodyIndex], Joints]
    leaders: Annotated[Sequence[Natural], Joints]
    """The joint that each joint follows: itself, unless it is a mimic joint."""
    kinds: Annotated[Sequence[str], Joints | {"items": {"enum": list(MOVING)}}]
    constraints: Annotated[Sequence[Constrained], {"maxItems": MOST_PROVEN}]
    seed: Natural
    asked: Annotated[Sequence[str], {"minItems": 1, "items": {"enum": list(ALL_QUANTITIES)}}]
    """The quantities that were to be proven; ``quantities`` has those that are defined."""
    verdict: CertificateVerdict
    quantities: Mapping[str, Proof]


def verdict(proofs: Mapping[str, Proof]) -> CertificateVerdict:
    """The verdict of a certificate with these ``proofs`` by quantity."""
    if not proofs:
        return NOTHING
    return "refuted" if any(proof.witness for proof in proofs.values()) else "proven"


def about(in_general: bool, constraints: bool) -> str:
    """What a certificate is about, in words; ``constraints`` says whether the mechanism has some."""
    if not in_general:
        return "this mechanism"
    rest = ", these kinds of joints and these constrained directions" if constraints else " and these kinds of joints"
    return f"every mechanism of this tree{rest}"


CERTIFICATE = schema_of(Certificate)
"""The JSON Schema of a certificate."""

NEEDED = ("mechanism", "implementation", "in general", "parents", "leaders", "kinds", "constraints", "seed", "asked")
"""The fields that suffice to make the proofs again. All others are compared with the new certificate."""
