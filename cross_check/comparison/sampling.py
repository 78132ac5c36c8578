"""The states of a comparison; together they reach every term.

Each kind of state shows other errors. :data:`_KINDS` says how each kind is drawn, and docs/kill-table.md says which faults each
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

import hashlib
import math
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cross_check.comparison.steps import steps_from
from machine.arithmetic.exact_product import dekker_product
from machine.elementary import cos_sin, power_of_ten
from mechanisms import Joint, Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Form, Slot
from mechanisms.states import integrate, neutral

Array = NDArray[np.float64]

BLOCK = 2048
"""States are drawn in blocks of this size, each with a generator of its own, so that none needs the blocks before it."""

SINGULAR_BAND = 0.27
"""An angle that makes M singular at ±90° stays this far (rad) from every odd quarter turn, near which M is ill-conditioned."""

ROUND = (0.5, 1.0, 2.0, 10.0, 100.0, *(np.pi * n for n in (0.25, 0.5, 1, 1.5, 2, 4)))
"""Sizes of round numbers."""

COLUMNS = ("q", "v", "a", "tau", "f", "dv", "to")


@dataclass(frozen=True)
class States:
    """A batch of states: q (batch, nq); v, a, tau (batch, nv); f (batch, bodies, 6). ``kinds`` names each state's kind.

    :meth:`with_forces` sets ``tau``, so that the results of forward dynamics have the size of ``a``.
    ``f`` are forces [n; f] on the bodies (N m, N), each in its body's own frame.
    ``dv`` (batch, nv) and ``to`` (batch, nq) are what positions are integrated along, and a second position; states that were not
    sampled have neither. States that satisfy constraints have ``v_minus`` (batch, nv): velocities before an impact, which need
    not satisfy them.
    """

    kinds: tuple[str, ...]
    q: Array
    v: Array
    a: Array
    tau: Array
    f: Array
    dv: Array = field(default_factory=lambda: np.empty(0), kw_only=True)
    to: Array = field(default_factory=lambda: np.empty(0), kw_only=True)
    v_minus: Array = field(default_factory=lambda: np.empty(0), kw_only=True)
    rows: Any = field(default_factory=lambda: np.empty((0, 0), np.intp), kw_only=True)
    """Independent rows of the constraint Jacobian (batch, rank)."""
    numbers: tuple[int, ...] = field(default=(), kw_only=True)
    """The numbers of states that were given; those of sampled states follow from their places."""
    lacking: frozenset[str] = field(default=frozenset(), kw_only=True)
    """The columns that were not given: they are zero."""

    def __len__(self) -> int:
        return len(self.kinds)

    def with_forces(self, tau: Array) -> States:
        return replace(self, tau=tau)

    @property
    def has_forces(self) -> bool:
        """Whether ``tau`` was given."""
        return bool(self.numbers) and "tau" not in self.lacking

    @property
    def rank(self) -> int:
        """The rank of the constraint Jacobian at every state."""
        return int(self.rows.shape[1])

    @property
    def columns(self) -> dict[str, Array]:
        """By name q, v, a, tau and f, and dv and to where the states have them."""
        return self._having(COLUMNS)

    def _having(self, names: tuple[str, ...]) -> dict[str, Array]:
        columns = {name: getattr(self, name) for name in names}
        return {name: column for name, column in columns.items() if len(column) == len(self)}

    def arguments(self, names: tuple[str, ...]) -> tuple[Array, ...]:
        """Copies of the named columns, which the receiver may change."""
        return tuple(getattr(self, name).copy() for name in names)

    def digest(self, count: int) -> str:
        """Sixteen hexadecimal digits that change when one of the first ``count`` states changes.

        In single precision: the last bits of converted numbers are not the same on every machine.
        """
        with np.errstate(over="ignore"):
            columns = [column[:count].astype("<f4").tobytes() for column in self.columns.values()]
        return hashlib.sha256(b"".join([repr(self.numbers[:count]).encode(), *columns])).hexdigest()[:16]

    def pick(self, chosen: NDArray[np.intp]) -> Self:
        """The states with these indices."""
        columns: Any = {name: column[chosen] for name, column in self._having((*COLUMNS, "v_minus", "rows")).items()}
        numbers = tuple(self.numbers[k] for k in chosen) if self.numbers else ()
        return replace(self, kinds=tuple(self.kinds[k] for k in chosen), numbers=numbers, **columns)


def sample(mechanism: Mechanism, seed: int, count: int, block: int = 0) -> States:
    """The first ``count`` states of a block, :data:`BLOCK` at most; kinds in turn, the zero state first of all.

    The draw depends on the seed, the block and the names of the mechanism's coordinates alone. So a state keeps its number when
    other mechanisms are checked too, and when the mechanism is renamed because another has the same name.
    """
    drawn_from = [seed, zlib.crc32("\n".join(mechanism.coordinates).encode(errors="backslashreplace"))]
    rng = np.random.default_rng([*drawn_from, 2 * block] if block else drawn_from)
    kinds = kinds_of(block * BLOCK, count)
    # All blocks share one position. Its generator is neither a block's nor that of a block's forces.
    same = _scaled(1, 0, 0)(mechanism, np.random.default_rng([*drawn_from, 1, 1]), np.empty(0), 0)[0]
    drawn: list[State] = []
    for k, kind in enumerate(kinds):
        turn = (block * BLOCK + k) // len(_PLACES)
        state = _KINDS[kind](mechanism, rng, same, turn)
        drawn.append(_again(drawn[-1], state, turn) if kind == "the same again" else state)
    q, v, a = (np.array(column, dtype=np.float64).reshape(count, -1) for column in zip(*drawn, strict=True))
    # Forces have a generator of their own, which leaves the other columns unchanged.
    f = np.random.default_rng([*drawn_from, 2 * block + 1]).normal(size=(count, len(mechanism.bodies), 6))
    f *= np.array([_FORCES.get(kind, 1.0) for kind in kinds])[:, None, None]
    for k, on_bodies in enumerate(f):
        if kinds[k] != "random":
            _leave_out(on_bodies, block * BLOCK + k)
    dv, to = steps_from(mechanism, q, block * BLOCK, [*drawn_from, 2 * block + 1])
    return States(kinds, q, v, a, np.zeros_like(v), f, dv=dv, to=to)


def kinds_of(first: int, count: int) -> tuple[str, ...]:
    """The kinds of ``count`` states of a run from number ``first`` on. Only state 0 is zero as a whole."""

    def kind(number: int) -> str:
        turn, place = divmod(number, len(_PLACES))
        return _PLACES[place][turn % len(_PLACES[place])]

    return tuple(kind(k) if k else "zero" for k in range(first, first + count))


State = tuple[Array, Array, Array]

Draw = Callable[[Mechanism, np.random.Generator, Array, int], State]
"""Draws q, v and a of one state. The third argument is the position that the states of some kinds share, the last one how often
all kinds were drawn before."""


def _configuration(mechanism: Mechanism, positions: Any, rng: np.random.Generator) -> Array:
    """q with the given angles and distances (nv,), and with any orientation for a joint that has a quaternion."""
    q = np.empty(mechanism.nq)
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        given = positions[v_i]
        q[q_i] = given if body.joint.kind in _TAKEN_AS_GIVEN else _position(body.joint, given, rng)
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
        singular = np.pi * (np.floor(given[k] / np.pi) + 0.5)
        if abs(given[k] - singular) < SINGULAR_BAND:
            given[k] = singular + math.copysign(SINGULAR_BAND, given[k] - singular)
    return np.concatenate([_slot(slot, given[slot.v], rng) for slot in joint.slots])


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


def _zero(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    return neutral(mechanism), np.zeros(mechanism.nv), np.zeros(mechanism.nv)


def _position_zero(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    # A generator of its own leaves the states after it unchanged.
    own, q = rng.spawn(1)[0], neutral(mechanism)
    for _, quaternion in mechanism.slots("quaternion"):
        q[quaternion] *= (-1) ** turn
    return q + 0.0, own.normal(size=mechanism.nv), own.normal(size=mechanism.nv)


def _at_rest(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Zeros are negative in odd turns."""
    positions, zero = rng.uniform(-np.pi, np.pi, mechanism.nv), np.copysign(0.0, (-1) ** turn)
    return _configuration(mechanism, positions, rng), np.full(mechanism.nv, zero), np.full(mechanism.nv, zero)


