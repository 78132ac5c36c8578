"""What every formulation answers with each of its slips, on one mechanism at a few states.

The table of a mechanism does not depend on the code under test, so it serves all codes and all symptoms of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.formulations.bodies import Result
from cross_check.explain.formulations.instead import answer, arguments
from cross_check.explain.formulations.slips import slips_of
from cross_check.explain.formulations.source import Change, Slip, Source, source_of
from cross_check.judge.comparison.sampling import States, sample
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.model import Model, build
from mechanisms import Mechanism

ORDINARY = (9, 12)
"""States of a sample at which nothing is special."""

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

    def like(self, question: int | None, seen: Array) -> Iterator[Slip]:
        """The slips whose answers to this question are close to what is seen (states, …), the most usual first; without a
        question, those whose placements are."""
        answers = self.placements if question is None else self.answers
        if len(answers):
            answers = answers if question is None else answers[:, question]
            off = np.abs(answers - seen).reshape(len(answers), -1).max(axis=1)
            yield from (self.slips[k] for k in np.flatnonzero(off <= CLOSE * np.abs(seen).max()))


@lru_cache(16)
def table(module: str, mechanism: Mechanism, changes: tuple[Change, ...] = ()) -> Table:
    """The slips of the formulation beside ``changes`` of it.

    Raises :class:`Unsupported` if the formulation does not know the mechanism.
    """
    source, states, model = source_of(module, changes), some_states(mechanism), build(mechanism, Real())
    q, v, x = (np.tile(y.T, 4) for y in (states.q, states.v, states.a))
    moves = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], len(states), axis=1)
    given = (q, v * moves[0], x * moves[1])[: FORMULATIONS[module].takes]
    tried = slips_of(source)
    found = dict(_answered(module, source, tried, model, given))
    right, right_placed = found.pop(RIGHT)
    slips, answers, placements = [], [], []
    for k, (got, placed) in sorted(found.items()):
        is_sound = got.shape == right.shape and placed.shape == right_placed.shape and np.isfinite(got).all()
        if is_sound and np.abs(got - right).max() > CLOSE * np.abs(right).max():
            slips.append(tried[k])
            answers.append(np.moveaxis(got, -1, 0).reshape(-1, len(states), *got.shape[:-1]))
            placements.append(placed[-len(states) :])
    return Table(source, tuple(slips), np.array(answers), np.array(placements if right_placed.size else []))


def _answered(
    module: str, source: Source, slips: Sequence[Slip], model: Model, given: Sequence[Array]
) -> Iterator[tuple[int, Answered]]:
    """By place, what the formulation answers with each slip that makes numbers; under :data:`RIGHT`, without any."""
    batch = given[0].shape[-1]
    executed = source.program.executed(*arguments(module, model, *given))
    yield RIGHT, (answer(module, executed.result, batch), _placements(executed.result, batch))
    by_statement: dict[int, list[int]] = {}
    for k, slip in enumerate(slips):
        by_statement.setdefault(id(slip.place.statement), []).append(k)
    with np.errstate(all="ignore"):
        for group in (several[k : k + AT_ONCE] for several in by_statement.values() for k in range(0, len(several), AT_ONCE)):
            alone = group
            with suppress(Exception):
                parts = len(group) + 1
                many = arguments(module, model, *(np.tile(x, parts) for x in given))
                result, are_sound = source.together(executed, [slips[k] for k in group], batch, many)
                got, placed = answer(module, result, parts * batch), _placements(result, parts * batch)
                placements = np.split(placed, parts) if placed.size else [placed] * parts
                split = [*zip(group, zip(np.split(got, parts, axis=-1)[1:], placements[1:], strict=True), strict=True)]
                alone = [k for k, is_sound in zip(group, are_sound, strict=True) if not is_sound]
                yield from (one for one in split if one[0] not in alone)
            for k in alone:
                with suppress(Exception):  # Most slips make code that fails.
                    result = source.result(executed, slips[k])
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
