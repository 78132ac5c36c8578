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

from collections.abc import Callable, Iterable

import numpy as np

from oracle.by_jets.jets import Jet
from oracle.by_jets.motions import motion, placed
from oracle.by_jets.system import Closure, System, rest
from oracle.by_jets.transforms import along_coordinates, at_constant_velocity, in_time
from oracle.fields import Array

BEHIND = ((2, 1), (0, 2), (1, 0))
"""The entries of X_R that are the components of ω where the turn is small: X_R = 1 + [ω]×. The transposed ones are −ω."""


def constraint_residual(system: System, q: Array) -> Array:
    """φ (directions, batch)."""
    return _of_all(system, in_time(system, q), lambda one, X: _gap(one, X.now), q)


def constraint_alignment(system: System, q: Array) -> Array:
    """The cosine between the axes that a constraint keeps together: one row per constraint (constraints, batch).

    The row of three axes is the mean of their cosines; that of a constraint without angular directions is 1. Where φ = 0, a row
    is 1 if the frames coincide, and negative if an axis points the wrong way.
    """
    return _of_all(system, in_time(system, q), lambda one, X: [_alignment(one, X.now)], q)


def constraint_jacobian(system: System, q: Array) -> Array:
    """J (directions, nv, batch)."""
    return _of_all(system, along_coordinates(system, q), lambda one, X: motion(X, "aligned").now[list(one.rows)], q)


def constraint_drift(system: System, q: Array, v: Array) -> Array:
    """J̇ v (directions, batch)."""
    return _of_all(system, at_constant_velocity(system, q, v), lambda one, X: motion(X, "aligned").rate.now[list(one.rows)], q)


def _of_all(system: System, bodies: list[Jet], rows: Callable[[Closure, Jet], Iterable[Array]], q: Array) -> Array:
    """The ``rows`` of all constraints, functions of X."""
    zero = rest(system, q)[0]
    return np.stack([zero + row for one in system.closures for row in rows(one, _relative(one, bodies))])


def _relative(closure: Closure, bodies: list[Jet]) -> Jet:
    """X = A⁻¹ B (3, 4, …)."""
    A, B = (placed(bodies, end) for end in (closure.first, closure.second))
    offset = Jet(
        *(np.concatenate([b[:, :3] + 0 * a[:, :3], b[:, 3:] - a[:, 3:]], 1) for a, b in zip(A.terms, B.terms, strict=True))
    )
    return A.each(lambda a: a[:, :3].swapaxes(0, 1)) @ offset


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
"""Functions of the system and of q, or of q and v, by name."""
