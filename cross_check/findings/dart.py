"""Undoes known faults of DART: other positions that are the same, and the inverse of its own mass matrix."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.protocol import Array
from mechanisms import Mechanism

SHORT = 1e-3
"""Angles (rad) below which DART takes three terms of the exponential's series."""

TURN = 2 * Fraction("3.14159265358979323846264338327950288419716939937510582097494459")


class AtOtherPositions:
    """``dynamics``, asked at ``elsewhere(q)`` in place of q (batch, nq), which has to be the same configuration."""

    def __init__(self, dynamics: Any, elsewhere: Callable[[Array], Array]) -> None:
        self._dynamics, self._elsewhere = dynamics, elsewhere

    def __getattr__(self, name: str) -> Callable[..., Any]:
        ask = getattr(self._dynamics, name)
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

    return AtOtherPositions(dynamics, elsewhere)


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
