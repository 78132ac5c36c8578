"""Accelerations along a step, by the truth about the mechanism."""

from __future__ import annotations

import numpy as np

from cross_check.judge.comparison.truth import Truth
from cross_check.memory import Array
from cross_check.steps.alterations import Alteration
from cross_check.steps.schemes import Implicit
from implementations.conventions.change import Change
from mechanisms.states import tree_matrix, tree_position

REFINEMENTS = 2
"""How often the residual of M q̈ = τ − h is solved for again. Each time adds the digits that M's condition leaves."""


class Motion:
    """The accelerations of one mechanism, whose forces may have an alteration. Arrays are batch-first."""

    def __init__(self, truth: Truth, alteration: Alteration | None = None) -> None:
        self.truth, self.mechanism, self.alteration = truth, truth.mechanism, alteration
        self._kept: dict[object, Array] = {}
        joints = [body.joint for body in self.mechanism.independent.bodies for _ in range(body.joint.nv)]
        self._G = tree_matrix(self.mechanism)
        self._armature = self._G.T @ np.diag([float(joint.armature) for joint in joints]) @ self._G
        self._stiffness = np.array([float(joint.stiffness) for joint in joints])
        self._rest = np.array([float(joint.rest) for joint in joints])

    def acceleration(self, change: Change, q: Array, v: Array, tau: Array, h: Array, implicit: Implicit = "") -> Array:
        """Our k, where the equation (M' + h W') k' = τ' − h'(q, v') is one in the coordinates of ``change``.

        With v = T v' and k = T k' + b it is (M + h W + h M ∂b/∂v) T k' = τ − h(q, v) − M b.
        """
        asked = (change if change.has_bias else None, implicit, *(x.tobytes() for x in (q, v, tau, *([h] if implicit else []))))
        if asked not in self._kept:
            self._kept[asked] = self._solved(change, q, v, tau, h, implicit)
        return self._kept[asked]

    def _solved(self, change: Change, q: Array, v: Array, tau: Array, h: Array, implicit: Implicit) -> Array:
        W = h[:, :, None] * self._implicit_matrix(change, q, v, implicit)
        A = self.mass_matrix(q) + W
        b, more = bias(change, q, v), self._more_force(q, v)
        along = np.zeros_like(v)
        for _ in range(1 + REFINEMENTS):
            k = along + b
            high, low = self.truth.forces(q, v, k)
            missing = (tau - high) - low - more - self._more("armature") * (k @ self._armature) - (W @ along[..., None])[..., 0]
            along = along + np.linalg.solve(A, missing[..., None])[..., 0]
        return along + b

    def mass_matrix(self, q: Array) -> Array:
        """M (batch, nv, nv), with the armature as it is altered."""
        M: Array = self.truth.high_low("mass_matrix", q)[0] + self._more("armature")[:, None] * self._armature
        return M

    def _more(self, part: str) -> Array:
        """By how much a part is larger than it should be (nv,)."""
        n, altered = self.mechanism.nv, self.alteration
        return altered.weights(n) if altered and altered.part == part else np.zeros(n)

    def _more_force(self, q: Array, v: Array) -> Array:
        """By how much the forces that q and v determine are larger than they should be."""
        part = self.alteration.part if self.alteration else ""
        if part not in ("gravity", "coriolis", "velocity", "damping", "springs"):
            return np.zeros_like(v)
        return self._more(part) * getattr(self, f"_{part}")(q, v)

    def _damping_matrix(self, q: Array) -> Array:
        """∂τ/∂v at rest."""
        return self.truth.high_low("inverse_dynamics_dv", q, np.zeros((len(q), self.mechanism.nv)))[0]

    def _damping(self, q: Array, v: Array) -> Array:
        return (self._damping_matrix(q) @ v[..., None])[..., 0]

    def _springs(self, q: Array, v: Array) -> Array:
        if not self._stiffness.any():
            return np.zeros_like(v)
        tree, places = tree_position(self.mechanism, q), self.mechanism.independent
        force = np.zeros((len(q), places.nv))
        for body, own, along in zip(places.bodies, places.q_slices, places.v_slices, strict=True):
            if body.joint.stiffness:
                force[:, along] = self._stiffness[along] * (tree[:, own] - self._rest[along])
        return force @ self._G

    def _gravity(self, q: Array, v: Array) -> Array:
        return self.truth.high_low("gravity", q)[0] - self._springs(q, v)

    def _velocity(self, q: Array, v: Array) -> Array:
        return self.truth.high_low("nonlinear_effects", q, v)[0] - self.truth.high_low("gravity", q)[0]

    def _coriolis(self, q: Array, v: Array) -> Array:
        return self._velocity(q, v) - self.mechanism.arrays.resistance(v)

    def _implicit_matrix(self, change: Change, q: Array, v: Array, implicit: Implicit) -> Array:
        """W + M ∂b/∂v (batch, nv, nv); b is quadratic in v."""
        if not implicit:
            return np.zeros((len(q), v.shape[1], v.shape[1]))
        if implicit == "damping":
            return self._damping_matrix(q)
        W = self.truth.high_low("inverse_dynamics_dv", q, v)[0]
        if not change.has_bias:
            return W
        units = (np.broadcast_to(unit, v.shape) for unit in np.eye(v.shape[1]))
        columns = [bias(change, q, v + unit) - bias(change, q, v) - bias(change, q, unit) for unit in units]
        return W + self.mass_matrix(q) @ np.stack(columns, axis=2)


def bias(change: Change, q: Array, v: Array) -> Array:
    """b (batch, nv) of a = T a' + b."""
    if not change.has_bias:
        return np.zeros_like(v)
    inverse, moved = change.at(q, v)
    return -np.linalg.solve(inverse, moved[..., None])[..., 0]
