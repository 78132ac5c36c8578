"""Undoes known faults of DART: by other positions that are the same, by what a series adds, by the inverse of its own M."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.protocol import Array
from mechanisms import Mechanism

SHORT = 1e-3
"""Angles (rad) below which DART takes three terms of the exponential's series."""

TINY = 1e-6
"""Angles (rad) up to which DART takes two terms of the series of a twist's exponential."""

TURN = 2 * Fraction("3.14159265358979323846264338327950288419716939937510582097494459")


class AtOtherPositions:
    """``dynamics``, asked at ``elsewhere(q)`` in place of q (batch, nq), which has to be the same configuration.

    A second position is replaced, too, and dv by ``along(dv)``, which has to lead to the same configuration.
    """

    def __init__(
        self, dynamics: Any, elsewhere: Callable[[Array], Array], along: Callable[[Array], Array] = lambda dv: dv
    ) -> None:
        self._dynamics, self._elsewhere, self._along = dynamics, elsewhere, along

    def __getattr__(self, name: str) -> Callable[..., Any]:
        ask = getattr(self._dynamics, name)
        if name == "integrate":
            return lambda q, dv: ask(self._elsewhere(np.array(q)), self._along(np.array(dv)))
        if name == "difference":
            return lambda q, to: ask(self._elsewhere(np.array(q)), self._elsewhere(np.array(to)))
        return lambda q, *others: ask(self._elsewhere(np.array(q)), *others)


def without_small_turns(mechanism: Mechanism, dynamics: Any) -> AtOtherPositions:
    """The other quaternion of every turn that is smaller than :data:`SHORT`.

    Code that reads rotation vectors gets the vector of 2π − θ about the opposite axis for it.
    """
    slots = [at for _, at in mechanism.slots("quaternion")]

    def elsewhere(q: Array) -> Array:
        for at in slots:
            e = q[:, at]
            sine = np.linalg.norm(e[:, :3], axis=1)
            # The identity stays, because there is no axis.
            e[(sine < SHORT / 2) & (sine > 0) & (e[:, 3] > 0)] *= -1
        return q

    def along(dv: Array) -> Array:
        for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
            if body.joint.kind == "spherical":
                angle = np.linalg.norm(dv[:, own], axis=1, keepdims=True)
                is_small = (angle > 0) & (angle < SHORT)
                dv[:, own] *= np.where(is_small, 1 - float(TURN) / np.where(is_small, angle, 1), 1)
        return dv

    return AtOtherPositions(dynamics, elsewhere, along)


def without_whole_turns(mechanism: Mechanism, dynamics: Any) -> AtOtherPositions:
    """Angles of revolute and planar joints about skew axes, less whole turns."""
    skew = [
        own.stop - 1
        for body, own in zip(mechanism.bodies, mechanism.q_slices, strict=True)
        if body.joint.kind in ("revolute", "planar") and sorted(map(abs, body.joint.axis)) != [0, 0, 1]
    ]

    def elsewhere(q: Array) -> Array:
        q[:, skew] = np.vectorize(_less_whole_turns, otypes=[float])(q[:, skew])
        return q

    return AtOtherPositions(dynamics, elsewhere)


def _less_whole_turns(angle: float) -> float:
    return float(Fraction(angle) - round(Fraction(angle) / TURN) * TURN)


class WithoutSlides:
    """``dynamics`` without the distance −θ³/120 by which helical joints that turn by less than :data:`TINY` slide in addition."""

    def __init__(self, mechanism: Mechanism, dynamics: Any) -> None:
        self._mechanism, self._dynamics = mechanism, dynamics
        self._helical = [j for j, body in enumerate(mechanism.bodies) if body.joint.kind == "helical"]
        self._masses = np.array([float(body.inertia.mass) for body in mechanism.bodies])

    def __getattr__(self, name: str) -> Any:
        ask = getattr(self._dynamics, name)
        return {"placements": self._placements, "center_of_mass": self._center, "potential_energy": self._energy}.get(name, ask)

    def _placements(self, q: Array) -> Array:
        T = np.array(self._dynamics.placements(q))
        T[..., 3] -= self._slides(q)
        return T

    def _center(self, q: Array) -> Array:
        return np.asarray(self._dynamics.center_of_mass(q)) - self._masses @ self._slides(q) / self._masses.sum()

    def _energy(self, q: Array) -> Array:
        gravity = np.array([float(x) for x in self._mechanism.gravity])
        return np.asarray(self._dynamics.potential_energy(q)) + self._masses @ self._slides(q) @ gravity

    def _slides(self, q: Array) -> Array:
        """By how much every body is too far, along the root's axes: (batch, bodies, 3)."""
        slides = np.zeros((len(q), len(self._mechanism.bodies), 3))
        R = np.asarray(self._dynamics.placements(q))[..., :3]
        for j in self._helical:
            θ = q[:, self._mechanism.q_slices[j].start]
            axis = R[:, j] @ np.array([float(x) for x in self._mechanism.bodies[j].joint.axis])
            slides[:, j] -= np.where(np.abs(θ) <= TINY, θ**3 / 120, 0.0)[:, None] * axis
        for i, λ in enumerate(self._mechanism.parents):
            if λ >= 0:
                slides[:, i] += slides[:, λ]
        return slides


class WithInverse:
    """``dynamics`` with the inverse of its mass matrix for M⁻¹, if links are welded to a body that moves.

    The mass matrix is asked for without small turns, because both faults show in one answer.
    """

    def __init__(self, mechanism: Mechanism, dynamics: Any) -> None:
        self._dynamics, self._precise = dynamics, without_small_turns(mechanism, dynamics)
        self._welds = any(frame.body >= 0 for frame in mechanism.frames)

    def __getattr__(self, name: str) -> Any:
        if name == "forward_dynamics_dtau" and self._welds:
            return lambda q: np.linalg.inv(self._precise.mass_matrix(q))
        return getattr(self._dynamics, name)
