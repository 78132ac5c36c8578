"""Files of proofs to be shown beside results: certificates, and what came of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import jsonschema

from cross_check.proof import certificates
from cross_check.proof.certificates import read_certificates
from cross_check.proof.prove import verdict
from cross_check.results.files import ResultsError, read_json

CATALOGUE_SCHEMA = "dalembert-catalogue-2"

TEXT = {"type": "string"}
PROOF = {
    "type": "object",
    "required": ["degree", "exponent", "rounds", "error", "witness"],
    "properties": {
        "degree": {"type": "integer"},
        "exponent": {"type": "integer"},
        "rounds": {"type": "integer"},
        "error": {"type": ["string", "null"], "pattern": r"^2\^-\d+$"},
        "witness": {
            "type": ["object", "null"],
            "required": ["component", "got", "expected"],
            "properties": {"component": {"type": "array", "items": {"type": "integer"}}, "got": TEXT, "expected": TEXT},
        },
    },
}
SHOWN = {
    "type": "array",
    "items": {
        "required": ["about", "verdict", "quantities"],
        "properties": {"about": TEXT, "verdict": TEXT, "quantities": {"type": "object", "additionalProperties": PROOF}},
    },
}
"""What a page needs from certificates, in addition to what is needed to prove them again."""

ENTRY = {
    "type": "object",
    "required": ["id", "text", "section", "title", "citation", "statement", "kind", "note", "as stated", "verdict"],
    "properties": dict.fromkeys(("id", "text", "section", "title", "citation", "statement", "note", "verdict"), TEXT)
    | {"kind": {"enum": ["identity", "slip", "warning", "computed"]}, "as stated": {"type": "boolean"}},
}
CATALOGUE = {
    "type": "object",
    "required": ["texts", "entries"],
    "properties": {
        "texts": {
            "type": "array",
            "items": {"type": "object", "required": ["text", "title"], "properties": {"text": TEXT, "title": TEXT}},
        },
        "entries": {"type": "array", "items": ENTRY},
    },
}


class Proofs(NamedTuple):
    """What a report shows of proofs: certificates, and the catalogue's document where there is one."""

    certificates: list[dict[str, Any]]
    catalogue: dict[str, Any] | None


def read_proofs(paths: tuple[Path, ...]) -> Proofs:
    """Everything in files that ``dalembert prove -o`` and ``dalembert catalogue -o`` wrote. Raises :class:`ResultsError`."""
    found = Proofs([], None)
    for path in paths:
        document = read_json(path)
        schema = document.get("schema") if isinstance(document, dict) else None
        if schema == certificates.SCHEMA:
            certified = _valid(read_certificates(path), SHOWN, path)
            for certificate in certified:
                if certificate["verdict"] != verdict(certificate["quantities"]):
                    about = certificate["mechanism"]
                    raise ResultsError(f"{path} contradicts itself about {about!r}; run `dalembert prove` again")
            found.certificates.extend(certified)
        elif schema == CATALOGUE_SCHEMA:
            found = found._replace(catalogue=_valid(document, CATALOGUE, path))
        else:
            other = f"schema {schema!r}, not {certificates.SCHEMA!r} or {CATALOGUE_SCHEMA!r}"
            raise ResultsError(f"{path} holds no proofs ({other}); give what prove -o or catalogue -o wrote")
    return found


def _valid(document: Any, schema: dict[str, Any], path: Path) -> Any:
    if problem := jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(document)):
        raise ResultsError(f"{path} is damaged at {problem.json_path}: {problem.message[:200]}; write it again")
    return document
