"""Pinocchio's derivatives of constrained motion by q and v, with its faults.

What Pinocchio adds to the equations of the derivatives, or leaves out, is ΔB in forces and ΔC in the constraints' accelerations.
So its answers are off by

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

from cross_check.explain.findings.finding import Functions
from cross_check.explain.findings.motion_derivatives import columns_in_pinocchio, missing_terms, of_trees_with_fixed_axes
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
from mechanisms import Mechanism


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
