"""The term that iDynTree's Coriolis matrix lacks where the base moves.

For bodies i with Jacobians J, C = Σ Jᵀ (I J̇ + B J), where the columns of J̇ are the rates of screws that move with their bodies
(docs/conventions.md). The screws of a free base are the unit motions along its own axes, and their rates are v₀ ×. iDynTree takes
them as zero. What is missing is Σ Jᵀ I X [v₀×] in the base's columns, and Σ Jᵀ I X are these columns of M.
"""

from __future__ import annotations

import numpy as np

from cross_check.explain.findings.finding import Functions
from implementations.protocol import Array, Dynamics
from mechanisms import Mechanism


def without_turning_base(mechanism: Mechanism, right: Dynamics) -> Functions:
    """C without what is due to axes of the base that turn with it."""
    if mechanism.bodies[0].joint.kind != "free":
        return {}

    def coriolis_matrix(q: Array, v: Array) -> Array:
        C = right.coriolis_matrix(q, v)
        C[:, :, :6] -= right.mass_matrix(q)[:, :, :6] @ _crossing(v[:, :6])
        return C

    return {"coriolis_matrix": coriolis_matrix}


def _crossing(v: Array) -> Array:
    """[v×] (batch, 6, 6) of motions [ω; v] (batch, 6)."""
    turn, move = (np.cross(part[:, None], np.eye(3)).swapaxes(1, 2) for part in (v[:, :3], v[:, 3:]))
    return np.block([[turn, np.zeros_like(turn)], [move, turn]])
