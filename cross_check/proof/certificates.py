"""Certificates in files: written whole, read with suspicion, and checked by proving everything again."""

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

# What it takes to prove again; whatever else stands in the file is compared with what comes out.
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
    """Write what :func:`cross_check.proof.prove.prove` returned. Raises :class:`ResultsError`."""
    write_json({"schema": SCHEMA, "version": version("dalembert"), "certificates": list(certificates)}, path)


def read_certificates(path: Path) -> list[dict[str, Any]]:
    """The certificates in ``path``. Raises :class:`ResultsError` for files that are none, damaged, or of another version."""
    document = read_json(path)
    found = document.get("schema") if isinstance(document, dict) else None
    if found != SCHEMA:
        raise ResultsError(f"{path} is no certificate of this format (schema {found!r}, not {SCHEMA!r}); {REMEDY}")
    if problem := jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(NEEDED).iter_errors(document)):
        raise ResultsError(f"{path} is damaged at {problem.json_path}: {problem.message[:200]}; {REMEDY}")
    if document["version"] != version("dalembert"):
        here = f"made by dalembert {document['version']}, and this is {version('dalembert')}, whose code it says nothing about"
        raise ResultsError(f"{path} was {here}; {REMEDY}")
    for certificate in document["certificates"]:
        parents = certificate["parents"]
        # To JSON Schema 1.0 is an integer, to Python no index.
        if len(parents) != len(certificate["kinds"]) or not all(type(p) is int and p < i for i, p in enumerate(parents)):
            raise ResultsError(f"{path} is damaged: the parents and kinds of {certificate['mechanism']!r} are no tree; {REMEDY}")
    return document["certificates"]


def prove_again(certificate: Mapping[str, Any], progress: Progress = lambda doing, done, steps: None) -> list[str]:
    """Where ``certificate`` is not what comes out when all is proven again, as paths into it; nothing where it is.

    In general position the file alone says what to prove, and its name, where it names a mechanism, has to be that of one with
    this tree and these joints; a given mechanism has to be found by its name. Raises :class:`ResultsError` where there is none.
    """
    spec, in_general = certificate["mechanism"], certificate["in general"]
    mechanism = tree(certificate["parents"], certificate["kinds"]) if in_general else _given(spec)
    again = prove(mechanism, spec, in_general, certificate["seed"], quantities=certificate["asked"], progress=progress)
    return [*(["mechanism"] if in_general and _names_another(spec, mechanism) else []), *_different(certificate, again)]


def _names_another(spec: str, proven: Mechanism) -> bool:
    """Whether ``spec`` names a mechanism of another tree or other joints than those that were proven."""
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
        raise ResultsError(f"the certificate is about the mechanism {spec!r}, which cannot be had: {error}") from error


def _different(a: Any, b: Any, at: str = "") -> Iterator[str]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in dict.fromkeys((*a, *b)):
            yield from _different(a.get(key), b.get(key), f"{at}/{key}" if at else key)
    # True equals 1 in Python, and no certificate may say one for the other.
    elif a != b or type(a) is not type(b):
        yield at
