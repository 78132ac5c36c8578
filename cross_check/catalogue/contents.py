"""The catalogue: every identity of the five seeds, and every slip in them, to be proven or refuted exactly.

    from cross_check.catalogue.contents import CATALOGUE, select
    from cross_check.catalogue.run import prove_catalogue

    document = prove_catalogue(select(["000.16"]))

Each module ``seed_…`` reads as a list of equations: on the left what our code computes, on the right the seed's formula in
3-vectors and matrices (:mod:`cross_check.catalogue.notation`).
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

SEEDS = {
    "000": "J. Carius, Spatial algebra primer (2018)",
    "001": "Lecture on the equations of motion of legged robots",
    "002": "R. Featherstone, Plücker basis vectors (2006)",
    "003": "Z. Xu, Notes on robotics",
    "004": "Note on the description of motion and force",
}
"""The five texts, under the numbers that docstrings cite them by."""

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

_SECTIONS = list(dict.fromkeys((entry.seed, entry.section) for entry in _WRITTEN))

CATALOGUE = tuple(sorted(_WRITTEN, key=lambda entry: (entry.seed, _SECTIONS.index((entry.seed, entry.section)))))
"""All entries, seed by seed and section by section."""


class CatalogueError(Exception):
    """A word that names nothing in the catalogue; one sentence."""


def select(words: Sequence[str] = ()) -> list[Identity | Computed]:
    """The entries that ``words`` name: an id, or the start of one up to a dot or a dash; all of them for no words.

    Raises :class:`CatalogueError` for a word that names none.
    """
    found = {}
    for word in words:
        named = [entry for entry in CATALOGUE if entry.id == word or entry.id.startswith((f"{word}.", f"{word}-"))]
        if not named:
            raise CatalogueError(f"the catalogue has no {word!r}; `dalembert catalogue` lists what it has")
        found.update({entry.id: entry for entry in named})
    return [entry for entry in CATALOGUE if entry.id in found] if words else list(CATALOGUE)
