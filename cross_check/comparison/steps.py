"""What positions are integrated along, and second positions, for every state of a comparison.

Code for rotations is wrong where a series takes over from a closed form, near a half turn, and beyond. So the turns of a state's
joints have one size, from a list in turn: zero, generic, 10⁻¹ to 10⁻¹² rad, next to half and whole turns, and several turns.
Slides are zero, small, generic or large. A second position is never half a turn or more away, because ⊖ would have to choose a
direction there; its quaternions have either sign, and the angles of its planar joints may be several turns away.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from machine.elementary import power_of_ten
from mechanisms import Mechanism
from mechanisms.joint_kinds import Form
from mechanisms.states import integrate

Array = NDArray[np.float64]

Turn = Callable[[np.random.Generator], float]

SMALLEST = 12
"""The smallest turns that are drawn have 10^−SMALLEST rad."""

SLIDES = (0.0, 1e-3, 1.0, 1.0, 30.0)


def _beside(angle: float, exponent: float) -> Turn:
    """Turns that differ from an angle by between 10^exponent and 10⁻³ rad, to either side."""
    return lambda rng: angle + float(rng.choice([-1, 1])) * power_of_ten(float(rng.uniform(exponent, -3)))


def _small(exponent: int) -> Turn:
    return lambda rng: power_of_ten(-exponent) * float(rng.uniform(1, 3))


def _between(least: float, most: float) -> Turn:
    return lambda rng: float(rng.uniform(least, most))


BELOW_HALF: tuple[Turn, ...] = (
    lambda rng: 0.0,
    *[_between(0.3, 3.1)] * 3,
    *(_small(k) for k in range(1, SMALLEST + 1)),
    lambda rng: math.pi - power_of_ten(float(rng.uniform(-9, -2))),
)

TURNS: tuple[Turn, ...] = (
    *BELOW_HALF,
    _beside(math.pi, -9),
    lambda rng: math.pi,
    _between(math.pi, 2 * math.pi),
    # Nearer to a whole turn, code may answer NaN, which hides all its other answers.
    _beside(2 * math.pi, -6),
    *[_between(2 * math.pi, 20)] * 2,
)
"""Their numbers, 17 and 23, have no divisor in common with that of the kinds of states, so that every turn meets every kind."""


def steps_from(mechanism: Mechanism, q: Array, first: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """dv (batch, nv) and ``to`` (batch, nq) for states at q (batch, nq); the first has the number ``first`` in the run."""
    numbers = range(first, first + len(q))
    dv = np.array([_step(mechanism, TURNS[k % len(TURNS)], rng) for k in numbers]).reshape(len(q), mechanism.nv)
    nearer = np.array([_step(mechanism, BELOW_HALF[k % len(BELOW_HALF)], rng) for k in numbers]).reshape(len(q), mechanism.nv)
    return dv, _like_positions(mechanism, q, integrate(mechanism, q, nearer), nearer, rng)


def _step(mechanism: Mechanism, turn: Turn, rng: np.random.Generator) -> Array:
    step = np.empty(mechanism.nv)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.mimic:
            continue
        turns = np.array([coordinate.turns for coordinate in body.joint.description.coordinates], dtype=bool)
        part = rng.normal(size=len(turns)) * rng.choice(SLIDES)
        if turns.any():
            part[turns] = turn(rng) * _direction(int(turns.sum()), rng)
        # Adding zero turns −0 into 0.
        step[own] = part + 0.0
    return step


def _direction(n: int, rng: np.random.Generator) -> Array:
    """A unit vector; one in four lies along an axis."""
    if rng.integers(4) == 0:
        return np.eye(n)[rng.integers(n)] * rng.choice([-1, 1])
    return _unit(rng.normal(size=n))


def _unit(x: Array) -> Array:
    return x / math.sqrt(math.fsum((x * x).tolist()))


def _like_positions(mechanism: Mechanism, q: Array, to: Array, step: Array, rng: np.random.Generator) -> Array:
    """Positions whose quaternions, cosines and sines have a length of one, but for rounding; where there was no step, ``q``."""
    still: NDArray[np.bool_] = ~np.any(step, axis=1)
    to[still] = q[still]
    forms: tuple[Form, ...] = ("quaternion", "circle")
    for form in forms:
        for _, slot in mechanism.slots(form):
            to[:, slot] = [x if same else _unit(x) for x, same in zip(to[:, slot], still, strict=True)]
            if form == "quaternion":
                to[:, slot] *= rng.choice([-1, 1], size=(len(to), 1))
    for joint, slot in mechanism.slots("angle"):
        if joint.velocity_is_body_twist:
            to[:, slot] += 2 * math.pi * rng.integers(-1, 2, size=(len(to), 1)) * ~still[:, None]
    return to
