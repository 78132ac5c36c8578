"""Answers to some states of a batch that are those to other states of it, or that take a number of another state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from cross_check.explain.diagnosis.conditions.of_batches import Condition
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

EARLIER, BATCH = "cached states", "states of the batch"
"""Groups of faults by which an answer depends on the state before, and on another state of the batch."""

Rows = Callable[[Mechanism, State], Array]
"""For every state (batch,), the number of the state that is taken for it."""


def other_rows(quantity: str, found: Condition) -> Iterator[Fault]:
    """Ways in which another state of the batch may be taken for the one that is asked, where the condition holds."""

    def right_before(m: Mechanism, state: State) -> Array:
        own = np.where(found.holds(m, state), 0, np.arange(len(state["q"])))
        return np.maximum.accumulate(own)

    title = QUANTITIES[quantity].title
    rows: tuple[tuple[str, Rows], ...] = (
        ("previous", lambda m, state: np.maximum(np.arange(len(state["q"])) - 1, 0)),
        ("first", lambda m, state: np.zeros(len(state["q"]), dtype=int)),
        ("last", lambda m, state: np.full(len(state["q"]), len(state["q"]) - 1)),
    )
    for which, taken in rows:
        group = EARLIER if which == "previous" else BATCH
        answers = _answer(f"{title} is that of the {which} state of the batch", group, quantity, taken)
        yield answers
        yield replace(answers, name=f"{answers.name} where {found.text}", condition=found.holds)
        for column in QUANTITIES[quantity].arguments:
            yield _column(f"{column} of every state is that of the {which} state of the batch", group, column, taken)
    earlier = _answer(f"{title} is that of an earlier state where {found.text}", BATCH, quantity, right_before)
    yield replace(earlier, condition=found.holds)


def _answer(name: str, group: str, quantity: str, taken: Rows) -> Fault:
    def answer(m: Mechanism, _: str, state: State, x: Array) -> Array:
        return x[taken(m, state)]

    return Fault(name, group, answer=answer, quantities=(quantity,))


def _column(name: str, group: str, column: str, taken: Rows) -> Fault:
    def state(m: Mechanism, given: State) -> State:
        return {**given, column: given[column][taken(m, given)]} if column in given else given

    return Fault(name, group, state=state)
