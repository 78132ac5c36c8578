"""RBDL's rows of loop constraints, and the right ones (docs/findings/rbdl-loop-constraint-rows.md).

The frames are at p₁ and p₂, the first one's axes are R and turn with ω. Δω and Δv are the differences of the velocities of the
points at p₁ and p₂, Δα and Δa those of their accelerations; d = p₂ − p₁. The right rows of a direction e, angular or linear, are

    J q̇ = Re · Δω,                 J̇ q̇ = Re · (Δα − ω × Δω)
    J q̇ = Re · (Δv − ω × d),       J̇ q̇ = Re · (Δa − α₁ × d − 2 ω × Δv + ω × (ω × d))

the second line for the position Rᵀ d. RBDL's have, with w and l the angular and the linear part of e, and l′ = l − p₁ × w,

    J q̇ = Rw · Δω + Rl′ · Δv,      J̇ q̇ = Rw · Δα + Rl′ · Δa + (ω × Rw) · Δω + (ṗ₁ × Rw + ω × Rl′) · Δv

RBDL's J may be 16 ε-units, the bar, from these rows. The size of an entry is that of what RBDL sums: S_v for a linear direction
and S_ω + |p₁| S_v for an angular one, with the sizes S of both ends' Jacobians added.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.explain.findings.finding import Functions
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.constrained_dynamics import bound
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import POINT, Constraint, Mechanism, Placement


class Rows(NamedTuple):
    """The constrained rows: J and its size (directions, nv), the drift (directions,), and the force [n; f] that every multiplier
    is, in the constrained directions (directions, directions)."""

    J: Array
    size: Array
    drift: Array
    forces: Array


class End(NamedTuple):
    """A frame: its axes R (3, 3), its origin p (3,), and this point's J and its size (6, nv), velocity, and acceleration at
    q̈ = 0 (6,)."""

    R: Array
    p: Array
    J: Array
    size: Array
    v: Array
    a: Array


def with_rbdls_rows(mechanism: Mechanism, right: Dynamics) -> Functions:
    """What the constraints' rows of RBDL answer."""
    if all(one.directions == POINT for one in mechanism.constraints):
        return {}
    tree = REFERENCE.load(mechanism.tree)

    def jacobian(q: Array) -> Array:
        return right.constraint_jacobian(q) + np.array([wrong.J - own.J for own, wrong in _sides(mechanism, tree, q, None)])

    def motion(quantity: str, q: Array, v: Array, tau: Array) -> Array:
        M, b = tree.mass_matrix(q), tau - tree.nonlinear_effects(q, v)
        return getattr(right, quantity)(q, v, tau) - _missing(quantity, M, b, _sides(mechanism, tree, q, v))

    def after_impact(q: Array, v_minus: Array) -> Array:
        M, sides = tree.mass_matrix(q), _sides(mechanism, tree, q, None)
        momentum = (M @ v_minus[..., None])[..., 0]
        return right.impact_velocity_plastic(q, v_minus) - _missing("constrained_acceleration", M, momentum, sides)

    of_motion = ("constrained_acceleration", "constraint_forces", "constraint_multipliers")
    wrong: dict[str, Callable[..., Array]] = {quantity: partial(motion, quantity) for quantity in of_motion}
    return wrong | {"constraint_jacobian": jacobian, "impact_velocity_plastic": after_impact}


def of_rbdls_sums(mechanism: Mechanism) -> Functions:
    """The roundings of what RBDL sums: entries that cancel are zero in the right rows, so that their own sizes allow none."""
    if all(one.directions == POINT for one in mechanism.constraints):
        return {}
    tree = REFERENCE.load(mechanism.tree)

    def jacobian(q: Array) -> Array:
        return BAR * EPSILON * np.array([wrong.size for _, wrong in _sides(mechanism, tree, q, None)])

    return {"constraint_jacobian": jacobian}


def _missing(quantity: str, M: Array, b: Array, sides: list[tuple[Rows, Rows]]) -> Array:
    """What right rows answer, less what RBDL's do (batch, …)."""
    right, wrong = (_answer(quantity, M, b, [side[which] for side in sides]) for which in (0, 1))
    return right - wrong


