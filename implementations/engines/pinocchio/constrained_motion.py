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

from functools import partial
from typing import Any

import numpy as np

from implementations.engines.pinocchio.constraints import PinocchioConstraints, redundant
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import RESTITUTIONS

REDUNDANT = "Pinocchio's impulseDynamics does not iterate, so that it cannot solve for redundant constraints"


class PinocchioConstrainedMotion(PinocchioConstraints):
    """Accelerations, impacts and forces of one mechanism with constraints, at one state of Pinocchio's."""

    def __init__(self, pin: Any, model: Any, mechanism: Mechanism, order: list[int], turned: Array) -> None:
        PinocchioConstraints.__init__(self, pin, model, mechanism, order, turned)
        # Functions for a given J and those for constraints do not share data: both resize it.
        self._given = model, model.createData()
        for word, r in RESTITUTIONS.items():
            setattr(self, f"impact_velocity_{word}", partial(self._after, float(r)))
            setattr(self, f"impact_forces_{word}", partial(self._impulse, float(r)))

    def constrained_acceleration(self, q: Array, v: Array, tau: Array) -> Array:
        if self._whole:
            state = (q, v, tau, self._models, self._datas, self._settings(q))
            return self._pin.constraintDynamics(self._model, self._data, *state).copy()
        drift, J = self.constraint_drift(q, v), self.constraint_jacobian(q)
        return self._pin.forwardDynamics(*self._given, q, v, tau, J, drift, 0.0).copy()

    def constraint_multipliers(self, q: Array, v: Array, tau: Array) -> Array:
        self.constrained_acceleration(q, v, tau)
        return -self._data.lambda_c[self._rows] if self._whole else self._given[1].lambda_c.copy()

    def constraint_forces(self, q: Array, v: Array, tau: Array) -> Array:
        multipliers = self.constraint_multipliers(q, v, tau)
        return self.constraint_jacobian(q).T @ multipliers

    def constrained_acceleration_dtau(self, q: Array) -> Array:
        nv = self._model.nv
        if not self._whole:
            return self._inverse(q)[:nv, :nv]
        still = np.zeros(nv)
        return self._derivatives(q, still, still)[2]

    def constraint_multipliers_dtau(self, q: Array) -> Array:
        nv = self._model.nv
        if not self._whole:
            # Of [[M, Jᵀ], [J, 0]], whose solution has −λ below the acceleration.
            return -self._inverse(q)[nv:, :nv]
        still = np.zeros(nv)
        return -self._derivatives(q, still, still)[5][self._rows]

    def constrained_acceleration_dx(self, q: Array, v: Array, tau: Array) -> Array:
        by_q, by_v, by_tau = self._derivatives(q, v, tau)[:3]
        return np.hstack((by_q, by_v - by_tau * self._model.damping))

    def constraint_multipliers_dx(self, q: Array, v: Array, tau: Array) -> Array:
        by_q, by_v, by_tau = self._derivatives(q, v, tau)[3:]
        return -np.hstack((by_q, by_v - by_tau * self._model.damping))[self._rows]

    def constrained_acceleration_dv(self, q: Array, v: Array) -> Array:
        return self.constrained_acceleration_dx(q, v, -self._model.damping * v)[:, self._model.nv :]

    def constraint_multipliers_dv(self, q: Array, v: Array) -> Array:
        return self.constraint_multipliers_dx(q, v, -self._model.damping * v)[:, self._model.nv :]

    def _after(self, r: float, q: Array, v: Array) -> Array:
        return self._impact(q, v, r)[0]

    def _impulse(self, r: float, q: Array, v: Array) -> Array:
        return self.constraint_jacobian(q).T @ self._impact(q, v, r)[1]

    def _inverse(self, q: Array) -> Array:
        return self._pin.computeKKTContactDynamicMatrixInverse(*self._given, q, self.constraint_jacobian(q), 0.0)

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

    def _impact(self, q: Array, v: Array, r: float) -> tuple[Array, Array]:
        """v⁺ and Λ."""
        J = self.constraint_jacobian(q)
        if not self._whole:
            after = self._pin.impulseDynamics(*self._given, q, v, J, r, 0.0).copy()
            return after, self._given[1].impulse_c.copy()
        if redundant(J):
            raise Unsupported(REDUNDANT)
        after = self._pin.impulseDynamics(self._model, self._data, q, v, self._models, self._datas, r).copy()
        return after, -self._data.impulse_c[self._rows]
