"""What engines make of constraints: RBDL's rows, and Pinocchio's velocities before impacts and derivatives of motion.

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

Of the derivatives by q and v, what Pinocchio adds to their equations, or leaves out, is ΔB in forces and ΔC in the constraints'
accelerations. So its answers are off by

    M Δx = ΔB + Jᵀ Δμ,        J Δx = ΔC

    axes     every joint's axes are taken as fixed in its body (docs/findings/pinocchio-derivatives-subspace.md): ∂ID/∂q, ∂ID/∂v,
             and the derivatives of both frames' accelerations lack terms (:mod:`cross_check.explain.findings.motion_derivatives`)
    column   the terms that belong to the turning of the first frame under λ are added to the first column of Pinocchio's ∂/∂q,
             once for every component of v (docs/findings/pinocchio-constraint-derivatives-first-column.md)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.explain.findings.finding import Functions
from cross_check.explain.findings.motion_derivatives import columns_in_pinocchio, missing_terms, of_trees_with_fixed_axes
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from implementations.algorithms import evaluate_in_blocks
from implementations.field import Real, Tensor
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.constrained_dynamics import bound
from implementations.spatial_algebra.constraints import frames, of, relative
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.kinematics import accelerations, jacobians, velocities
from implementations.spatial_algebra.model import Closure, Model, build
from implementations.spatial_algebra.reference import REFERENCE
from implementations.spatial_algebra.spatial import Plucker, crm, cross, mul
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


class _Slips(NamedTuple):
    """What is wrong in the right sides of the equations: in forces (nv, columns, batch), in accelerations of constraints
    (directions, columns, batch)."""

    B: Tensor
    C: Tensor


def with_fixed_axes(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Answers with "axes", and those of trees that lack the same terms."""
    of_tree = of_trees_with_fixed_axes(mechanism, right)
    is_concerned = any(body.joint.compound for body in mechanism.bodies)
    return {**of_tree, **_with(mechanism, right, _axes)} if is_concerned else of_tree


