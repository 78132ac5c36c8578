"""Files of certificates: writing, reading with validation, and checking by proving everything again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cross_check.exchange.results import ResultsError, read_json, write_json
from cross_check.exchange.results.codec import from_json, object_schema, require_valid, schema_of, to_json
from cross_check.prove.proof.chances import EXPONENTS, GOAL, LARGEST, Chance
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.objects import (
    CERTIFICATE,
    NEEDED,
    REFERENCE,
    Certificate,
    Constrained,
    Proof,
    about,
    constrained,
    verdict,
)
from cross_check.prove.proof.prove import Progress, prove
from implementations.algorithms import Algorithm
from implementations.spatial_algebra.reference import PROVABLE
from mechanisms import Mechanism, MechanismError, find_mechanism
from mechanisms.quantities import CONSTRAINT_QUANTITIES

SCHEMA = "dalembert-certificate-4"

REMEDY = "run `dalembert prove` again"


@dataclass(frozen=True)
class StoredCertificate:
    """A certificate as its file states it. What it takes to prove it again is valid; the rest may be anything."""

    document: Mapping[str, Any]


@dataclass(frozen=True)
class ProvenAgain:
    """A new certificate, and the paths of all fields that differ from the stored one."""

    certificate: Certificate
    differences: tuple[str, ...]


def write_certificates(certificates: Sequence[Certificate], path: Path) -> None:
    """Write certificates. Raises :class:`ResultsError`."""
    write_json({"schema": SCHEMA, "version": version("dalembert"), "certificates": to_json(certificates)}, path)


def read_certificates(path: Path) -> list[Certificate]:
    """The certificates in ``path``, every field validated.

    Raises :class:`ResultsError` for a file that has another format, is damaged, or was made by another version of dalembert.
    """
    return [from_json(Certificate, certificate) for certificate in _certificates(path, CERTIFICATE)]


def read_stored(path: Path) -> list[StoredCertificate]:
    """The certificates in ``path``, to be proven again. Raises :class:`ResultsError` as :func:`read_certificates` does."""
    needed = object_schema({name: CERTIFICATE["properties"][name] for name in NEEDED}, others=True)
    return list(map(StoredCertificate, _certificates(path, needed)))


def _certificates(path: Path, item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The documents of the certificates in ``path``, each validated by the JSON Schema ``item``."""
    document = read_json(path)
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise ResultsError(f"{path} is not a certificate of this format (its schema is {schema!r}, not {SCHEMA!r}); {REMEDY}")
    certificates = {"type": "array", "minItems": 1, "items": item}
    whole = object_schema({"schema": schema_of(str), "version": schema_of(str), "certificates": certificates})
    require_valid(document, whole, path, REMEDY)
    if document["version"] != version("dalembert"):
        versions = f"made by dalembert {document['version']} and says nothing about the code of {version('dalembert')}"
        raise ResultsError(f"{path} was {versions}; {REMEDY}")
    for certificate in document["certificates"]:
        if not _describes_a_tree(certificate):
            problem = f"the parents, leaders, kinds and constraints of {certificate['mechanism']!r} do not describe a tree"
            raise ResultsError(f"{path} is damaged: {problem}; {REMEDY}")
    return document["certificates"]


def _describes_a_tree(certificate: Mapping[str, Any]) -> bool:
    parents, kinds, leaders = (certificate[name] for name in ("parents", "kinds", "leaders"))
    if not len(parents) == len(kinds) == len(leaders) or not all(p < i for i, p in enumerate(parents)):
        return False
    try:
        made = _tree(certificate)
    except (MechanismError, IndexError):
        return False
    # Not leaders that follow another joint themselves, or directions in another order: a mechanism has none.
    return list(made.leaders) == leaders and to_json(constrained(made)) == certificate["constraints"]


def _tree(certificate: Mapping[str, Any]) -> Mechanism:
    """The tree and the constraints of a certificate, with default numbers."""
    constraints = [from_json(Constrained, one) for one in certificate["constraints"]]
    return tree(certificate["parents"], certificate["kinds"], certificate["leaders"], constraints)


def contradicts_itself(certificate: Certificate) -> bool:
    """Whether a certificate that was read says what no certificate can say.

    A verdict has no reason, an error does not follow from what it is computed from, or parts do not fit. Whether the certificate
    is true is another question. Proving it again answers that.
    """
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


def prove_again(
    stored: StoredCertificate,
    algorithms: Mapping[str, Algorithm] = PROVABLE,
    implementation: str = REFERENCE,
    progress: Progress = lambda doing, done, steps: None,
) -> ProvenAgain:
    """Prove everything again, and compare every field. Fields that are unknown or missing are differences too.

    ``algorithms`` are those of the ``implementation`` that the certificate names. A certificate in general position contains the
    tree, the joints and the constrained directions. If its name is that of a known mechanism, this must have the same ones;
    otherwise "mechanism" is among the paths. A given mechanism is loaded by its name. Raises :class:`ResultsError` if that
    is not possible.
    """
    document = stored.document
    spec, in_general = document["mechanism"], document["in general"]
    mechanism = _tree(document) if in_general else _given(spec)
    asked, seed = document["asked"], document["seed"]
    again = prove(
        mechanism, spec, in_general, seed, algorithms, quantities=asked, progress=progress, implementation=implementation
    )
    renamed = ["mechanism"] if in_general and _names_another(spec, mechanism) else []
    return ProvenAgain(again, (*renamed, *_different(document, to_json(again))))


def _names_another(spec: str, proven: Mechanism) -> bool:
    """Whether ``spec`` names a mechanism whose tree, joints or constrained directions differ from those that were proven."""
    try:
        named = find_mechanism(spec)
    except MechanismError:
        return False
    shapes = [(one.parents, one.leaders, [body.joint.kind for body in one.bodies], constrained(one)) for one in (named, proven)]
    return shapes[0] != shapes[1]


def _given(spec: str) -> Mechanism:
    try:
        return find_mechanism(spec)
    except MechanismError as error:
        raise ResultsError(f"the certificate is about the mechanism {spec!r}, which cannot be loaded: {error}") from error


def _different(a: Any, b: Any, path: str = "") -> Iterator[str]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in dict.fromkeys((*a, *b)):
            below = f"{path}/{key}" if path else key
            if key in a and key in b:
                yield from _different(a[key], b[key], below)
            else:
                yield below
    # True and 1.0 equal 1 in Python, but a certificate must not contain one in the place of the other.
    elif json.dumps(a) != json.dumps(b):
        yield path
