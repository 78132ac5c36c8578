"""The diagnosis of recorded data: what its states and answers alone allow. No other mechanism and no other state can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cross_check.comparison.judgements import compare
from cross_check.comparison.recorded_digits import resolution
from cross_check.diagnosis.laboratory import Laboratory, try_states
from cross_check.memory import Array
from cross_check.recorded_data.subject import ELSEWHERE, Recorded
from cross_check.results.causes import Cause
from cross_check.results.objects import Cell, Item
from cross_check.settings import Settings
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

STATES = 36
"""So many states are searched, spread evenly over those that have all answers."""

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
        places = [settings.place_of(number) for number in cell.states]
        case = try_states(Laboratory(subject, name), mechanism, settings.given.pick(np.array(places))).case()
        answer = loaded.ask(cell.quantity, *case.states.arguments(quantity.arguments)).value
        largest = max(largest, 2 * resolution(case, loaded, quantity, compare(case, quantity, answer)))
    return replace(settings, bar=largest)


def places_to_search(cells: Sequence[Cell], settings: Settings, rare: Sequence[int]) -> Array:
    """The places in the run of the states that are searched: those in which all these cells have answers, and the rare ones."""
    assert settings.given is not None
    numbers = frozenset(settings.given.numbers)
    for cell in (cell for cell in cells if cell.states):
        numbers = numbers & frozenset(cell.states) or frozenset(cell.states)
    places = np.array([k for k, number in enumerate(settings.given.numbers) if number in numbers])
    spread = places[np.unique(np.linspace(0, len(places) - 1, min(STATES, len(places))).round().astype(int))]
    return np.unique([*spread, *(k for k in rare if k in places)])


def with_limits(causes: Sequence[Cause]) -> list[Cause]:
    """The causes, which say what could not be tried."""
    return [replace(cause, untried=(*cause.untried, UNTRIED)) for cause in causes]
