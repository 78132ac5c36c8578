"""Where the two sides are compared: states that together reach every term.

A state's kind says what it can find. Forces at rest are gravity alone, quarter turns meet the zeros of sine and
cosine, tiny states have answers in which large terms cancel, fast ones are ruled by velocity products.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanisms import Mechanism
from mechanisms.states import neutral

Array = NDArray[np.float64]


@dataclass(frozen=True)
class States:
    """A batch of states: q (batch, nq); v, a, tau (batch, nv). ``kinds`` names each state's kind.

    ``tau`` is filled in by :meth:`with_forces`, so that forward dynamics is asked for accelerations of the size of ``a``.
    """

    kinds: tuple[str, ...]
    q: Array
    v: Array
    a: Array
    tau: Array

    def __len__(self) -> int:
        return len(self.kinds)

    def with_forces(self, tau: Array) -> States:
        return States(self.kinds, self.q, self.v, self.a, tau)

    def arguments(self, names: tuple[str, ...]) -> tuple[Array, ...]:
        """Fresh copies of the named columns: whoever receives them may spoil them."""
        return tuple(getattr(self, name).copy() for name in names)

    def pick(self, chosen: NDArray[np.intp]) -> States:
        """The states with these indices."""
        return States(tuple(self.kinds[k] for k in chosen), self.q[chosen], self.v[chosen], self.a[chosen], self.tau[chosen])


def sample(mechanism: Mechanism, seed: int, count: int) -> States:
    """``count`` states of the mechanism, kinds in turn, the zero state first.

    The draw depends on the seed and on the mechanism's coordinates alone, so a state keeps its number whatever else is
    checked beside it, even where two mechanisms of one name make one of them go by another.
    """
    rng = np.random.default_rng([seed, zlib.crc32("\n".join(mechanism.coordinates).encode(errors="backslashreplace"))])
    kinds = tuple(list(_KINDS)[k % len(_KINDS)] for k in range(count))
    drawn = [_KINDS[kind](mechanism, rng) for kind in kinds]
    q, v, a = (np.array(column, dtype=np.float64).reshape(count, -1) for column in zip(*drawn, strict=True))
    return States(kinds, q, v, a, np.zeros_like(v))


State = tuple[Array, Array, Array]


def _configuration(mechanism: Mechanism, positions: Any, rng: np.random.Generator) -> Array:
    """q with the given joint positions (nv,), and with any orientation for a free joint."""
    q = np.empty(mechanism.nq)
    for body, at, to in zip(mechanism.bodies, mechanism.v_slices, mechanism.q_slices, strict=True):
        if body.joint.kind == "free":
            q[to] = np.concatenate((positions[at][3:], _unit_quaternion(rng)))
        else:
            q[to] = positions[at]
    return q


def _unit_quaternion(rng: np.random.Generator) -> Array:
    """A quaternion of length one to well below float64's spacing: engines do not normalise, and would be blamed for the rest."""
    while True:
        drawn = rng.normal(size=4)
        rounded = drawn / np.linalg.norm(drawn)
        if abs((rounded.astype(np.longdouble) ** 2).sum() - 1) < np.finfo(np.float64).eps / 8:
            return rounded


def _zero(mechanism: Mechanism, rng: np.random.Generator) -> State:
    return neutral(mechanism), np.zeros(mechanism.nv), np.zeros(mechanism.nv)


def _at_rest(mechanism: Mechanism, rng: np.random.Generator) -> State:
    positions = rng.uniform(-np.pi, np.pi, mechanism.nv)
    return _configuration(mechanism, positions, rng), np.zeros(mechanism.nv), np.zeros(mechanism.nv)


def _quarter_turns(mechanism: Mechanism, rng: np.random.Generator) -> State:
    positions = rng.integers(-1, 2, mechanism.nv) * (np.pi / 2)
    q = _configuration(mechanism, positions, rng)
    for body, to in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "free":
            q[to][3:] = np.eye(4)[rng.integers(4)]
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
