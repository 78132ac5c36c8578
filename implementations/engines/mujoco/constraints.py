"""Constraints in MuJoCo: an equality "connect" of two sites for every constraint of linear directions.

==================== ========================================== ======================================================
what                 MuJoCo                                     conversion
==================== ========================================== ======================================================
J                    ``efc_J``: the first site relative to the  turned to the axes of the first frame, the sign changed,
                     second, along the root's axes              the constrained rows taken
q̈, λ                 soft: J q̈ + J̇ v = aref − R λ, R > 0        none; they answer another question
angular directions   "weld" has half of the turn's sine, times  none
                     a length
==================== ========================================== ======================================================

So J is all that is exact. Impacts, J̇ v and J M⁻¹ Jᵀ without R are not offered by MuJoCo.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.protocol import Array, Unsupported
from mechanisms import Constraint, Mechanism

SOFT = "MuJoCo's constraints are soft, so that its accelerations and forces answer another question; only J is compared"

APART = 1e-6
"""Sites further apart (m) do not stay together. Rounding moves them by 1e-15."""

COMES_APART = "MuJoCo's constraints keep points together, and those of {!r} come apart"

ANGULAR = "MuJoCo has angular constraints, as in {!r}, in other units, and only all at once"


class MuJoCoConstraints:
    """The constraint Jacobian of one model, in MuJoCo's coordinates. Not thread-safe."""

    def __init__(self, mj: Any, model: Any, mechanism: Mechanism) -> None:
        self._mj, self._model, self._data = mj, model, mj.MjData(model)
        self._names = [one.name for one in mechanism.constraints]
        self._rows = [[row - 3 for row in one.rows] for one in mechanism.constraints]
        self._sites = [mj.mj_name2id(model, mj.mjtObj.mjOBJ_SITE, site_of(k, 1)) for k in range(len(self._rows))]

    def constrained_acceleration(self, *state: Array) -> Array:
        raise Unsupported(SOFT)

    constraint_forces = constraint_multipliers = constrained_acceleration_dtau = constrained_acceleration

    def constraint_jacobian(self, q: Array) -> Array:
        self._data.qpos[:] = q
        self._mj.mj_fwdPosition(self._model, self._data)
        for k, rows in enumerate(self._rows):
            if len(rows) < 3 and abs(self._data.efc_pos[3 * k : 3 * k + 3]).max() > APART:
                raise Unsupported(COMES_APART.format(self._names[k]))
        J = self._data.efc_J.reshape(-1, self._model.nv)
        turned = [self._data.site_xmat[site].reshape(3, 3).T @ -J[3 * k : 3 * k + 3] for k, site in enumerate(self._sites)]
        return np.concatenate([block[rows] for block, rows in zip(turned, self._rows, strict=True)])


def add_constraints(mj: Any, mechanism: Mechanism, spec: Any, bodies: list[Any], quaternion: Any) -> None:
    """Add the constraints of ``mechanism`` to a specification; ``bodies`` are the root and our bodies in it."""
    number = {mechanism.root: 0, **{body.name: i for i, body in enumerate(mechanism.bodies, 1)}}
    for k, one in enumerate(mechanism.constraints):
        _require_linear(one)
        for end, (name, place) in enumerate(((one.first, one.first_placement), (one.second, one.second_placement)), 1):
            position = np.array(place.translation, dtype=float)
            bodies[number[name]].add_site(name=site_of(k, end), pos=position, quat=quaternion(place))
        names = {"name1": site_of(k, 1), "name2": site_of(k, 2)}
        spec.add_equality(type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_SITE, **names)
    spec.option.disableflags &= ~int(mj.mjtDisableBit.mjDSBL_CONSTRAINT)
    spec.option.jacobian = mj.mjtJacobian.mjJAC_DENSE


def site_of(constraint: int, end: int) -> str:
    return f"constraint {constraint} end {end}"


def _require_linear(constraint: Constraint) -> None:
    if min(constraint.rows) < 3:
        raise Unsupported(ANGULAR.format(constraint.name))
