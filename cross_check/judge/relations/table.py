"""All metamorphic relations, by name."""

from __future__ import annotations

from collections.abc import Iterable

from cross_check.judge.relations import other_numbers, other_trees
from cross_check.judge.relations.readings import READINGS

USUAL = {
    relation.name: relation
    for relation in (
        other_numbers.ROTATED_BASE,
        other_numbers.TRANSLATED_BASE,
        other_trees.RELABELLED_BODIES,
        other_numbers.SCALED_MASS,
        other_numbers.SCALED_LENGTH,
        other_numbers.SCALED_TIME,
        other_trees.SPLIT_BODIES,
        other_trees.INSERTED_WELDS,
        other_trees.OTHER_ROOT,
        other_numbers.SUPERPOSED_ACCELERATIONS,
        other_numbers.REVERSED_TIME,
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
