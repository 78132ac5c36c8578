"""What positions are integrated along, and second positions, for every state of a comparison.

Code for rotations is wrong where a series takes over from a closed form, near a half turn, and beyond. So the turns of a state's
joints have one size, from a list in turn: zero, generic, 10⁻¹ to 10⁻¹² rad, next to half and whole turns, and several turns.
Slides are zero, small, generic or large. A second position is never half a turn or more away, because ⊖ would have to choose a
direction there; its quaternions have either sign, and the angles of its planar joints may be several turns away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cross_check.judge.comparison.coarse_states import apart_from_half_turns
from machine.elementary import power_of_ten
from mechanisms import Joint, Mechanism
from mechanisms.numbers.precision import FLOAT64
from mechanisms.states import integrate

Array = NDArray[np.float64]

Turn = Callable[[float], float]
"""The size of a turn (rad), of a number between 0 and 1 that is drawn."""

SMALLEST = 12
"""The smallest turns that are drawn have 10^−SMALLEST rad."""

SLIDES = np.array((0.0, 1e-3, 1.0, 1.0, 30.0))

NUMBERS = 5
"""So many numbers between 0 and 1 are drawn for a joint's step: whether it is along an axis, which, its sign, its slide, and the
sign of a quaternion or the turns of an angle."""


def _beside(angle: float, exponent: float) -> Turn:
    """Turns that differ from an angle by between 10^exponent and 10⁻³ rad, to either side."""
    return lambda u: angle + math.copysign(power_of_ten(exponent + abs(2 * u - 1) * (-3 - exponent)), u - 0.5)


def _small(exponent: int) -> Turn:
    """Turns beside 10^−exponent, for code often takes a series below such a number.

    Two of three are just below it, where the series is worst. The others are up to four times larger, where terms cancel most.
    """
    return lambda u: power_of_ten(-exponent) * (0.9 + 0.15 * u if u < 2 / 3 else 9 * u - 5)


def _between(least: float, most: float) -> Turn:
    return lambda u: least + (most - least) * u


BELOW_HALF: tuple[Turn, ...] = (
    lambda u: 0.0,
    *[_between(0.3, 3.1)] * 2,
    _between(0.3, 1),
    *(_small(k) for k in range(1, SMALLEST + 1)),
    lambda u: math.pi - power_of_ten(-9 + 7 * u),
)

TURNS: tuple[Turn, ...] = (
    *BELOW_HALF,
    _beside(math.pi, -9),
    lambda u: math.pi,
    _between(math.pi, 2 * math.pi),
    # Nearer to a whole turn, code may answer NaN, which hides all its other answers.
    _beside(2 * math.pi, -6),
    *[_between(2 * math.pi, 20)] * 2,
)
"""Their numbers, 17 and 23, have no divisor in common with that of the kinds of states, so that every turn meets every kind."""


def steps_from(mechanism: Mechanism, q: Array, first: int, seed: Sequence[int]) -> tuple[Array, Array]:
    """dv (batch, nv) and ``to`` (batch, nq) for states at q (batch, nq); the first has the number ``first`` in the run."""
    joints = [
        (body.joint, at, own)
        for body, at, own in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)
        if body.joint.mimic is None
    ]
    # State after state and by two generators, so that a state's numbers do not depend on how many states there are.
    drawn = np.random.default_rng([*seed, 2]).random((len(q), 2, 1 + NUMBERS * len(joints)))
    directions = np.random.default_rng([*seed, 3]).normal(size=(len(q), 2, mechanism.nv))
    dv, nearer = np.zeros((2, len(q), mechanism.nv))
    for k, (turns, step) in enumerate(((TURNS, dv), (BELOW_HALF, nearer))):
        sizes = np.array([turns[(first + n) % len(turns)](u) for n, u in enumerate(drawn[:, k, 0].tolist())]).reshape(-1, 1)
        if mechanism.precision != FLOAT64:
            sizes = apart_from_half_turns(sizes, mechanism.precision)
        for i, (joint, _, own) in enumerate(joints):
            step[:, own] = _step(joint, sizes, drawn[:, k, 1 + NUMBERS * i :][:, :NUMBERS], directions[:, k, own])
    to = integrate(mechanism, q, nearer)
    for i, (joint, at, own) in enumerate(joints):
        turns = np.any(nearer[:, own][:, _turning(joint)], axis=1)
        _choose(joint, q[:, at], to[:, at], turns[:, None], drawn[:, 1, [NUMBERS * (i + 1)]])
    return dv, to


def _step(joint: Joint, sizes: Array, drawn: Array, direction: Array) -> Array:
    """dv (batch, nv) of one joint; ``sizes`` are those of the turns (batch, 1)."""
    along, which, sign, slide, _ = drawn.T
    turning = _turning(joint)
    step = direction * SLIDES[(slide * len(SLIDES)).astype(int)][:, None]
    if turning:
        axes = np.eye(len(turning))[(which * len(turning)).astype(int)] * np.where(sign < 0.5, -1, 1)[:, None]
        step[:, turning] = sizes * np.where((along < 0.25)[:, None], axes, _unit(direction[:, turning]))
    # Adding zero turns −0 into 0.
    return step + 0.0


def _turning(joint: Joint) -> list[int]:
    return [k for k, coordinate in enumerate(joint.description.coordinates) if coordinate.turns]


def _unit(x: Array) -> Array:
    # Not by a library of linear algebra, whose last bits depend on the processor.
    return x / np.sqrt(sum(part * part for part in x.T))[:, None]


def _choose(joint: Joint, q: Array, to: Array, turns: NDArray[np.bool_], drawn: Array) -> None:
    """Give a joint's second positions lengths of one, but for rounding, and one of the forms that are the same position.

    Where it does not turn (batch, 1), the orientation is that of ``q``.
    """
    for slot in joint.slots:
        if slot.form in ("quaternion", "circle"):
            to[:, slot.q] = np.where(turns, _unit(to[:, slot.q]), q[:, slot.q])
        if slot.form == "quaternion":
            to[:, slot.q] *= np.where(drawn < 0.5, -1, 1)
        if slot.form == "angle" and joint.velocity_is_body_twist:
            to[:, slot.q] += np.where(turns, 2 * math.pi * (np.floor(3 * drawn) - 1), 0)
