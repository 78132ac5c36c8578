"""Constraints in Pinocchio: ``RigidConstraintModel`` between two joints, or a joint and the universe, in the frame LOCAL.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
directions           three (CONTACT_3D) or six (CONTACT_6D)     of others, the rows of J are chosen (see below)
order                linear first, [v; ω]                       rows permuted
sign                 the first frame relative to the second     J, J̇ v and λ change their signs
axes                 those of the first frame                   none
Baumgarte's terms    gains of zero                              none: J a + J̇ v = 0
==================== ========================================== ======================================================

Pinocchio's J is about the points that are fixed to both bodies. Where some linear directions are free, as in the plane of a
four-bar, these points have to stay together all the same; :class:`Unsupported` if they come apart.

Pinocchio's ``computeDelassusMatrix`` leaves out the second joint, and writes behind its arrays if the first one is the universe
(docs/findings/pinocchio-delassus-second-joint.md). J M⁻¹ Jᵀ is that of the factorisation, ``ContactCholeskyDecomposition``.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
accelerations        ``constraintDynamics``                     damping · v subtracted from τ
redundant rows       proximal iterations, if μ > 0; NaN or      thirty iterations with μ = σ²/8 where J has less than
                     noise with its default of μ = 0            full rank, else the default; σ² is the smallest
                                                                eigenvalue of J M⁻¹ Jᵀ but zero
λ                    ``Data.lambda_c``                          as in above
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

from implementations.engines.pinocchio.places import Place, floats, place_of
from implementations.protocol import Array, Unsupported
from mechanisms import Constraint, Mechanism, Placement
from mechanisms.quantities import RESTITUTIONS

APART = 1e-6
"""Origins further apart (m), or that part faster (m/s), do not stay together. Rounding moves them by 1e-15."""

RANK = 1e-9
"""Singular values of J below this, relative to its norm, are zero but for rounding."""

SINGULAR = "Pinocchio's factorisation has all directions of a constraint, and those that are not declared are redundant"

NOT_ALL = "Pinocchio's derivatives are about constraints of 3 or 6 directions, and those that are not declared would be fixed"

REDUNDANT = "Pinocchio's impulseDynamics does not iterate, so that it cannot solve for redundant constraints"

COMES_APART = "Pinocchio's constraints keep points together, and those of {!r} come apart"


class PinocchioConstraints:
    """J, J̇ v and J M⁻¹ Jᵀ of one mechanism, at one state of Pinocchio's. Not thread-safe."""

    def __init__(self, pin: Any, model: Any, mechanism: Mechanism, order: list[int], turned: Array) -> None:
        if mechanism.has_mimics:
            raise Unsupported("Pinocchio's algorithms for constraints refuse models with mimic joints")
        self._pin, self._mechanism, self._model = pin, mechanism, model
        self._models, self._datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        number = {body.name: i for i, body in enumerate(mechanism.bodies)}

        def end(name: str, placement: Placement) -> tuple[int, Any]:
            place = place_of(placement)
            if name == mechanism.root:
                return 0, pin.SE3(floats(place.R), floats(place.p))
            turn = Place(turned[number[name]], np.zeros(3))
            there = turn.of(place)
            return 1 + order.index(number[name]), pin.SE3(floats(there.R), floats(there.p))

        kinds = {3: pin.ContactType.CONTACT_3D, 6: pin.ContactType.CONTACT_6D}
        for one in mechanism.constraints:
            ends = (*end(one.first, one.first_placement), *end(one.second, one.second_placement))
            contact = pin.RigidConstraintModel(kinds[_directions(one)], model, *ends, pin.ReferenceFrame.LOCAL)
            self._models.append(contact)
            self._datas.append(contact.createData())
        self._rows = _rows(mechanism.constraints)
        self._partial = _partial(mechanism.constraints)
        self._data = model.createData()
        pin.initConstraintDynamics(model, self._data, self._models, self._datas)

    @property
    def _whole(self) -> bool:
        """Every constraint has the three or six directions that Pinocchio's have."""
        return len(self._rows) == sum(map(_directions, self._mechanism.constraints))

    def constraint_jacobian(self, q: Array) -> Array:
        J = self._all_rows(q)
        self._require_together()
        return J[self._rows]

    def constraint_drift(self, q: Array, v: Array) -> Array:
        self._pin.constraintDynamics(self._model, self._data, q, v, 0 * v, self._models, self._datas, self._settings(q))
        rates = []
        for one, data in zip(self._mechanism.constraints, self._datas, strict=True):
            rate = data.contact2_acceleration_drift.vector - data.contact1_acceleration_drift.vector
            rates.append(rate[: _directions(one)])
        self._require_together()
        self._require_still_together(q, v)
        return np.concatenate(rates)[self._rows]

    def delassus_matrix(self, q: Array) -> Array:
        self._pin.crba(self._model, self._data, q)
        J = self._all_rows(q)
        self._require_together()
        if not self._whole and redundant(J):
            raise Unsupported(SINGULAR)
        factors = self._pin.ContactCholeskyDecomposition(self._model, self._data, self._models, self._datas)
        factors.compute(self._model, self._data, self._models, self._datas, 0.0)
        return factors.getInverseOperationalSpaceInertiaMatrix()[np.ix_(self._rows, self._rows)]

    def _all_rows(self, q: Array) -> Array:
        """Our J with all directions of Pinocchio's constraints, linear first."""
        self._pin.computeJointJacobians(self._model, self._data, q)
        for contact, data in zip(self._models, self._datas, strict=True):
            contact.calc(self._model, self._data, data)
        return -self._pin.getConstraintsJacobian(self._model, self._data, self._models, self._datas)

    def _require_planar(self, q: Array) -> None:
        """The directions that are not declared do not constrain anything, as those across a planar loop: their rows are zero."""
        J = self._all_rows(q)
        others = np.delete(J, self._rows, axis=0)
        if abs(others).max(initial=0) > RANK * np.linalg.norm(J):
            raise Unsupported(NOT_ALL)

    def _require_together(self) -> None:
        for k, _ in self._partial:
            if abs(self._datas[k].c1Mc2.translation).max() > APART:
                raise Unsupported(COMES_APART.format(self._mechanism.constraints[k].name))

    def _require_still_together(self, q: Array, v: Array) -> None:
        if self._partial:
            moving = self._all_rows(q) @ v
            for k, rows in self._partial:
                if abs(moving[rows]).max() > APART:
                    raise Unsupported(COMES_APART.format(self._mechanism.constraints[k].name))

    def _settings(self, q: Array) -> Any:
        """Proximal iterations where rows of J follow from others: with μ = 0 the factorisation divides by rounding errors there.

        Every iteration leaves μ / (μ + σ²) of the error, with the smallest eigenvalue σ² of J M⁻¹ Jᵀ but zero. Derivatives
        lose digits with 1/μ. So μ is an eighth of σ², and thirty iterations leave nothing.
        """
        J = self._all_rows(q)
        if not redundant(J):
            return self._pin.ProximalSettings()
        M = self._pin.crba(self._model, self._model.createData(), q)
        σ = np.linalg.svd(np.linalg.solve(np.linalg.cholesky(M), J.T), compute_uv=False)
        return self._pin.ProximalSettings(0.0, 0.0, σ[σ > RANK * σ[0]].min() ** 2 / 8, 30)


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


def redundant(J: Array) -> bool:
    """Rows of J follow from others."""
    return bool(np.linalg.matrix_rank(J, tol=RANK * np.linalg.norm(J)) < len(J))


def _directions(constraint: Constraint) -> int:
    """How many directions Pinocchio's constraint has: three, or six if some are angular."""
    return 6 if min(constraint.rows) < 3 else 3


def _rows(constraints: tuple[Constraint, ...]) -> list[int]:
    """The rows of Pinocchio's J that are ours, in our order."""
    rows, first = list[int](), 0
    for one in constraints:
        size = _directions(one)
        rows += [first + (row + 3) % 6 for row in one.rows]
        first += size
    return rows


def _partial(constraints: tuple[Constraint, ...]) -> list[tuple[int, list[int]]]:
    """The constraints of which some linear directions are free, with all linear rows of Pinocchio's."""
    partial, first = list[tuple[int, list[int]]](), 0
    for k, one in enumerate(constraints):
        if sum(row >= 3 for row in one.rows) < 3:
            partial.append((k, [first, first + 1, first + 2]))
        first += _directions(one)
    return partial
