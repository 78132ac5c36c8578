"""The kinds of states; together they reach every term.

Each kind of state shows other errors. :data:`KINDS` says how each kind is drawn, and docs/kill-table.md says which faults each
kind finds:

- zero, position zero, at rest, accelerated from rest, coasting: some of q, v and a are exactly zero, so that terms show alone;
- one velocity, acceleration or force zero, or alone, passive: code that skips zeros skips too much;
- two equal, round numbers: comparisons with = or ≠, of sums and differences, too;
- (near) quarter turns, half turns, (very) small turns: sines and cosines vanish or cancel, and quaternions are near special ones;
- tiny, slow, very slow: thresholds below which code takes a number for zero;
- large, far, fast, enormous: limits to which code clips or wraps numbers, and products of velocities;
- nearly the same, the same, the same again: one position with other velocities, then almost the state before or its opposite,
  for code that keeps what it computed before.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from machine.arithmetic.exact_product import dekker_product
from machine.elementary import cos_sin, power_of_ten
from mechanisms import Joint, Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Form, Slot
from mechanisms.states import integrate, neutral

Array = NDArray[np.float64]

SINGULAR_BAND = 0.27
"""An angle that makes M singular at ±90° stays this far (rad) from every odd quarter turn, near which M is ill-conditioned."""

ROUND = (0.5, 1.0, 2.0, 10.0, 100.0, *(np.pi * n for n in (0.25, 0.5, 1, 1.5, 2, 4)))
"""Sizes of round numbers."""


State = tuple[Array, Array, Array]
"""q, v and a."""


class Drawing(NamedTuple):
    """What a state is drawn from."""

    mechanism: Mechanism
    rng: np.random.Generator
    same: Array
    """The position that the states of some kinds share."""
    turn: int
    """How often all kinds were drawn before."""

    def normal(self) -> Array:
        return self.rng.normal(size=self.mechanism.nv)

    def aside(self) -> np.random.Generator:
        """A generator of its own leaves the states after it unchanged."""
        return self.rng.spawn(1)[0]

    def slots(self, *forms: Form) -> list[slice]:
        """Where the coordinates of these forms stand in q."""
        return [slot for form in forms for _, slot in self.mechanism.slots(form)]


Draw = Callable[[Drawing], State]

Position = Callable[[Drawing], Array]
"""Draws q alone."""


def kinds_of(first: int, count: int) -> tuple[str, ...]:
    """The kinds of ``count`` states of a run from number ``first`` on. Only state 0 is zero as a whole."""

    def kind(number: int) -> str:
        turn, place = divmod(number, len(PLACES))
        return PLACES[place][turn % len(PLACES[place])]

    return tuple(kind(k) if k else "zero" for k in range(first, first + count))


def _configuration(of: Drawing, positions: Any, rng: np.random.Generator | None = None) -> Array:
    """q with the given angles and distances (nv,), and with any orientation for a joint that has a quaternion."""
    mechanism, q = of.mechanism, np.empty(of.mechanism.nq)
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        given = positions[v_i]
        q[q_i] = given if body.joint.kind in _TAKEN_AS_GIVEN else _position(body.joint, given, rng or of.rng)
    return q


_TAKEN_AS_GIVEN = {
    kind
    for kind, joint in JOINT_KINDS.items()
    if joint.singular_angle is None and all(slot.form in ("angle", "distance") and slot.q == slot.v for slot in joint.slots)
}
"""The kinds of joints whose position is what is drawn: most joints, and most of the time that drawing takes."""


def _position(joint: Joint, given: Array, rng: np.random.Generator) -> Array:
    if (k := joint.description.singular_angle) is not None:
        given = given.copy()
        given[k] = outside_band(given[k])
    return np.concatenate([_slot(slot, given[slot.v], rng) for slot in joint.slots])


def outside_band(angle: float) -> float:
    """The angle (rad), or the nearest one that is :data:`SINGULAR_BAND` from an odd quarter turn."""
    singular = float(np.pi * (np.floor(angle / np.pi) + 0.5))
    return singular + math.copysign(SINGULAR_BAND, angle - singular) if abs(angle - singular) < SINGULAR_BAND else angle


def _slot(slot: Slot, given: Array, rng: np.random.Generator) -> Array:
    if slot.form == "quaternion":
        return unit(rng.normal(size=4), rng)
    return unit(np.concatenate(cos_sin(given)), rng) if slot.form == "circle" else given


def unit(direction: Array, rng: np.random.Generator, spread: float = 1e-3) -> Array:
    """A vector near ``direction``, whose length differs from one by much less than float64's spacing.

    Every number of it may change by about the fraction ``spread``, so that zeros stay zeros and small numbers stay small.

    Engines do not normalise quaternions, cosines and sines, so that another length would count as their error. And for cosines
    and sines of another length, the two derivations are different functions.
    """
    slack, numbers = sys.float_info.epsilon / (256 if len(direction) == 2 else 8), direction.tolist()
    while True:
        # Not by a library of linear algebra, whose last bits depend on the processor; and few numbers are faster without NumPy.
        length = math.sqrt(math.fsum([x * x for x in numbers]))
        rounded = [x / length for x in numbers]
        squares = (dekker_product(x, x) for x in rounded)
        if abs(math.fsum((-1.0, *chain.from_iterable(squares)))) < slack:
            return np.array(rounded)
        numbers = [x * (1 + spread * e) for x, e in zip(numbers, rng.normal(size=len(numbers)).tolist(), strict=True)]


def _drawn(position: Position, velocities: float = 1, accelerations: float = 1) -> Draw:
    """q by ``position``, then v and a of these sizes."""

    def draw(of: Drawing) -> State:
        # Adding zero turns −0 into 0.
        return position(of), velocities * of.normal() + 0.0, accelerations * of.normal() + 0.0

    return draw


def _scaled(positions: float, velocities: float, accelerations: float) -> Draw:
    return _drawn(lambda of: _configuration(of, positions * of.normal()), velocities, accelerations)


def _usual(of: Drawing) -> State:
    return _scaled(1, 1, 1)(of)


def _zero(of: Drawing) -> State:
    return neutral(of.mechanism), np.zeros(of.mechanism.nv), np.zeros(of.mechanism.nv)


def _position_zero(of: Drawing) -> State:
    own, q = of.aside(), neutral(of.mechanism)
    for quaternion in of.slots("quaternion"):
        q[quaternion] *= (-1) ** of.turn
    return q + 0.0, own.normal(size=of.mechanism.nv), own.normal(size=of.mechanism.nv)


def _at_rest(of: Drawing) -> State:
    """Zeros are negative in odd turns."""
    positions, zero = of.rng.uniform(-np.pi, np.pi, of.mechanism.nv), np.copysign(0.0, (-1) ** of.turn)
    return _configuration(of, positions), np.full(of.mechanism.nv, zero), np.full(of.mechanism.nv, zero)


def _quarter_turns(of: Drawing) -> Array:
    q = _configuration(of, of.rng.integers(-1, 2, of.mechanism.nv) * (np.pi / 2))
    for quaternion in of.slots("quaternion"):
        q[quaternion] = np.eye(4)[of.rng.integers(4)]
    for circle in of.slots("circle"):
        q[circle] = np.rint(q[circle])
    return q


def _near_quarter_turns(of: Drawing) -> State:
    """Angles are 10⁻² to 10⁻¹⁵ beside up to two quarter turns; cosines, sines and quaternions are 10⁻³ to 10⁻⁵ beside theirs."""
    _, v, a = _drawn(_quarter_turns)(of)
    own, n = of.aside(), of.mechanism.nv
    beside = _small(n, -15, -2, own)
    for circle in _components(of.mechanism, "circle"):
        beside[circle] = _small(1, -5, -3, own)[0]
    q = _configuration(of, own.integers(-2, 3, n) * (np.pi / 2) + beside, own)
    for quaternion in of.slots("quaternion"):
        q[quaternion] = unit(own.choice([-1, 1]) * np.eye(4)[own.integers(4)] + _small(4, -5, -3, own), own)
    return q, v, a


def _half_turns(of: Drawing) -> Array:
    """Angles are ±π. Quaternions are half turns about skew axes, some of them off by a billionth."""
    q = _configuration(of, of.rng.choice([-np.pi, np.pi], of.mechanism.nv))
    for quaternion in of.slots("quaternion"):
        q[quaternion] = unit(np.append(unit(of.rng.normal(size=3), of.rng), of.rng.choice([-1e-9, 0, 1e-9])), of.rng)
    for circle in of.slots("circle"):
        q[circle] = (-1, 0)
    return q


def _round_numbers(of: Drawing) -> State:
    """Numbers that code may compare with."""
    positions, v, a = of.rng.choice([-1, 1], (3, of.mechanism.nv)) * of.rng.choice(ROUND, (3, of.mechanism.nv))
    return _configuration(of, positions), v, a


def _small_turns(of: Drawing) -> Array:
    """Angles and distances are between 10⁻⁸ and 10⁻³, turns of quaternions and circles between about 10⁻⁵ and 10⁻³.

    No float64 numbers near a smaller turn have a length close enough to one.
    """
    q = _configuration(of, _small(of.mechanism.nv, -5, -3, of.rng))
    for slot in of.slots("angle", "distance"):
        q[slot] *= power_of_ten(of.rng.uniform(-3, 0))
    for k, quaternion in enumerate(of.slots("quaternion")):
        half_turn = _small(1, -5.5, -3, of.rng) / 2 * unit(of.rng.normal(size=3), of.rng)
        q[quaternion] = (-1) ** (of.turn // 2 + k) * unit(np.append(half_turn, 1), of.rng)
    return q


def _very_small_turns(of: Drawing) -> State:
    """Angles and distances are between 10⁻¹⁷ and 10⁻⁸."""
    q, v, a = _drawn(_small_turns)(of)
    smaller = _much_smaller(of)
    for slot in of.slots("angle", "distance"):
        q[slot] *= smaller
    return q, v, a


def _slow(of: Drawing) -> State:
    """Velocities and accelerations are between 10⁻⁸ and 10⁻³."""
    q, n = _configuration(of, of.normal()), of.mechanism.nv
    return q, _small(n, -8, -3, of.rng), _small(n, -8, -3, of.rng)


def _very_slow(of: Drawing) -> State:
    """Velocities and accelerations are between 10⁻¹⁷ and 10⁻⁸."""
    q, v, a = _slow(of)
    smaller = _much_smaller(of)
    return q, smaller * v, smaller * a


def _far(of: Drawing) -> Array:
    """Hundreds to millions of turns, and slides of tens of metres to kilometres."""
    drawn = of.normal()
    positions = np.copysign([power_of_ten(x) for x in (3 + np.abs(drawn)).tolist()], drawn)
    for distance in _components(of.mechanism, "distance"):
        positions[distance] /= 30
    return _configuration(of, positions)


def _one(column: int, alone: bool) -> Draw:
    """One velocity (column 1) or one acceleration (column 2) is zero; or it is ``alone`` and all others are."""

    def draw(of: Drawing) -> State:
        state = _usual(of)
        n = len(state[column])
        state[column][(np.arange(n) == of.rng.integers(n)) != alone] = 0
        return state

    return draw


def _enormous(of: Drawing) -> State:
    """Velocities, or in every second state of this kind accelerations, are 10⁶ to 10⁹ times as large as usual."""
    q, v, a = _usual(of)
    larger = power_of_ten(of.aside().uniform(6, 9))
    return (q, v, larger * a) if of.turn // 2 % 2 else (q, larger * v, a)


def _two_equal(of: Drawing) -> State:
    """Two positions are equal or opposite, and so are the same two velocities and accelerations; or the velocities, which are the
    accelerations, too, have the sum zero exactly."""
    q, v, a = _usual(of)
    own = of.aside()
    if of.turn // 2 % 3 == 2:
        v = np.rint(v * 2.0**20) * 2.0**-20  # Sums of such numbers are exact.
        v[-1] = v[-1] if len(v) == 1 else -v[:-1].sum()
        return q, v, v.copy()
    sign = (-1.0) ** (of.turn // 2 % 3)
    one, other = own.choice(len(v), 2, replace=len(v) == 1)
    v[one], a[one] = sign * v[other], sign * a[other]
    joints = zip(of.mechanism.bodies, of.mechanism.q_slices, strict=True)
    plain = [q_i.start for body, q_i in joints if body.joint.kind in _TAKEN_AS_GIVEN]
    if len(plain) > 1:
        one, other = own.choice(plain, 2, replace=False)
        q[one] = sign * q[other]
    return q, v, a


def again(before: State, drawn: State, turn: int) -> State:
    """The state before with v and a of opposite sign in odd turns, and off by 10⁻⁸, 10⁻¹⁰ or 10⁻¹² of themselves in even ones."""
    q, v, a = before
    if turn % 2:
        return q, -v, -a
    spread = power_of_ten(-8.0 - turn % 6)
    return q, v * (1 + spread * drawn[1]), a * (1 + spread * drawn[2])


def _nearly_the_same(of: Drawing) -> Array:
    """Every angle, distance and turn differs by about a billionth."""
    q = integrate(of.mechanism, of.same[None], 1e-9 * of.rng.normal(size=(1, of.mechanism.nv)))[0]
    for slot in of.slots("quaternion", "circle"):
        q[slot] = unit(q[slot], of.rng, 1e-10)
    return q


def _small(size: int, lowest: float, highest: float, rng: np.random.Generator) -> Array:
    """Numbers of both signs, whose decimal logarithms are uniform between ``lowest`` and ``highest``."""
    return rng.choice([-1, 1], size) * [power_of_ten(x) for x in rng.uniform(lowest, highest, size).tolist()]


def _much_smaller(of: Drawing) -> float:
    """A factor between 10⁻⁹ and 10⁻⁵."""
    return power_of_ten(of.aside().uniform(-9, -5))


def _components(mechanism: Mechanism, form: Form) -> Iterator[slice]:
    """Where the velocities of coordinates of this form stand in v."""
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        for slot in body.joint.slots:
            if slot.form == form:
                yield slice(own.start + slot.v.start, own.start + slot.v.stop)


KINDS: dict[str, Draw] = {
    "zero": _zero,
    "position zero": _position_zero,
    "random": _usual,
    "two equal": _two_equal,
    "at rest": _at_rest,
    "quarter turns": _drawn(_quarter_turns),
    "near quarter turns": _near_quarter_turns,
    "tiny": _scaled(1e-3, 1e-3, 1e-3),
    "large": _scaled(30, 30, 30),
    "fast": _scaled(1, 100, 1),
    "accelerated from rest": _scaled(1, 0, 1),
    "coasting": _scaled(1, 1, 0),
    "passive": _usual,
    "one velocity zero": _one(1, alone=False),
    "one acceleration zero": _one(2, alone=False),
    "one force zero": _usual,
    "one velocity alone": _one(1, alone=True),
    "one acceleration alone": _one(2, alone=True),
    "one force alone": _usual,
    "small turns": _drawn(_small_turns),
    "very small turns": _very_small_turns,
    "half turns": _drawn(_half_turns),
    "round numbers": _round_numbers,
    "slow": _slow,
    "very slow": _very_slow,
    "far": _drawn(_far, 1e3, 1e3),
    "enormous": _enormous,
    "nearly the same": _drawn(_nearly_the_same),
    "the same": _drawn(lambda of: of.same),
    "the same again": _drawn(lambda of: of.same),
}

PLACES = (
    ("position zero",),
    ("random", "two equal"),
    ("at rest",),
    ("quarter turns", "near quarter turns"),
    ("tiny",),
    ("large",),
    ("fast",),
    ("accelerated from rest",),
    ("coasting", "passive"),
    ("one velocity zero", "one acceleration zero", "one force zero"),
    ("one velocity alone", "one acceleration alone", "one force alone"),
    ("small turns", "very small turns"),
    ("half turns", "round numbers"),
    ("slow", "very slow"),
    ("far", "enormous"),
    ("nearly the same",),
    ("the same",),
    ("the same again",),
)
"""The kinds of the states of a run, one after the other and again from the first; a place with several kinds has them in turn."""

FORCES = {"zero": 0.0, "tiny": 1e-3, "large": 30.0, "slow": 1e-6, "very slow": 1e-6, "far": 1e3}
"""Factors of the forces, where they are not one."""
