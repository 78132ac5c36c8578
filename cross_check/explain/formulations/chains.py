"""Bodies as sums over the joints that move them have them: homogeneous transforms, and joints with one axis."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cross_check.explain.formulations.bodies import EYE, SingleJoints, Transforms, column
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

    one_3 = EYE[None]


def turned(K: Tensor, v: Tensor) -> Tensor:
    """[[K, v], [0, 0]] (batch, 1, 4, 4)."""
    Q = np.zeros((max(len(K), len(v)), 1, 4, 4))
    Q[:, 0, :3, :3], Q[:, 0, :3, 3:] = K, v
    return Q
