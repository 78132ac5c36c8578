"""Bodies as sums over the joints that move them have them: homogeneous transforms, and joints with one axis."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cross_check.explain.formulations.bodies import SingleJoints, Transforms, column
from implementations.field import Tensor


class Chains(Transforms, SingleJoints):
    """The velocities and accelerations of joints are numbers (batch, 1, 1, 1)."""

    def by_joint(self, x: Tensor) -> Any:
        return [column(x[link.v])[:, None] for link in self.links]

    @cached_property
    def chain(self) -> list[list[int]]:
        """The joints that move every body."""
        chains: list[list[int]] = []
        for i, λ in enumerate(self.parents):
            chains.append([*(chains[λ] if λ >= 0 else ()), i])
        return chains

    @cached_property
    def one_3(self) -> Tensor:
        return np.eye(3)[None]


def turned(K: Tensor, v: Tensor) -> Tensor:
    """[[K, v], [0, 0]] (batch, 1, 4, 4)."""
    Q = np.zeros((max(len(K), len(v)), 1, 4, 4))
    Q[:, 0, :3, :3], Q[:, 0, :3, 3:] = K, v
    return Q


def pseudo(I: Tensor, h: Tensor, mass: Tensor) -> Tensor:
    """[[½ tr(I) 1 − I, h], [hᵀ, m]] (batch, 1, 4, 4), with I about the origin."""
    E = np.trace(I, axis1=-2, axis2=-1)[:, None, None] / 2 * np.eye(3) - I
    upper, lower = np.concatenate((E, h), axis=-1), np.concatenate((h.mT, np.broadcast_to(mass, (len(h), 1, 1))), axis=-1)
    return np.concatenate((upper, lower), axis=-2)[:, None]