def _answer(quantity: str, M: Array, b: Array, rows: list[Rows]) -> Array:
    """Of M a = b + Jᵀ λ, J a = −drift."""
    J, drift, forces = (np.array([getattr(one, name) for one in rows]) for name in ("J", "drift", "forces"))
    solution = bound(M, J).solve(b[..., None], -drift[..., None])
    if quantity == "constrained_acceleration":
        return solution.motion[..., 0]
    return (solution.forces if quantity == "constraint_forces" else forces @ solution.multipliers)[..., 0]


def _sides(mechanism: Mechanism, tree: Dynamics, q: Array, v: Array | None) -> list[tuple[Rows, Rows]]:
    """The right rows and RBDL's at every state; at rest without ``v``."""
    v = np.zeros((len(q), mechanism.nv)) if v is None else v
    kinematics = (
        tree.placements(q),
        tree.jacobians_aligned(q),
        ErrorScale(mechanism.tree).size("jacobians_aligned", q),
        tree.velocities_aligned(q, v),
        tree.classical_accelerations(q, v, 0 * v),
    )
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}

    def end(k: int, name: str, placement: Placement) -> End:
        R, p = (np.array(x, dtype=float) for x in (placement.rotation.matrix, placement.translation))
        if name == mechanism.root:
            return End(R, p, np.zeros((6, mechanism.nv)), np.zeros((6, mechanism.nv)), np.zeros(6), np.zeros(6))
        place, J, size, v, a = (x[k, number[name]] for x in kinematics)
        r = place[:, :3] @ p
        ω, α = v[:3], a[:3]
        J = np.concatenate([J[:3], J[3:] + np.cross(J[:3], r, axis=0)])
        size = np.concatenate([size[:3], size[3:] + np.linalg.norm(p) * size[:3]])
        v = np.concatenate([ω, v[3:] + np.cross(ω, r)])
        a = np.concatenate([α, a[3:] + np.cross(α, r) + np.cross(ω, np.cross(ω, r))])
        return End(place[:, :3] @ R, place[:, 3] + r, J, size, v, a)

    def of_state(k: int) -> tuple[Rows, Rows]:
        sides = []
        for one in mechanism.constraints:
            first, second = end(k, one.first, one.first_placement), end(k, one.second, one.second_placement)
            sides.append((_right(one, first, second), _of_rbdl(one, first, second)))
        right, wrong = (_together([side[which] for side in sides]) for which in (0, 1))
        return right, wrong

    return [of_state(k) for k in range(len(q))]


def _together(parts: list[Rows]) -> Rows:
    forces = np.zeros((sum(len(part.drift) for part in parts),) * 2)
    at = 0
    for part in parts:
        forces[at : at + len(part.drift), at : at + len(part.drift)] = part.forces
        at += len(part.drift)
    J, size, drift = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return Rows(J, size, drift, forces)


def _right(constraint: Constraint, first: End, second: End) -> Rows:
    d, ω, α = second.p - first.p, first.v[:3], first.a[:3]
    J, v, a = second.J - first.J, second.v - first.v, second.a - first.a
    angular = a[:3] - np.cross(ω, v[:3])
    linear = a[3:] - np.cross(α, d) - 2 * np.cross(ω, v[3:]) + np.cross(ω, np.cross(ω, d))
    turned = [first.R.T @ x for x in (J[:3], J[3:] - np.cross(first.J[:3], d, axis=0))]
    rows = list(constraint.rows)
    drift = np.concatenate([first.R.T @ angular, first.R.T @ linear])
    return Rows(np.concatenate(turned)[rows], (first.size + second.size)[rows], drift[rows], np.eye(len(rows)))


def _of_rbdl(constraint: Constraint, first: End, second: End) -> Rows:
    J, v, a = second.J - first.J, second.v - first.v, second.a - first.a
    rows = list(constraint.rows)
    axes = np.eye(6)[rows]
    axes[:, 3:] -= np.cross(first.p, axes[:, :3])
    w, l = axes[:, :3] @ first.R.T, axes[:, 3:] @ first.R.T
    ω, u = first.v[:3], first.v[3:]
    rates = np.concatenate([np.cross(ω, w), np.cross(u, w) + np.cross(ω, l)], 1)
    along = np.concatenate([w, l], 1)
    size = first.size + second.size
    size[:3] += np.linalg.norm(first.p) * size[3:]
    return Rows(along @ J, size[rows], along @ a + rates @ v, axes[:, rows].T)
