"""Whether a certificate that was read says what no certificate can say.

Whether it is true is another question. Proving it again answers that.
"""

from __future__ import annotations

from cross_check.proof.chances import EXPONENTS, GOAL, LARGEST, Chance
from cross_check.proof.objects import Certificate, Proof, about, verdict
from mechanisms.quantities import CONSTRAINT_QUANTITIES


def contradicts_itself(certificate: Certificate) -> bool:
    """Whether a verdict has no reason, an error does not follow from what it is computed from, or parts do not fit."""
    in_general = certificate.in_general
    return (
        certificate.verdict != verdict(certificate.quantities)
        or certificate.about != about(in_general, bool(certificate.constraints))
        or (certificate.fingerprint is None) != in_general
        or not set(certificate.quantities) <= set(certificate.asked)
        or (not certificate.constraints and not certificate.quantities.keys().isdisjoint(CONSTRAINT_QUANTITIES))
        or not all(_is_possible(proof, in_general) for proof in certificate.quantities.values())
    )


def _is_possible(proof: Proof, modular: bool) -> bool:
    refuted, witness, exponents = proof.verdict == "refuted", proof.witness, proof.exponents
    if not refuted == (witness is not None) == (proof.error is None) or proof.degree < 1 or proof.height < 0:
        return False
    if witness and ((witness.prime is not None) != modular or not 1 <= witness.round <= len(exponents)):
        return False
    if modular and not (len(exponents) == 1 and GOAL < exponents[0] <= LARGEST):
        return False
    if not modular and not (0 < len(exponents) <= GOAL and set(exponents) <= set(EXPONENTS)):
        return False
    chance = Chance(proof.degree, proof.height, modular)
    return refuted or (sum(map(chance.bits, exponents)) >= GOAL and proof.error == chance.error(exponents))
