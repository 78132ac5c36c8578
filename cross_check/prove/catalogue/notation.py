"""The notation of the texts on plain arrays: 3-vectors, matrices and poses.

The right sides of identities are written in it. It uses no code of implementations/, which the left sides test.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from cross_check.prove.catalogue.series import rate
from implementations.field import Tensor


class Angle(NamedTuple):
    """An angle: ``size`` is θ in rad, c and s are its cosine and sine, t = tan(θ/2). θ and t satisfy no algebraic relation."""

    size: Any
    c: Any
    s: Any
    t: Any


def vector(*entries: Any) -> Tensor:
    """The array of these entries."""
    return np.array(entries, dtype=object)


def join(*vectors: Tensor) -> Tensor:
    """[a; b]: one vector after the other."""
    return np.concatenate(vectors)


def columns(*vectors: Tensor) -> Tensor:
    """The matrix with these columns."""
    return np.stack(vectors, axis=1)


def total(vectors: Iterable[Tensor]) -> Tensor:
    """The sum of vectors."""
    return reduce(add, vectors)


def one(n: int) -> Tensor:
    """The identity matrix."""
    return np.array([[int(i == j) for j in range(n)] for i in range(n)], dtype=object)


def zero(*shape: int) -> Tensor:
    return np.full(shape, 0, dtype=object)


def skew(r: Tensor) -> Tensor:
    """r×, or [r] (text 000, eq. 1; text 002, eq. 39; text 003, §1)."""
    x, y, z = r
    o = 0 * x
    return np.array([[o, -z, y], [z, o, -x], [-y, x, o]], dtype=object)


def unskew(M: Tensor) -> Tensor:
    """r, from [r]."""
    return vector(M[2, 1], M[0, 2], M[1, 0])


def cross(a: Tensor, b: Tensor) -> Tensor:
    """a × b = [a] b."""
    return skew(a) @ b


def det(M: Tensor) -> Any:
    """The determinant of a 3×3 matrix, by its first row."""
    return M[0] @ cross(M[1], M[2])


def commutator(A: Tensor, B: Tensor) -> Tensor:
    """A B − B A."""
    return A @ B - B @ A


def block(*rows: list[Tensor]) -> Tensor:
    """The matrix of these blocks."""
    return np.block(list(rows))


def pose(R: Tensor, r: Tensor) -> Tensor:
    """T = [[R, r], [0, 1]] (text 003, §1)."""
    return block([R, r[:, None]], [zero(1, 3), one(1)])


def undo(T: Tensor) -> Tensor:
    """T⁻¹ = [[Rᵀ, −Rᵀ r], [0, 1]] (text 003, §10)."""
    R, r = T[:3, :3], T[:3, 3]
    return pose(R.T, -R.T @ r)


def point(p: Tensor) -> Tensor:
    """[p; 1] (text 003, §2)."""
    return join(p, vector(1))


def hat(V: Tensor) -> Tensor:
    """[V] = [[[ω], v], [0, 0]] (text 003, §8)."""
    return block([skew(V[:3]), V[3:, None]], [zero(1, 4)])


def unhat(M: Tensor) -> Tensor:
    """V, from [V]."""
    return join(unskew(M), M[:3, 3])


def space_twist(T: Tensor) -> Tensor:
    """V^s, from [V^s] = Ṫ T⁻¹ (text 003, §10)."""
    return unhat(rate(T) @ undo(T))


def body_twist(T: Tensor) -> Tensor:
    """V^b, from [V^b] = T⁻¹ Ṫ (text 003, §13)."""
    return unhat(undo(T) @ rate(T))


def Ad(T: Tensor) -> Tensor:
    """[Ad_T] = [[R, 0], [[r] R, R]] (text 003, §13)."""
    R, r = T[:3, :3], T[:3, 3]
    return block([R, zero(3, 3)], [skew(r) @ R, R])


def ad(V: Tensor) -> Tensor:
    """ad(V) = [[[ω], 0], [[v], [ω]]] (text 003, §35), which is v̂× (text 001; text 002, eq. 37)."""
    return block([skew(V[:3]), zero(3, 3)], [skew(V[3:]), skew(V[:3])])


def ad_star(V: Tensor) -> Tensor:
    """v̂×* = [[ω×, v_O×], [0, ω×]] (text 001; text 002, eq. 38)."""
    return block([skew(V[:3]), skew(V[3:])], [zero(3, 3), skew(V[:3])])


def X_motion(E: Tensor, r: Tensor) -> Tensor:
    """X = [[E, 0], [−E r×, E]] (text 000, eq. 11; text 001)."""
    return block([E, zero(3, 3)], [-E @ skew(r), E])


def X_force(E: Tensor, r: Tensor) -> Tensor:
    """X* = [[E, −E r×], [0, E]] (text 001)."""
    return block([E, -E @ skew(r)], [zero(3, 3), E])


def exp_rotation(w: Tensor, θ: Angle) -> Tensor:
    """e^{[ω]θ} = 1 + sin θ [ω] + (1 − cos θ) [ω]² for a unit vector ω (text 003, §7)."""
    return one(3) + θ.s * skew(w) + (1 - θ.c) * (skew(w) @ skew(w))


def exp_screw(ξ: Tensor, θ: Angle) -> Tensor:
    """e^{[ξ]θ} for a unit screw ξ = [ω; v], |ω| = 1 (text 003, §8)."""
    W = skew(ξ[:3])
    return pose(exp_rotation(ξ[:3], θ), (one(3) * θ.size + (1 - θ.c) * W + (θ.size - θ.s) * (W @ W)) @ ξ[3:])


def exp_slide(ξ: Tensor, distance: Any) -> Tensor:
    """e^{[ξ]θ} for ξ = [0; v]: a translation (text 003, §8)."""
    return pose(one(3), ξ[3:] * distance)


def left_of_rotation(φ: Tensor, θ: Angle) -> Tensor:
    """J_l(φ) = 1 + (1 − cos θ)/θ² [φ] + (θ − sin θ)/θ³ [φ]² for |φ| = θ (text 003, §17)."""
    W, n = skew(φ), θ.size * θ.size
    return one(3) + W * ((1 - θ.c) / n) + W @ W * ((θ.size - θ.s) / (n * θ.size))
