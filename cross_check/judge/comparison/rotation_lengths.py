"""Rotations that are a little too long: errors that follow the lengths of the code's own rotation matrices and axes.

Code that keeps rotations as quaternions need not normalise them while their length is off by a few roundings. Then its rotation
matrices, and the axes of its joints, are too long or too short by some ε, and M by twice as much. An axis may be rotated by a
quaternion that is normalised later, so that it has a length of its own. Lengths are rounded at random, so they differ at
neighbours of a state, which are some roundings away. Let σ be by how much the rows of a body's rotation matrix in the code's own
placements, or a joint's axis in its own Jacobian, are longer than they should be, in ε. The errors of a component are explained
by this if, at all states where it is above the bar and at :data:`NEIGHBOURS` neighbours of each,

1. some σ is larger than :data:`SHORTEST` at every such state, and none is larger than :data:`LONGEST`;
2. the errors follow one or two lengths: their correlation with k σ, or k σ + k' σ', is at least :data:`FOLLOWS`;
3. without it, with factors |k| of at most :data:`FACTOR`, no error is above the bar (docs/notes/error-scale.md, eq. 38).

A wrong term does not change with the lengths: it fails 2, or it remains in 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compared_at
from cross_check.judge.comparison.scatter import neighbours
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from machine.double_doubles import DoubleDoubles, product_of_words
from mechanisms.quantities import ByConstrainedMotion, ByDelassus, Quantity

NEIGHBOURS = 48

SHORTEST, LONGEST = 3.0, 24.0
"""In ε. Rotations that are rounded once are off by less than the first. Larger errors than the second are no rounding: a
quaternion that is the product of two, each off by 4.5 ε, rotates an axis that then is 18 ε too long, and the axis is rounded."""

MOST = 2
"""The errors of a component follow so many lengths: V in a body's frame follows the length of an axis and that of a rotation."""

FOLLOWS = 0.75

OF_AXES = "jacobians_aligned"
"""The quantity in which axes stand with the length that they have."""

FACTOR = 4.0
"""M has a product of two axes, each rotated by a matrix that has the length of a quaternion squared."""


class WithoutLengths(NamedTuple):
    """The largest error without what follows from lengths, in ε-units, and the largest of these lengths, in ε."""

    left: float
    longest: float


def explained_by_lengths(case: Case, loaded: Loaded, quantity: Quantity, bar: float) -> str | None:
    """Why answers above the bar are right, in words with the errors that are left; None if they are not so explained."""
    found = without_lengths(case, loaded, quantity, bar)
    return found and (
        f"its rotation matrices or axes are too long or too short by up to {found.longest:.2g} ε, as those of quaternions that "
        f"are not normalised; errors follow these lengths, and are at most {found.left:.2g} ε-units without them"
    )


def without_lengths(case: Case, loaded: Loaded, quantity: Quantity, bar: float) -> WithoutLengths | None:
    """What is left of answers above the bar, which is not above it; None if they are not explained by lengths."""
    if isinstance(quantity.judged, ByConstrainedMotion | ByDelassus) or quantity.name == "placements":
        return None
    try:
        units = compared_at(case, loaded, quantity).units.reshape(len(case.states), -1)
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
    return WithoutLengths(left, max(longest)) if left <= bar else None


def _around(case: Case, loaded: Loaded, quantity: Quantity, state: int) -> tuple[Array, Array]:
    """Errors (1 + neighbours, components) and lengths (1 + neighbours, bodies and axes) at a state and its neighbours."""
    nearby = neighbours(case.mechanism, case.states.pick(np.full(NEIGHBOURS, state)), np.random.default_rng(0))
    there = case.at(case.truth.afresh(), nearby)
    both = [_errors_and_lengths(one, loaded, quantity) for one in (case.pick(np.array([state])), there)]
    errors, lengths = (np.concatenate(parts) for parts in zip(*both, strict=True))
    return errors, lengths


