"""What every formulation answers with each of its slips, on one mechanism at a few states.

The table of a mechanism does not depend on the code under test, so it serves all codes and all symptoms of a run. It is kept in
the user's cache folder (:mod:`machine.code_cache`), so it serves later runs, too. Its name is a digest of the mechanism and of
the source files that make it. A slip of a table becomes a fault, which is then tried with the code as it is in memory, so a
table that is out of date cannot give a wrong cause.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from io import BytesIO
from typing import Any

import numpy as np

import implementations
import mechanisms
from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.formulations.bodies import Result
from cross_check.explain.formulations.instead import answer, arguments
from cross_check.explain.formulations.slips import slips_of
from cross_check.explain.formulations.source import Slip, Source, source_of
from cross_check.judge.comparison import sampling
from cross_check.judge.comparison.sampling import States, sample
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.model import build
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


@dataclass(frozen=True)
class Table:
    """What a formulation answers with each of its slips, and its placements if it has any.

    Answers are (slips, questions, states, …): τ at (q, 0, 0), (q, 0, a), (q, v, 0) and (q, v, a), or M at q. Slips that make no
    numbers, or change none, are left out.
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
def table(module: str, mechanism: Mechanism) -> Table:
    """Raises :class:`Unsupported` if the formulation does not know the mechanism."""
    words = f"{_made_from()} {module}\n{mechanism.fingerprint}"
    return made_once(words, TABLES, lambda: _computed(module, mechanism), _written, partial(_read, source_of(module)))


@cache
def _made_from() -> str:
    """All that decides the table of a mechanism."""
    packages = (__package__, sampling.__package__, implementations.__name__, mechanisms.__name__)
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


def _computed(module: str, mechanism: Mechanism) -> Table:
    source, states, model = source_of(module), some_states(mechanism), build(mechanism, Real())
    q, v, a = (np.tile(x.T, 4 if FORMULATIONS[module].stands_for == "rnea" else 1) for x in (states.q, states.v, states.a))
    moves = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], len(states), axis=1)
    given = (q, v * moves[0], a * moves[1]) if FORMULATIONS[module].stands_for == "rnea" else (q,)
    executed = source.program.executed(*arguments(module, model, *given))
    right = answer(module, executed.result, q.shape[1])
    right_placed = _placements(executed.result, q.shape[1])[-len(states) :]
    slips, answers, placements = [], [], []
    with np.errstate(all="ignore"):
        for slip in slips_of(source):
            try:
                result = source.result(executed, slip)
                got, placed = answer(module, result, q.shape[1]), _placements(result, q.shape[1])[-len(states) :]
            except Exception:
                continue  # Most slips make code that fails.
            is_sound = got.shape == right.shape and placed.shape == right_placed.shape and np.isfinite(got).all()
            if is_sound and np.abs(got - right).max() > CLOSE * np.abs(right).max():
                slips.append(slip)
                answers.append(np.moveaxis(got, -1, 0).reshape(-1, len(states), *got.shape[:-1]))
                placements.append(placed)
    return Table(source, tuple(slips), np.array(answers), np.array(placements if isinstance(executed.result, Result) else []))


def _placements(result: Any, batch: int) -> Array:
    """[R o] of every body (batch, bodies, 3, 4); none if the formulation has none."""
    if not isinstance(result, Result):
        return np.zeros(0)
    parts = [np.stack([np.broadcast_to(x, (batch, *x.shape[1:])) for x in one], axis=1) for one in (result.R, result.o)]
    return np.concatenate(parts, axis=-1)


def some_states(mechanism: Mechanism) -> States:
    """A few ordinary states."""
    return sample(mechanism, 0, max(ORDINARY) + 1).pick(np.array(ORDINARY))
