"""The catalogue: every identity of the five seeds, and every slip in them, to be proven or refuted exactly.

    from cross_check.catalogue import CATALOGUE, select
    from cross_check.catalogue.proving import prove_catalogue

    document = prove_catalogue(select(["000.16"]))

Each module ``seed_…`` reads as a list of equations: on the left what our code computes, on the right the seed's formula in
3-vectors and matrices (:mod:`cross_check.catalogue.notation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from cross_check.catalogue import (
    seed_000_ball,
    seed_000_bodies,
    seed_000_floating_base,
    seed_000_newton_euler,
    seed_000_transforms,
    seed_000_vectors,
    seed_001_algorithms,
    seed_001_dynamics,
    seed_001_lagrange,
    seed_001_vectors,
    seed_002_bases,
    seed_002_maps,
    seed_002_motion,
    seed_003_exponentials,
    seed_003_jacobians,
    seed_003_logarithms,
    seed_003_rotations,
    seed_003_twists,
    seed_003_wrenches,
    seed_004,
)
from cross_check.catalogue.computed import COMPUTED, Computed
from cross_check.catalogue.identity import Chapter, Identity

SEEDS = {
    "000": "J. Carius, Spatial algebra primer (2018)",
    "001": "Lecture on the equations of motion of legged robots",
    "002": "R. Featherstone, Plücker basis vectors (2006)",
    "003": "Z. Xu, Notes on robotics",
    "004": "Note on the description of motion and force",
}
"""The five texts, under the numbers that docstrings cite them by."""

MODULES = (
    seed_000_vectors,
    seed_000_transforms,
    seed_000_bodies,
    seed_000_newton_euler,
    seed_000_ball,
    seed_000_floating_base,
    seed_001_vectors,
    seed_001_lagrange,
    seed_001_dynamics,
    seed_001_algorithms,
    seed_002_bases,
    seed_002_maps,
    seed_002_motion,
    seed_003_rotations,
    seed_003_twists,
    seed_003_logarithms,
    seed_003_wrenches,
    seed_003_exponentials,
    seed_003_jacobians,
    seed_004,
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
