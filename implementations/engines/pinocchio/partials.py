"""Derivatives in Pinocchio.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
∂/∂q                 along its v, in the body's frame           rows and columns put in our order of v
∂/∂v, damping        none                                       D added to ∂τ/∂v, M⁻¹ D taken from ∂q̈/∂v
∂q̈/∂q, damping       none                                       damping · v taken from τ
M⁻¹                  by ``computeMinverse``                     none
==================== ========================================== ======================================================

One difference is an error and therefore left as it is: ``computeRNEADerivatives``, ``computeABADerivatives`` and
``computeCoriolisMatrix`` take every joint's motion subspace for constant in the body's frame, which that of universal,
spherical ZYX and composite joints is not (docs/findings/pinocchio-derivatives-subspace.md).

``computeMinverse`` and ``computeABADerivatives`` keep articulated inertias in the root's frame, and lose digits with the
square of the distance from it: of a 6R arm's sixteen, eight are left at one kilometre, where ``aba`` keeps them all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from implementations.batches import each
from implementations.engines.pinocchio.coordinates import Coordinates
from implementations.protocol import Array
from mechanisms import Mechanism


class PinocchioDerivatives:
    """One mechanism's derivatives. Not for two threads at once."""

    def __init__(self, pin: Any, model: Any, mechanism: Mechanism, coordinates: Coordinates) -> None:
        self._pin, self._coordinates = pin, coordinates
        self._damping = mechanism.arrays.per_coordinate(mechanism.arrays.damping)
        self._derivative_data = (model, model.createData())

    def inverse_dynamics_dq(self, q: Array, v: Array, a: Array) -> Array:
        return self._matrix(self._part(self._pin.computeRNEADerivatives, 0), q, v, a)

    def inverse_dynamics_dv(self, q: Array, v: Array) -> Array:
        return self._matrix(self._part(self._pin.computeRNEADerivatives, 1), q, v, 0 * v) + np.diag(self._damping)

    def forward_dynamics_dq(self, q: Array, v: Array, tau: Array) -> Array:
        return self._matrix(self._part(self._pin.computeABADerivatives, 0), q, v, tau - self._damping * v)

    def forward_dynamics_dv(self, q: Array, v: Array) -> Array:
        undamped = self._matrix(self._part(self._pin.computeABADerivatives, 1), q, v, 0 * v)
        return undamped - self.forward_dynamics_dtau(q) * self._damping

    def forward_dynamics_dtau(self, q: Array) -> Array:
        return self._matrix(partial(self._pin.computeMinverse, *self._derivative_data), q)

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        return self._matrix(partial(self._pin.computeCoriolisMatrix, *self._derivative_data), q, v)

    def _part(self, derivatives: Callable[..., Any], k: int) -> Callable[..., Any]:
        return lambda *state: derivatives(*self._derivative_data, *state)[k]

    def _matrix(self, ask: Callable[..., Any], q: Array, *rates: Array) -> Array:
        """``ask`` of every state, in our order of rows and columns."""
        state = [self._coordinates.position(q), *map(self._coordinates.to_engine, rates)]
        matrix = each(ask, (len(self._damping), len(self._damping)), *state)
        return self._coordinates.from_engine(self._coordinates.from_engine(matrix.swapaxes(1, 2)).swapaxes(1, 2))
