"""Prove the catalogue, and make the document with the outcomes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from cross_check.catalogue.computed import Computed
from cross_check.catalogue.contents import TEXTS
from cross_check.catalogue.identity import Identity
from cross_check.proof.exact import RATIONALS
from cross_check.proof.prove import Progress, proof
from cross_check.proof_files import CATALOGUE_SCHEMA

SMALL = 2
"""The small numbers of witnesses are integers from 0 to this."""

TRIES = 40
"""The largest number of points at which a small witness is sought."""

ENOUGH = 6
"""The number of small witnesses from which the shortest is chosen."""


def prove_catalogue(
    entries: Sequence[Identity | Computed], seed: int = 0, progress: Progress = lambda doing, done, steps: None
) -> dict[str, Any]:
    """The document with the outcomes of ``entries``; ``seed`` is the random generator's.

    The same arguments give the same document.
    ``as stated`` is true if an identity is proven, if numbers refute a slip or a warning, or if numbers confirm a statement about
    numbers. Raises :class:`~cross_check.proof.statement.ProofError` for code that compares the numbers that it is given.
    """
    outcomes = []
    for done, entry in enumerate(entries):
        progress(f"{entry.id}: {entry.title}", done, len(entries))
        outcomes.append(_computed(entry) if isinstance(entry, Computed) else _proven(entry, seed))
    numbers = {entry.text for entry in entries}
    texts = [{"text": number, "title": title} for number, title in TEXTS.items() if number in numbers]
    return {"schema": CATALOGUE_SCHEMA, "version": version("dalembert"), "seed": seed, "texts": texts, "entries": outcomes}


def _proven(identity: Identity, seed: int) -> dict[str, Any]:
    certificate = proof(identity, seed)
    refuted = certificate["verdict"] == "refuted"
    witness = (_small_witness(identity, seed) or _large_witness(certificate)) if refuted else None
    # A side that divides by zero at every point has no value, and so no difference is shown.
    shown = witness is not None and witness["left"] != "division by zero"
    return _head(identity, identity.kind) | {
        "corrected": identity.corrected,
        "verdict": "false" if refuted else "proven",
        "as stated": shown if identity.expected == "false" else not refuted,
        "degree": certificate["degree"],
        "exponent": certificate["exponent"],
        "rounds": certificate["rounds"],
        "error": certificate["error"],
        "witness": witness,
    }


def _computed(entry: Computed) -> dict[str, Any]:
    right, evidence = entry.compute()
    return _head(entry, "computed") | {"verdict": "computed" if right else "false", "as stated": right, "evidence": evidence}


def _head(entry: Identity | Computed, kind: str) -> dict[str, Any]:
    names = ("id", "text", "section", "title", "citation", "statement", "note")
    return {name: getattr(entry, name) for name in names} | {"kind": kind}


def _small_witness(identity: Identity, seed: int) -> dict[str, Any] | None:
    """Small numbers for which the sides differ, or None. Of several, those whose values are shortest."""
    rng = random.Random(f"{seed} {identity.id}")
    witnesses: list[dict[str, Any]] = []
    for _ in range(TRIES):
        drawn: list[int] = []

        def draw(drawn: list[int] = drawn) -> Any:
            drawn.append(rng.randint(0, SMALL))
            return RATIONALS.element(drawn[-1])

        try:
            sides = [[str(RATIONALS.number(x)) for x in side] for side in identity.sides(RATIONALS, draw)]
        except ZeroDivisionError:
            continue
        lengths = {k: len(left) + len(right) for k, (left, right) in enumerate(zip(*sides, strict=True)) if left != right}
        if lengths:
            k = min(lengths, key=lambda k: lengths[k])
            values = {"left": sides[0][k], "right": sides[1][k], "drawn": [str(x) for x in drawn]}
            witnesses.append({"component": identity.component(k), **values})
        if len(witnesses) == ENOUGH:
            break
    return min(witnesses, key=lambda witness: len(witness["left"] + witness["right"]), default=None)


def _large_witness(certificate: dict[str, Any]) -> dict[str, Any]:
    """The witness of the proof, with the keys of a catalogue's document."""
    witness = certificate["witness"]
    return {"component": witness["component"], "left": witness["got"], "right": witness["expected"], "drawn": witness["drawn"]}
