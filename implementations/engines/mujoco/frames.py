"""Placements and motions of frames in MuJoCo: its sites."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.mujoco.calls import MuJoCoCalls
from implementations.protocol import Array


class MuJoCoFrames(MuJoCoCalls):
    """A model with frames of the mechanism, which are its ``sites`` of these numbers. MuJoCo sorts sites by bodies."""

    def __init__(self, mj: Any, model: Any, bodies: list[int], sites: list[int]) -> None:
        super().__init__(mj, model, bodies)
        self._sites = sites

    def frame_placements(self, q: Array) -> Array:
        def of_state(q: Array) -> list[Array]:
            _, data = self._placed(q)
            return [np.column_stack([data.site_xmat[site].reshape(3, 3), data.site_xpos[site]]) for site in self._sites]

        return for_each_state(of_state, (len(self._sites), 3, 4), q)

    def frame_jacobians_aligned(self, q: Array) -> Array:
        def of_state(q: Array) -> Array:
            at, J = self._placed(q), np.zeros((len(self._sites), 2, 3, self._nv))
            for site, (turning, moving) in zip(self._sites, J, strict=True):
                self._mj.mj_jacSite(*at, moving, turning, site)
            return J.reshape(-1, 6, self._nv)

        return for_each_state(of_state, (len(self._sites), 6, self._nv), q)

    def frame_velocities_local(self, q: Array, v: Array) -> Array:
        return self._of_sites(partial(self._site_velocity, 1), q, v)

    def frame_velocities_aligned(self, q: Array, v: Array) -> Array:
        return self._of_sites(partial(self._site_velocity, 0), q, v)

    def frame_classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        return self._weightless._of_sites(self._weightless._site_acceleration, q, v, a)

    @cached_property
    def _weightless(self) -> MuJoCoFrames:
        return MuJoCoFrames(self._mj, self._without_gravity, self._bodies, self._sites)

    def _of_sites(self, ask: Callable[[int, Array], None], q: Array, v: Array, *a: Array) -> Array:
        return self._of_objects(self._sites, ask, q, v, *a)

    def _site_velocity(self, along_site: int, site: int, answer: Array) -> None:
        self._mj.mj_objectVelocity(self._model, self._data, self._mj.mjtObj.mjOBJ_SITE, site, answer, along_site)

    def _site_acceleration(self, site: int, answer: Array) -> None:
        self._mj.mj_objectAcceleration(self._model, self._data, self._mj.mjtObj.mjOBJ_SITE, site, answer, 0)
