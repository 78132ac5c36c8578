"""MuJoCo Warp (Google DeepMind and NVIDIA): MuJoCo's computations in float32 as Warp's kernels; the CPU runs them here.

Its model is MuJoCo's own, which :mod:`implementations.engines.mujoco.adapter` makes; conventions are MuJoCo's.

==================== ========================================== ======================================================
what                 MuJoCo Warp                                conversion
==================== ========================================== ======================================================
states               worlds, as many as the data was made for   blocks, :mod:`implementations.engines.mujoco.ports`
M                    the numbers of its lower triangle that     written to their places, and mirrored
                     are not zero by structure
M⁻¹                  ``solve_m`` of one vector                  asked for every unit vector
Jacobians            ``jac`` of one body and point a world      asked for every body
kinetic energy       ``energy_vel``                             none
==================== ========================================== ======================================================

Kernels are compiled when they are launched first, some for every number of joints: seconds. Warp keeps them in its cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from implementations.conventions.converted import Converted
from implementations.engines.blocks import BLOCK
from implementations.engines.declared import Adapter, declared, imported, warp
from implementations.engines.mujoco.ports import Fields, Step, load
from implementations.protocol import Array
from mechanisms import Mechanism


class MuJoCoWarp(Adapter):
    """The implementation "mujoco-warp". Raises :class:`implementations.protocol.Missing` if it is not installed."""

    name = "mujoco-warp"
    precision = "float32"

    def load(self, mechanism: Mechanism) -> Converted:
        return load(mechanism, partial(WarpModel, *engine()))


class WarpModel:
    """One model; see :class:`implementations.engines.mujoco.ports.Port`. Not thread-safe."""

    offers = declared("mujoco-warp").offers

    def __init__(self, wp: Any, mjw: Any, mj: Any, model: Any, bodies: list[int], sites: list[int]) -> None:
        self._wp, self._mjw, self._theirs = wp, mjw, model
        # What is made for another integrator cannot take the discrete step.
        kinds = mjw.IntegratorType
        self.steps: Mapping[str, Step] = {one.name.lower(): partial(self._step, one) for one in kinds if one != kinds.DISCRETE}
        self._bodies, self._sites = bodies, sites
        with wp.ScopedDevice("cpu"):
            self._model = mjw.put_model(model)
            # Without room for a constraint, steps would leave out all forces.
            self._data = mjw.make_data(model, nworld=BLOCK, nconmax=0, njmax=1)

    def fields(self, stage: str, q: Array, v: Array, a: Array, tau: Array) -> Fields:
        """See :meth:`implementations.engines.mujoco.ports.Port.fields`."""
        at, mjw, d = (self._model, self._data), self._mjw, self._data
        for field, x in ((d.qpos, q), (d.qvel, v), (d.qacc, a), (d.qfrc_applied, tau)):
            field.assign(x.astype(np.float32))
        with self._wp.ScopedDevice("cpu"):
            match stage:
                case "inverse":
                    mjw.inverse(*at)
                    return _read(d, "qfrc_inverse")
                case "forward":
                    mjw.forward(*at)
                    return _read(d, "qacc")
            mjw.fwd_position(*at)
            match stage:
                case "position":
                    return {"M": self._full(), **_read(d, "xpos", "xmat", "site_xpos", "site_xmat", "subtree_com")}
                case "solve":
                    return {"M⁻¹": self._solved()}
                case "jacobians":
                    return self._jacobians()
            mjw.fwd_velocity(*at)
            match stage:
                case "subtree":
                    mjw.subtree_vel(*at)
                    return _read(d, "subtree_linvel", "subtree_angmom")
                case "energy":
                    mjw.energy_pos(*at)
                    mjw.energy_vel(*at)
                    return _read(d, "energy")
            return _read(d, "qfrc_bias", "qfrc_passive")

    def _step(self, integrator: Any, q: Array, v: Array, tau: Array, h: Array) -> tuple[Any, Any]:
        """What Warp keeps from the step before is reset."""
        mjw, model, d = self._mjw, self._model, self._data
        with self._wp.ScopedDevice("cpu"):
            model.opt.integrator = integrator
            model.opt.timestep = self._wp.array(h.astype(np.float32), dtype=float)
            mjw.reset_data(model, d)
            for field, x in ((d.qpos, q), (d.qvel, v), (d.qfrc_applied, tau)):
                field.assign(x.astype(np.float32))
            mjw.step(model, d)
            return d.qpos.numpy().copy(), d.qvel.numpy().copy()

    def _full(self) -> Array:
        """M (BLOCK, nv, nv)."""
        model, nv = self._theirs, self._theirs.nv
        M = np.zeros((BLOCK, nv, nv), np.float32)
        rows, columns = np.repeat(np.arange(nv), model.M_rownnz), model.M_colind
        M[:, rows, columns] = M[:, columns, rows] = self._data.M.numpy()
        return M

    def _solved(self) -> Array:
        """M⁻¹ (BLOCK, nv, nv)."""
        wp, columns = self._wp, []
        for unit in np.eye(self._theirs.nv, dtype=np.float32):
            x, y = wp.zeros((BLOCK, len(unit)), dtype=float), wp.array(np.tile(unit, (BLOCK, 1)), dtype=float)
            self._mjw.solve_m(self._model, self._data, x, y)
            columns.append(x.numpy())
        return np.stack(columns, axis=2)

    def _jacobians(self) -> Fields:
        d, origin = self._data, np.zeros((BLOCK, 3), np.float32)
        of, points, sites = self._theirs.site_bodyid, d.xpos.numpy(), d.site_xpos.numpy()
        return {
            "of bodies": self._stacked((body, points[:, body]) for body in self._bodies),
            "at the origin": self._stacked((body, origin) for body in self._bodies),
            "of sites": self._stacked((of[site], sites[:, site]) for site in self._sites),
        }

    def _stacked(self, places: Iterable[tuple[int, Any]]) -> Array:
        """J (BLOCK, places, 6, nv) of bodies and points (BLOCK, 3)."""
        wp, found = self._wp, []
        for body, points in places:
            linear, angular = (wp.zeros((BLOCK, 3, self._theirs.nv), dtype=float) for _ in range(2))
            where = wp.array(np.ascontiguousarray(points), dtype=wp.vec3), wp.array(np.full(BLOCK, body, np.int32), dtype=int)
            self._mjw.jac(self._model, self._data, linear, angular, *where)
            found.append(np.concatenate([angular.numpy(), linear.numpy()], axis=1))
        return np.stack(found, axis=1) if found else np.zeros((BLOCK, 0, 6, self._theirs.nv), np.float32)


def _read(data: Any, *names: str) -> Fields:
    return {name: getattr(data, name).numpy().copy() for name in names}


def engine() -> tuple[Any, Any]:
    """Warp, and MuJoCo Warp. Raises :class:`implementations.protocol.Missing`."""
    return warp("mujoco-warp"), imported("MuJoCo Warp", "mujoco-warp", "mujoco_warp", "put_model")
