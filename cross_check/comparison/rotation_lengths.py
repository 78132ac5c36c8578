"""Rotations that are a little too long: errors that follow the lengths of the code's own rotation matrices.

Code that keeps rotations as quaternions need not normalise them while their length is off by a few roundings. Then its rotation
matrices, and the axes of its joints, are too long or too short by some ε, and M by twice as much. Lengths are rounded at random:
at a neighbour, a state that differs by some roundings, they are others. Let σ be by how much the rows of a body's rotation matrix
in the code's own placements are longer than one, in ε. An error above the bar is explained by this if, at the state and at
:data:`NEIGHBOURS` neighbours,

1. some σ is larger than :data:`SHORTEST` and none is larger than :data:`LONGEST`;
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
        left, length = zip(*(_left(case, loaded, quantity, int(k), units[k] > bar, bar) for k in wrong), strict=True)
    except (Unsupported, Failure):
        return None
    if not max(left) <= bar:
        return None
    return (
        f"its rotation matrices are too long or too short by up to {max(length):.2g} ε, as those of quaternions that are not "
        f"normalised; errors follow these lengths, and are at most {max(left):.2g} ε-units without them"
    )


def _left(case: Case, loaded: Loaded, quantity: Quantity, state: int, wrong: Array, bar: float) -> tuple[float, float]:
    """The largest error of the ``wrong`` components without k σ, infinite if they do not follow the lengths; the largest |σ|."""
    here = case.pick(np.array([state]))
    nearby = neighbours(case.mechanism, case.states.pick(np.full(NEIGHBOURS, state)), np.random.default_rng(0))
    truth = case.truth.afresh()
    there = replace(case, truth=truth, mass_matrix=MassMatrix(truth, case.scale), states=nearby)
    both = [_errors_and_lengths(one, loaded, quantity) for one in (here, there)]
    errors, lengths = (np.concatenate(parts) for parts in zip(*both, strict=True))
    longest = float(np.abs(lengths).max())
    if not SHORTEST <= longest <= LONGEST:
        return np.inf, longest
    return max(_without_lengths(e, lengths) for e in errors[:, wrong].T), longest


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
