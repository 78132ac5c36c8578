"""What MuJoCo computes at one state, in its own coordinates; :mod:`implementations.engines.mujoco.adapter` has the differences.

Every method sets the state that it needs, so an answer depends on the arguments alone. Frames of the mechanism are sites.

Constraints are an equality "connect" of two sites for every constraint of linear directions.

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

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from implementations.engines.mujoco.models import site_of
from implementations.protocol import Array, Unsupported
from implementations.state_by_state import of_places
from mechanisms import Mechanism

_UNTURNED = np.eye(3).ravel()
_ORIGIN = np.zeros(3)

SOFT = "MuJoCo's constraints are soft, so that its accelerations and forces answer another question; only J is compared"

UNLIFTED = "MuJoCo's potential energy leaves out gravity compensation"

APART = 1e-6
"""Sites further apart (m) do not stay together. Rounding moves them by 1e-15."""

COMES_APART = "MuJoCo's constraints keep points together, and those of {!r} come apart"


class ModelAtState:
    """A model, and its data at one state. Not thread-safe."""

    def __init__(self, mj: Any, model: Any) -> None:
        self._mj, self._model, self._data, self._nv = mj, model, mj.MjData(model), model.nv

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

    def _accelerated(self, q: Array, v: Array, a: Array) -> None:
        at = self._moving(q, v)
        self._data.qacc[:] = a
        self._mj.mj_rnePostConstraint(*at)

    def _step(self, integrator: Any, q: Array, v: Array, tau: Array, h: Array) -> Array:
        """Where ``mj_step`` leads. What it keeps from the step before is reset."""
        model, data = self._model, self._data
        model.opt.integrator, model.opt.timestep = integrator, float(h[0])
        self._mj.mj_resetData(model, data)
        self._at(q, v)
        data.qfrc_applied[:] = tau
        self._mj.mj_step(model, data)
        return np.concatenate([data.qpos, data.qvel])

    def _velocity(self, kind: Any, along_own: int, number: int) -> Array:
        """The motion (6,) of a body or a site."""
        self._mj.mj_objectVelocity(self._model, self._data, kind, number, answer := np.zeros(6), along_own)
        return answer

    def _acceleration(self, kind: Any, number: int) -> Array:
        self._mj.mj_objectAcceleration(self._model, self._data, kind, number, answer := np.zeros(6), 0)
        return answer

    def _spatial(self, motions: str, at_body: bool, along_body: bool, body: int) -> Array:
        """MuJoCo's ``cvel`` or ``cacc`` of a body, which are taken at the centre of mass of its whole tree, at another point."""
        data = self._data
        center = data.subtree_com[self._model.body_rootid[body]]
        point, axes = data.xpos[body] if at_body else _ORIGIN, data.xmat[body] if along_body else _UNTURNED
        self._mj.mju_transformSpatial(answer := np.zeros(6), getattr(data, motions)[body], 0, point, center, axes)
        return answer


