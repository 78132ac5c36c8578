"""Derivatives in Pinocchio.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
∂/∂q                 along its v, in the body's frame           rows and columns permuted to our order of v
∂/∂v, damping        none                                       D added to ∂τ/∂v, M⁻¹ D subtracted from ∂q̈/∂v
∂q̈/∂q, damping       none                                       damping · v subtracted from τ
M⁻¹                  by ``computeMinverse``                     none
external forces      in the joint's frame, held fixed there     transformed from the body's frame
π                    one body after the other, in its order     by a constant matrix
==================== ========================================== ======================================================

One difference is a fault of Pinocchio, which the adapter does not correct: ``computeRNEADerivatives``,
``computeABADerivatives`` and ``computeCoriolisMatrix`` assume that every joint's motion subspace is constant in the body's frame.
That of universal, spherical ZYX and composite joints is not (docs/findings/pinocchio-derivatives-subspace.md).

``computeMinverse`` and ``computeABADerivatives`` store articulated inertias in the root's frame. They lose digits with the square
of the distance from the root: a 6R arm at one kilometre has eight right digits of sixteen. ``aba`` loses none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.pinocchio.coordinates import Coordinates
from implementations.engines.pinocchio.parameters import parameters
from implementations.protocol import Array


class PinocchioDerivatives:
    """One mechanism's derivatives. Not thread-safe."""

    if TYPE_CHECKING:

        def _external(self, f: Array) -> Any: ...

    def __init__(self, pin: Any, model: Any, order: list[int], coordinates: Coordinates, turned: Array) -> None:
        self._pin, self._coordinates = pin, coordinates
        self._damping = coordinates.to_ours(model.damping)
        self._derivative_data = (model, model.createData())
        self._parameters = parameters(order, turned)

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

    def gravity_dq(self, q: Array) -> Array:
        return self._matrix(partial(self._pin.computeGeneralizedGravityDerivatives, *self._derivative_data), q)

    def static_forces_dq(self, q: Array, f: Array) -> Array:
        ask = self._pin.computeStaticTorqueDerivatives
        return self._matrix(lambda q, f: ask(*self._derivative_data, q, self._external(f)), q, f)

    def joint_torque_regressor(self, q: Array, v: Array, a: Array) -> Array:
        state = (self._coordinates.position(q), self._coordinates.to_pinocchio(v), self._coordinates.to_pinocchio(a))
        regressor = partial(self._pin.computeJointTorqueRegressor, *self._derivative_data)
        Y = for_each_state(regressor, (len(self._damping), len(self._parameters)), *state)
        return self._coordinates.to_ours(Y.swapaxes(1, 2)).swapaxes(1, 2) @ self._parameters

    def kinetic_energy_regressor(self, q: Array, v: Array) -> Array:
        return self._energy_regressor(self._pin.computeKineticEnergyRegressor, q, v)

    def potential_energy_regressor(self, q: Array) -> Array:
        return self._energy_regressor(self._pin.computePotentialEnergyRegressor, q)

    def _energy_regressor(self, ask: Callable[..., Any], q: Array, *v: Array) -> Array:
        state = (self._coordinates.position(q), *map(self._coordinates.to_pinocchio, v))
        return for_each_state(partial(ask, *self._derivative_data), (len(self._parameters),), *state) @ self._parameters

    def _part(self, derivatives: Callable[..., Any], k: int) -> Callable[..., Any]:
        return lambda *state: derivatives(*self._derivative_data, *state)[k]

    def _matrix(self, ask: Callable[..., Any], q: Array, *others: Array) -> Array:
        """``ask`` evaluated at every state, with rows and columns in our order."""
        state = [self._coordinates.position(q), *(self._coordinates.to_pinocchio(x) if x.ndim == 2 else x for x in others)]
        matrix = for_each_state(ask, (len(self._damping), len(self._damping)), *state)
        return self._coordinates.to_ours(self._coordinates.to_ours(matrix.swapaxes(1, 2)).swapaxes(1, 2))
