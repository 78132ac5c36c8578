"""Proving the catalogue, and the document that says what came of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from cross_check.catalogue.computed import Computed
from cross_check.catalogue.contents import SEEDS
from cross_check.catalogue.identity import Identity
from cross_check.proof.exact import RATIONALS
from cross_check.proof.prove import Progress, proof
from cross_check.proof_files import CATALOGUE_SCHEMA

SMALL = 2
"""Witnesses are shown at integers from 0 to this."""

TRIES = 40

ENOUGH = 6
"""Witnesses to choose the shortest from."""


def prove_catalogue(
    entries: Sequence[Identity | Computed], seed: int = 0, progress: Progress = lambda doing, done, steps: None
) -> dict[str, Any]:
    """What came of every one of ``entries``; the same arguments give the same document.

    ``as stated`` says whether an identity is proven, a slip or a warning refuted by numbers, a computation borne out.
    """
    found = []
    for done, entry in enumerate(entries):
        progress(f"{entry.id}: {entry.title}", done, len(entries))
        found.append(_computed(entry) if isinstance(entry, Computed) else _proven(entry, seed))
    seeds = [{"seed": name, "title": title} for name, title in SEEDS.items() if any(x["seed"] == name for x in found)]
    return {"schema": CATALOGUE_SCHEMA, "version": version("dalembert"), "seed": seed, "seeds": seeds, "entries": found}


def _proven(identity: Identity, seed: int) -> dict[str, Any]:
    certificate = proof(identity, seed)
    refuted = certificate["verdict"] == "refuted"
    witness = (_small(identity, seed) or _as_found(certificate)) if refuted else None
    # What has no value anywhere is not shown to be different.
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
    names = ("id", "seed", "section", "title", "citation", "statement", "note")
    return {name: getattr(entry, name) for name in names} | {"kind": kind}


def _small(identity: Identity, seed: int) -> dict[str, Any] | None:
    """Small numbers for which the sides differ: of several, those with the shortest values."""
    rng = random.Random(f"{seed} {identity.id}")
    found: list[dict[str, Any]] = []
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
            found.append({"component": identity.component(k), **values})
        if len(found) == ENOUGH:
            break
    return min(found, key=lambda witness: len(witness["left"] + witness["right"]), default=None)


def _as_found(certificate: dict[str, Any]) -> dict[str, Any]:
    witness = certificate["witness"]
    return {"component": witness["component"], "left": witness["got"], "right": witness["expected"], "drawn": witness["drawn"]}
