"""Whether a mechanism's mass matrix is regular, and its inverse: what forward dynamics and its derivatives rest on."""

from __future__ import annotations

import numpy as np

from cross_check.comparison.truth import Truth
from cross_check.error_scale.sizes import EPSILON, ErrorScale
from cross_check.memory import Array, remembered
from implementations.protocol import Unsupported


class MassMatrix:
    """M of one mechanism in float64; positions q are (batch, nq). ``first`` is the number of the first state in the run."""

    def __init__(self, truth: Truth, scale: ErrorScale, first: int = 0) -> None:
        self._truth, self._scale, self._first = truth, scale, first

    def require_regular(self, q: Array) -> None:
        """Raise :class:`Unsupported` where M is singular to working precision, so that q̈ is undefined."""
        singular = self._first_singular(q)
        if singular.size:
            state, joint = singular
            names = self._truth.mechanism.coordinates
            reason = f"nothing that {names[joint]!r} moves has inertia" if joint >= 0 else f"in state {self._first + state}"
            raise Unsupported(f"M is singular, {reason}, so q̈ is undefined")

    @remembered
    def inverse(self, q: Array) -> Array:
        """M⁻¹ (batch, nv, nv), as precise as the condition of M allows."""
        # Scaled to a unit diagonal: radians and metres may differ by many orders of magnitude.
        inertia = np.sqrt(self._scale.subtree_inertias(q))
        scale = inertia[:, :, None] * inertia[:, None, :]
        return np.linalg.inv(self._truth.high_low("mass_matrix", q)[0] / scale) / scale

    @remembered
    def _first_singular(self, q: Array) -> Array:
        """Nothing, or the first singular state and the coordinate without inertia (−1 where it is no single one)."""
        M, _ = self._truth.high_low("mass_matrix", q)
        n = M.shape[1]
        own = np.sqrt(np.diagonal(M, axis1=1, axis2=2))
        if (own == 0).any():
            return np.argwhere(own == 0)[0]
        scaled = M / own[:, :, None] / own[:, None, :]
        try:
            np.linalg.cholesky(scaled - n * EPSILON * np.eye(n))
        except np.linalg.LinAlgError:
            return np.array([int(np.linalg.eigvalsh(scaled)[:, 0].argmin()), -1])
        return np.array([], dtype=int)