def _quarter_turns(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    positions = rng.integers(-1, 2, mechanism.nv) * (np.pi / 2)
    q = _configuration(mechanism, positions, rng)
    for _, quaternion in mechanism.slots("quaternion"):
        q[quaternion] = np.eye(4)[rng.integers(4)]
    for _, circle in mechanism.slots("circle"):
        q[circle] = np.rint(q[circle])
    return q, rng.normal(size=mechanism.nv), rng.normal(size=mechanism.nv)


def _near_quarter_turns(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Angles are 10⁻² to 10⁻¹⁵ beside up to two quarter turns; cosines, sines and quaternions are 10⁻³ to 10⁻⁵ beside theirs."""
    _, v, a = _quarter_turns(mechanism, rng, same, turn)
    own, n = rng.spawn(1)[0], mechanism.nv
    beside = _small(n, -15, -2, own)
    for body, v_i in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        for slot in body.joint.slots:
            if slot.form == "circle":
                beside[v_i][slot.v] = _small(1, -5, -3, own)[0]
    q = _configuration(mechanism, own.integers(-2, 3, n) * (np.pi / 2) + beside, own)
    for _, quaternion in mechanism.slots("quaternion"):
        q[quaternion] = unit(own.choice([-1, 1]) * np.eye(4)[own.integers(4)] + _small(4, -5, -3, own), own)
    return q, v, a


def _half_turns(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Angles are ±π. Quaternions are half turns about skew axes, some of them off by a billionth."""
    q = _configuration(mechanism, rng.choice([-np.pi, np.pi], mechanism.nv), rng)
    for _, quaternion in mechanism.slots("quaternion"):
        q[quaternion] = unit(np.append(unit(rng.normal(size=3), rng), rng.choice([-1e-9, 0, 1e-9])), rng)
    for _, circle in mechanism.slots("circle"):
        q[circle] = (-1, 0)
    return q, rng.normal(size=mechanism.nv), rng.normal(size=mechanism.nv)


def _round_numbers(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Numbers that code may compare with."""
    positions, v, a = rng.choice([-1, 1], (3, mechanism.nv)) * rng.choice(ROUND, (3, mechanism.nv))
    return _configuration(mechanism, positions, rng), v, a


def _small_turns(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Angles and distances are between 10⁻⁸ and 10⁻³, turns of quaternions and circles between about 10⁻⁵ and 10⁻³.

    No float64 numbers near a smaller turn have a length close enough to one.
    """
    q = _configuration(mechanism, _small(mechanism.nv, -5, -3, rng), rng)
    forms: tuple[Form, ...] = ("angle", "distance")
    for form in forms:
        for _, slot in mechanism.slots(form):
            q[slot] *= power_of_ten(rng.uniform(-3, 0))
    for k, (_, quaternion) in enumerate(mechanism.slots("quaternion")):
        half_turn = _small(1, -5.5, -3, rng) / 2 * unit(rng.normal(size=3), rng)
        q[quaternion] = (-1) ** (turn // 2 + k) * unit(np.append(half_turn, 1), rng)
    return q, rng.normal(size=mechanism.nv), rng.normal(size=mechanism.nv)


def _very_small_turns(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Angles and distances are between 10⁻¹⁷ and 10⁻⁸."""
    q, v, a = _small_turns(mechanism, rng, same, turn)
    smaller = power_of_ten(rng.spawn(1)[0].uniform(-9, -5))
    forms: tuple[Form, ...] = ("angle", "distance")
    for form in forms:
        for _, slot in mechanism.slots(form):
            q[slot] *= smaller
    return q, v, a


def _very_slow(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Velocities and accelerations are between 10⁻¹⁷ and 10⁻⁸."""
    q, v, a = _slow(mechanism, rng, same, turn)
    smaller = power_of_ten(rng.spawn(1)[0].uniform(-9, -5))
    return q, smaller * v, smaller * a


def _slow(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Velocities and accelerations are between 10⁻⁸ and 10⁻³."""
    q = _configuration(mechanism, rng.normal(size=mechanism.nv), rng)
    return q, _small(mechanism.nv, -8, -3, rng), _small(mechanism.nv, -8, -3, rng)


def _far(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Hundreds to millions of turns, and slides of tens of metres to kilometres, at high speed."""
    drawn = rng.normal(size=mechanism.nv)
    positions = np.copysign([power_of_ten(x) for x in (3 + np.abs(drawn)).tolist()], drawn)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        for slot in body.joint.slots:
            if slot.form == "distance":
                positions[own][slot.v] /= 30
    q = _configuration(mechanism, positions, rng)
    return q, 1e3 * rng.normal(size=mechanism.nv), 1e3 * rng.normal(size=mechanism.nv)


def _one(column: int, alone: bool) -> Draw:
    """One velocity (column 1) or one acceleration (column 2) is zero; or it is ``alone`` and all others are."""

    def draw(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
        state = _scaled(1, 1, 1)(mechanism, rng, same, turn)
        n = len(state[column])
        state[column][(np.arange(n) == rng.integers(n)) != alone] = 0
        return state

    return draw


def _enormous(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Velocities, or in every second state of this kind accelerations, are 10⁶ to 10⁹ times as large as usual."""
    q, v, a = _scaled(1, 1, 1)(mechanism, rng, same, turn)
    larger = power_of_ten(rng.spawn(1)[0].uniform(6, 9))
    return (q, v, larger * a) if turn // 2 % 2 else (q, larger * v, a)


def _two_equal(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Two positions are equal or opposite, and so are the same two velocities and accelerations; or the velocities, which are the
    accelerations, too, have the sum zero exactly."""
    q, v, a = _scaled(1, 1, 1)(mechanism, rng, same, turn)
    own = rng.spawn(1)[0]
    if turn // 2 % 3 == 2:
        v = np.rint(v * 2.0**20) * 2.0**-20  # Sums of such numbers are exact.
        v[-1] = v[-1] if len(v) == 1 else -v[:-1].sum()
        return q, v, v.copy()
    sign = (-1.0) ** (turn // 2 % 3)
    one, other = own.choice(len(v), 2, replace=len(v) == 1)
    v[one], a[one] = sign * v[other], sign * a[other]
    joints = zip(mechanism.bodies, mechanism.q_slices, strict=True)
    plain = [q_i.start for body, q_i in joints if body.joint.kind in _TAKEN_AS_GIVEN]
    if len(plain) > 1:
        one, other = own.choice(plain, 2, replace=False)
        q[one] = sign * q[other]
    return q, v, a


def _same(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    return same, rng.normal(size=mechanism.nv), rng.normal(size=mechanism.nv)


def _again(before: State, drawn: State, turn: int) -> State:
    """The state before with v and a of opposite sign in odd turns, and off by 10⁻⁸, 10⁻¹⁰ or 10⁻¹² of themselves in even ones."""
    q, v, a = before
    if turn % 2:
        return q, -v, -a
    spread = power_of_ten(-8.0 - turn % 6)
    return q, v * (1 + spread * drawn[1]), a * (1 + spread * drawn[2])


def _nearly_the_same(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
    """Every angle, distance and turn differs by about a billionth."""
    q = integrate(mechanism, same[None], 1e-9 * rng.normal(size=(1, mechanism.nv)))[0]
    forms: tuple[Form, ...] = ("quaternion", "circle")
    for form in forms:
        for _, slot in mechanism.slots(form):
            q[slot] = unit(q[slot], rng, 1e-10)
    return q, rng.normal(size=mechanism.nv), rng.normal(size=mechanism.nv)


def _scaled(positions: float, velocities: float, accelerations: float) -> Draw:
    def draw(mechanism: Mechanism, rng: np.random.Generator, same: Array, turn: int) -> State:
        n = mechanism.nv
        q = _configuration(mechanism, positions * rng.normal(size=n), rng)
        # Adding zero turns −0 into 0.
        return q, velocities * rng.normal(size=n) + 0.0, accelerations * rng.normal(size=n) + 0.0

    return draw


def _small(size: int, lowest: float, highest: float, rng: np.random.Generator) -> Array:
    """Numbers of both signs, whose decimal logarithms are uniform between ``lowest`` and ``highest``."""
    return rng.choice([-1, 1], size) * [power_of_ten(x) for x in rng.uniform(lowest, highest, size).tolist()]


def _leave_out(f: Array, number: int) -> None:
    """Of every seven states, the forces f (bodies, 6) of one are zero, of one alone on a body, of one absent there, and of two
    without moments or without forces."""
    body = number // 7 % len(f)
    match number % 7:
        case 1:
            f[:] = 0
        case 2:
            f[np.arange(len(f)) != body] = 0
        case 3:
            f[body] = 0
        case 4:
            f[:, :3] = 0
        case 5:
            f[:, 3:] = 0


_KINDS: dict[str, Draw] = {
    "zero": _zero,
    "position zero": _position_zero,
    "random": _scaled(1, 1, 1),
    "two equal": _two_equal,
    "at rest": _at_rest,
    "quarter turns": _quarter_turns,
    "near quarter turns": _near_quarter_turns,
    "tiny": _scaled(1e-3, 1e-3, 1e-3),
    "large": _scaled(30, 30, 30),
    "fast": _scaled(1, 100, 1),
    "accelerated from rest": _scaled(1, 0, 1),
    "coasting": _scaled(1, 1, 0),
    "passive": _scaled(1, 1, 1),
    "one velocity zero": _one(1, alone=False),
    "one acceleration zero": _one(2, alone=False),
    "one force zero": _scaled(1, 1, 1),
    "one velocity alone": _one(1, alone=True),
    "one acceleration alone": _one(2, alone=True),
    "one force alone": _scaled(1, 1, 1),
    "small turns": _small_turns,
    "very small turns": _very_small_turns,
    "half turns": _half_turns,
    "round numbers": _round_numbers,
    "slow": _slow,
    "very slow": _very_slow,
    "far": _far,
    "enormous": _enormous,
    "nearly the same": _nearly_the_same,
    "the same": _same,
    "the same again": _same,
}

_PLACES = (
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

_FORCES = {"zero": 0.0, "tiny": 1e-3, "large": 30.0, "slow": 1e-6, "very slow": 1e-6, "far": 1e3}
"""Factors of the forces, where they are not one."""
