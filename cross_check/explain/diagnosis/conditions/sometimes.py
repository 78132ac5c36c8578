"""Faults that act in some states only: the condition that separates these from the others, and what goes wrong there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from cross_check.explain.diagnosis.conditions.conditions import Condition, condition_of_states
from cross_check.explain.diagnosis.conditions.other_rows import other_rows
from cross_check.explain.diagnosis.laboratory import try_states
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.coordinates.special_states import IGNORED, limits
from cross_check.explain.faults.fault import Fault
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from mechanisms.quantities import QUANTITIES

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