class MuJoCoCalls(ModelAtState):
    """One model's quantities of one state. ``bodies`` are the numbers of the bodies that answers are about, in MuJoCo's order.

    ``sites`` are those of the mechanism's frames: MuJoCo sorts sites by bodies.
    """

    def __init__(self, mj: Any, model: Any, bodies: list[int], sites: Sequence[int] = ()) -> None:
        ModelAtState.__init__(self, mj, model)
        self._bodies = bodies
        # MuJoCo adds gravity to accelerations.
        falling = ModelAtState(mj, copy.copy(model))
        falling._model.opt.gravity[:] = 0
        offered = vars(self)
        of_positions = {
            "placements": lambda k: np.column_stack([self._data.xmat[k].reshape(3, 3), self._data.xpos[k]]),
            "jacobians_aligned": lambda k: self._jacobian(mj.mj_jac, self._data.xpos[k], k),
            "jacobians_world": lambda k: self._jacobian(mj.mj_jac, _ORIGIN, k),
        }
        of_velocities: dict[str, Callable[[int], Any]] = {
            "velocities_world": partial(self._spatial, "cvel", False, False),
            "drifts_aligned": lambda k: self._jacobian(mj.mj_jacDot, self._data.xpos[k], k) @ self._data.qvel,
        }
        of_accelerations = {
            "accelerations_local": partial(falling._spatial, "cacc", True, True),
            "accelerations_world": partial(falling._spatial, "cacc", False, False),
            "accelerations_aligned": partial(falling._spatial, "cacc", True, False),
        }
        of_positions_of_sites = {
            "placements": lambda k: np.column_stack([self._data.site_xmat[k].reshape(3, 3), self._data.site_xpos[k]]),
            "jacobians_aligned": lambda k: self._jacobian(mj.mj_jacSite, k),
        }
        offered.update(of_places(self._placed, bodies, of_positions))
        offered.update(of_places(self._moving, bodies, of_velocities))
        offered.update(of_places(falling._accelerated, bodies, of_accelerations))
        offered.update(of_places(self._placed, sites, of_positions_of_sites, "frame_"))
        for prefix, kind, numbers in (("", mj.mjtObj.mjOBJ_XBODY, bodies), ("frame_", mj.mjtObj.mjOBJ_SITE, sites)):
            velocities = {
                "velocities_local": partial(self._velocity, kind, 1),
                "velocities_aligned": partial(self._velocity, kind, 0),
            }
            accelerations = {"classical_accelerations": partial(falling._acceleration, kind)}
            offered.update(of_places(self._moving, numbers, velocities, prefix))
            offered.update(of_places(falling._accelerated, numbers, accelerations, prefix))

        stepping = ModelAtState(mj, copy.copy(model))
        for name, integrator in mj.mjtIntegrator.__members__.items():
            offered[f"step_{name.removeprefix('mjINT_').lower()}"] = partial(stepping._step, integrator)

    def _jacobian(self, function: Any, *place: Any) -> Array:
        """(6, nv), of which MuJoCo writes the linear rows and the angular ones."""
        J = np.zeros((2, 3, self._nv))
        function(self._model, self._data, J[1], J[0], *place)
        return J.reshape(6, self._nv)

    def integrate(self, q: Array, dv: Array) -> Array:
        moved = q.copy()
        self._mj.mj_integratePos(self._model, moved, dv, 1.0)
        return moved

    def difference(self, q: Array, to: Array) -> Array:
        self._mj.mj_differentiatePos(self._model, step := np.empty(self._nv), 1.0, q, to)
        return step

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Any:
        self._mj.mj_inverse(*self._at(q, v, a))
        return self._data.qfrc_inverse

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Any:
        tau, data, turned = self.inverse_dynamics(q, v, a), self._data, np.zeros((2, 3))
        applied = np.zeros(self._nv)
        for body, force in zip(self._bodies, f, strict=True):
            for part, own in zip(turned, (force[:3], force[3:]), strict=True):
                self._mj.mju_mulMatVec3(part, data.xmat[body], own)
            self._mj.mj_applyFT(self._model, data, turned[1], turned[0], data.xpos[body], body, applied)
        return tau - applied

    def mass_matrix(self, q: Array) -> Any:
        self._mj.mj_fullM(*self._placed(q), M := np.zeros((self._nv, self._nv)))
        return M

    def forward_dynamics_dtau(self, q: Array) -> Any:
        self._mj.mj_solveM(*self._placed(q), inverse := np.zeros((self._nv, self._nv)), np.eye(self._nv))
        return inverse

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Any:
        _, data = at = self._at(q, v)
        data.qfrc_applied[:] = tau
        self._mj.mj_forward(*at)
        return data.qacc

    def nonlinear_effects(self, q: Array, v: Array) -> Any:
        if self._model.dof_frictionloss.any():
            return self.inverse_dynamics(q, v, np.zeros(self._nv))
        _, data = self._moving(q, v)
        return data.qfrc_bias - data.qfrc_passive

    def gravity(self, q: Array) -> Any:
        self._mj.mj_rne(*self._moving(q, np.zeros(self._nv)), 0, weight := np.zeros(self._nv))
        return weight - self._data.qfrc_spring - self._data.qfrc_gravcomp

    def kinetic_energy(self, q: Array, v: Array) -> Any:
        self._mj.mj_energyVel(*self._moving(q, v))
        return self._data.energy[1]

    def potential_energy(self, q: Array) -> Any:
        if self._model.body_gravcomp.any():
            raise Unsupported(UNLIFTED)
        self._mj.mj_energyPos(*self._placed(q))
        return self._data.energy[0]

    def center_of_mass(self, q: Array) -> Any:
        return self._placed(q)[1].subtree_com[0]

    def center_of_mass_velocity(self, q: Array, v: Array) -> Any:
        self._mj.mj_subtreeVel(*self._moving(q, v))
        return self._data.subtree_linvel[0]

    def center_of_mass_jacobian(self, q: Array) -> Any:
        self._mj.mj_jacSubtreeCom(*self._placed(q), J := np.zeros((3, self._nv)), 0)
        return J

    def centroidal_momentum(self, q: Array, v: Array) -> Any:
        velocity = self.center_of_mass_velocity(q, v)
        return [*self._data.subtree_angmom[0], *(self._model.body_subtreemass[0] * velocity)]

    def centroidal_momentum_matrix(self, q: Array) -> Any:
        linear = self._model.body_subtreemass[0] * self.center_of_mass_jacobian(q)
        self._mj.mj_angmomMat(self._model, self._data, angular := np.zeros((3, self._nv)), 0)
        return [*angular, *linear]

    def inverse_dynamics_dv(self, q: Array, v: Array) -> Any:
        model, data = at = self._at(q, v)
        self._mj.mj_forward(*at)
        self._mj.mj_implicit(*at)
        derivative = np.zeros((self._nv, self._nv))
        rows = np.repeat(np.arange(self._nv), model.D_rownnz)
        derivative[rows, model.D_colind] = -data.qDeriv
        return derivative


class MuJoCoConstraints(ModelAtState):
    """The constraint Jacobian of one model, in MuJoCo's coordinates. Not thread-safe."""

    def __init__(self, mj: Any, model: Any, mechanism: Mechanism) -> None:
        ModelAtState.__init__(self, mj, model)
        self._names = [one.name for one in mechanism.constraints]
        self._rows = [[row - 3 for row in one.rows] for one in mechanism.constraints]
        self._sites = [mj.mj_name2id(model, mj.mjtObj.mjOBJ_SITE, site_of(k, 1)) for k in range(len(self._rows))]

    def constrained_acceleration(self, *state: Array) -> Array:
        raise Unsupported(SOFT)

    constraint_forces = constraint_multipliers = constrained_acceleration_dtau = constrained_acceleration

    def constraint_jacobian(self, q: Array) -> Array:
        self._placed(q)
        for k, rows in enumerate(self._rows):
            if len(rows) < 3 and abs(self._data.efc_pos[3 * k : 3 * k + 3]).max() > APART:
                raise Unsupported(COMES_APART.format(self._names[k]))
        J = self._data.efc_J.reshape(-1, self._nv)
        turned = [self._data.site_xmat[site].reshape(3, 3).T @ -J[3 * k : 3 * k + 3] for k, site in enumerate(self._sites)]
        return np.concatenate([block[rows] for block, rows in zip(turned, self._rows, strict=True)])
