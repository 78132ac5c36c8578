"""Does a scheme keep what the true motion keeps: the symplectic form, the phase-space volume, and the way back?

In q and p = M v, with F(q, p) = (q⁺, p⁺) and J its derivative by central differences,

    Jᵀ Ω J = Ω  is symplectic;   det J = 1  keeps volume;   R F R F = 1 with R (q, p) = (q, −p)  is reversible

(E. Hairer, C. Lubich, G. Wanner, "Geometric numerical integration", 2nd ed. 2006, VI.2, V.1). Where joints turn freely, q is
turned by small vectors along the body's axes, and only the volume is told. The motion of a mechanism without damping keeps all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cross_check.judge.comparison.truth import Truth
from cross_check.memory import Array
from mechanisms.states import difference, integrate

Move = Callable[[Array, Array], tuple[Array, Array]]
"""(q, v) ↦ (q⁺, v⁺), batches."""

NUDGE = 2.0**-18

KEPT = 1e-9
"""The differences alone make a defect of a hundredth of this."""

LONGEST, FARTHEST = 0.05, 0.3
"""The length of the step (s) whose defects are told, and the most that a coordinate moves in it: short steps hide defects."""


@dataclass(frozen=True)
class Structure:
    """Defects at the worst of some states; None where it was not measured."""

    form: float | None
    volume: float
    way_back: float

    @property
    def words(self) -> str:
        """What is kept, and what is not."""
        told = (("symplectic", self.form), ("volume-preserving", self.volume), ("reversible", self.way_back))
        known = [(name, defect) for name, defect in told if defect is not None]
        kept = " and ".join(name for name, defect in known if defect < KEPT)
        lost = " and ".join(f"not {name} (off by {defect:.2g} in a step)" for name, defect in known if not defect < KEPT)
        return "; ".join(filter(None, (kept, lost)))


def structure_of(truth: Truth, move: Move, q: Array, v: Array) -> Structure:
    """The defects of ``move``, one step of a fixed length, from the states q, v."""
    mechanism = truth.mechanism
    n, count = mechanism.nv, len(q)

    def masses(q: Array) -> Array:
        return truth.high_low("mass_matrix", q)[0]

    p = (masses(q) @ v[..., None])[..., 0]
    size = np.maximum(1.0, np.abs(np.concatenate([np.zeros_like(p), p], axis=1)).max(axis=0))
    shifts = np.concatenate([np.diag(NUDGE * size), -np.diag(NUDGE * size)])
    many_q, many_p, shift = (np.repeat(x, len(shifts), axis=0) for x in (q, p, np.zeros((count, 1))))
    shift = np.tile(shifts, (count, 1))
    near_q = integrate(mechanism, many_q, shift[:, :n])
    near_v = np.linalg.solve(masses(near_q), (many_p + shift[:, n:])[..., None])[..., 0]
    next_q, next_v = move(near_q, near_v)
    middle, back = move(q, v)
    along = difference(mechanism, np.repeat(middle, len(shifts), axis=0), next_q)
    after = np.concatenate([along, (masses(next_q) @ next_v[..., None])[..., 0]], axis=1).reshape(count, 2, 2 * n, 2 * n)
    J = ((after[:, 0] - after[:, 1]) / (2 * NUDGE * size[:, None])).swapaxes(1, 2)
    omega = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    # In units in which every nudge is one, so that metres and radians count alike.
    scaled = J * size / size[:, None]
    weight = size[:n] * size[n:]
    own = omega * np.concatenate([weight, weight])[:, None]
    form = None
    if not any(body.joint.velocity_is_body_twist or body.joint.nq > body.joint.nv for body in mechanism.bodies):
        form = float(np.abs(scaled.swapaxes(1, 2) @ own @ scaled - own).max() / np.abs(own).max())
    returned_q, returned_v = move(middle, -back)
    way = np.concatenate([difference(mechanism, q, returned_q), returned_v + v], axis=1)
    moved = np.concatenate([difference(mechanism, q, middle), back - v], axis=1)
    way_back = float(np.abs(way).max() / max(float(np.abs(moved).max()), np.finfo(float).tiny))
    return Structure(form, float(np.abs(np.linalg.det(scaled) - 1).max()), way_back)
