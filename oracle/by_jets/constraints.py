"""Constraints from homogeneous transforms alone: how two frames lie and move relative to each other, over any field.

A and B take points of the first and the second frame to the root. The second frame in the first one's coordinates, and its motion
[ω; v] along the first one's axes, are

    X = A⁻¹ B,        [ω]× = Ẋ_R X_Rᵀ,        v = ẋ                     docs/notes/constraints.md, eqs. 1, 2

The constrained components of [ω; v] are J v, and their rates at zero acceleration the drift J̇ v. Where the frames coincide,
v is the velocity of the second origin relative to the first, because then the lever between them is zero.

The residual φ has a row for every constrained direction. It is zero where the frames coincide in these directions, and there its
derivative is J (eqs. 3, 4). It is also zero where an axis points the wrong way; :func:`constraint_alignment` detects this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mechanisms import Constraint, Mechanism, Placement
from oracle.by_jets.body_motions import derivatives, velocity
from oracle.by_jets.jets import Jet
from oracle.by_jets.joint_jets import placed
from oracle.by_jets.motion import transforms
from oracle.by_jets.system import System, rest
from oracle.by_jets.transforms import compose
from oracle.fields import Array, Field

BEHIND = ((2, 1), (0, 2), (1, 0))
"""The entries of X_R that are the components of ω where the turn is small: X_R = 1 + [ω]×. The transposed ones are −ω."""


class End(NamedTuple):
    """One frame of a constraint: the index of its body, −1 for the root, and its place there (3, 4, 1)."""

    body: int
    placement: Array


class Closure(NamedTuple):
    """The two frames of a constraint, and the constrained components of their relative motion."""

    first: End
    second: End
    rows: tuple[int, ...]


def closures(mechanism: Mechanism, field: Field) -> tuple[Closure, ...]:
    """The constraints of ``mechanism`` over ``field``."""
    index = {mechanism.root: -1, **{body.name: i for i, body in enumerate(mechanism.bodies)}}

    def end(body: str, placement: Placement) -> End:
        return End(index[body], placed(field, placement))

    def closure(constraint: Constraint) -> Closure:
        first = end(constraint.first, constraint.first_placement)
        return Closure(first, end(constraint.second, constraint.second_placement), constraint.rows)

    return tuple(map(closure, mechanism.constraints))


def constraint_residual(system: System, closures: tuple[Closure, ...], q: Array) -> Array:
    """φ (directions, batch)."""
    zero = rest(system, q)[0]
    bodies = transforms(system, q)[0]
    return np.stack([zero + row for one in closures for row in _gap(one, _relative(one, bodies).now)])


def constraint_alignment(system: System, closures: tuple[Closure, ...], q: Array) -> Array:
    """The cosine between the axes that a constraint keeps together: one row per constraint (constraints, batch).

    The row of three axes is the mean of their cosines; that of a constraint without angular directions is 1. Where φ = 0, a row
    is 1 if the frames coincide, and negative if an axis points the wrong way.
    """
    zero = rest(system, q)[0]
    bodies = transforms(system, q)[0]
    return np.stack([zero + _alignment(one, _relative(one, bodies).now) for one in closures])


def constraint_jacobian(system: System, closures: tuple[Closure, ...], q: Array) -> Array:
    """J (directions, nv, batch)."""
    zero = rest(system, q)
    # A coordinate in the place of time: T + ε ∂ᵢT.
    bodies = [Jet(T[:, :, None], dT) for T, dT in zip(*derivatives(system, q), strict=True)]
    return np.stack([zero + row for one in closures for row in _motion(one, _relative(one, bodies)).now[list(one.rows)]])


def constraint_drift(system: System, closures: tuple[Closure, ...], q: Array, v: Array) -> Array:
    """J̇ v (directions, batch)."""
    zero = rest(system, q)
    bodies = transforms(system, q, v, zero)[0]
    return np.stack([zero[0] + row for one in closures for row in _motion(one, _relative(one, bodies)).rate.now[list(one.rows)]])


def _relative(closure: Closure, bodies: list[Jet]) -> Jet:
    """X = A⁻¹ B (3, 4, …)."""
    A, B = (_placed(end, bodies) for end in (closure.first, closure.second))
    offset = Jet(
        *(np.concatenate([b[:, :3] + 0 * a[:, :3], b[:, 3:] - a[:, 3:]], 1) for a, b in zip(A.terms, B.terms, strict=True))
    )
    return A.each(lambda a: a[:, :3].swapaxes(0, 1)) @ offset


def _placed(end: End, bodies: list[Jet]) -> Jet:
    """The frame's transform to the root."""
    like = bodies[max(end.body, 0)]
    placement = end.placement[(..., *(None,) * (like.now.ndim - 3), slice(None))]
    if end.body < 0:
        return Jet(*(placement + 0 * x if k == 0 else 0 * x for k, x in enumerate(like.terms)))
    return like.each(lambda x: compose(x, placement))


def _motion(closure: Closure, X: Jet) -> Jet:
    """[ω; v] (6, …)."""
    return velocity(X, X.rate, "aligned")


def _gap(closure: Closure, X: Array) -> list[Array]:
    """φ: components of the turn and of the distance between the frames."""
    turned = [k for k in range(3) if k in closure.rows]
    if len(turned) == 3:
        angles = [(X[i, j] - X[j, i]) / 2 for i, j in BEHIND]
    else:
        free = next((k for k in range(3) if k not in turned), 0)
        # X_R takes the free axis to itself: its column has the turns about the other two.
        angles = [X[i, j] if j == free else -X[j, i] for i, j in BEHIND]
    return [(angles[k] if k < 3 else X[k - 3, 3]) for k in closure.rows]


def _alignment(closure: Closure, X: Array) -> Array:
    turned = [k for k in range(3) if k in closure.rows]
    if not turned:
        return 0 * X[0, 0] + 1
    if len(turned) == 3:
        return (X[0, 0] + X[1, 1] + X[2, 2]) / 3
    free = next(k for k in range(3) if k not in turned)
    return X[free, free]


OF_CONSTRAINTS: dict[str, Callable[..., Array]] = {
    function.__name__: function for function in (constraint_residual, constraint_alignment, constraint_jacobian, constraint_drift)
}
"""Functions of the system, its closures, and the state: of q, or of q and v."""

DERIVATIVES_OF_CONSTRAINTS: dict[str, tuple[str, Callable[..., Array]]] = {
    "constraint_jacobian_dq": ("by_position", constraint_jacobian),
    "constraint_drift_dq": ("by_position", constraint_drift),
    "constraint_drift_dv": ("by_velocity", lambda system, closures, q, v, a: constraint_drift(system, closures, q, v)),
}
"""By name: the derivative of :class:`oracle.by_jets.differentiation.Derivatives`, and the function that is differentiated."""
