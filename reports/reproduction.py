"""The command line that does it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from cross_check.relations.table import RELATIONS
from cross_check.results.objects import BAR, Cell, ImplementationSummary, Item, MechanismSummary, Results, RunSettings, name_of


def reproduce(results: Results, item: Item) -> str:
    """The command that repeats a cell, at its worst state if there is one, or a relation.

    For an invariant it repeats the whole check.
    """
    mechanism, implementation = _spec(results.mechanisms, item.mechanism), _spec(results.implementations, item.implementation)
    words = ["dalembert", "check", mechanism, "--implementation", implementation]
    if isinstance(item, Cell) or item.name in RELATIONS:
        words += ["--quantity", name_of(item)]
    words += _options(results.settings)
    environments = results.versions.environments if results.versions else ()
    words += [word for one in environments if one.name == item.implementation for word in ("--python", one.python)]
    if isinstance(item, Cell) and item.worst:
        words += ["--state", str(item.worst.state)]
    return shlex.join(words)


def repeat(results: Results) -> str:
    """The command that repeats the whole run."""
    if results.versions:
        releases = [entry.name for entry in results.implementations]
        named = [word for mechanism in results.mechanisms for word in ("--mechanism", mechanism.spec)]
        code = ["--implementation", *{entry.spec for entry in results.implementations}]
        return shlex.join(["dalembert", "versions", *releases, *named, *code, *_options(results.settings)])
    implementations = [word for entry in results.implementations for word in ("--implementation", entry.spec)]
    mechanisms = [mechanism.spec for mechanism in results.mechanisms]
    return shlex.join(["dalembert", "check", *mechanisms, *implementations, *_options(results.settings)])


def _options(settings: RunSettings) -> list[str]:
    bar = ["--bar", f"{settings.bar:g}"] if settings.bar != BAR else []
    certified = ["--certified"] if settings.certified else []
    sampled = [] if settings.recorded else ["--seed", str(settings.seed), "--states", str(settings.states)]
    return [*sampled, *bar, *certified]


def _spec(entries: Sequence[MechanismSummary | ImplementationSummary], name: str) -> str:
    return next((entry.spec for entry in entries if entry.name == name), name)
