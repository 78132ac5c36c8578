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
from importlib import import_module
from pkgutil import iter_modules

from cross_check.catalogue import texts
from cross_check.catalogue.identity import Chapter, Computed, Identity

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
