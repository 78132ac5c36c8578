"""What every formulation answers with each of its slips, on one mechanism at a few states.

The table of a mechanism does not depend on the code under test, so it serves all codes and all symptoms of a run. It is kept in
the user's cache folder (:mod:`machine.code_cache`), so it serves later runs, too. Its name is a digest of the mechanism and of
the source files that make it. A slip of a table becomes a fault, which is then tried with the code as it is in memory, so a
table that is out of date cannot give a wrong cause.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from io import BytesIO
from typing import Any

import numpy as np

import implementations
import mechanisms
from cross_check.explain import formulations
from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.formulations.bodies import Result
from cross_check.explain.slips.instead import answer, arguments
from cross_check.explain.slips.single import slips_of
from cross_check.explain.slips.source import Change, Slip, Source, source_of
from cross_check.judge.comparison import sampling
from cross_check.judge.comparison.sampling import States, sample
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.model import Model, build
from machine.caching.cached_programs import made_once
from machine.caching.loaded_code import digest_of_files
from machine.code_cache import FileKind
from mechanisms import Mechanism

ORDINARY = (9, 12)
"""States of a sample at which nothing is special."""

TABLES = FileKind("tables", ".table", 2**27)
"""Tables in the user's cache folder."""

CLOSE = 1e-9
"""How far answers may be off, as a part of the largest number."""


AT_ONCE = 64
"""Slips of one statement that are tried together."""

RIGHT = -1
"""The place of what the formulation answers without a slip."""

Answered = tuple[Array, Array]
"""What a formulation answers (…, batch), and its placements (batch, bodies, 3, 4), if it has any."""


@dataclass(frozen=True)
class Table:
    """What a formulation answers with each of its slips, and its placements if it has any.

    Answers are (slips, questions, states, …): τ at (q, 0, 0), (q, 0, a), (q, v, 0) and (q, v, a), or q̈ at the same with τ for
    a, or T at the same, or M at q four times. Slips that make no numbers, or change none, are left out.
    """

    source: Source
    slips: tuple[Slip, ...]
    answers: Array
    placements: Array

    def like(self, question: int | None, seen: Array, close: float = CLOSE) -> Iterator[Slip]:
        """The slips whose answers to this question are what is seen (states, …), the most usual first; without a question, those
        whose placements are. They may differ by the part ``close`` of the largest number."""
        answers = self.placements if question is None else self.answers
        if len(answers):
            answers = answers if question is None else answers[:, question]
            off = np.abs(answers - seen).reshape(len(answers), -1).max(axis=1)
            yield from (self.slips[k] for k in np.flatnonzero(off <= close * np.abs(seen).max()))


@lru_cache(64)
def table(module: str, mechanism: Mechanism, changes: tuple[Change, ...] = ()) -> Table:
    """The slips of the formulation beside ``changes`` of it.

    Raises :class:`Unsupported` if the formulation does not know the mechanism.
    """
    words, source = f"{_made_from()} {module} {changes}\n{mechanism.fingerprint}", source_of(module, changes)
    return made_once(words, TABLES, lambda: _computed(source, mechanism), _written, partial(_read, source))


@cache
def _made_from() -> str:
    """All that decides the table of a mechanism."""
    packages = (__package__, formulations.__name__, sampling.__package__, implementations.__name__, mechanisms.__name__)
    return f"{digest_of_files(packages)} {sys.version} {np.__version__}"


def _written(table: Table) -> bytes:
    """The table as the content of a file."""
    numbers = {id(place): k for k, place in enumerate(table.source.places)}
    places, texts = [numbers[id(slip.place)] for slip in table.slips], "\n".join(slip.text for slip in table.slips)
    file = BytesIO()
    np.savez(file, places=places, texts=texts, answers=table.answers, placements=table.placements)
    return file.getvalue()


def _read(source: Source, content: bytes) -> Table:
    """The table in a file that :func:`_written` made."""
    with np.load(BytesIO(content)) as parts:
        texts = str(parts["texts"]).splitlines()
        slips = tuple(Slip(source.places[k], text) for k, text in zip(parts["places"], texts, strict=True))
        return Table(source, slips, parts["answers"], parts["placements"])


def _computed(source: Source, mechanism: Mechanism) -> Table:
    module, states, model = source.module, some_states(mechanism), build(mechanism, Real())
    q, v, x = (np.tile(y.T, 4) for y in (states.q, states.v, states.a))
    moves = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], len(states), axis=1)
    given = (q, v * moves[0], x * moves[1])[: FORMULATIONS[module].takes]
    tried = slips_of(source)
    found = dict(_answered(source, tried, model, given))
    right, right_placed = found.pop(RIGHT)
    slips, answers, placements = [], [], []
    for k, (got, placed) in sorted(found.items()):
        is_sound = got.shape == right.shape and placed.shape == right_placed.shape and np.isfinite(got).all()
        if is_sound and np.abs(got - right).max() > CLOSE * np.abs(right).max():
            slips.append(tried[k])
            answers.append(np.moveaxis(got, -1, 0).reshape(-1, len(states), *got.shape[:-1]))
            placements.append(placed[-len(states) :])
    return Table(source, tuple(slips), np.array(answers), np.array(placements if right_placed.size else []))


def _answered(source: Source, slips: Sequence[Slip], model: Model, given: Sequence[Array]) -> Iterator[tuple[int, Answered]]:
    """By place, what the formulation answers with each slip that makes numbers; under :data:`RIGHT`, without any."""
    module = source.module
    batch = given[0].shape[-1]
    one = arguments(module, model, *given)
    right = source.program.result(one)
    yield RIGHT, (answer(module, right, batch), _placements(right, batch))
    by_statement: dict[int, list[int]] = {}
    for k, slip in enumerate(slips):
        by_statement.setdefault(id(slip.place.statement), []).append(k)
    with np.errstate(all="ignore"):
        for group in (several[k : k + AT_ONCE] for several in by_statement.values() for k in range(0, len(several), AT_ONCE)):
            alone = group
            with suppress(Exception):
                parts = len(group) + 1
                many = arguments(module, model, *(np.tile(x, parts) for x in given))
                result, are_sound = source.together([slips[k] for k in group], one, batch, many)
                got, placed = answer(module, result, parts * batch), _placements(result, parts * batch)
                placements = np.split(placed, parts) if placed.size else [placed] * parts
                split = [*zip(group, zip(np.split(got, parts, axis=-1)[1:], placements[1:], strict=True), strict=True)]
                alone = [k for k, is_sound in zip(group, are_sound, strict=True) if not is_sound]
                yield from (one for one in split if one[0] not in alone)
            for k in alone:
                with suppress(Exception):  # Most slips make code that fails.
                    result = source.result(slips[k], one)
                    yield k, (answer(module, result, batch), _placements(result, batch))


def _placements(result: Any, batch: int) -> Array:
    """[R o] of every body (batch, bodies, 3, 4); none if the formulation has none."""
    if not isinstance(result, Result):
        return np.zeros(0)
    parts = [np.stack([np.broadcast_to(x, (batch, *x.shape[1:])) for x in one], axis=1) for one in (result.R, result.o)]
    return np.concatenate(parts, axis=-1)


def some_states(mechanism: Mechanism) -> States:
    """A few ordinary states."""
    return sample(mechanism, 0, max(ORDINARY) + 1).pick(np.array(ORDINARY))
