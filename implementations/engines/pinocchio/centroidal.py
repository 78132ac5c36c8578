"""Rates and derivatives of the centre of mass and of the momentum about it, in Pinocchio.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
momenta              linear first, [l; k]                       exchanged
ḣ                    about the moving centre of mass, without   none
                     gravity
∂/∂q                 along its v, in the body's frame, about a  columns permuted to our order of v
                     centre of mass that moves with q
==================== ========================================== ======================================================

Ȧ is asked of ``computeCentroidalMapTimeVariation``, which reads a velocity of the centre of mass that it does not compute
(docs/findings/pinocchio-centroidal-map-rate.md). It has data of its own, in which that velocity is always zero, so that its
answers depend on the state alone. Derivatives and Ȧ assume that every joint's motion subspace is constant in the body's frame
(docs/findings/pinocchio-derivatives-subspace.md).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from implementations.engines.pinocchio.motions_of_frames import angular_first
from implementations.protocol import Array


class PinocchioCentroidal:
    """The part of :class:`implementations.engines.pinocchio.adapter.PinocchioDynamics` that is about the centre of mass.

    Methods that call Pinocchio take one state in its coordinates.
    """

    _pin: Any
    _model: Any
    _frame_data: tuple[Any, Any]

    if TYPE_CHECKING:

        def _answer(self, name: str, ask: Callable[..., Any], q: Array, *others: Array) -> Array: ...

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        return self._answer("center_of_mass_velocity", self._center_of_mass_velocity, q, v)

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("center_of_mass_acceleration", self._center_of_mass_acceleration, q, v, a)

    def center_of_mass_jacobian(self, q: Array) -> Array:
        return self._answer("center_of_mass_jacobian", self._center_of_mass_jacobian, q)

    def centroidal_momentum_rate(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("centroidal_momentum_rate", self._centroidal_momentum_rate, q, v, a)

    def centroidal_momentum_matrix_rate(self, q: Array, v: Array) -> Array:
        return self._answer("centroidal_momentum_matrix_rate", self._centroidal_momentum_matrix_rate, q, v)

    def centroidal_momentum_dq(self, q: Array, v: Array) -> Array:
        return self._answer("centroidal_momentum_dq", partial(self._centroidal_derivative, 0), q, v, 0 * v)

    def centroidal_momentum_rate_dq(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("centroidal_momentum_rate_dq", partial(self._centroidal_derivative, 1), q, v, a)

    def centroidal_momentum_rate_dv(self, q: Array, v: Array) -> Array:
        return self._answer("centroidal_momentum_rate_dv", partial(self._centroidal_derivative, 2), q, v, 0 * v)

    @cached_property
    def _map_rate_data(self) -> Any:
        return self._model.createData()

    def _center_of_mass_velocity(self, q: Array, v: Array) -> Any:
        self._pin.centerOfMass(*self._frame_data, q, v, False)
        return self._frame_data[1].vcom[0]

    def _center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Any:
        self._pin.centerOfMass(*self._frame_data, q, v, a, False)
        return self._frame_data[1].acom[0]

    def _center_of_mass_jacobian(self, q: Array) -> Any:
        return self._pin.jacobianCenterOfMass(*self._frame_data, q, False).reshape(3, -1)

    def _centroidal_momentum_rate(self, q: Array, v: Array, a: Array) -> Any:
        self._pin.computeCentroidalMomentumTimeVariation(*self._frame_data, q, v, a)
        return angular_first(self._frame_data[1].dhg.vector)[:, 0]

    def _centroidal_momentum_matrix_rate(self, q: Array, v: Array) -> Any:
        return angular_first(self._pin.computeCentroidalMapTimeVariation(self._model, self._map_rate_data, q, v))

    def _centroidal_derivative(self, part: int, q: Array, v: Array, a: Array) -> Any:
        return angular_first(self._pin.computeCentroidalDynamicsDerivatives(*self._frame_data, q, v, a)[part])
