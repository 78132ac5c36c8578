"""What engines make of the rows of constraints: RBDL's Jacobian and its drift, and Pinocchio's velocities before impacts.

The frames are at p₁ and p₂, the first one's axes are R and turn with ω. Δω and Δv are the differences of the velocities of the
points at p₁ and p₂, Δα and Δa those of their accelerations; d = p₂ − p₁. The right rows of a direction e, angular or linear, are

    J q̇ = Re · Δω,                 J̇ q̇ = Re · (Δα − ω × Δω)
    J q̇ = Re · (Δv − ω × d),       J̇ q̇ = Re · (Δa − α₁ × d − 2 ω × Δv + ω × (ω × d))

the second line for the position Rᵀ d. RBDL's have, with w and l the angular and the linear part of e, and l′ = l − p₁ × w,

    J q̇ = Rw · Δω + Rl′ · Δv,      J̇ q̇ = Rw · Δα + Rl′ · Δa + (ω × Rw) · Δω + (ṗ₁ × Rw + ω × Rl′) · Δv

RBDL's J may be 16 ε-units, the bar, from these rows. The size of an entry is that of what RBDL sums: S_v for a linear direction
and S_ω + |p₁| S_v for an angular one, with the sizes S of both ends' Jacobians added
(docs/findings/rbdl-loop-constraint-rows.md).

Before an impact, Pinocchio takes the velocity of the first frame, J₁ v⁻, for that between both frames, J v⁻. Missing are, with
the restitution r (docs/findings/pinocchio-impulse-second-joint.md),

    M Δv = Jᵀ ΔΛ,        J Δv = −(1 + r) (J − J₁) v⁻
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.explain.findings.finding import Functions
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.constrained_dynamics import bound
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import POINT, WELD, Constraint, Mechanism, Placement
from mechanisms.quantities import RESTITUTIONS


class End(NamedTuple):
    """A frame: its axes R (batch, 3, 3), its origin p (batch, 3), and this point's J and its size (batch, 6, nv), velocity, and
    acceleration at q̈ = 0 (batch, 6)."""

    R: Array
    p: Array
    J: Array
    size: Array
    v: Array
    a: Array

    def along(self, motion: Array) -> Array:
        """A motion (batch, 6) of the root's axes, along these axes."""
        return np.concatenate([(self.R.swapaxes(1, 2) @ part[..., None])[..., 0] for part in (motion[:, :3], motion[:, 3:])], 1)


class Rows(NamedTuple):
    """RBDL's rows: J and its size (batch, directions, nv), the drift (batch, directions), and the force [n; f] that every
    multiplier is, in the constrained directions (batch, directions, directions)."""

    J: Array
    size: Array
    drift: Array
    forces: Array


def _ends(mechanism: Mechanism, q: Array, v: Array) -> Iterator[tuple[Constraint, End, End]]:
    """Every constraint with its first and its second frame."""
    tree, number = REFERENCE.load(mechanism.tree), {body.name: i for i, body in enumerate(mechanism.bodies)}
    kinematics = (
        tree.placements(q),
        tree.jacobians_aligned(q),
        ErrorScale(mechanism.tree).size("jacobians_aligned", q),
        tree.velocities_aligned(q, v),
        tree.classical_accelerations(q, v, 0 * v),
    )

    def end(name: str, placement: Placement) -> End:
        R, p = (np.array(x, dtype=float) for x in (placement.rotation.matrix, placement.translation))
        if name == mechanism.root:
            still, zero = np.zeros((len(q), 6)), np.zeros((len(q), 6, mechanism.nv))
            return End(np.tile(R, (len(q), 1, 1)), np.tile(p, (len(q), 1)), zero, zero, still, still)
        place, J, size, v, a = (x[:, number[name]] for x in kinematics)
        r, ω, α = place[..., :3] @ p, v[:, :3], a[:, :3]
        J = np.concatenate([J[:, :3], J[:, 3:] + np.cross(J[:, :3], r[..., None], axis=1)], 1)
        size = np.concatenate([size[:, :3], size[:, 3:] + np.linalg.norm(p) * size[:, :3]], 1)
        v = np.concatenate([ω, v[:, 3:] + np.cross(ω, r)], 1)
        a = np.concatenate([α, a[:, 3:] + np.cross(α, r) + np.cross(ω, np.cross(ω, r))], 1)
        return End(place[..., :3] @ R, place[..., 3] + r, J, size, v, a)

    for one in mechanism.constraints:
        yield one, end(one.first, one.first_placement), end(one.second, one.second_placement)