def _left(around: dict[int, tuple[Array, Array]], states: Array, component: int) -> float:
    """The largest error of a component, around these states, without k σ; infinite if the errors do not follow the lengths.

    Factors are the same at all states, or differ from state to state.
    """
    errors, lengths = [around[int(k)][0][:, component] for k in states], [around[int(k)][1] for k in states]
    together = _without_lengths(np.concatenate(errors), np.concatenate(lengths))
    return min(together, max(map(_without_lengths, errors, lengths)))


def _without_lengths(errors: Array, lengths: Array) -> float:
    """The largest of ``errors`` (neighbours,) without what follows ``lengths`` (neighbours, lengths); infinite if they do not."""
    left, followed = errors, lengths[:, :0]
    for _ in range(MOST):
        followed = np.column_stack([followed, lengths[:, _followed(left, lengths)]])
        # Lengths vary, so a constant error does not follow them: k is fitted to deviations from the means.
        deviations = followed - followed.mean(axis=0), errors - errors.mean()
        k = np.clip(np.linalg.lstsq(*deviations, rcond=None)[0], -FACTOR, FACTOR)
        left = errors - followed @ k
        # A constant follows nothing.
        if min(np.ptp(errors), np.ptp(followed @ k)) > 0 and np.corrcoef(errors, followed @ k)[0, 1] >= FOLLOWS:
            return float(np.abs(left).max())
    return np.inf


def _followed(errors: Array, lengths: Array) -> int:
    """Which of ``lengths`` (neighbours, lengths) the errors (neighbours,) are most correlated with."""
    spread = lengths - lengths.mean(axis=0)
    size = np.linalg.norm(spread, axis=0)
    return int(np.argmax(np.abs((errors - errors.mean()) @ spread) / np.where(size == 0, np.inf, size)))


def _errors_and_lengths(case: Case, loaded: Loaded, quantity: Quantity) -> tuple[Array, Array]:
    """Errors with signs (states, components), in ε-units; σ (states, bodies and axes), in ε, on average over the rows of R."""
    errors = compared_at(case, loaded, quantity).signed.reshape(len(case.states), -1)
    σ = [_off(_squares(loaded.ask("placements", case.states.q).value[..., :3]), 1.0).mean(axis=-1)]
    if loaded.offers(OF_AXES):
        σ.append(_of_axes(case, loaded.ask(OF_AXES, case.states.q).value))
    return errors, np.concatenate(σ, axis=1) / case.mechanism.precision.epsilon


def _of_axes(case: Case, J: Array) -> Array:
    """By how much the axis of every coordinate (states, coordinates of bodies) is too long in the Jacobian of its own body."""
    high, low = case.truth.high_low(OF_AXES, case.states.q)
    lengths = [np.zeros((len(J), 0))]
    for body, slot in enumerate(case.mechanism.v_slices):
        for k in range(slot.start, slot.stop):
            # A slide has no angular part.
            part = slice(0, 3) if high[:, body, :3, k].any() else slice(3, 6)
            axis, rest = high[:, body, part, k], low[:, body, part, k]
            true = _squares(axis) + (2 * axis * rest).sum(axis=-1)
            lengths.append(_off(_squares(J[:, body, part, k]), true)[:, None])
    return np.concatenate(lengths, axis=1)


def _squares(x: Array) -> DoubleDoubles:
    """x · x over the last axis, exactly rounded."""
    return sum((product_of_words(x[..., k], x[..., k]) for k in range(1, x.shape[-1])), product_of_words(x[..., 0], x[..., 0]))


def _off(squares: DoubleDoubles, true: DoubleDoubles | float) -> Array:
    """√(squares / true) − 1; zero where the true square is zero."""
    size = np.asarray(true if isinstance(true, float) else true.astype(np.float64))
    d = (squares - true).astype(np.float64) / np.where(size == 0, np.inf, size)
    # √(1 + d) − 1 = d / (1 + √(1 + d))
    return np.asarray(d / (1 + np.sqrt(1 + d)))