def with_extra_column(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Answers with "column"."""
    if not any(min(one.rows) >= 3 and one.second != mechanism.root for one in mechanism.constraints):
        return {}
    return _with(mechanism, right, partial(_column, mechanism))


def _with(mechanism: Mechanism, right: Dynamics, slips: Callable[..., _Slips]) -> Functions:
    """Answers with what the ``slips`` of the derivatives by the state cause."""
    if not mechanism.constraints:
        return {}
    model, own, tree, n = build(mechanism, Real()), REFERENCE.load(mechanism), REFERENCE.load(mechanism.tree), mechanism.nv

    def caused(q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """Δx (batch, nv, columns) and Δμ (batch, directions, columns)."""
        M, J = tree.mass_matrix(q), own.constraint_jacobian(q)
        a, λ = own.constrained_acceleration(q, v, tau), own.constraint_multipliers(q, v, tau)
        both = evaluate_in_blocks(lambda *state: np.concatenate(slips(*state)), model, (q, v, a, λ))
        solution = bound(M, J).solve(both[:, :n], both[:, n:])
        return solution.motion, solution.multipliers

    def by_state(name: str, part: int, q: Array, v: Array, tau: Array) -> Array:
        return getattr(right, f"{name}_dx")(q, v, tau) + caused(q, v, tau)[part]

    def by_velocity(name: str, part: int, q: Array, v: Array) -> Array:
        return getattr(right, f"{name}_dv")(q, v) + caused(q, v, 0 * v)[part][..., n:]

    names = ("constrained_acceleration", 0), ("constraint_multipliers", 1)
    wrong: dict[str, Any] = {f"{name}_dx": partial(by_state, name, part) for name, part in names}
    wrong |= {f"{name}_dv": partial(by_velocity, name, part) for name, part in names}
    return wrong


def _axes(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, λ: Tensor) -> _Slips:
    """The missing terms: less of ∂ID is more of b, and less of the accelerations' derivatives is more of c."""
    by_q = missing_terms("inverse_dynamics_dq", model, q, qd, qdd, _on_bodies(model, q, λ))
    B = np.concatenate((by_q, missing_terms("inverse_dynamics_dv", model, q, qd)), 1)
    dv, da = missing_terms("velocities_dq_world", model, q, qd), missing_terms("accelerations_dq_world", model, q, qd, qdd)
    by_v = missing_terms("accelerations_dv_world", model, q, qd)
    v, parts = velocities(model, q, qd, "world"), []
    for one, C, _ in _forces(model, q, λ):
        if min(one.rows) < 3:
            # Both frames move as one.
            by_q = C @ (relative(one, da) - crm(of(one.second if one.first < 0 else one.first, v), relative(one, dv)))
        else:
            first, second = (_of_point(C, of(b, da), of(b, dv), of(b, v)) for b in (one.first, one.second))
            by_q = C @ _linear(second - first)
        parts.append(np.concatenate((by_q, C @ relative(one, by_v)), 1)[list(one.rows)])
    return _Slips(B, np.concatenate(parts))


def _forces(model: Model, q: Tensor, λ: Tensor) -> Iterator[tuple[Closure, Plucker, Tensor]]:
    """Every constraint, the transform to its first frame, and its force [n; f] (6, batch) there."""
    begin = 0
    for one, C in zip(model.closures, frames(model, q), strict=True):
        force = np.zeros((6, q.shape[-1]))
        force[list(one.rows)] = λ[begin : (begin := begin + len(one.rows))]
        yield one, C, force


def _on_bodies(model: Model, q: Tensor, λ: Tensor) -> Tensor:
    """The forces of the constraints on the bodies (bodies, 6, batch), each in its body's frame."""
    X = transforms_from_root(model, transforms(model, q)[0])
    borne = np.zeros((len(X), 6, q.shape[-1]))
    for one, C, force in _forces(model, q, λ):
        n, f = np.split(C.T @ force, 2)
        for body, sign in ((one.second, 1), (one.first, -1)):
            if body >= 0:
                borne[body] += sign * np.concatenate((mul(X[body].E, n - cross(X[body].r, f)), mul(X[body].E, f)))
    return borne


def _of_point(C: Plucker, da: Tensor, dv: Tensor, v: Tensor) -> Tensor:
    """The derivative of the classical acceleration (3, nv, batch) of a body's point at C, from those of the spatial motions."""
    dp, p = dv[3:] + cross(dv[:3], C.r), v[3:] + cross(v[:3], C.r)
    return da[3:] + cross(da[:3], C.r) + cross(dv[:3], p) + cross(v[:3], dp)


def _linear(x: Tensor) -> Tensor:
    """The motion vector of a translation."""
    return np.concatenate((0 * x, x))


def _column(mechanism: Mechanism, model: Model, q: Tensor, qd: Tensor, qdd: Tensor, λ: Tensor) -> _Slips:
    """nv times the term of Pinocchio's first coordinate, for constraints of points whose second frame is on a body."""
    n, first = mechanism.nv, int(columns_in_pinocchio(mechanism)[0])
    J, v = jacobians(model, q, "world"), velocities(model, q, qd, "world")
    a = accelerations(model, q, qd, qdd, "world")
    turning = next(Ji[:3, first] for Ji, own in zip(J, mechanism.v_slices, strict=True) if own.start <= first < own.stop)
    B, parts = np.zeros((n, 2 * n, q.shape[-1])), []
    for one, C, force in _forces(model, q, λ):
        added = np.zeros((6, 2 * n, q.shape[-1]))
        if min(one.rows) >= 3 and one.second >= 0:
            sign = n * (1 if np.abs(J[one.second][:, first]).any() else -1)
            pull = np.einsum("jib,jb->ib", C.E, force[3:])
            a2, v2 = a[one.second], v[one.second]
            point = a2[3:] + cross(a2[:3], C.r) + cross(v2[:3], v2[3:] + cross(v2[:3], C.r))
            J2 = J[one.second][3:] + cross(J[one.second][:3], C.r)
            # λ and the relative motion have the opposite sign in Pinocchio.
            B[:, first] += sign * np.einsum("ijb,ib->jb", J2, cross(pull, turning))
            added[3:, first] = sign * np.einsum("ijb,jb->ib", C.E, cross(point, turning))
        parts.append(added[list(one.rows)])
    return _Slips(B, np.concatenate(parts))
