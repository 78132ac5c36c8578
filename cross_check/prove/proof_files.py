"""Files of proofs to be shown beside results: certificates, and what came of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cross_check.exchange.results.codec import require_valid
from cross_check.exchange.results.files import ResultsError, read_json
from cross_check.prove.catalogue.results import CATALOGUE, CATALOGUE_SCHEMA, CatalogueResults, catalogue_from
from cross_check.prove.proof import certificates
from cross_check.prove.proof.certificates import contradicts_itself, read_certificates
from cross_check.prove.proof.objects import Certificate


class Proofs(NamedTuple):
    """The proofs that a report shows: certificates, and the outcomes of the catalogue where there are some."""

    certificates: tuple[Certificate, ...] = ()
    catalogue: CatalogueResults | None = None


def read_proofs(paths: tuple[Path, ...]) -> Proofs:
    """Everything in files that ``dalembert prove -o`` and ``dalembert catalogue -o`` wrote. Raises :class:`ResultsError`."""
    proofs = Proofs()
    for path in paths:
        document = read_json(path)
        schema = document.get("schema") if isinstance(document, dict) else None
        if schema == certificates.SCHEMA:
            stored = read_certificates(path)
            for certificate in stored:
                if contradicts_itself(certificate):
                    about = certificate.mechanism
                    raise ResultsError(f"{path} contradicts itself about {about!r}; run `dalembert prove` again")
            proofs = proofs._replace(certificates=(*proofs.certificates, *stored))
        elif schema == CATALOGUE_SCHEMA:
            require_valid(document, CATALOGUE, path, "run `dalembert catalogue` again")
            proofs = proofs._replace(catalogue=catalogue_from(document))
        else:
            other = f"schema {schema!r}, not {certificates.SCHEMA!r} or {CATALOGUE_SCHEMA!r}"
            raise ResultsError(f"{path} holds no proofs ({other}); give what prove -o or catalogue -o wrote")
    return proofs
