"""Rotations that are a little too long: errors that follow the lengths of the code's own rotation matrices.

Code that keeps rotations as quaternions need not normalise them while their length is off by a few roundings. Then its rotation
matrices, and the axes of its joints, are too long or too short by some ε, and M by twice as much. Lengths are rounded at random:
at a neighbour, a state that differs by some roundings, they are others. Let σ be by how much the rows of a body's rotation matrix
in the code's own placements are longer than one, in ε. The errors of a component are explained by this if, at all states where it
is above the bar and at :data:`NEIGHBOURS` neighbours of each,

1. some σ is larger than :data:`SHORTEST` at every such state, and none is larger than :data:`LONGEST`;
2. the errors follow the lengths of one body: their correlation with σ is at least :data:`FOLLOWS`;
3. without k σ, with one factor |k| of at most :data:`FACTOR`, no error is above the bar (docs/notes/error-scale.md, eq. 38).

A wrong term does not change with the lengths: it fails 2, or it remains in 3.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.judgements import compare
from cross_check.comparison.mass_matrix import MassMatrix
from cross_check.comparison.scatter import neighbours
from cross_check.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from machine.double_doubles import product_of_words
from mechanisms.quantities import ByValue, Quantity

NEIGHBOURS = 48

SHORTEST, LONGEST = 3.0, 16.0
"""In ε. Rotations that are rounded once are off by less than the first; larger errors than the second are no rounding."""

FOLLOWS = 0.75

FACTOR = 4.0
"""M has a product of two axes, each rotated by a matrix that has the length of a quaternion squared."""


def explained_by_lengths(case: Case, loaded: Loaded, quantity: Quantity, bar: float) -> str | None:
    """Why answers above the bar are right, in words with the errors that are left; None if they are not so explained."""
    if not isinstance(quantity.judged, ByValue) or quantity.name == "placements":
        return None
    try:
        arguments = case.states.arguments(quantity.arguments)
        units = compare(case, quantity, loaded.ask(quantity.name, *arguments).value).units.reshape(len(case.states), -1)
        if not (loaded.offers("placements") and units.max() <= bar + FACTOR * LONGEST):
            return None
        wrong = np.flatnonzero((units > bar).any(axis=1))
        if not wrong.size:
            # The fault is gone: there is nothing to explain it by.
            return None
        around = {int(k): _around(case, loaded, quantity, int(k)) for k in wrong}
    except (Unsupported, Failure):
        return None
    longest = [float(np.abs(lengths).max()) for _, lengths in around.values()]
    if not all(SHORTEST <= one <= LONGEST for one in longest):
        return None
    left = max(_left(around, np.flatnonzero(units[:, c] > bar), c) for c in np.flatnonzero((units > bar).any(axis=0)).tolist())
    if not left <= bar:
        return None
    return (
        f"its rotation matrices are too long or too short by up to {max(longest):.2g} ε, as those of quaternions that are not "
        f"normalised; errors follow these lengths, and are at most {left:.2g} ε-units without them"
    )


def _around(case: Case, loaded: Loaded, quantity: Quantity, state: int) -> tuple[Array, Array]:
    """Errors (1 + neighbours, components) and lengths (1 + neighbours, bodies) at a state and its neighbours."""
    nearby = neighbours(case.mechanism, case.states.pick(np.full(NEIGHBOURS, state)), np.random.default_rng(0))
    truth = case.truth.afresh()
    there = replace(case, truth=truth, mass_matrix=MassMatrix(truth, case.scale), states=nearby)
    both = [_errors_and_lengths(one, loaded, quantity) for one in (case.pick(np.array([state])), there)]
    errors, lengths = (np.concatenate(parts) for parts in zip(*both, strict=True))
    return errors, lengths


def _left(around: dict[int, tuple[Array, Array]], states: Array, component: int) -> float:
    """The largest error of a component, around these states, without k σ; infinite if the errors do not follow the lengths."""
    errors = np.concatenate([around[int(k)][0][:, component] for k in states])
    return _without_lengths(errors, np.concatenate([around[int(k)][1] for k in states]))


def _without_lengths(errors: Array, lengths: Array) -> float:
    """The largest of ``errors`` (neighbours,) without those that follow from ``lengths`` (neighbours, bodies) of one body."""
    best = np.inf
    for σ in lengths.T:
        if np.ptp(σ) == 0 or np.ptp(errors) == 0 or abs(np.corrcoef(errors, σ)[0, 1]) < FOLLOWS:
            continue
        k = np.clip(errors @ σ / (σ @ σ), -FACTOR, FACTOR)
        best = min(best, float(np.abs(errors - k * σ).max()))
    return best


def _errors_and_lengths(case: Case, loaded: Loaded, quantity: Quantity) -> tuple[Array, Array]:
    """Errors with signs (states, components), in ε-units; σ (states, bodies), in ε, on average over the rows of R."""
    compared = compare(case, quantity, loaded.ask(quantity.name, *case.states.arguments(quantity.arguments)).value)
    R = loaded.ask("placements", case.states.q).value[..., :3]
    x, y, z = (product_of_words(R[..., k], R[..., k]) for k in range(3))
    # √(1 + d) − 1 = d / (1 + √(1 + d))
    off = (x + y + z - 1.0).astype(np.float64)
    σ = (off / (1 + np.sqrt(1 + off))).mean(axis=-1) / EPSILON
    return (np.sign(compared.error) * compared.units).reshape(len(σ), -1), σ
