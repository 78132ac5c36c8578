"""The catalogue: every identity of the five texts, and every slip in them. Each is proven or refuted exactly.

    from cross_check.prove.catalogue.contents import CATALOGUE, prove_catalogue, select

    results = prove_catalogue(select(["000.16"]))

Each module of :mod:`cross_check.prove.catalogue.texts` is a list of equations. The left side is computed by the code of
implementations/. The right side is the formula of the text, written in 3-vectors and matrices
(:mod:`cross_check.prove.catalogue.notation`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from importlib.metadata import version
from pkgutil import iter_modules
from typing import Any, Literal

from cross_check.prove.catalogue import texts
from cross_check.prove.catalogue.identity import Chapter, Computed, Identity
from cross_check.prove.catalogue.results import (
    CatalogueResults,
    ComputedResult,
    Entry,
    EntryResult,
    IdentityResult,
    IdentityWitness,
    Text,
)
from cross_check.prove.proof.exact import RATIONALS
from cross_check.prove.proof.objects import Witness
from cross_check.prove.proof.prove import Progress
from cross_check.prove.proof.rounds import proofs_of

TEXTS = {
    "000": "J. Carius, Spatial algebra primer (2018)",
    "001": "Lecture on the equations of motion of legged robots",
    "002": "R. Featherstone, Plücker basis vectors (2006)",
    "003": "Z. Xu, Notes on robotics",
    "004": "Note on the description of motion and force",
}
"""The titles of the five texts, by the numbers under which they are cited."""

MODULES = [import_module(f"{texts.__name__}.{module.name}") for module in iter_modules(texts.__path__)]

CHAPTERS = [chapter for module in MODULES for chapter in vars(module).values() if isinstance(chapter, Chapter)]

_SECTIONS = list(dict.fromkeys((chapter.text, chapter.section) for chapter in CHAPTERS))

CATALOGUE = tuple(
    sorted(
        (entry for chapter in CHAPTERS for entry in chapter.entries),
        key=lambda entry: _SECTIONS.index((entry.text, entry.section)),
    )
)
"""All entries, in the order of the texts and their sections: the names of the modules have this order."""

SMALL = 2
"""The small numbers of witnesses are integers from 0 to this."""

TRIES = 40
"""The largest number of points at which a small witness is sought."""

ENOUGH = 6
"""The number of small witnesses from which the shortest is chosen."""


class CatalogueError(Exception):
    """A word names no entry of the catalogue. The message is one sentence."""


def select(words: Sequence[str] = ()) -> list[Identity | Computed]:
    """The entries that ``words`` name, in the order of the catalogue; all entries if there are no words.

    A word is an id, or the start of an id up to a dot or a dash. Raises :class:`CatalogueError` for a word that names no entry.
    """
    selected: set[str] = set()
    for word in words:
        ids = {entry.id for entry in CATALOGUE if entry.id == word or entry.id.startswith((f"{word}.", f"{word}-"))}
        if not ids:
            raise CatalogueError(f"the catalogue has no {word!r}; `dalembert catalogue` lists its entries")
        selected |= ids
    return [entry for entry in CATALOGUE if entry.id in selected] if words else list(CATALOGUE)


def prove_catalogue(
    entries: Sequence[Identity | Computed], seed: int = 0, progress: Progress = lambda doing, done, steps: None
) -> CatalogueResults:
    """The outcomes of ``entries``; ``seed`` is the random generator's.

    The same arguments give the same outcomes.
    ``as_stated`` is true if an identity is proven, if numbers refute a slip or a warning, or if numbers confirm a statement about
    numbers. Raises :class:`~cross_check.prove.proof.statement.ProofError` for code that compares the numbers that it is given.
    """
    outcomes: list[EntryResult] = []
    for done, entry in enumerate(entries):
        progress(f"{entry.id}: {entry.title}", done, len(entries))
        outcomes.append(_computed(entry) if isinstance(entry, Computed) else _proven(entry, seed))
    numbers = {entry.text for entry in entries}
    texts = [Text(number, title) for number, title in TEXTS.items() if number in numbers]
    return CatalogueResults(version("dalembert"), seed, texts, outcomes)


def _proven(identity: Identity, seed: int) -> IdentityResult:
    (proven,) = proofs_of([identity], seed)
    witness = (_small_witness(identity, seed) or _large_witness(proven.witness)) if proven.witness else None
    # A side that divides by zero at every point has no value, and so no difference is shown.
    shown = witness is not None and witness.left != "division by zero"
    return IdentityResult(
        **_head(identity),
        kind=identity.kind,
        corrected=identity.corrected,
        verdict="false" if witness else "proven",
        as_stated=witness is None if identity.kind == "identity" else shown,
        degree=proven.degree,
        exponent=proven.exponents[0],
        rounds=len(proven.exponents),
        error=proven.error,
        witness=witness,
    )


def _computed(entry: Computed) -> ComputedResult:
    right, evidence = entry.compute()
    verdict: Literal["computed", "false"] = "computed" if right else "false"
    return ComputedResult(**_head(entry), kind="computed", verdict=verdict, as_stated=right, evidence=evidence)


def _head(entry: Entry) -> dict[str, Any]:
    """What the outcome of ``entry`` repeats."""
    return {part.name: getattr(entry, part.name) for part in fields(Entry)}


def _small_witness(identity: Identity, seed: int) -> IdentityWitness | None:
    """Small numbers for which the sides differ, or None. Of several, those whose values are shortest."""
    rng = random.Random(f"{seed} {identity.id}")
    found: list[tuple[int, str, str, list[int]]] = []
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
            found.append((k, sides[0][k], sides[1][k], drawn))
        if len(found) == ENOUGH:
            break
    if not found:
        return None
    k, left, right, drawn = min(found, key=lambda one: len(one[1] + one[2]))
    return IdentityWitness(tuple(identity.component(k)), left, right, tuple(map(str, drawn)))


def _large_witness(witness: Witness) -> IdentityWitness:
    return IdentityWitness(witness.component, witness.got, witness.expected, witness.drawn)
