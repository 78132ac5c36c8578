"""The command line that does it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from cross_check.exchange.results.objects import BAR, Cell, ImplementationSummary, Item, MechanismSummary, Results, name_of
from cross_check.judge.relations.table import RELATIONS
from mechanisms.numbers.precision import FLOAT64
from mechanisms.quantities import QUANTITIES, USUAL


def reproduce(results: Results, item: Item) -> str:
    """The command that repeats a cell, at its worst state if there is one, or a relation.

    For an invariant it repeats the whole check.
    """
    mechanism, implementation = _spec(results.mechanisms, item.mechanism), _spec(results.implementations, item.implementation)
    words = ["dalembert", "check", mechanism, "--implementation", implementation]
    if isinstance(item, Cell) or item.name in RELATIONS:
        words += ["--quantity", name_of(item)]
    if not isinstance(item, Cell) and item.name in RELATIONS:
        words += [word for group in _further_groups(results, item) for word in ("--quantity", group)]
    words += _options(results)
    environments = results.versions.environments if results.versions else ()
    words += [word for one in environments if one.name == item.implementation for word in ("--python", one.python)]
    if isinstance(item, Cell) and item.worst:
        words += ["--state", str(item.worst.state)]
    return shlex.join(words)


def _further_groups(results: Results, relation: Item) -> list[str]:
    """The groups of quantities that were named beside a relation, which it is also about."""
    pair = relation.mechanism, relation.implementation
    named = {cell.quantity for cell in results.cells if (cell.mechanism, cell.implementation) == pair}
    return list(dict.fromkeys(QUANTITIES[name].group for name in QUANTITIES if name in named and name not in USUAL))


def repeat(results: Results) -> str:
    """The command that repeats the whole run."""
    if results.versions:
        releases = [entry.name for entry in results.implementations]
        named = [word for mechanism in results.mechanisms for word in ("--mechanism", mechanism.spec)]
        code = ["--implementation", *dict.fromkeys(entry.spec for entry in results.implementations)]
        return shlex.join(["dalembert", "versions", *releases, *named, *code, *_options(results)])
    implementations = [word for entry in results.implementations for word in ("--implementation", entry.spec)]
    mechanisms = [mechanism.spec for mechanism in results.mechanisms]
    return shlex.join(["dalembert", "check", *mechanisms, *implementations, *_options(results)])


def _options(results: Results) -> list[str]:
    settings = results.settings
    bar = ["--bar", f"{settings.bar:g}"] if settings.bar != BAR else []
    certified = ["--certified"] if settings.certified else []
    precision = ["--precision", settings.precision] if settings.precision != FLOAT64.name else []
    sampled = [] if settings.recorded else ["--seed", str(settings.seed), "--states", str(settings.states)]
    return [*sampled, *bar, *precision, *certified]


def _spec(entries: Sequence[MechanismSummary | ImplementationSummary], name: str) -> str:
    return next((entry.spec for entry in entries if entry.name == name), name)
