"""States of a mechanism with mimic joints, as states of the same tree with every joint moving on its own, in float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mechanisms.mechanism import Mechanism

Array = NDArray[np.float64]


def tree_matrix(mechanism: Mechanism) -> Array:
    """G (nv of ``mechanism.independent``, nv): the velocities G v of all joints, and their accelerations G a."""
    G = np.zeros((mechanism.independent.nv, mechanism.nv))
    places = zip(mechanism.bodies, mechanism.independent.v_slices, mechanism.v_slices, strict=True)
    for body, rows, columns in places:
        G[rows, columns] = float(body.joint.mimic.multiplier) if body.joint.mimic else np.eye(body.joint.nv)
    return G


def tree_position(mechanism: Mechanism, q: Array, magnitudes: bool = False) -> Array:
    """The positions (batch, nq of ``mechanism.independent``) of all joints at q (batch, nq).

    With ``magnitudes`` a mimic joint's is |k q| + |c|, the size of the terms that are summed.
    """
    parts = []
    for body, own in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        x, mimic = q[:, own], body.joint.mimic
        if mimic:
            k, c = float(mimic.multiplier), float(mimic.offset)
            x = np.abs(k * x) + abs(c) if magnitudes else k * x + c
        parts.append(x)
    return np.concatenate(parts, axis=1)
