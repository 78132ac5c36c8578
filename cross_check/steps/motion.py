"""Accelerations along a step, by the truth about the mechanism."""

from __future__ import annotations

import numpy as np

from cross_check.judge.comparison.truth import Truth
from cross_check.memory import Array
from cross_check.steps.alterations import Alteration, OfForce, OfImplicit
from cross_check.steps.parts import Part, part_of
from cross_check.steps.schemes import Implicit
from implementations.conventions.change import Change
from mechanisms import Mechanism

REFINEMENTS = 2
"""How often the residual of M q̈ = τ − h is solved for again. Each time adds the digits that M's condition leaves."""


class Motion:
    """The accelerations of one mechanism, whose forces may have an alteration. Arrays are batch-first."""

    def __init__(self, truth: Truth, alteration: Alteration | None = None) -> None:
        self.truth, self.mechanism = truth, truth.mechanism
        self._kept: dict[object, Array] = {}
        self._more, self._share = list[tuple[float, Part]](), 1.0
        if isinstance(alteration, OfForce):
            self._more.append((alteration.more, part_of(self.mechanism, alteration.part, alteration.which)))
        if isinstance(alteration, OfImplicit):
            self._share = alteration.value

    def acceleration(self, change: Change, q: Array, v: Array, tau: Array, h: Array, implicit: Implicit = "") -> Array:
        """Our k, where the equation (M' + h W' + h² K') k' = τ' − h'(q, v') − h K' v' is one in the coordinates of ``change``.

        With v = T v' and k = T k' + b it is (M + h W + h M ∂b/∂v + h² K) T k' = τ − h(q, v) − h K v − M b.
        """
        asked = (change if change.has_bias else None, implicit, *(x.tobytes() for x in (q, v, tau, *([h] if implicit else []))))
        if asked not in self._kept:
            self._kept[asked] = self._solved(change, q, v, tau, h, implicit)
        return self._kept[asked]

    def _solved(self, change: Change, q: Array, v: Array, tau: Array, h: Array, implicit: Implicit) -> Array:
        W = self._share * h[:, :, None] * self._by_velocity(change, q, v, implicit)
        K = self._share * h[:, :, None] * self._by_position(q, v, implicit)
        more = W + h[:, :, None] * K
        A = self.mass_matrix(q) + more
        b, pull, along = bias(change, q, v), (K @ v[..., None])[..., 0], np.zeros_like(v)
        for _ in range(1 + REFINEMENTS):
            k = along + b
            high, low = self.truth.forces(q, v, k)
            altered = sum((factor * part.force(q, v, k) for factor, part in self._more), np.zeros_like(v))
            missing = (tau - high) - low - altered - pull - (more @ along[..., None])[..., 0]
            along = along + np.linalg.solve(A, missing[..., None])[..., 0]
        return along + b

    def mass_matrix(self, q: Array) -> Array:
        """M (batch, nv, nv), as it is altered."""
        M, _ = self.truth.high_low("mass_matrix", q)
        return sum((factor * part.mass_matrix(q) for factor, part in self._more), M)

    def _derivative(self, name: str, q: Array, *rates: Array) -> Array:
        """A derivative of τ (batch, nv, nv), as it is altered."""
        D, _ = self.truth.high_low(name, q, *rates)
        return sum((factor * part.derivative(name, q, *rates) for factor, part in self._more), D.copy())

    def _by_position(self, q: Array, v: Array, implicit: Implicit) -> Array:
        """K (batch, nv, nv)."""
        if implicit != "state":
            return np.zeros((len(q), v.shape[1], v.shape[1]))
        return self._derivative("inverse_dynamics_dq", q, v, 0 * v)

    def _by_velocity(self, change: Change, q: Array, v: Array, implicit: Implicit) -> Array:
        """W + M ∂b/∂v (batch, nv, nv); b is quadratic in v. That of damping is the derivative at rest."""
        if not implicit:
            return np.zeros((len(q), v.shape[1], v.shape[1]))
        if implicit in ("damping", "free"):
            W = self._derivative("inverse_dynamics_dv", q, 0 * v)
            standalone = _standalone(self.mechanism) if implicit == "free" else []
            for own in standalone:
                W[:, own, own] = self._by_velocity(change, q, v, "velocity")[:, own, own]
            return W
        W = self._derivative("inverse_dynamics_dv", q, v)
        if not change.has_bias:
            return W
        units = (np.broadcast_to(unit, v.shape) for unit in np.eye(v.shape[1]))
        columns = [bias(change, q, v + unit) - bias(change, q, v) - bias(change, q, unit) for unit in units]
        return W + self.mass_matrix(q) @ np.stack(columns, axis=2)


def _standalone(mechanism: Mechanism) -> list[slice]:
    """The velocities of every free body that carries no other one and stands on none."""
    parents = {body.parent for body in mechanism.bodies}
    return [
        own
        for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True)
        if body.joint.pose == "free" and body.parent == mechanism.root and body.name not in parents
    ]


def bias(change: Change, q: Array, v: Array) -> Array:
    """b (batch, nv) of a = T a' + b."""
    if not change.has_bias:
        return np.zeros_like(v)
    inverse, moved = change.at(q, v)
    return -np.linalg.solve(inverse, moved[..., None])[..., 0]
