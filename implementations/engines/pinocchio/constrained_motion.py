"""Motion under constraints in Pinocchio.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
accelerations        ``constraintDynamics``                     damping · v subtracted from τ
redundant rows       proximal iterations, if μ > 0; NaN or      thirty iterations with μ = σ²/8 where J has less than
                     noise with its default of μ = 0            full rank, else the default; σ² is the smallest
                                                                eigenvalue of J M⁻¹ Jᵀ but zero
λ                    ``Data.lambda_c``                          as in :mod:`implementations.engines.pinocchio.constraints`
Jᵀ λ                 none                                       its J and its λ are multiplied
∂q̈, ∂λ               ``computeConstraintDynamicsDerivatives``;  every call gets new data; ∂/∂v − ∂/∂τ · damping
                     a second call adds to the first one's J
∂(Jᵀ λ)              none                                       not offered
impacts              ``impulseDynamics``; no iterations         :class:`Unsupported` where rows are redundant
==================== ========================================== ======================================================

If a constraint has other directions than Pinocchio's, the rows of its J are chosen, and Pinocchio's functions for a given J do
the same: ``forwardDynamics``, ``impulseDynamics`` and ``computeKKTContactDynamicMatrixInverse``. These have no derivatives by q
and v. In a planar loop the other rows are zero; then the derivatives of Pinocchio's constraint are taken.

Four of these differences are faults of Pinocchio. A second call for derivatives is wrong, which new data avoid
(docs/findings/pinocchio-constraint-derivatives-second-call.md). Derivatives under redundant constraints iterate too little where
little force is needed, which the adapter avoids (docs/findings/pinocchio-constraint-derivatives-iterations.md). It
does not correct the other two. The first column of
derivatives by q is wrong for loops of points (docs/findings/pinocchio-constraint-derivatives-first-column.md).
``impulseDynamics`` of constraints, unlike that of a given J, takes the velocity of the first frame for the velocity between both
frames (docs/findings/pinocchio-impulse-second-joint.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from implementations.engines.pinocchio.constraints import PinocchioConstraints, redundant
from implementations.engines.pinocchio.coordinates import Coordinates
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism

REDUNDANT = "Pinocchio's impulseDynamics does not iterate, so that it cannot solve for redundant constraints"


class PinocchioConstrainedMotion(PinocchioConstraints):
    """Accelerations, impacts and forces of one mechanism with constraints."""

    def __init__(
        self, pin: Any, model: Any, mechanism: Mechanism, order: list[int], coordinates: Coordinates, turned: Array
    ) -> None:
        PinocchioConstraints.__init__(self, pin, model, mechanism, order, coordinates, turned)
        self._damping_of_joints = coordinates.to_ours(model.damping)
        # Functions for a given J and those for constraints do not share data: both resize it.
        self._given = model, model.createData()

    def constrained_acceleration(self, q: Array, v: Array, tau: Array) -> Array:
        return self._answer(self._acceleration, ("nv",), q, v, self._undamped(v, tau))

    def constraint_multipliers(self, q: Array, v: Array, tau: Array) -> Array:
        return self._answer(self._multipliers, ("directions",), q, v, self._undamped(v, tau))

    def constraint_forces(self, q: Array, v: Array, tau: Array) -> Array:
        def forces(q: Array, v: Array, tau: Array) -> Array:
            multipliers = self._multipliers(q, v, tau)
            return self._jacobian(q).T @ multipliers

        return self._answer(forces, ("nv",), q, v, self._undamped(v, tau))

    def constrained_acceleration_dtau(self, q: Array) -> Array:
        return self._answer(self._dtau, ("nv", "nv"), q)

    def constraint_multipliers_dtau(self, q: Array) -> Array:
        return self._answer(self._multipliers_dtau, ("directions", "nv"), q)

    def constrained_acceleration_dx(self, q: Array, v: Array, tau: Array) -> Array:
        def by_state(q: Array, v: Array, tau: Array) -> Array:
            by_q, by_v, by_tau = self._derivatives(q, v, tau)[:3]
            return np.stack((by_q, by_v - by_tau * self._model.damping))

        return self._blocks(by_state, "nv", q, v, tau)

    def constraint_multipliers_dx(self, q: Array, v: Array, tau: Array) -> Array:
        def by_state(q: Array, v: Array, tau: Array) -> Array:
            by_q, by_v, by_tau = self._derivatives(q, v, tau)[3:]
            return -np.stack((by_q, by_v - by_tau * self._model.damping))[:, self._rows]

        return self._blocks(by_state, "directions", q, v, tau)

    def constrained_acceleration_dv(self, q: Array, v: Array) -> Array:
        return self.constrained_acceleration_dx(q, v, 0 * v)[..., self._mechanism.nv :]

    def constraint_multipliers_dv(self, q: Array, v: Array) -> Array:
        return self.constraint_multipliers_dx(q, v, 0 * v)[..., self._mechanism.nv :]

    def impact_velocity_plastic(self, q: Array, v_minus: Array) -> Array:
        return self._after(q, v_minus, 0.0)

    def impact_velocity_half(self, q: Array, v_minus: Array) -> Array:
        return self._after(q, v_minus, 0.5)

    def impact_velocity_elastic(self, q: Array, v_minus: Array) -> Array:
        return self._after(q, v_minus, 1.0)

    def impact_forces_plastic(self, q: Array, v_minus: Array) -> Array:
        return self._impulse(q, v_minus, 0.0)

    def impact_forces_half(self, q: Array, v_minus: Array) -> Array:
        return self._impulse(q, v_minus, 0.5)

    def impact_forces_elastic(self, q: Array, v_minus: Array) -> Array:
        return self._impulse(q, v_minus, 1.0)

    def _undamped(self, v: Array, tau: Array) -> Array:
        return tau - self._damping_of_joints * v

    def _after(self, q: Array, v_minus: Array, r: float) -> Array:
        return self._answer(lambda q, v: self._impact(q, v, r)[0], ("nv",), q, v_minus)

    def _impulse(self, q: Array, v_minus: Array, r: float) -> Array:
        return self._answer(lambda q, v: self._jacobian(q).T @ self._impact(q, v, r)[1], ("nv",), q, v_minus)

    def _acceleration(self, q: Array, v: Array, tau: Array) -> Array:
        if self._whole:
            state = (q, v, tau, self._models, self._datas, self._settings(q))
            return self._pin.constraintDynamics(self._model, self._data, *state).copy()
        drift, J = self._drift(q, v), self._jacobian(q)
        return self._pin.forwardDynamics(*self._given, q, v, tau, J, drift, 0.0).copy()

    def _multipliers(self, q: Array, v: Array, tau: Array) -> Array:
        self._acceleration(q, v, tau)
        return -self._data.lambda_c[self._rows] if self._whole else self._given[1].lambda_c.copy()

    def _dtau(self, q: Array) -> Array:
        nv = self._model.nv
        if not self._whole:
            return self._inverse(q)[:nv, :nv]
        still = np.zeros(nv)
        return self._derivatives(q, still, still)[2]

    def _multipliers_dtau(self, q: Array) -> Array:
        nv = self._model.nv
        if not self._whole:
            # Of [[M, Jᵀ], [J, 0]], whose solution has −λ below the acceleration.
            return -self._inverse(q)[nv:, :nv]
        still = np.zeros(nv)
        return -self._derivatives(q, still, still)[5][self._rows]

    def _inverse(self, q: Array) -> Array:
        return self._pin.computeKKTContactDynamicMatrixInverse(*self._given, q, self._jacobian(q), 0.0)

    def _derivatives(self, q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
        """∂q̈ by q, v and τ, and Pinocchio's ∂λ by the same."""
        self._require_planar(q)
        self._require_together()
        data = self._model.createData()
        self._pin.initConstraintDynamics(self._model, data, self._models, self._datas)
        # Derivatives iterate as often as accelerations needed, which may be once: they get the number of a state under load.
        settings = self._iterated(data, q, 0 * v, self._all_rows(q).sum(axis=0))
        self._iterated(data, q, v, tau)
        derivatives = self._pin.computeConstraintDynamicsDerivatives
        return tuple(x.copy() for x in derivatives(self._model, data, self._models, self._datas, settings))

    def _iterated(self, data: Any, q: Array, v: Array, tau: Array) -> Any:
        """The settings with the number of iterations of this motion, which is now in ``data``."""
        settings = self._settings(q)
        self._pin.constraintDynamics(self._model, data, q, v, tau, self._models, self._datas, settings)
        return settings

    def _blocks(self, ask: Callable[..., Array], axis: str, q: Array, v: Array, tau: Array) -> Array:
        """The derivatives by q beside those by v (batch, …, 2 nv)."""
        both = self._answer(ask, ("q and v", axis, "nv"), q, v, self._undamped(v, tau))
        return np.concatenate((both[:, 0], both[:, 1]), 2)

    def _impact(self, q: Array, v: Array, r: float) -> tuple[Array, Array]:
        """v⁺ and Λ."""
        J = self._jacobian(q)
        if not self._whole:
            after = self._pin.impulseDynamics(*self._given, q, v, J, r, 0.0).copy()
            return after, self._given[1].impulse_c.copy()
        if redundant(J):
            raise Unsupported(REDUNDANT)
        after = self._pin.impulseDynamics(self._model, self._data, q, v, self._models, self._datas, r).copy()
        return after, -self._data.impulse_c[self._rows]
