"""Certificates as the report shows them: the mechanisms, what is proven about them, and the probability of an error."""

from __future__ import annotations

import shlex
from collections import Counter

from cross_check.prove.proof.objects import BY_DEFAULT, REFERENCE, Certificate, Proof
from mechanisms.quantities import QUANTITIES
from reports.words import Word, count, largest_bound, raised, short

PROVEN = Word("proven", "✓", "agrees")
REFUTED = Word("refuted", "✗", "discrepancy")
NOTHING = Word("nothing compared", "–", "absent")

VERDICTS = {word.word: word for word in (PROVEN, REFUTED, NOTHING)}

SHOWN = 40
"""The number of digits of an exact number that a witness shows."""


def joints(certificate: Certificate) -> str:
    """The mechanism's joints by their kinds, and what is constrained."""
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(certificate.kinds).items())
    followers = sum(leader != k for k, leader in enumerate(certificate.leaders))
    rows = sum(len(one.directions) for one in certificate.constraints)
    said = kinds + (f"; {followers} of them mimic joints" if followers else "")
    return said + (f"; {count(rows, 'constrained direction')}" if rows else "")


def code(certificate: Certificate) -> str:
    """What has the algorithms, unless it is the reference."""
    return "" if certificate.implementation == REFERENCE else certificate.implementation


def outcome(certificate: Certificate) -> str:
    """The number of quantities that are proven; empty where nothing is compared."""
    proofs = certificate.quantities.values()
    return f"{sum(not proof.witness for proof in proofs)} of {len(proofs)} quantities" if proofs else ""


def error(certificate: Certificate) -> str:
    """An upper bound on the probability that a proven statement is false."""
    return bound(largest_bound(proof.error for proof in certificate.quantities.values()))


def bound(error: str | None) -> str:
    """A bound on a probability."""
    return f"≤ 2{raised(error.removeprefix('2^'))}" if error else "–"


def command(certificate: Certificate) -> str:
    """The command that proves it again."""
    words = ["dalembert", "prove", certificate.mechanism, *([] if certificate.in_general else ["--given"])]
    words += ["-i", code(certificate)] if code(certificate) else []
    if certificate.asked != tuple(name for name in BY_DEFAULT if name in QUANTITIES or certificate.constraints):
        words += [word for name in certificate.asked for word in ("--quantity", name)]
    return shlex.join([*words, "--seed", str(certificate.seed)])


def points(proof: Proof, in_general: bool) -> str:
    """At how many points of which size both sides were compared."""
    values = "modulo a prime of {} bits" if in_general else "of 2{} − 1 values per number"
    sizes = Counter(proof.exponents).items()
    return " and ".join(f"{count(n, 'point')} {values.format(e if in_general else raised(e))}" for e, n in sizes)


def witness(proof: Proof) -> str:
    """Where both sides differ; empty if they do not."""
    if not (found := proof.witness):
        return ""
    got, expected = (short(number, SHOWN, "digits") for number in (found.got, found.expected))
    return f"component {list(found.component)}: got {got}, expected {expected}"
