"""Identity certificates as the report shows them: what is proven about which mechanisms, and how surely."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mechanisms.quantities import GROUPS
from reports.words import Word, count, raised, title

PROVEN = Word("proven", "✓", "agrees")
REFUTED = Word("refuted", "✗", "discrepancy")

DEFAULT = GROUPS["dynamics"]
"""What is proven unless something else is asked for."""

SHOWN = 40
"""Digits of an exact number that a witness shows."""


@dataclass(frozen=True)
class Proof:
    """One quantity of a certificate, in words."""

    quantity: str
    proven: bool
    degree: int
    points: str
    error: str
    witness: str


@dataclass(frozen=True)
class Certificate:
    """One certificate in words; ``error`` is the largest probability that something proven is not so."""

    mechanism: str
    about: str
    joints: str
    proven: bool
    proofs: tuple[Proof, ...]
    error: str
    command: str

    @property
    def outcome(self) -> str:
        right = sum(proof.proven for proof in self.proofs)
        return f"{right} of {len(self.proofs)} quantities"


def shown(certificates: Sequence[Mapping[str, Any]]) -> list[Certificate]:
    """What the report says of certificates as :func:`cross_check.proof.prove.prove` makes them."""
    return [_shown(certificate) for certificate in certificates]


def _shown(certificate: Mapping[str, Any]) -> Certificate:
    proofs = tuple(_proof(name, found) for name, found in certificate["quantities"].items())
    bounds = [int(found["error"].removeprefix("2^")) for found in certificate["quantities"].values() if found["error"]]
    kinds = Counter(certificate["kinds"])
    words = ["dalembert", "prove", certificate["mechanism"], *([] if certificate["in general"] else ["--given"])]
    if tuple(certificate["asked"]) != DEFAULT:
        words += [word for name in certificate["asked"] for word in ("--quantity", name)]
    return Certificate(
        certificate["mechanism"],
        certificate["about"],
        ", ".join(f"{n} {kind}" for kind, n in kinds.items()),
        certificate["verdict"] == "proven",
        proofs,
        f"≤ 2{raised(max(bounds))}" if bounds else "–",
        shlex.join([*words, "--seed", str(certificate["seed"])]),
    )


def _proof(name: str, found: Mapping[str, Any]) -> Proof:
    numbers = f"2{raised(found['exponent'])} − 1"
    points = f"{count(found['rounds'], 'point')} of {numbers} values per number"
    error = f"≤ 2{raised(found['error'].removeprefix('2^'))}" if found["error"] else "–"
    witness = found["witness"]
    what = ""
    if witness:
        values = f"got {_short(witness['got'])}, expected {_short(witness['expected'])}"
        what = f"component {witness['component']}: {values}"
    return Proof(title(name), not witness, found["degree"], points, error, what)


def _short(number: str) -> str:
    return number if len(number) <= SHOWN else f"{number[:SHOWN]}… ({len(number)} digits)"