def of_rbdl(mechanism: Mechanism, q: Array, v: Array) -> Rows:
    """The rows of all constraints at q (batch, nq) and v (batch, nv)."""
    parts = [_of_one(*ends) for ends in _ends(mechanism, q, v)]
    J, size, drift = (np.concatenate([part[k] for part in parts], 1) for k in range(3))
    forces, begin = np.zeros((len(q), drift.shape[1], drift.shape[1])), 0
    for part in parts:
        own = slice(begin, begin := begin + part.drift.shape[1])
        forces[:, own, own] = part.forces
    return Rows(J, size, drift, forces)


def _of_one(constraint: Constraint, first: End, second: End) -> Rows:
    J, v, a = second.J - first.J, second.v - first.v, second.a - first.a
    rows = list(constraint.rows)
    axes = np.tile(np.eye(6)[rows], (len(v), 1, 1))
    axes[..., 3:] -= np.cross(first.p[:, None], axes[..., :3])
    w, l = (part @ first.R.swapaxes(1, 2) for part in (axes[..., :3], axes[..., 3:]))
    ω, u = first.v[:, None, :3], first.v[:, None, 3:]
    rates = np.concatenate([np.cross(ω, w), np.cross(u, w) + np.cross(ω, l)], 2)
    along = np.concatenate([w, l], 2)
    size = first.size + second.size
    size[:, :3] += np.linalg.norm(first.p, axis=1)[:, None, None] * size[:, 3:]
    drift = (along @ a[..., None] + rates @ v[..., None])[..., 0]
    return Rows(along @ J, size[:, rows], drift, axes[..., rows].swapaxes(1, 2))


def with_rbdls_rows(mechanism: Mechanism, right: Dynamics) -> Functions:
    """What the constraints' rows of RBDL answer."""
    if all(one.directions == POINT for one in mechanism.constraints):
        return {}
    tree = REFERENCE.load(mechanism.tree)

    def solved(quantity: str, q: Array, v: Array, b: Array) -> Array:
        """Of M a = b + Jᵀ λ, J a = −drift."""
        rows = of_rbdl(mechanism, q, v)
        solution = bound(tree.mass_matrix(q), rows.J).solve(b[..., None], -rows.drift[..., None])
        if quantity == "constrained_acceleration":
            return solution.motion[..., 0]
        return (solution.forces if quantity == "constraint_forces" else rows.forces @ solution.multipliers)[..., 0]

    def motion(quantity: str, q: Array, v: Array, tau: Array) -> Array:
        return solved(quantity, q, v, tau - tree.nonlinear_effects(q, v))

    def after_impact(q: Array, v_minus: Array) -> Array:
        return solved("constrained_acceleration", q, 0 * v_minus, (tree.mass_matrix(q) @ v_minus[..., None])[..., 0])

    of_motion = ("constrained_acceleration", "constraint_forces", "constraint_multipliers")
    wrong: dict[str, Callable[..., Array]] = {quantity: partial(motion, quantity) for quantity in of_motion}
    wrong["constraint_jacobian"] = lambda q: of_rbdl(mechanism, q, np.zeros((len(q), mechanism.nv))).J
    return wrong | {"impact_velocity_plastic": after_impact}


def of_rbdls_sums(mechanism: Mechanism) -> Functions:
    """The roundings of what RBDL sums: entries that cancel are zero in the right rows, so that their own sizes allow none."""
    if all(one.directions == POINT for one in mechanism.constraints):
        return {}

    def jacobian(q: Array) -> Array:
        return BAR * EPSILON * of_rbdl(mechanism, q, np.zeros((len(q), mechanism.nv))).size

    return {"constraint_jacobian": jacobian}


def without_second_velocity(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Pinocchio's answers, without what the velocity of the second frame causes.

    Constraints of other directions are not given to that function.
    """
    if not all(one.directions in (POINT, WELD) for one in mechanism.constraints):
        return {}
    tree, own = REFERENCE.load(mechanism.tree), REFERENCE.load(mechanism)

    def wrong(name: str, part: int, restitution: float, q: Array, v: Array) -> Array:
        second = [first.along(end.v)[:, list(one.rows)] for one, first, end in _ends(mechanism, q, v)]
        c = -(1 + restitution) * np.concatenate(second, 1)
        missing = bound(tree.mass_matrix(q), own.constraint_jacobian(q)).solve(np.zeros((*v.shape, 1)), c[..., None])
        return np.asarray(getattr(right, name)(q, v) - missing[part][..., 0])

    parts = enumerate(("impact_velocity", "impact_forces"))
    names = {f"{of}_{word}": (part, float(r)) for part, of in parts for word, r in RESTITUTIONS.items()}
    return {name: partial(wrong, name, *given) for name, given in names.items()}
