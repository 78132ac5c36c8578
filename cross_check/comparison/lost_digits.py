"""Whether an error is amplified rounding or a wrong term: the same question is asked again, a few roundings away.

A wrong term is a smooth function of the state. At a neighbour, a state that differs by some roundings, it is the same. Rounding
differs at random. Let m be the mean of one component's errors at several neighbours of a state, and s their standard deviation.
The error is amplified rounding if

    |m| ≤ 3 s  or  |m| ≤ the bar        and        |u| ≤ 10 √(m² + s²) + the bar

for every component, at every state with an error u above the bar. So a wrong term is seen if it is above the bar and larger than
three times the scatter around it, and also if it occurs in this very state alone. The mean of amplified rounding may differ from
zero: the constants of a model are rounded the same way in all states. docs/notes/error-scale.md, eq. 34, has the details.

Only answers that solve an equation with M are tried: algorithms for these may amplify rounding without being wrong. Neighbours of
states that satisfy constraints satisfy them too (:mod:`cross_check.comparison.constrained_neighbours`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.constrained_case import ConstrainedCase
from cross_check.comparison.constrained_neighbours import satisfying_neighbours
from cross_check.comparison.judgements import compare
from cross_check.comparison.sampling import States
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import Quantity
from mechanisms.states import integrate

STEP = 2.0**-44
"""How far neighbours are away, relative to numbers above one. It is 256 roundings, but a tiny part of a rounding in single
precision: code that computes in float32 repeats its error."""

LARGEST = 2.0**26
"""In ε-units: half of the digits. An answer with less than half of its digits is not called right."""

SCATTER = 3.0
"""The mean of amplified rounding is at most so many times its standard deviation."""

OUTLIER = 10.0
"""An error is at most so many times the root mean square of its neighbours' errors."""

ROUND = 8
"""So many neighbours are tried at a time."""

MOST = 64
"""After so many neighbours, an error that still may be a wrong term is called one."""


def loses_digits(case: Case, loaded: Loaded, quantity: Quantity, units: Array, bar: float) -> bool:
    """Whether all errors above the bar are amplified rounding. ``units`` (states, …) are the errors in ε-units."""
    u = units.reshape(len(units), -1)
    if not quantity.needs_regular_mass_matrix or not (u <= LARGEST).all():
        return False
    wrong = np.flatnonzero((u > bar).any(axis=1))
    # No more states at a time than the case has, so that no more memory is needed.
    size = max(1, len(u) // ROUND)
    try:
        return all(_is_rounding(case, loaded, quantity, wrong[k : k + size], u, bar) for k in range(0, len(wrong), size))
    except (Unsupported, Failure):
        return False


def _is_rounding(case: Case, loaded: Loaded, quantity: Quantity, states: Array, units: Array, bar: float) -> bool:
    """Whether the errors at all of these states, given by their indices, are amplified rounding."""
    rng = np.random.default_rng(0)
    total: Array = np.zeros(1)
    squares: Array = np.zeros(1)
    for count in range(ROUND, MOST + 1, ROUND):
        u = _errors_nearby(case, loaded, quantity, states, rng)
        total, squares = total + u.sum(axis=0), squares + (u**2).sum(axis=0)
        mean, square = total / count, squares / count
        is_the_same = (np.abs(mean) > bar) & (mean**2 > SCATTER**2 * (square - mean**2))
        is_alone = units[states] > OUTLIER * np.sqrt(square) + bar
        still = (is_the_same | is_alone).any(axis=1)
        if not still.any():
            return True
        states, total, squares = states[still], total[still], squares[still]
    return False


def _errors_nearby(case: Case, loaded: Loaded, quantity: Quantity, states: Array, rng: np.random.Generator) -> Array:
    """Errors with their signs, in ε-units, at :data:`ROUND` neighbours of every state: (neighbours, states, components)."""
    truth = case.truth.afresh()
    chosen = case.states.pick(np.tile(states, ROUND))
    nearby = neighbours(case.mechanism, chosen, rng)
    if isinstance(case, ConstrainedCase):
        nearby = satisfying_neighbours(case, chosen, nearby)
    nearby = nearby.with_forces(truth.high_low("inverse_dynamics", nearby.q, nearby.v, nearby.a)[0])
    there = case.at(truth, nearby)
    compared = compare(there, quantity, loaded.ask(quantity.name, *nearby.arguments(quantity.arguments)).value)
    return (np.sign(compared.error) * compared.units).reshape(ROUND, len(states), -1)


def neighbours(mechanism: Mechanism, states: States, rng: np.random.Generator) -> States:
    """States that differ from the given ones by :data:`STEP` at most, relative to numbers above one."""

    def step(x: Array) -> Array:
        return STEP * np.maximum(1, np.abs(x)) * rng.uniform(-1, 1, x.shape)

    reach = np.maximum(1, np.abs(states.q).max(axis=1, keepdims=True))
    q = integrate(mechanism, states.q, reach * step(np.zeros_like(states.v)))
    return replace(states, q=q, v=states.v + step(states.v), a=states.a + step(states.a), f=states.f + step(states.f))
