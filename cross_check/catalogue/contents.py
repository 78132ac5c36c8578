"""The catalogue: every identity of the five texts, and every slip in them. Each is proven or refuted exactly.

    from cross_check.catalogue.contents import CATALOGUE, select
    from cross_check.catalogue.run import prove_catalogue

    results = prove_catalogue(select(["000.16"]))

Each module of :mod:`cross_check.catalogue.texts` is a list of equations. The left side is computed by the code of
implementations/. The right side is the formula of the text, written in 3-vectors and matrices
(:mod:`cross_check.catalogue.notation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from cross_check.catalogue.computed import COMPUTED, Computed
from cross_check.catalogue.identity import Chapter, Identity
from cross_check.catalogue.texts import (
    text_000_ball,
    text_000_bodies,
    text_000_floating_base,
    text_000_newton_euler,
    text_000_transforms,
    text_000_vectors,
    text_001_algorithms,
    text_001_dynamics,
    text_001_lagrange,
    text_001_vectors,
    text_002_bases,
    text_002_maps,
    text_002_motion,
    text_003_exponentials,
    text_003_jacobians,
    text_003_logarithms,
    text_003_rotations,
    text_003_twists,
    text_003_wrenches,
    text_004,
)

TEXTS = {
    "000": "J. Carius, Spatial algebra primer (2018)",
    "001": "Lecture on the equations of motion of legged robots",
    "002": "R. Featherstone, Plücker basis vectors (2006)",
    "003": "Z. Xu, Notes on robotics",
    "004": "Note on the description of motion and force",
}
"""The titles of the five texts, by the numbers under which they are cited."""

MODULES = (
    text_000_vectors,
    text_000_transforms,
    text_000_bodies,
    text_000_newton_euler,
    text_000_ball,
    text_000_floating_base,
    text_001_vectors,
    text_001_lagrange,
    text_001_dynamics,
    text_001_algorithms,
    text_002_bases,
    text_002_maps,
    text_002_motion,
    text_003_rotations,
    text_003_twists,
    text_003_logarithms,
    text_003_wrenches,
    text_003_exponentials,
    text_003_jacobians,
    text_004,
)

CHAPTERS = tuple(chapter for module in MODULES for chapter in vars(module).values() if isinstance(chapter, Chapter))

_WRITTEN: list[Identity | Computed] = [*chain(*(chapter.identities for chapter in CHAPTERS)), *COMPUTED]

_SECTIONS = list(dict.fromkeys((entry.text, entry.section) for entry in _WRITTEN))

CATALOGUE = tuple(sorted(_WRITTEN, key=lambda entry: (entry.text, _SECTIONS.index((entry.text, entry.section)))))
"""All entries, in the order of the texts and their sections."""


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
