"""What Newton computes at blocks of states: one state in every world, in Newton's coordinates.

==================== ========================================== ======================================================
what                 Newton                                     conversion
==================== ========================================== ======================================================
free: τ              force, and moment about the centre of      along the axes of the joint
                     mass, along the root's axes
free: q̈              ``SolverFeatherstone`` has the spatial     the acceleration of the centre of mass is
                     acceleration at the joint's origin         a + α × r + ω × v, with r from that origin
places               a point and a quaternion                   R of the quaternion
velocities, J        [v; ω], v that of the centre of mass       v of the link's origin
==================== ========================================== ======================================================

Inverse dynamics is ``eval_inverse_dynamics_force`` of what ``eval_inverse_dynamics_passive`` gives, and h the same without
acceleration. Forward dynamics is what ``SolverFeatherstone`` solves for before it integrates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from implementations.conventions.rates import rotation
from implementations.engines.newton.free_joints import ANGULAR, LINEAR, free_joints
from implementations.protocol import Array, Unsupported


class NewtonCalls:
    """The quantities of a block of states, one in every world of a model; the worlds are alike. Not thread-safe.

    ``bodies`` and ``frames`` have the number in one world of the link of each of them.
    """

    def __init__(self, wp: Any, newton: Any, model: Any, bodies: list[int], frames: list[int]) -> None:
        self._wp, self._newton, self._model = wp, newton, model
        self._state, self._after, self._control = model.state(), model.state(), model.control()
        self._solver = newton.solvers.SolverFeatherstone(model)
        self._free = free_joints(newton, model)
        self._coms = self._of_worlds(model.body_com)[0]
        self._joints = np.argsort(self._of_worlds(model.joint_child)[0])
        """The number of the joint that carries each link of one world."""
        self._articulations = self._of_one_world()
        asked: dict[str, Callable[..., Array]] = {"placements": self._placements}
        asked |= {"velocities_aligned": self._velocities, "jacobians_aligned": self._jacobians}
        for prefix, links in (("", bodies), ("frame_", frames)):
            for name, ask in asked.items() if links else ():
                setattr(self, prefix + name, partial(ask, links))

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        self._set(q, v)
        at, zeros = (self._model, self._state), partial(self._wp.zeros_like, self._model.joint_qd)
        parts = {name: zeros() for name in ("gravity_force", "coriolis_force")}
        M, joint_f = self._newton.eval_mass_matrix(*at), zeros()
        self._newton.eval_inverse_dynamics_passive(*at, mass_matrix=M, **parts)
        self._newton.eval_inverse_dynamics_force(*at, mass_matrix=M, joint_qdd=self._array(a), joint_f=joint_f, **parts)
        return self._turned(self._of_worlds(joint_f), to_world=False)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self.inverse_dynamics(q, v, 0 * v)

    def gravity(self, q: Array) -> Array:
        self._set(q)
        force = self._wp.zeros_like(self._model.joint_qd)
        self._newton.eval_inverse_dynamics_passive(self._model, self._state, gravity_force=force)
        return self._turned(self._of_worlds(force), to_world=False)

    def mass_matrix(self, q: Array) -> Array:
        self._set(q)
        return self._joined(self._newton.eval_mass_matrix(self._model, self._state), [v for _, v in self._articulations])

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self._advance(q, v, tau, 0.0)
        a = self._of_worlds(self._solver.joint_qdd)
        for joint in self._free:
            alpha, omega = a[:, joint.v][:, ANGULAR], v[:, joint.v][:, ANGULAR]
            r = q[:, joint.q][:, :3] + joint.lever(q)
            a[:, joint.v][:, LINEAR] += np.cross(alpha, r) + np.cross(omega, v[:, joint.v][:, LINEAR])
        return a

    def step(self, q: Array, v: Array, tau: Array, h: Array) -> Array:
        """All worlds take a step of one length, so there is one for every length."""
        found = np.empty((len(q), q.shape[1] + v.shape[1]))
        for length in np.unique(h):
            own = h[:, 0] == length
            self._advance(q, v, tau, float(length))
            found[own] = np.concatenate([self._of_worlds(x) for x in (self._after.joint_q, self._after.joint_qd)], axis=1)[own]
        return found

    def _advance(self, q: Array, v: Array, tau: Array, h: float) -> None:
        if any(joint.on_moving for joint in self._free):
            raise Unsupported("Newton gives the force of free joints on moving bodies to one body each")
        self._set(q, v)
        self._control.joint_f = self._array(self._turned(tau, to_world=True))
        self._solver.step(self._state, self._after, self._control, None, h)

    def _placements(self, links: list[int], q: Array) -> Array:
        self._set(q)
        places = self._places()[:, links]
        return np.concatenate([rotation(places[..., 3:]), places[..., :3, None]], axis=-1)

    def _velocities(self, links: list[int], q: Array, v: Array) -> Array:
        self._set(q, v)
        return self._at_origins(links, self._of_worlds(self._state.body_qd)[:, links, :, None])[..., 0]

    def _jacobians(self, links: list[int], q: Array) -> Array:
        self._set(q)
        rows = [slice(6 * joints.start, 6 * joints.stop) for joints, _ in self._articulations]
        J = self._joined(self._newton.eval_jacobian(self._model, self._state), rows)
        return self._at_origins(links, J.reshape(len(J), -1, 6, J.shape[-1])[:, self._joints[links]])

    def _at_origins(self, links: list[int], motions: Array) -> Array:
        """Motions [v; ω] (BLOCK, links, 6, n) of centres of mass, as those of the links' origins."""
        R = rotation(self._places()[:, links, 3:])
        r = (R @ self._coms[links][..., None])[..., 0]
        motions[..., LINEAR, :] += np.cross(r[..., None], motions[..., ANGULAR, :], axis=-2)
        return motions

    def _of_one_world(self) -> list[tuple[slice, slice]]:
        """The joints of every articulation of a world, and its part of v."""
        model = self._model
        start, end, at = (x.numpy() for x in (model.articulation_start, model.articulation_end, model.joint_qd_start))
        count = model.articulation_count // model.world_count
        return [(slice(a, b), slice(at[a], at[b])) for a, b in zip(start[:count], end[:count], strict=True)]

    def _joined(self, blocks: Any, rows: list[slice]) -> Array:
        """A matrix of the world (BLOCK, rows, nv) from one of every articulation, each of which has the size of the largest."""
        found = self._of_worlds(blocks)
        joined = np.zeros((len(found), rows[-1].stop, self._articulations[-1][1].stop))
        for k, (own, (_, v)) in enumerate(zip(rows, self._articulations, strict=True)):
            joined[:, own, v] = found[:, k, : own.stop - own.start, : v.stop - v.start]
        return joined

    def _of_worlds(self, x: Any) -> Array:
        """An array of Newton's as NumPy's, with an axis for the worlds before the others."""
        found = x.numpy()
        return np.array(found.reshape(self._model.world_count, -1, *found.shape[1:]), np.float64)

    def _array(self, x: Array) -> Any:
        return self._wp.array(x.astype(np.float32).ravel(), dtype=float, device=self._model.device)

    def _set(self, q: Array, v: Array | None = None) -> None:
        state, zero = self._state, self._wp.zeros_like(self._model.joint_qd)
        state.joint_q, state.joint_qd = self._array(q), zero if v is None else self._array(v)
        self._newton.eval_fk(self._model, state.joint_q, state.joint_qd, state)

    def _places(self) -> Array:
        return self._of_worlds(self._state.body_q)

    def _turned(self, tau: Array, to_world: bool) -> Array:
        """τ (BLOCK, nv) with the wrenches of free joints along the root's axes, or along the joint's."""
        turned, places = np.array(tau, np.float64), self._places()
        for joint in self._free:
            R = joint.turn if joint.parent < 0 else rotation(places[:, joint.parent, 3:]) @ joint.turn
            halves = turned[:, joint.v].reshape(len(tau), 2, 3)
            turned[:, joint.v] = (halves @ (R.swapaxes(-1, -2) if to_world else R)).reshape(len(tau), 6)
        return turned
