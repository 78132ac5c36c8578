"""The outcomes of the catalogue as frozen objects, and the JSON Schema of their document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cross_check.exchange.results.codec import Frozen, from_json, object_schema, schema_of, to_json
from cross_check.prove.proof.objects import ErrorBound

CATALOGUE_SCHEMA = "dalembert-catalogue-2"

Kind = Literal["identity", "slip", "warning"]
"""What kind of statement it is.

An identity is stated by a text and true. A slip is printed in a text and false. A warning is false, but easily taken for true.
"""


@dataclass(frozen=True)
class IdentityWitness(Frozen):
    """Numbers for which the two sides of an identity differ. Exact numbers are written as text."""

    component: Annotated[Sequence[int], {"minItems": 1}]
    """The number of the equation, and the indices of the component, counted from 0."""
    left: str
    right: str
    drawn: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """What an entry of the catalogue says, and where."""

    id: str
    text: str
    section: str
    title: str
    citation: str
    statement: str
    note: str


@dataclass(frozen=True)
class IdentityResult(Entry):
    """An identity, a slip or a warning, proven or false."""

    kind: Kind
    corrected: str
    """The id of the correct identity beside a slip; empty otherwise."""
    verdict: Literal["proven", "false"]
    as_stated: bool
    degree: int
    exponent: int
    rounds: int
    error: ErrorBound
    witness: IdentityWitness | None


@dataclass(frozen=True)
class ComputedResult(Entry):
    """A statement about numbers, computed with rigorous error bounds."""

    kind: Literal["computed"]
    verdict: Literal["computed", "false"]
    as_stated: bool
    evidence: str


EntryResult = IdentityResult | ComputedResult


@dataclass(frozen=True)
class Text:
    """One of the texts: its number and its title."""

    text: str
    title: str


@dataclass(frozen=True)
class CatalogueResults(Frozen):
    """The outcomes of the entries that were asked for, and the texts that they are about."""

    version: str
    seed: int
    texts: Sequence[Text]
    entries: Sequence[EntryResult]

    @property
    def as_stated(self) -> bool:
        return all(entry.as_stated for entry in self.entries)

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {"schema": CATALOGUE_SCHEMA, **to_json(self)}


def catalogue_from(document: Mapping[str, Any]) -> CatalogueResults:
    """The outcomes that a valid document holds."""
    kinds = [ComputedResult if entry["kind"] == "computed" else IdentityResult for entry in document["entries"]]
    entries = [from_json(kind, entry) for kind, entry in zip(kinds, document["entries"], strict=True)]
    return CatalogueResults(document["version"], document["seed"], from_json(Sequence[Text], document["texts"]), entries)


CATALOGUE = object_schema(
    {
        "schema": {"const": CATALOGUE_SCHEMA},
        "version": schema_of(str),
        "seed": schema_of(int),
        "texts": schema_of(Sequence[Text]),
        "entries": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["kind"],
                "if": {"properties": {"kind": {"const": "computed"}}},
                "then": schema_of(ComputedResult),
                "else": schema_of(IdentityResult),
            },
        },
    }
)
"""The JSON Schema of the document."""
