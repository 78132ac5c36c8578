"""The mass matrix by composite bodies (Featherstone 2008, Table 6.2)."""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import diagonal
from cross_check.explain.formulations.spatial_bodies import SpatialBodies


def composite(m: SpatialBodies) -> Any:
    """The mass matrix (batch, nv, nv)."""
    X, Ic = m.unknown(2)
    for i in range(len(m.parents)):
        X[i] = m.X_J[i] @ m.X_T[i]  # the transform from the parent to the body
        Ic[i] = m.spatial_inertias[i]
    M = diagonal(m.rotors)  # the armature
    for i, λ in reversed(list(enumerate(m.parents))):
        if λ >= 0:
            Ic[λ] = Ic[λ] + X[i].mT @ Ic[i] @ X[i]  # the composite inertia of the outboard bodies
        F = Ic[i] @ m.S[i]  # the force that accelerates the outboard bodies
        M = (  # M
            M + m.columns[i].T @ m.S[i].mT @ F @ m.columns[i]  # the diagonal block of M
        )
        for j, λj in m.inboard(i):
            F = X[j].mT @ F  # the force on the parent
            block = m.S[λj].mT @ F  # the block of an inboard joint in M
            M = (  # M
                M
                + m.columns[λj].T @ block @ m.columns[i]  # the upper block of M
                + m.columns[i].T @ block.mT @ m.columns[λj]  # the lower block of M
            )
    return M
