"""The diagnosis of recorded data: what its states and answers alone allow. No other mechanism and no other state can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cross_check.exchange.recorded_data.subject import ELSEWHERE, Recorded
from cross_check.exchange.results.causes import Cause
from cross_check.exchange.results.objects import Cell, Item
from cross_check.explain.diagnosis.laboratory import Laboratory, try_states
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.recorded_digits import resolution
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.processes.restricted import Restricted
from implementations.processes.subject import Subject
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

STATES = 36
"""So many states are searched, spread evenly over those that have all answers."""

MOST_MEASURED = 1024
"""So many states show how large the errors are that come from how numbers were written."""

UNTRIED = f"experiments on other mechanisms and in other states: {ELSEWHERE}"
"""What a cause of recorded data says was not tried."""


def bar_of(subject: Recorded, name: str, items: Sequence[Item], mechanism: Mechanism, settings: Settings) -> Settings:
    """The settings with a bar above what the writing of the numbers alone makes wrong: else no fault predicts the answers."""
    assert settings.given is not None
    loaded = subject.load(mechanism)
    wrong = [item for item in items if isinstance(item, Cell) and item.verdict == "discrepancy" and item.implementation == name]
    largest = settings.bar
    for cell in wrong:
        quantity = QUANTITIES[cell.quantity]
        answered = np.flatnonzero(loaded.rows_of(quantity.name, settings.given.numbers) >= 0)
        states = settings.given.pick(_spread(answered, MOST_MEASURED))
        case = try_states(Laboratory(subject, name, mechanism.precision), mechanism, states).case()
        answer = loaded.ask(cell.quantity, *case.states.arguments(quantity.arguments)).value
        largest = max(largest, 2 * resolution(case, loaded, quantity, compare(case, quantity, answer)))
    return replace(settings, bar=largest)


def places_to_search(
    subject: Subject, mechanism: Mechanism, cells: Sequence[Cell], settings: Settings, rare: Sequence[int]
) -> Array:
    """The places in the run of the states that are searched: some in which all these cells have answers, the worst state of each
    cell, and the rare ones."""
    assert settings.given is not None
    there = np.full(len(settings.given), True)
    if isinstance(subject, Recorded):
        loaded = subject.load(mechanism)
        for cell in cells:
            answered = loaded.rows_of(cell.quantity, settings.given.numbers) >= 0
            there = there & answered if (there & answered).any() else answered
    worst = [settings.place_of(cell.worst.state) for cell in cells if cell.worst and cell.verdict == "discrepancy"]
    places = np.flatnonzero(there)
    return np.unique([*_spread(places, STATES), *(place for place in (*worst, *rare) if there[place])])


def _spread(places: Array, most: int) -> Array:
    """At most so many of the places, spread evenly."""
    return places[np.unique(np.linspace(0, len(places) - 1, min(most, len(places))).round().astype(int))]


def limit_of(subject: Subject) -> str:
    """What cannot be tried with recorded data, and with code for one robot; empty for other code."""
    if isinstance(subject, Recorded):
        return UNTRIED
    if isinstance(subject, Restricted):
        return f"experiments on other mechanisms: {subject.sentence}"
    return ""


def with_limits(causes: Sequence[Cause], limit: str) -> list[Cause]:
    """The causes, which say what could not be tried."""
    return [replace(cause, untried=(*cause.untried, limit)) for cause in causes] if limit else [*causes]
