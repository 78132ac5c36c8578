"""RBDL's loop constraints with the fault of their axes, and the repair (docs/findings/rbdl-loop-constraint-axes.md).

An angular direction e of a constraint whose point is at p (root's axes) gets, in the components of the first frame, the axis [e; −s]
with s = p × e. So with the right rows J and drifts d of all six directions, RBDL has for this one

    J′ = J_e − s · J_v,        d′ = d_e − s · d_v + (u × e) · (J_v q̇)

where J_v and d_v belong to the three linear directions, and u is the velocity of the first frame's origin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from cross_check.findings.repaired import Repaired
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import WELD, Mechanism


class Rows(NamedTuple):
    """J (directions, nv), the drift (directions,), and the forces [n; f] on the second body that λ = 1 means, of the constrained
    directions alone (directions, directions)."""

    J: Array
    drift: Array
    forces: Array


def right_axes(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """RBDL's answers, plus the difference between right axes and its own."""
    if all(min(one.rows) >= 3 for one in mechanism.constraints):
        return dynamics
    tree, welded = REFERENCE.load(mechanism.tree), _welded(mechanism)

    def jacobian(q: Array) -> Array:
        right, wrong = _sides(mechanism, welded, tree, q, np.zeros((len(q), mechanism.nv)))
        return dynamics.constraint_jacobian(q) + [a.J - b.J for a, b in zip(right, wrong, strict=True)]

    def moved(quantity: str, q: Array, v: Array, tau: Array) -> Array:
        free = tau - tree.nonlinear_effects(q, v)
        right, wrong = _sides(mechanism, welded, tree, q, v)
        answers = [_solved(quantity, tree.mass_matrix(q[k : k + 1])[0], free[k], right[k], wrong[k]) for k in range(len(q))]
        return getattr(dynamics, quantity)(q, v, tau) + answers

    def after_impact(q: Array, v_minus: Array) -> Array:
        right, wrong = _sides(mechanism, welded, tree, q, 0 * v_minus)
        M = tree.mass_matrix(q)
        changes = [
            _moved(M[k], M[k] @ v_minus[k], a._replace(drift=0 * a.drift))[0]
            - _moved(M[k], M[k] @ v_minus[k], b._replace(drift=0 * b.drift))[0]
            for k, (a, b) in enumerate(zip(right, wrong, strict=True))
        ]
        return dynamics.impact_velocity_plastic(q, v_minus) + changes

    of_motion = ("constrained_acceleration", "constraint_forces", "constraint_multipliers")
    repaired: dict[str, Callable[..., Array]] = {quantity: partial(moved, quantity) for quantity in of_motion}
    return Repaired(dynamics, constraint_jacobian=jacobian, impact_velocity_plastic=after_impact, **repaired)


def _welded(mechanism: Mechanism) -> Mechanism:
    return replace(mechanism, constraints=tuple(replace(one, directions=WELD) for one in mechanism.constraints))


def _solved(quantity: str, M: Array, b: Array, right: Rows, wrong: Rows) -> Array:
    """The change of the answer at one state."""
    (a, λ), (a_wrong, λ_wrong) = _moved(M, b, right), _moved(M, b, wrong)
    if quantity == "constrained_acceleration":
        return a - a_wrong
    if quantity == "constraint_forces":
        return right.J.T @ λ - wrong.J.T @ λ_wrong
    return λ - wrong.forces @ λ_wrong


def _moved(M: Array, b: Array, rows: Rows) -> tuple[Array, Array]:
    """a and λ with M a = b + Jᵀ λ, J a = −d."""
    free = np.linalg.solve(M, b)
    back = np.linalg.solve(M, rows.J.T)
    λ = -np.linalg.pinv(rows.J @ back, rcond=1e-11) @ (rows.J @ free + rows.drift)
    return free + back @ λ, λ


def _sides(mechanism: Mechanism, welded: Mechanism, tree: Dynamics, q: Array, v: Array) -> tuple[list[Rows], list[Rows]]:
    """The right rows and RBDL's at every state."""
    all_six = REFERENCE.load(welded)
    J, d = all_six.constraint_jacobian(q), all_six.constraint_drift(q, v)
    places, velocities = tree.placements(q), tree.velocities_aligned(q, v)
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}
    rights, wrongs = list[Rows](), list[Rows]()
    for k in range(len(q)):
        right, wrong, forces = _of_state(mechanism, number, J[k], d[k], places[k], velocities[k], v[k])
        kept = [6 * i + row for i, one in enumerate(mechanism.constraints) for row in one.rows]
        rights.append(Rows(J[k][kept], d[k][kept], np.eye(len(kept))))
        wrongs.append(Rows(right[kept], wrong[kept], forces[np.ix_(kept, kept)]))
    return rights, wrongs


def _of_state(
    mechanism: Mechanism, number: dict[str, int], J: Array, d: Array, places: Array, velocities: Array, v: Array
) -> tuple[Array, Array, Array]:
    """RBDL's J, drift, and what λ means, of all six directions of every constraint."""
    J_wrong, d_wrong, forces = J.copy(), d.copy(), np.eye(len(J))
    for i, one in enumerate(mechanism.constraints):
        R, p = (np.array(x, dtype=float) for x in (one.first_placement.rotation.matrix, one.first_placement.translation))
        u = np.zeros(3)
        if one.first != mechanism.root:
            body = number[one.first]
            lever = places[body, :, :3] @ p
            u = velocities[body, 3:] + np.cross(velocities[body, :3], lever)
            R, p = places[body, :, :3] @ R, places[body, :, 3] + lever
        linear = slice(6 * i + 3, 6 * i + 6)
        apart = J[linear] @ v
        for row, e in enumerate(np.eye(3)):
            s = np.cross(p, e)
            J_wrong[6 * i + row] -= s @ J[linear]
            d_wrong[6 * i + row] += np.cross(R.T @ u, e) @ apart - s @ d[linear]
            forces[linear, 6 * i + row] -= s
    return J_wrong, d_wrong, forces
