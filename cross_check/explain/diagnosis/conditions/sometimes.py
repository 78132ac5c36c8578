"""Faults that act in some states only: the condition that separates these from the others, and what goes wrong there.

Where the condition is one on the batch, answers may be those to other states of it, or take a number of another state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from cross_check.explain.diagnosis.conditions.conditions import Condition, condition_of_states
from cross_check.explain.diagnosis.laboratory import try_states
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.coordinates.special_states import IGNORED, limits
from cross_check.explain.faults.fault import Fault
from cross_check.judge.comparison.sampling import States
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


ORDINARY = ("random", "large", "fast", "far", "nearly the same", "the same", "the same again")
"""Kinds of states in which everything moves, from positions at which nothing vanishes."""


def is_at_ordinary_states(symptom: Symptom, chosen: Array) -> bool:
    """Whether some of the chosen states (batch,) are ordinary."""
    return any(kind in ORDINARY for kind, one in zip(symptom.trial.states.kinds, chosen, strict=True) if one)


def is_still(symptom: Symptom, chosen: Array) -> bool:
    """Whether a column that enters the quantity is zero at all chosen states, so that a wrong term with it would not show."""
    columns = symptom.trial.states.pick(np.flatnonzero(chosen)).columns
    return any(not columns[name].any() for name in QUANTITIES[symptom.quantity].arguments if name in "va")


def condition_of(symptom: Symptom, wrong: Array) -> Condition | None:
    """The condition that separates the states (batch,) at which answers are wrong from the others."""
    trial = symptom.trial

    def is_wrong(states: States) -> Array:
        return try_states(trial.laboratory, trial.mechanism, states).errors(symptom.quantity) > trial.laboratory.bar

    return condition_of_states(trial, wrong, is_wrong)


def faults_where(
    found: Condition, symptom: Symptom, wrong: Array, searches: Callable[[Symptom], Iterator[Iterator[Fault]]]
) -> Iterator[Fault]:
    """Faults that explain the symptom by the condition; ``searches`` find faults that explain its ``wrong`` states, one after
    another.

    Few of the symptom's states may be wrong. So the fault must predict the answers at new states, too.
    """
    trial, quantity = symptom.trial, symptom.quantity
    trials = [trial, *(try_states(trial.laboratory, trial.mechanism, states) for states in found.batches)]

    def explains(fault: Fault) -> bool:
        return all(one.explains(quantity, fault) for one in trials)

    limited = (fault for threshold in found.thresholds for fault in limits(trial.mechanism, threshold))
    rows = other_rows(quantity, found) if found.is_of_batch else ()
    if fitting := [fault for fault in (*rows, *limited, *(conditional(fault, found) for fault in IGNORED)) if explains(fault)]:
        yield from fitting
        return
    failing = replace(symptom, trial=trial.pick(np.flatnonzero(wrong)))
    for faults in searches(failing):
        fitting = []
        for fault in faults:
            # A small fault may be below the bar elsewhere: then it needs no condition.
            for tried in (fault,) if fault.condition or explains(fault) else (conditional(fault, found),):
                fitting += [tried] if explains(tried) else []
        if fitting:
            yield from fitting
            return


def conditional(fault: Fault, found: Condition) -> Fault:
    """The fault, in the states of a condition only."""
    return replace(fault, name=f"{fault.name} where {found.text}", condition=found.holds)
