"""Files of certificates: writing, reading with validation, and checking by proving everything again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema

from cross_check.proof.generic import tree
from cross_check.proof.prove import Progress, prove
from cross_check.results import ResultsError, read_json, write_json
from mechanisms import Mechanism, MechanismError, find_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import QUANTITIES

SCHEMA = "dalembert-certificate-1"

REMEDY = "run `dalembert prove` again"

TREE = {"type": "array", "minItems": 1, "maxItems": 1000}

# These fields suffice to make the proofs again. All other fields are compared with the new certificate.
NEEDED = {
    "type": "object",
    "required": ["version", "certificates"],
    "properties": {
        "version": {"type": "string"},
        "certificates": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["mechanism", "in general", "parents", "kinds", "seed", "asked"],
                "properties": {
                    "mechanism": {"type": "string"},
                    "in general": {"type": "boolean"},
                    "parents": TREE | {"items": {"type": "integer", "minimum": -1}},
                    "kinds": TREE | {"items": {"enum": list(MOVING)}},
                    "seed": {"type": "integer", "minimum": 0},
                    "asked": {"type": "array", "minItems": 1, "items": {"enum": list(QUANTITIES)}},
                },
            },
        },
    },
}


def write_certificates(certificates: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write certificates that :func:`cross_check.proof.prove.prove` returned. Raises :class:`ResultsError`."""
    write_json({"schema": SCHEMA, "version": version("dalembert"), "certificates": list(certificates)}, path)


def read_certificates(path: Path) -> list[dict[str, Any]]:
    """The certificates in ``path``.

    Raises :class:`ResultsError` for a file that has another format, is damaged, or was made by another version of dalembert.
    """
    document = read_json(path)
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise ResultsError(f"{path} is not a certificate of this format (its schema is {schema!r}, not {SCHEMA!r}); {REMEDY}")
    if problem := jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(NEEDED).iter_errors(document)):
        raise ResultsError(f"{path} is damaged at {problem.json_path}: {problem.message[:200]}; {REMEDY}")
    if document["version"] != version("dalembert"):
        versions = f"made by dalembert {document['version']} and says nothing about the code of {version('dalembert')}"
        raise ResultsError(f"{path} was {versions}; {REMEDY}")
    for certificate in document["certificates"]:
        parents = certificate["parents"]
        # JSON Schema accepts 1.0 as an integer, but Python does not accept it as an index.
        if len(parents) != len(certificate["kinds"]) or not all(type(p) is int and p < i for i, p in enumerate(parents)):
            about = f"the parents and kinds of {certificate['mechanism']!r} do not describe a tree"
            raise ResultsError(f"{path} is damaged: {about}; {REMEDY}")
    return document["certificates"]


def prove_again(certificate: Mapping[str, Any], progress: Progress = lambda doing, done, steps: None) -> list[str]:
    """Prove everything again; return the paths of all fields of ``certificate`` that differ from the new certificate.

    A certificate in general position contains the tree and the joints. If its name is that of a known mechanism, this must have
    the same tree and joints; otherwise "mechanism" is among the paths. A given mechanism is found by its name. Raises
    :class:`ResultsError` if it cannot be found.
    """
    spec, in_general = certificate["mechanism"], certificate["in general"]
    mechanism = tree(certificate["parents"], certificate["kinds"]) if in_general else _given(spec)
    again = prove(mechanism, spec, in_general, certificate["seed"], quantities=certificate["asked"], progress=progress)
    return [*(["mechanism"] if in_general and _names_another(spec, mechanism) else []), *_different(certificate, again)]


def _names_another(spec: str, proven: Mechanism) -> bool:
    """Whether ``spec`` names a mechanism whose tree or joints differ from those that were proven."""
    try:
        named = find_mechanism(spec)
    except MechanismError:
        return False
    kinds = [[body.joint.kind for body in mechanism.bodies] for mechanism in (named, proven)]
    return named.parents != proven.parents or kinds[0] != kinds[1]


def _given(spec: str) -> Mechanism:
    try:
        return find_mechanism(spec)
    except MechanismError as error:
        raise ResultsError(f"the certificate is about the mechanism {spec!r}, which cannot be loaded: {error}") from error


def _different(a: Any, b: Any, path: str = "") -> Iterator[str]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in dict.fromkeys((*a, *b)):
            yield from _different(a.get(key), b.get(key), f"{path}/{key}" if path else key)
    # True equals 1 in Python, but a certificate must not contain one in the place of the other.
    elif a != b or type(a) is not type(b):
        yield path
