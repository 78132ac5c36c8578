"""Certificates as the report shows them: the mechanisms, what is proven about them, and the probability of an error."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cross_check.prove.proof.objects import BY_DEFAULT, REFERENCE, Certificate, Proof
from mechanisms.quantities import QUANTITIES
from reports.words import Word, count, largest_bound, raised, short, title

PROVEN = Word("proven", "✓", "agrees")
REFUTED = Word("refuted", "✗", "discrepancy")
NOTHING = Word("nothing compared", "–", "absent")

VERDICTS = {word.word: word for word in (PROVEN, REFUTED, NOTHING)}

SHOWN = 40
"""The number of digits of an exact number that a witness shows."""


@dataclass(frozen=True)
class ProofWords:
    """One quantity of a certificate, in words."""

    quantity: str
    proven: bool
    degree: int
    points: str
    error: str
    witness: str


@dataclass(frozen=True)
class CertificateWords:
    """One certificate in words; ``error`` is an upper bound on the probability that a proven statement is false."""

    mechanism: str
    code: str
    """What has the algorithms, unless it is the reference."""
    about: str
    joints: str
    verdict: Word
    proofs: tuple[ProofWords, ...]
    error: str
    command: str

    @property
    def proven(self) -> bool:
        return self.verdict is PROVEN

    @property
    def outcome(self) -> str:
        """The number of quantities that are proven; empty where nothing is compared."""
        proven = sum(proof.proven for proof in self.proofs)
        return f"{proven} of {len(self.proofs)} quantities" if self.proofs else ""


def shown(certificates: Sequence[Certificate]) -> list[CertificateWords]:
    """The words for certificates."""
    return [_shown(certificate) for certificate in certificates]


def _shown(certificate: Certificate) -> CertificateWords:
    proofs = tuple(_proof(name, proof, certificate.in_general) for name, proof in certificate.quantities.items())
    kinds = Counter(certificate.kinds)
    followers = sum(leader != k for k, leader in enumerate(certificate.leaders))
    rows = sum(len(one.directions) for one in certificate.constraints)
    joints = ", ".join(f"{n} {kind}" for kind, n in kinds.items()) + (f"; {followers} of them mimic joints" if followers else "")
    words = ["dalembert", "prove", certificate.mechanism, *([] if certificate.in_general else ["--given"])]
    code = "" if certificate.implementation == REFERENCE else certificate.implementation
    if code:
        words += ["-i", code]
    if certificate.asked != tuple(name for name in BY_DEFAULT if name in QUANTITIES or certificate.constraints):
        words += [word for name in certificate.asked for word in ("--quantity", name)]
    return CertificateWords(
        certificate.mechanism,
        code,
        certificate.about,
        joints + (f"; {count(rows, 'constrained direction')}" if rows else ""),
        VERDICTS[certificate.verdict],
        proofs,
        _bound(largest_bound(proof.error for proof in certificate.quantities.values())),
        shlex.join([*words, "--seed", str(certificate.seed)]),
    )


def _proof(name: str, proof: Proof, in_general: bool) -> ProofWords:
    values = "modulo a prime of {} bits" if in_general else "of 2{} − 1 values per number"
    sizes = [f"{count(n, 'point')} {values.format(e if in_general else raised(e))}" for e, n in Counter(proof.exponents).items()]
    points = " and ".join(sizes)
    difference = ""
    if witness := proof.witness:
        got, expected = (short(number, SHOWN, "digits") for number in (witness.got, witness.expected))
        difference = f"component {list(witness.component)}: got {got}, expected {expected}"
    return ProofWords(title(name), not witness, proof.degree, points, _bound(proof.error), difference)


def _bound(error: str | None) -> str:
    return f"≤ 2{raised(error.removeprefix('2^'))}" if error else "–"
