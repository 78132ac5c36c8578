"""Pinocchio's impacts under constraints, and the repair (docs/findings/pinocchio-impulse-second-joint.md).

Before an impact, Pinocchio takes the velocity of the first frame, J₁ v⁻, for that between both frames, J v⁻. Missing are

    M Δv = Jᵀ ΔΛ,        J Δv = −(1 + r) (J − J₁) v⁻
"""

from __future__ import annotations

from functools import partial

import numpy as np

from cross_check.findings.repaired import Repaired
from implementations.algorithms import evaluate_in_blocks
from implementations.field import Real, Tensor
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.kinematics import full_batch, velocities
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import POINT, WELD, Mechanism
from mechanisms.constraint_quantities import RESTITUTIONS


def add_second_velocity(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """Add what the velocity of the second frame causes. Constraints of other directions are not given to that function."""
    if not all(one.directions in (POINT, WELD) for one in mechanism.constraints):
        return dynamics
    model, tree, own = build(mechanism, Real()), REFERENCE.load(mechanism.tree), REFERENCE.load(mechanism)

    def missing(q: Array, v: Array, r: float) -> tuple[Array, Array]:
        """Δv and Jᵀ ΔΛ."""
        M, J = tree.mass_matrix(q), own.constraint_jacobian(q)
        second = evaluate_in_blocks(_second_velocity, model, (q, v))
        back = np.linalg.solve(M, J.swapaxes(1, 2))
        impulse = -(1 + r) * np.linalg.solve(J @ back, second[..., None])
        return (back @ impulse)[..., 0], (J.swapaxes(1, 2) @ impulse)[..., 0]

    def velocity(word: str, q: Array, v_minus: Array) -> Array:
        return getattr(dynamics, f"impact_velocity_{word}")(q, v_minus) + missing(q, v_minus, float(RESTITUTIONS[word]))[0]

    def forces(word: str, q: Array, v_minus: Array) -> Array:
        return getattr(dynamics, f"impact_forces_{word}")(q, v_minus) + missing(q, v_minus, float(RESTITUTIONS[word]))[1]

    repaired = {f"impact_velocity_{word}": partial(velocity, word) for word in RESTITUTIONS}
    return Repaired(dynamics, **repaired, **{f"impact_forces_{word}": partial(forces, word) for word in RESTITUTIONS})


def _second_velocity(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """The velocities of the second frames in the first ones' coordinates (directions, batch)."""
    X0, v = transforms_from_root(model, transforms(model, q)[0]), velocities(model, q, qd, "world")
    rows = []
    for closure in model.closures:
        X = closure.X.after(X0[closure.first]) if closure.first >= 0 else closure.X
        there = X @ full_batch(v[closure.second] if closure.second >= 0 else 0 * v[0], q)
        rows += [there[k] for k in closure.rows]
    return np.stack(rows)
