"""The forces of gravity compensation: f_i = −L_i X_i0 a_g on body i, with the spatial inertia L_i of the mass that is lifted."""

from __future__ import annotations

from implementations.field import Tensor
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import Plucker, mul


def lifting_forces(model: Model, X: list[Plucker]) -> list[Tensor]:
    """f (6, batch) of every body, in its frame; none where nothing is lifted. X transforms to every body from its parent."""
    if model.lifted is None:
        return []
    g: list[Tensor] = []
    for λ, to_body in zip(model.parents, X, strict=True):
        g.append(to_body @ (model.gravity if λ < 0 else g[λ]))
    return [-mul(link.I, own) for link, own in zip(model.lifted.links, g, strict=True)]
