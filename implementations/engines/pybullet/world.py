"""One world of PyBullet with one multibody in it, and its functions of one state.

Every mechanism gets a world of its own: PyBullet keeps kinematic trees between calls, also those of bodies that were removed.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from implementations.engines.console import with_what_it_said
from implementations.engines.installed import imported
from implementations.protocol import Array


def engine() -> Any:
    """PyBullet's Python module. Raises :class:`implementations.protocol.Missing`."""
    # It prints when it was built.
    return with_what_it_said(lambda: imported("PyBullet", "pybullet", "pybullet"))[0]


class World:
    """A world whose functions need not be told which one it is."""

    def __init__(self) -> None:
        self.pybullet = engine()
        self._client = self.pybullet.connect(self.pybullet.DIRECT)
        # It prints that it has freed more than it had. At the end of the process nothing needs to be freed.
        weakref.finalize(self, with_what_it_said, partial(self.pybullet.disconnect, self._client)).atexit = False

    def call(self, name: str, *arguments: Any, **named: Any) -> Any:
        return getattr(self.pybullet, name)(*arguments, **named, physicsClientId=self._client)


class Multibody:
    """The quantities of one state of a multibody on a fixed base, in PyBullet's own coordinates: one for every joint that moves.

    ``links`` are the links of our bodies. ``rows`` are the places in q and v of PyBullet's coordinates: (those of q, those of v).
    """

    def __init__(self, world: World, body: int, links: Sequence[int], rows: tuple[Sequence[int], Sequence[int]]) -> None:
        self._world, self._body, self._links = world, body, list(links)
        self._q, self._v = (np.array(x, dtype=int) for x in rows)
        self._back = np.argsort(self._v)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        rates = ((x[self._v]).tolist() for x in (v, a))
        return np.array(self._about("calculateInverseDynamics", q[self._q].tolist(), *rates))[self._back]

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self.inverse_dynamics(q, v, 0 * v)

    def gravity(self, q: Array) -> Array:
        none = np.zeros(len(self._v))
        return self.inverse_dynamics(q, none, none)

    def mass_matrix(self, q: Array) -> Array:
        return np.array(self._about("calculateMassMatrix", q[self._q].tolist()))[self._back][:, self._back]

    def jacobians_aligned(self, q: Array) -> list[Array]:
        still = [0.0] * len(self._v)
        pairs = (self._about("calculateJacobian", link, [0.0] * 3, q[self._q].tolist(), still, still) for link in self._links)
        return [np.array([*turning, *moving])[:, self._back] for moving, turning in pairs]

    def _about(self, name: str, *arguments: Any, **named: Any) -> Any:
        return self._world.call(name, self._body, *arguments, **named)
