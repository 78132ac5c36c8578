"""All metamorphic relations, by name."""

from __future__ import annotations

from collections.abc import Iterable

from cross_check.judge.relations.other_numbers import (
    REVERSED_TIME,
    ROTATED_BASE,
    SCALED_LENGTH,
    SCALED_MASS,
    SCALED_TIME,
    SUPERPOSED_ACCELERATIONS,
    TRANSLATED_BASE,
)
from cross_check.judge.relations.other_trees import INSERTED_WELDS, OTHER_ROOT, RELABELLED_BODIES, SPLIT_BODIES
from cross_check.judge.relations.readings import READINGS

USUAL = {
    relation.name: relation
    for relation in (
        ROTATED_BASE,
        TRANSLATED_BASE,
        RELABELLED_BODIES,
        SCALED_MASS,
        SCALED_LENGTH,
        SCALED_TIME,
        SPLIT_BODIES,
        INSERTED_WELDS,
        OTHER_ROOT,
        SUPERPOSED_ACCELERATIONS,
        REVERSED_TIME,
    )
}

RELATIONS = USUAL | READINGS

RELATION_GROUPS = {"relations": tuple(USUAL), "as-read": tuple(READINGS)}
"""Words for several of them, where quantities are named."""


def split_words(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of relations among ``words``, each once; words of :data:`RELATION_GROUPS` expanded; and the other words."""
    given = list(words)
    named = [name for word in given for name in RELATION_GROUPS.get(word, (word,)) if name in RELATIONS]
    return tuple(dict.fromkeys(named)), tuple(word for word in given if word not in RELATION_GROUPS and word not in RELATIONS)
