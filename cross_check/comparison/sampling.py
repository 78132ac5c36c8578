"""The states of a comparison; together they reach every term.

Each kind of state shows other errors. At rest, forces are gravity alone. At quarter turns, sines and cosines are zero. At tiny
states, large terms cancel. At fast states, products of velocities dominate.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanisms import Joint, Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Slot
from mechanisms.states import neutral

Array = NDArray[np.float64]

BLOCK = 2048
"""States are drawn in blocks of this size, each with a generator of its own, so that none needs the blocks before it."""

LARGEST_SINGULAR_ANGLE = 1.3
"""The largest size (rad) that is drawn for an angle that makes M singular at ±90°: M is ill-conditioned near ±90°."""


@dataclass(frozen=True)
class States:
    """A batch of states: q (batch, nq); v, a, tau (batch, nv); f (batch, bodies, 6). ``kinds`` names each state's kind.

    :meth:`with_forces` sets ``tau``, so that the results of forward dynamics have the size of ``a``.
    ``f`` are forces [n; f] on the bodies (N m, N), each in its body's own frame.
    """

    kinds: tuple[str, ...]
    q: Array
    v: Array
    a: Array
    tau: Array
    f: Array

    def __len__(self) -> int:
        return len(self.kinds)

    def with_forces(self, tau: Array) -> States:
        return replace(self, tau=tau)

    @property
    def columns(self) -> dict[str, Array]:
        """q, v, a, tau and f by name."""
        return {name: getattr(self, name) for name in ("q", "v", "a", "tau", "f")}

    def arguments(self, names: tuple[str, ...]) -> tuple[Array, ...]:
        """Copies of the named columns, which the receiver may change."""
        return tuple(getattr(self, name).copy() for name in names)

    def pick(self, chosen: NDArray[np.intp]) -> States:
        """The states with these indices."""
        columns = (column[chosen] for column in (self.q, self.v, self.a, self.tau, self.f))
        return States(tuple(self.kinds[k] for k in chosen), *columns)


def sample(mechanism: Mechanism, seed: int, count: int, block: int = 0) -> States:
    """The first ``count`` states of a block, :data:`BLOCK` at most; kinds in turn, the zero state first of all.

    The draw depends on the seed, the block and the names of the mechanism's coordinates alone. So a state keeps its number when
    other mechanisms are checked too, and when the mechanism is renamed because another has the same name.
    """
    drawn_from = [seed, zlib.crc32("\n".join(mechanism.coordinates).encode(errors="backslashreplace"))]
    rng = np.random.default_rng([*drawn_from, 2 * block] if block else drawn_from)
    kinds = kinds_of(block * BLOCK, count)
    drawn = [_KINDS[kind](mechanism, rng) for kind in kinds]
    q, v, a = (np.array(column, dtype=np.float64).reshape(count, -1) for column in zip(*drawn, strict=True))
    # Forces have a generator of their own, which leaves the other columns unchanged.
    f = np.random.default_rng([*drawn_from, 2 * block + 1]).normal(size=(count, len(mechanism.bodies), 6))
    f *= np.array([_FORCES.get(kind, 1.0) for kind in kinds])[:, None, None]
    return States(kinds, q, v, a, np.zeros_like(v), f)


def kinds_of(first: int, count: int) -> tuple[str, ...]:
    """The kinds of ``count`` states of a run from number ``first`` on."""
    names = list(_KINDS)
    return tuple(names[k % len(names)] for k in range(first, first + count))


State = tuple[Array, Array, Array]


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
        given[k] = np.remainder(given[k] + np.pi / 2, np.pi) - np.pi / 2
        given[k] = np.clip(given[k], -LARGEST_SINGULAR_ANGLE, LARGEST_SINGULAR_ANGLE)
    return np.concatenate([_slot(slot, given[slot.v], rng) for slot in joint.slots])


def _slot(slot: Slot, given: Array, rng: np.random.Generator) -> Array:
    if slot.form == "quaternion":
        return _unit(rng.normal(size=4), rng)
    return _unit(np.array([np.cos(given[0]), np.sin(given[0])]), rng) if slot.form == "circle" else given


def _unit(direction: Array, rng: np.random.Generator) -> Array:
    """A vector near ``direction``, whose length differs from one by much less than float64's spacing.

    Engines do not normalise quaternions, cosines and sines, so that another length would count as their error. And for cosines
    and sines of another length, the two derivations are different functions.
    """
    slack = np.finfo(np.float64).eps / (8 if len(direction) == 4 else 256)
    while True:
        rounded = direction / np.linalg.norm(direction)
        if abs((rounded.astype(np.longdouble) ** 2).sum() - 1) < slack:
            return rounded
        direction = direction + 1e-3 * rng.normal(size=len(direction))


def _zero(mechanism: Mechanism, rng: np.random.Generator) -> State:
    return neutral(mechanism), np.zeros(mechanism.nv), np.zeros(mechanism.nv)


def _at_rest(mechanism: Mechanism, rng: np.random.Generator) -> State:
    positions = rng.uniform(-np.pi, np.pi, mechanism.nv)
    return _configuration(mechanism, positions, rng), np.zeros(mechanism.nv), np.zeros(mechanism.nv)


def _quarter_turns(mechanism: Mechanism, rng: np.random.Generator) -> State:
    positions = rng.integers(-1, 2, mechanism.nv) * (np.pi / 2)
    q = _configuration(mechanism, positions, rng)
    for _, quaternion in mechanism.slots("quaternion"):
        q[quaternion] = np.eye(4)[rng.integers(4)]
    for _, circle in mechanism.slots("circle"):
        q[circle] = np.rint(q[circle])
    return q, rng.normal(size=mechanism.nv), rng.normal(size=mechanism.nv)


def _scaled(positions: float, velocities: float, accelerations: float) -> Callable[[Mechanism, np.random.Generator], State]:
    def draw(mechanism: Mechanism, rng: np.random.Generator) -> State:
        n = mechanism.nv
        q = _configuration(mechanism, positions * rng.normal(size=n), rng)
        return q, velocities * rng.normal(size=n), accelerations * rng.normal(size=n)

    return draw


_KINDS: dict[str, Callable[[Mechanism, np.random.Generator], State]] = {
    "zero": _zero,
    "random": _scaled(1, 1, 1),
    "at rest": _at_rest,
    "quarter turns": _quarter_turns,
    "tiny": _scaled(1e-3, 1e-3, 1e-3),
    "large": _scaled(30, 30, 30),
    "fast": _scaled(1, 100, 1),
}

_FORCES = {"zero": 0.0, "tiny": 1e-3, "large": 30.0}
"""Factors of the forces, where they are not one."""
