"""What MuJoCo computes, in MuJoCo's own coordinates; :mod:`implementations.engines.mujoco.adapter` has the differences.

Every method sets the state that it needs, so an answer depends on the arguments alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.protocol import Array

_UNTURNED = np.eye(3).ravel()
_ORIGIN = np.zeros(3)


class MuJoCoCalls:
    """One model. Arrays are batches: q (batch, nq), v, a and τ (batch, nv), in MuJoCo's order. Not thread-safe.

    ``bodies`` are the numbers of the bodies that answers are about, in MuJoCo's order.
    """

    def __init__(self, mj: Any, model: Any, bodies: list[int]) -> None:
        self._mj, self._model, self._data, self._bodies = mj, model, mj.MjData(model), bodies
        self._nv = model.nv

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return for_each_state(self._inverse, (self._nv,), q, v, a)

    def mass_matrix(self, q: Array) -> Array:
        return for_each_state(self._mass_matrix, (self._nv, self._nv), q)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return for_each_state(self._forward, (self._nv,), q, v, tau)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return for_each_state(self._bias, (self._nv,), q, v)

    def gravity(self, q: Array) -> Array:
        return for_each_state(self._weight, (self._nv,), q)

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        return for_each_state(self._kinetic, (), q, v)

    def potential_energy(self, q: Array) -> Array:
        return for_each_state(self._potential, (), q)

    def integrate(self, q: Array, dv: Array) -> Array:
        return for_each_state(self._integrated, (self._model.nq,), q, dv)

    def difference(self, q: Array, to: Array) -> Array:
        return for_each_state(self._difference, (self._nv,), q, to)

    def placements(self, q: Array) -> Array:
        return for_each_state(self._placements, (len(self._bodies), 3, 4), q)

    def jacobians_aligned(self, q: Array) -> Array:
        ask = partial(self._jacobians, lambda body: self._data.xpos[body])
        return for_each_state(ask, (len(self._bodies), 6, self._nv), q)

    def jacobians_world(self, q: Array) -> Array:
        ask = partial(self._jacobians, lambda body: _ORIGIN)
        return for_each_state(ask, (len(self._bodies), 6, self._nv), q)

    def velocities_local(self, q: Array, v: Array) -> Array:
        return self._of_bodies(partial(self._velocity, 1), q, v)

    def velocities_world(self, q: Array, v: Array) -> Array:
        return self._of_bodies(self._velocity_at_origin, q, v)

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        return self._of_bodies(partial(self._velocity, 0), q, v)

    def accelerations_local(self, q: Array, v: Array, a: Array) -> Array:
        ask = partial(self._weightless._spatial, lambda data, body: (data.xpos[body], data.xmat[body]))
        return self._weightless._of_bodies(ask, q, v, a)

    def accelerations_world(self, q: Array, v: Array, a: Array) -> Array:
        ask = partial(self._weightless._spatial, lambda data, body: (_ORIGIN, _UNTURNED))
        return self._weightless._of_bodies(ask, q, v, a)

    def accelerations_aligned(self, q: Array, v: Array, a: Array) -> Array:
        ask = partial(self._weightless._spatial, lambda data, body: (data.xpos[body], _UNTURNED))
        return self._weightless._of_bodies(ask, q, v, a)

    def classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        return self._weightless._of_bodies(self._weightless._classical, q, v, a)

    def drifts_aligned(self, q: Array, v: Array) -> Array:
        return for_each_state(self._drifts, (len(self._bodies), 6), q, v)

    def center_of_mass(self, q: Array) -> Array:
        return for_each_state(self._center_of_mass, (3,), q)

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        return for_each_state(self._momentum, (6,), q, v)

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        return for_each_state(self._momentum_matrix, (6, self._nv), q)

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        return for_each_state(self._center_of_mass_velocity, (3,), q, v)

    def center_of_mass_jacobian(self, q: Array) -> Array:
        return for_each_state(self._center_of_mass_jacobian, (3, self._nv), q)

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        return for_each_state(self._inverse_with_forces, (self._nv,), q, v, a, f)

    def inverse_dynamics_dv(self, q: Array, v: Array) -> Array:
        return for_each_state(self._inverse_by_velocity, (self._nv, self._nv), q, v)

    def forward_dynamics_dtau(self, q: Array) -> Array:
        return for_each_state(self._inverse_mass_matrix, (self._nv, self._nv), q)

    @cached_property
    def _weightless(self) -> MuJoCoCalls:
        """The same model without gravity, which MuJoCo adds to accelerations."""
        return MuJoCoCalls(self._mj, self._without_gravity, self._bodies)

    @property
    def _without_gravity(self) -> Any:
        model = copy.copy(self._model)
        model.opt.gravity[:] = 0
        return model

    def _at(self, q: Array, v: Array | float = 0.0, a: Array | float = 0.0) -> tuple[Any, Any]:
        """The model and its data, with this state and nothing computed."""
        self._data.qpos[:], self._data.qvel[:], self._data.qacc[:] = q, v, a
        return self._model, self._data

    def _placed(self, q: Array) -> tuple[Any, Any]:
        """The model and its data, with all that depends on q."""
        at = self._at(q)
        self._mj.mj_fwdPosition(*at)
        return at

    def _moving(self, q: Array, v: Array) -> tuple[Any, Any]:
        """The model and its data, with all that depends on q and v."""
        at = self._at(q, v)
        self._mj.mj_fwdPosition(*at)
        self._mj.mj_fwdVelocity(*at)
        return at

    def _integrated(self, q: Array, dv: Array) -> Array:
        moved = q.copy()
        self._mj.mj_integratePos(self._model, moved, dv, 1.0)
        return moved

    def _difference(self, q: Array, to: Array) -> Array:
        step = np.empty(self._nv)
        self._mj.mj_differentiatePos(self._model, step, 1.0, q, to)
        return step

    def _inverse(self, q: Array, v: Array, a: Array) -> Any:
        self._mj.mj_inverse(*self._at(q, v, a))
        return self._data.qfrc_inverse

    def _inverse_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Any:
        tau, data, turned = self._inverse(q, v, a), self._data, np.zeros((2, 3))
        applied = np.zeros(self._nv)
        for body, force in zip(self._bodies, f, strict=True):
            for part, own in zip(turned, (force[:3], force[3:]), strict=True):
                self._mj.mju_mulMatVec3(part, data.xmat[body], own)
            self._mj.mj_applyFT(self._model, data, turned[1], turned[0], data.xpos[body], body, applied)
        return tau - applied

    def _mass_matrix(self, q: Array) -> Any:
        M = np.zeros((self._nv, self._nv))
        self._mj.mj_fullM(*self._placed(q), M)
        return M

    def _inverse_mass_matrix(self, q: Array) -> Any:
        inverse = np.zeros((self._nv, self._nv))
        self._mj.mj_solveM(*self._placed(q), inverse, np.eye(self._nv))
        return inverse

    def _forward(self, q: Array, v: Array, tau: Array) -> Any:
        _, data = at = self._at(q, v)
        data.qfrc_applied[:] = tau
        self._mj.mj_forward(*at)
        return data.qacc

    def _bias(self, q: Array, v: Array) -> Any:
        _, data = self._moving(q, v)
        return data.qfrc_bias - data.qfrc_passive

    def _weight(self, q: Array) -> Any:
        weight = np.zeros(self._nv)
        self._mj.mj_rne(*self._moving(q, np.zeros(self._nv)), 0, weight)
        return weight

    def _kinetic(self, q: Array, v: Array) -> Any:
        self._mj.mj_energyVel(*self._moving(q, v))
        return self._data.energy[1]

    def _potential(self, q: Array) -> Any:
        self._mj.mj_energyPos(*self._placed(q))
        return self._data.energy[0]

    def _placements(self, q: Array) -> Any:
        _, data = self._placed(q)
        return [np.column_stack([data.xmat[body].reshape(3, 3), data.xpos[body]]) for body in self._bodies]

    def _jacobians(self, point: Callable[[int], Array], q: Array) -> Any:
        at, J = self._placed(q), np.zeros((len(self._bodies), 2, 3, self._nv))
        for (turning, moving), body in zip(J, self._bodies, strict=True):
            self._mj.mj_jac(*at, moving, turning, point(body), body)
        return J.reshape(-1, 6, self._nv)

    def _drifts(self, q: Array, v: Array) -> Any:
        (_, data), rate = self._moving(q, v), np.zeros((len(self._bodies), 2, 3, self._nv))
        for (turning, moving), body in zip(rate, self._bodies, strict=True):
            self._mj.mj_jacDot(self._model, data, moving, turning, data.xpos[body], body)
        return rate.reshape(-1, 6, self._nv) @ v

    def _of_bodies(self, ask: Callable[[int, Array], None], q: Array, v: Array, *a: Array) -> Array:
        """(batch, bodies, 6): ``ask`` writes one body's vector, at every state."""
        return self._of_objects(self._bodies, ask, q, v, *a)

    def _of_objects(self, numbers: Sequence[int], ask: Callable[[int, Array], None], q: Array, v: Array, *a: Array) -> Array:
        """The same for bodies or sites of these ``numbers``."""

        def of_state(q: Array, v: Array, *a: Array) -> Array:
            at, answer = self._moving(q, v), np.zeros((len(numbers), 6))
            if a:
                self._data.qacc[:] = a[0]
                self._mj.mj_rnePostConstraint(*at)
            for own, number in zip(answer, numbers, strict=True):
                ask(number, own)
            return answer

        return for_each_state(of_state, (len(numbers), 6), q, v, *a)

    def _velocity(self, along_body: int, body: int, answer: Array) -> None:
        self._mj.mj_objectVelocity(self._model, self._data, self._mj.mjtObj.mjOBJ_XBODY, body, answer, along_body)

    def _classical(self, body: int, answer: Array) -> None:
        self._mj.mj_objectAcceleration(self._model, self._data, self._mj.mjtObj.mjOBJ_XBODY, body, answer, 0)

    def _velocity_at_origin(self, body: int, answer: Array) -> None:
        self._mj.mju_transformSpatial(answer, self._data.cvel[body], 0, _ORIGIN, self._center(body), _UNTURNED)

    def _spatial(self, frame: Callable[[Any, int], tuple[Array, Array]], body: int, answer: Array) -> None:
        point, axes = frame(self._data, body)
        self._mj.mju_transformSpatial(answer, self._data.cacc[body], 0, point, self._center(body), axes)

    def _center(self, body: int) -> Any:
        """The point at which MuJoCo's ``cvel`` and ``cacc`` of a body are taken: the centre of mass of its whole tree."""
        return self._data.subtree_com[self._model.body_rootid[body]]

    def _center_of_mass(self, q: Array) -> Any:
        return self._placed(q)[1].subtree_com[0]

    def _momentum(self, q: Array, v: Array) -> Any:
        model, data = at = self._moving(q, v)
        self._mj.mj_subtreeVel(*at)
        return [*data.subtree_angmom[0], *(model.body_subtreemass[0] * data.subtree_linvel[0])]

    def _center_of_mass_velocity(self, q: Array, v: Array) -> Any:
        _, data = at = self._moving(q, v)
        self._mj.mj_subtreeVel(*at)
        return data.subtree_linvel[0]

    def _center_of_mass_jacobian(self, q: Array) -> Any:
        J = np.zeros((3, self._nv))
        self._mj.mj_jacSubtreeCom(*self._placed(q), J, 0)
        return J

    def _momentum_matrix(self, q: Array) -> Any:
        model, _ = at = self._placed(q)
        angular, linear = np.zeros((2, 3, self._nv))
        self._mj.mj_angmomMat(*at, angular, 0)
        self._mj.mj_jacSubtreeCom(*at, linear, 0)
        return [*angular, *(model.body_subtreemass[0] * linear)]

    def _inverse_by_velocity(self, q: Array, v: Array) -> Any:
        model, data = at = self._at(q, v)
        self._mj.mj_forward(*at)
        self._mj.mj_implicit(*at)
        derivative = np.zeros((self._nv, self._nv))
        rows = np.repeat(np.arange(self._nv), model.D_rownnz)
        derivative[rows, model.D_colind] = -data.qDeriv
        return derivative
