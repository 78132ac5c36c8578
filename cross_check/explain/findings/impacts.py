"""Pinocchio's impacts under constraints, as they are (docs/findings/pinocchio-impulse-second-joint.md).

Before an impact, Pinocchio takes the velocity of the first frame, J₁ v⁻, for that between both frames, J v⁻. Missing are

    M Δv = Jᵀ ΔΛ,        J Δv = −(1 + r) (J − J₁) v⁻
"""

from __future__ import annotations

from functools import partial

import numpy as np

from cross_check.explain.findings.finding import Functions
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.constrained_dynamics import bound
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import POINT, WELD, Mechanism
from mechanisms.quantities import RESTITUTIONS


def without_second_velocity(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Answers without what the velocity of the second frame causes.

    Constraints of other directions are not given to that function.
    """
    if not all(one.directions in (POINT, WELD) for one in mechanism.constraints):
        return {}
    tree, own = REFERENCE.load(mechanism.tree), REFERENCE.load(mechanism)

    def missing(q: Array, v: Array, r: float) -> tuple[Array, Array]:
        """Δv and Jᵀ ΔΛ."""
        M, J = tree.mass_matrix(q), own.constraint_jacobian(q)
        c = -(1 + r) * _second_velocity(mechanism, tree, q, v)
        solution = bound(M, J).solve(np.zeros((*v.shape, 1)), c[..., None])
        return solution.motion[..., 0], solution.forces[..., 0]

    def velocity(word: str, q: Array, v_minus: Array) -> Array:
        return getattr(right, f"impact_velocity_{word}")(q, v_minus) - missing(q, v_minus, float(RESTITUTIONS[word]))[0]

    def forces(word: str, q: Array, v_minus: Array) -> Array:
        return getattr(right, f"impact_forces_{word}")(q, v_minus) - missing(q, v_minus, float(RESTITUTIONS[word]))[1]

    velocities = {f"impact_velocity_{word}": partial(velocity, word) for word in RESTITUTIONS}
    return velocities | {f"impact_forces_{word}": partial(forces, word) for word in RESTITUTIONS}


def _second_velocity(mechanism: Mechanism, tree: Dynamics, q: Array, v: Array) -> Array:
    """The velocities of the second frames along the first ones' axes (batch, directions)."""
    places, velocities = tree.placements(q), tree.velocities_aligned(q, v)
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}
    parts = []
    for one in mechanism.constraints:
        R, p = (np.array(x, dtype=float) for x in (one.first_placement.rotation.matrix, one.second_placement.translation))
        if one.first != mechanism.root:
            R = places[:, number[one.first], :, :3] @ R
        if one.second == mechanism.root:
            parts.append(np.zeros((len(q), len(one.rows))))
            continue
        place, motion = places[:, number[one.second]], velocities[:, number[one.second]]
        ω = motion[:, :3]
        along = [ω, motion[:, 3:] + np.cross(ω, place[:, :, :3] @ p)]
        turned = np.concatenate([(np.swapaxes(R, -1, -2) @ x[..., None])[..., 0] for x in along], 1)
        parts.append(turned[:, list(one.rows)])
    return np.concatenate(parts, 1)
