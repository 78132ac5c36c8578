"""Inertial parameters in Pinocchio.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
order                m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz       permuted
axes                 those of the joint, rotated for some       rotated
                     joints
bodies               in the order of its joints                 permuted
==================== ========================================== ======================================================
"""

from __future__ import annotations

import numpy as np

from implementations.protocol import Array
from mechanisms.quantities import PARAMETERS


def parameters(order: list[int], turned: Array) -> Array:
    """P (10 · bodies, 10 · bodies): P π are Pinocchio's parameters, for joints that were added in this ``order``.

    ``turned`` (bodies, 3, 3) rotates from our bodies' axes to those of the joints in Pinocchio.
    """
    n = len(PARAMETERS)
    P = np.zeros((n * len(order), n * len(order)))
    for joint, i in enumerate(order):
        P[n * joint : n * (joint + 1), n * i : n * (i + 1)] = _of_one_body(turned[i])
    return P


def _of_one_body(R: Array) -> Array:
    """The block (10, 10) of one body whose axes are rotated by R."""
    columns = []
    for π in np.eye(len(PARAMETERS)):
        xx, yy, zz, xy, xz, yz = π[4:]
        mc, I = R @ π[1:4], R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        columns.append([π[0], *mc, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])
    return np.array(columns).T
