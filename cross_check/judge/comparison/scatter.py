"""Whether errors are scattered as rounding is: the same question is asked again, a few roundings away.

A wrong term is a smooth function of the state and of the mechanism's numbers. At a neighbour, a state that differs by some
roundings, it is the same. Rounding differs at random. Let m be the mean of one component's errors at several neighbours of a
state, and s their standard deviation. The error u is scattered if

    |m| ≤ 3 s  or  |m| ≤ the floor        and        |u| ≤ 10 √(m² + s²) + the floor

(docs/notes/error-scale.md, eq. 34). The mean may differ from zero: the constants of a model are rounded once for all states.
Neighbours of states that satisfy constraints satisfy them too (:mod:`cross_check.judge.comparison.constrained_states`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.constrained_states import nearby_satisfying
from cross_check.judge.comparison.judgements import compared_at
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from implementations.processes.subject import Loaded
from mechanisms import Mechanism
from mechanisms.quantities import Quantity
from mechanisms.states import integrate

ROUNDINGS = 2.0**8
"""How far neighbours are away, in roundings, relative to numbers above one. In float64 it is a tiny part of a float32 rounding:
code that computes in float32 and does not declare it repeats its error."""

SCATTER = 3.0
"""The mean of amplified rounding is at most so many times its standard deviation."""

OUTLIER = 10.0
"""An error is at most so many times the root mean square of its neighbours' errors."""

ROUND = 8
"""So many neighbours are tried at a time."""

MOST = 64
"""After so many neighbours, an error that still may be a wrong term is called one."""


def is_scattered(units: Array, wrong: Array, ask: Callable[[Array], Array], floor: float = 0.0, most: int = MOST) -> bool:
    """Whether ``units`` (states, …), the errors in ε-units, are scattered where ``wrong``, of the same shape, is true.

    ``ask`` gets the indices of states and returns errors with their signs at :data:`ROUND` neighbours of each, each time at
    others: (neighbours, states, components). It is called until at ``most`` so many neighbours have been tried.
    """
    u, wrong = units.reshape(len(units), -1), wrong.reshape(len(units), -1)
    indices = np.flatnonzero(wrong.any(axis=1))
    # No more states at a time than the case has, so that no more memory is needed.
    size = max(1, len(u) // ROUND)
    return all(_are_scattered(indices[k : k + size], u, wrong, ask, floor, most) for k in range(0, len(indices), size))


def _are_scattered(states: Array, units: Array, wrong: Array, ask: Callable[[Array], Array], floor: float, most: int) -> bool:
    total: Array = np.zeros(1)
    squares: Array = np.zeros(1)
    for count in range(ROUND, most + 1, ROUND):
        u = ask(states)
        total, squares = total + u.sum(axis=0), squares + (u**2).sum(axis=0)
        mean, square = total / count, squares / count
        is_the_same = (np.abs(mean) > floor) & (mean**2 > SCATTER**2 * (square - mean**2))
        is_alone = units[states] > OUTLIER * np.sqrt(square) + floor
        still = ((is_the_same | is_alone) & wrong[states]).any(axis=1)
        if not still.any():
            return True
        states, total, squares = states[still], total[still], squares[still]
    return False


def at_neighbours(case: Case, loaded: Loaded, quantity: Quantity) -> Callable[[Array], Array]:
    """Asks at states that differ by :data:`STEP`. Raises what asking raises."""
    rng = np.random.default_rng(0)

    def ask(states: Array) -> Array:
        nearby = at_random_neighbours(case.pick(np.tile(states, ROUND)), rng)
        return compared_at(nearby, loaded, quantity).signed.reshape(ROUND, len(states), -1)

    return ask


def at_random_neighbours(case: Case, rng: np.random.Generator, of_q: float | None = None) -> Case:
    """The case at one neighbour of every state, with forces for forward dynamics."""
    truth = case.truth.afresh()
    nearby = neighbours(case.mechanism, case.states, rng, of_q)
    if case.mechanism.constraints:
        nearby = nearby_satisfying(case.mechanism, truth, case.states, nearby)
    return case.at(truth, nearby.with_forces(truth.high_low("inverse_dynamics", nearby.q, nearby.v, nearby.a)[0]))


def neighbours(mechanism: Mechanism, states: States, rng: np.random.Generator, of_q: float | None = None) -> States:
    """States that differ from the given ones by :data:`ROUNDINGS` of the mechanism's precision at most, relative to numbers above
    one; in q by ``of_q`` if that is given."""
    nearest = ROUNDINGS * mechanism.precision.epsilon

    def step(x: Array, size: float = nearest) -> Array:
        return size * np.maximum(1, np.abs(x)) * rng.uniform(-1, 1, x.shape)

    reach = np.maximum(1, np.abs(states.q).max(axis=1, keepdims=True))
    q = integrate(mechanism, states.q, reach * step(np.zeros_like(states.v), of_q or nearest))
    return replace(states, q=q, v=states.v + step(states.v), a=states.a + step(states.a), f=states.f + step(states.f))
