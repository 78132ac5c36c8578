"""Certificates as frozen objects, and the JSON Schema of the same fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from cross_check.results.codec import Frozen, map_schema, object_schema
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
    exponents: Sequence[int]
    """For each round, the number e of bits of its prime. In fractions, a coordinate has 2ᵉ − 1 possible values."""
    error: str | None
    """The bound on the probability of an error, as "2^-110"; None if the claim is refuted."""
    program: str
    """A digest of the recorded programs of both sides, from which the points are drawn: SHA-256, 16 digits."""
    values: str
    """A digest of all values of the left side: SHA-256, 16 digits."""
    witness: Witness | None


@dataclass(frozen=True)
class Constrained(Frozen):
    """The bodies of a constraint, −1 for the root, and the directions in which it keeps their frames together."""

    first: int
    second: int
    directions: Sequence[str]


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
    parents: Sequence[int]
    leaders: Sequence[int]
    """The joint that each joint follows: itself, unless it is a mimic joint."""
    kinds: Sequence[str]
    constraints: Sequence[Constrained]
    seed: int
    asked: Sequence[str]
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


STRING, INTEGER = {"type": "string"}, {"type": "integer"}

ERROR_BOUND = r"^2\^-[0-9]{1,9}\Z"
"""The pattern of a bound on the probability of an error."""

TREE = {"type": "array", "minItems": 1, "maxItems": 1000}

CONSTRAINED = object_schema(
    {
        "first": {"type": "integer", "minimum": -1},
        "second": {"type": "integer", "minimum": -1},
        "directions": {"type": "array", "minItems": 1, "maxItems": len(WELD), "items": {"enum": list(WELD)}},
    }
)

NEEDED = {
    "mechanism": STRING,
    "implementation": STRING,
    "in general": {"type": "boolean"},
    "parents": TREE | {"items": {"type": "integer", "minimum": -1}},
    "leaders": TREE | {"items": {"type": "integer", "minimum": 0}},
    "kinds": TREE | {"items": {"enum": list(MOVING)}},
    "constraints": {"type": "array", "maxItems": MOST_PROVEN, "items": CONSTRAINED},
    "seed": {"type": "integer", "minimum": 0},
    "asked": {"type": "array", "minItems": 1, "items": {"enum": list(ALL_QUANTITIES)}},
}
"""The JSON Schemas of the fields that suffice to make the proofs again. All others are compared with the new certificate."""

WITNESS = object_schema(
    {
        "round": INTEGER,
        "prime": {"type": ["string", "null"]},
        "component": {"type": "array", "items": INTEGER},
        "got": STRING,
        "expected": STRING,
        "drawn": {"type": "array", "items": STRING},
    }
)

PROOF = object_schema(
    {
        "verdict": {"enum": list(get_args(ProofVerdict))},
        "degree": INTEGER,
        "height": INTEGER,
        "exponents": {"type": "array", "minItems": 1, "items": INTEGER},
        "error": {"type": ["string", "null"], "pattern": ERROR_BOUND},
        "program": STRING,
        "values": STRING,
        "witness": WITNESS | {"type": ["object", "null"]},
    }
)

CERTIFICATE = NEEDED | {
    "about": STRING,
    "fingerprint": {"type": ["string", "null"]},
    "verdict": {"enum": list(get_args(CertificateVerdict))},
    "quantities": map_schema(PROOF),
}
"""The JSON Schemas of all fields of a certificate."""
