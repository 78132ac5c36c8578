"""Positions along velocities, and velocities between positions, in Pinocchio.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
q ⊕ dv, to ⊖ q       of the same motions: screws in the body's  dv permuted to linear first, answers permuted back
                     frame
planar: q            cosine and sine of the angle               the angle is their atan2, between −π and π
derivatives          ``dIntegrate``, ``dDifference``: along     rows and columns permuted
                     motions in the bodies' frames
==================== ========================================== ======================================================
"""

from __future__ import annotations

from typing import Any

from implementations.batches import for_each_state
from implementations.engines.pinocchio.coordinates import Coordinates
from implementations.protocol import Array


class PinocchioIntegration:
    """One mechanism's positions."""

    _pin: Any
    _coordinates: Coordinates
    _derivative_data: tuple[Any, Any]

    def integrate(self, q: Array, dv: Array) -> Array:
        model, _ = self._derivative_data
        at, step = self._coordinates.position(q), self._coordinates.to_pinocchio(dv)
        moved = for_each_state(lambda q, v: self._pin.integrate(model, q, v), (model.nq,), at, step)
        return self._coordinates.position_to_ours(moved)

    def integrate_dq(self, q: Array, dv: Array) -> Array:
        return self._of_step(0, q, dv)

    def integrate_dv(self, q: Array, dv: Array) -> Array:
        return self._of_step(1, q, dv)

    def difference(self, q: Array, to: Array) -> Array:
        model, _ = self._derivative_data
        both = (self._coordinates.position(q), self._coordinates.position(to))
        return self._coordinates.to_ours(for_each_state(lambda q, to: self._pin.difference(model, q, to), (model.nv,), *both))

    def difference_dq(self, q: Array, to: Array) -> Array:
        return self._of_both(0, q, to)

    def difference_dto(self, q: Array, to: Array) -> Array:
        return self._of_both(1, q, to)

    def _of_step(self, argument: int, q: Array, dv: Array) -> Array:
        return self._both_ways(self._pin.dIntegrate, argument, self._coordinates.position(q), self._coordinates.to_pinocchio(dv))

    def _of_both(self, argument: int, q: Array, to: Array) -> Array:
        return self._both_ways(self._pin.dDifference, argument, self._coordinates.position(q), self._coordinates.position(to))

    def _both_ways(self, ask: Any, argument: int, *arguments: Array) -> Array:
        model, _ = self._derivative_data
        by = (self._pin.ArgumentPosition.ARG0, self._pin.ArgumentPosition.ARG1)[argument]
        matrix = for_each_state(lambda *state: ask(model, *state, by), (model.nv, model.nv), *arguments)
        return self._coordinates.to_ours(self._coordinates.to_ours(matrix.swapaxes(1, 2)).swapaxes(1, 2))
