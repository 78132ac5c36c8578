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
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.engines.pinocchio.places import Place, floats, place_of
from implementations.protocol import Array, Unsupported
from mechanisms import Constraint, Mechanism, Placement

APART = 1e-6
"""Origins further apart (m), or that part faster (m/s), do not stay together. Rounding moves them by 1e-15."""

RANK = 1e-9
"""Singular values of J below this, relative to its norm, are zero but for rounding."""

SINGULAR = "Pinocchio's factorisation has all directions of a constraint, and those that are not declared are redundant"

NOT_ALL = "Pinocchio's derivatives are about constraints of 3 or 6 directions, and those that are not declared would be fixed"

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
