"""What differences of numbers do to τ at drawn states, and whether τ is the same function of the state.

τ depends on the base parameters of the inertias alone. Entries of τ are rational functions of the numbers of the state, with
tan(q/2) for angles. If they are equal at a random state over a field of 2⁶¹ − 1 elements, they are equal functions, but for a
chance of about 10⁻¹⁵ (Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from cross_check.prove.proof.exact import residues
from cross_check.prove.proof.generic import generic_state
from cross_check.read.readers.compare import EXACT, FEW_DIGITS
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS, Reference
from mechanisms import Mechanism, integrate, neutral

Array = NDArray[np.float64]

PRIME = 2**61 - 1

STATES = 64

SPEED, ACCELERATION, SLIDE = 1.0, 1.0, 0.5
"""The largest velocity (rad/s, m/s), acceleration (rad/s², m/s²) and distance (m) of drawn states; angles reach half a turn."""


@dataclass(frozen=True)
class Change:
    """The largest change of a component of τ: its size, unit and coordinate, and the number of the state."""

    size: float
    unit: str
    coordinate: str
    state: int


@dataclass(frozen=True)
class Motion:
    """τ (states, nv) of ``mechanism`` at drawn states q, v, a."""

    mechanism: Mechanism
    states: tuple[Array, Array, Array]
    tau: Array

    @classmethod
    def of(cls, mechanism: Mechanism) -> Motion:
        rng = np.random.default_rng(0)
        reach = np.concatenate([[np.pi if screw.turns else SLIDE for screw in b.joint.screws] for b in mechanism.driven])
        steps = rng.uniform(-reach, reach, (STATES, mechanism.nv))
        q = integrate(mechanism, np.tile(neutral(mechanism), (STATES, 1)), steps)
        v, a = (rng.uniform(-most, most, steps.shape) for most in (SPEED, ACCELERATION))
        return cls(mechanism, (q, v, a), torques(mechanism, (q, v, a)))

    def changes(self, other: Mechanism) -> Array:
        """How much τ differs in ``other`` (states, nv)."""
        changes: Array = abs(torques(other, self.states) - self.tau)
        return changes

    def share(self, other: Mechanism) -> float:
        """The largest change of an entry of τ, as a part of the largest that this entry is."""
        largest = abs(self.tau).max(axis=0)
        return float((self.changes(other).max(axis=0) / np.maximum(largest, EXACT * largest.max() or 1.0)).max())

    def largest(self, changes: Array) -> Change:
        """The largest of the changes."""
        state, at = map(int, np.unravel_index(changes.argmax(), changes.shape))
        units = ["N m" if screw.turns else "N" for body in self.mechanism.driven for screw in body.joint.screws]
        return Change(float(changes[state, at]), units[at], self.mechanism.coordinates[at], state)

    def is_alike(self, other: Mechanism, single: Array) -> bool:
        """Whether τ of ``other`` is the same function, exactly or but for roundings. ``single`` (states, nv) are the changes of τ
        from one difference alone, summed: changes that are not much smaller do not cancel."""
        changes = self.changes(other).max(axis=0)
        bounds = np.sort([EXACT * abs(self.tau).max(axis=0), FEW_DIGITS * single.max(axis=0)], axis=0)
        if np.any(changes > bounds[1]):
            return False
        return bool(np.all(changes <= bounds[0])) or is_one_function(self.mechanism, other)


def torques(mechanism: Mechanism, states: tuple[Array, Array, Array]) -> Array:
    return np.asarray(Reference().load(mechanism).inverse_dynamics(*states), dtype=np.float64)


def is_one_function(one: Mechanism, other: Mechanism) -> bool:
    """Whether τ is the same function for both, which have the same tree and the same coordinates."""
    field, draw = residues(PRIME), Random(1)
    state = generic_state(one, lambda: field.element(draw.randrange(PRIME)))
    columns = [np.array(state[name], dtype=object)[:, None] for name in ("q", "v", "a")]
    tau = [ALGORITHMS["inverse_dynamics"](build(m, field), *columns) for m in (one, other)]
    return bool(np.all(tau[0] == tau[1]))
