"""q ⊕ dv and to ⊖ q, and their derivatives, by their definitions: exponentials of 4×4 matrices, over FLINT's balls.

The pose of a joint whose velocity is the body's own is a 4×4 matrix T. The joint's coordinates have the matrices Eₖ (a turn or a
slide along an axis of the body), and a velocity x has the matrix [x] = Σ xₖ Eₖ. Then

    q ⊕ dv       has the pose T exp([dv])
    to ⊖ q = x   where T(to) = T(q) exp([x]), with a turn of at most π

A motion of a position is a velocity in the body's frame, too: T changes by T [y]. With the commutator C(x) y = [x][y] − [y][x], a
linear map of the coordinates, and x = dv or x = to ⊖ q,

    ∂(q ⊕ dv)/∂q  = exp(−C(x))                  ∂(to ⊖ q)/∂q  = −(∫₀¹ exp(s C(x)) ds)⁻¹
    ∂(q ⊕ dv)/∂dv = ∫₀¹ exp(−s C(x)) ds         ∂(to ⊖ q)/∂to = (∫₀¹ exp(−s C(x)) ds)⁻¹

(V. S. Varadarajan, "Lie Groups, Lie Algebras, and Their Representations", 1984, §2.14). All of these are one function, FLINT's
matrix exponential: an integral is the upper right block of exp [[A, 1], [0, 0]]. No closed form and no series of an angle occurs,
because those are what code under test uses. A turn is computed from a quaternion by atan2, and a slide by solving a linear
equation. A quaternion keeps its length, and its sign under ⊕. Joints with other velocities add slot by slot.

Functions compute with the precision that is set. They raise :class:`ZeroDivisionError` where balls are too wide to decide, which
a higher precision mends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat

from mechanisms import Joint, Mechanism
from mechanisms.joint_kinds import Slot

Ball = Any
Row = Sequence[Ball]

AXES = {"x": 0, "y": 1, "z": 2}


def integrate(joint: Joint, q: Row, dv: Row) -> list[Ball]:
    """q ⊕ dv."""
    if not joint.velocity_is_body_twist:
        return [x for slot in joint.slots for x in _added(slot, q[slot.q], dv[slot.v])]
    n, turning = joint.description.distances, joint.slots[-1]
    moved = _matrix(joint, dv).exp()
    along = _turned(joint, q, [moved[i, 3] for i in range(3)])
    if turning.form == "angle":
        orientation = [q[n] + dv[0]]
    else:
        turn = _by_quaternion([x / 2 for x in dv[turning.v]]).exp()
        orientation = (turn * arb_mat([[x] for x in q[turning.q]])).entries()
    return [*(x + y for x, y in zip(q[:n], along, strict=False)), *orientation]


def integrate_dq(joint: Joint, q: Row, dv: Row) -> list[list[Ball]]:
    """The motion of q ⊕ dv for a unit motion of q along every coordinate; one column for each."""
    if not joint.velocity_is_body_twist:
        return _one(joint, 1)
    return (-_commutator(joint, dv)).exp().tolist()


def integrate_dv(joint: Joint, q: Row, dv: Row) -> list[list[Ball]]:
    """The motion of q ⊕ dv for a unit change of every component of dv; one column for each."""
    return _integral(-_commutator(joint, dv)).tolist() if joint.velocity_is_body_twist else _one(joint, 1)


def difference(joint: Joint, q: Row, to: Row) -> list[Ball]:
    """to ⊖ q."""
    if not joint.velocity_is_body_twist:
        return [x for slot in joint.slots for x in _subtracted(slot, q[slot.q], to[slot.q])]
    n, turning = joint.description.distances, joint.slots[-1]
    ω = _smallest(to[n] - q[n]) if turning.form == "angle" else _turn_between(q[turning.q], to[turning.q])
    if n == 0:
        return ω
    still = _matrix(joint, [*ω, *[arb(0)] * n])
    turn = _block(still, 0, n, 0, n)
    apart = _turned_back(joint, q, [y - x for x, y in zip(q[:n], to[:n], strict=True)])
    return [*ω, *_integral(turn).solve(arb_mat([[x] for x in apart])).entries()]


def difference_dq(joint: Joint, q: Row, to: Row) -> list[list[Ball]]:
    """The change of to ⊖ q for a unit motion of q along every coordinate; one column for each."""
    if not joint.velocity_is_body_twist:
        return _one(joint, -1)
    return (-_inverse(joint, _integral(_commutator(joint, difference(joint, q, to))))).tolist()


def difference_dto(joint: Joint, q: Row, to: Row) -> list[list[Ball]]:
    """The change of to ⊖ q for a unit motion of ``to`` along every coordinate; one column for each."""
    if not joint.velocity_is_body_twist:
        return _one(joint, 1)
    return _inverse(joint, _integral(-_commutator(joint, difference(joint, q, to)))).tolist()


OF_JOINTS: dict[str, Callable[[Joint, Row, Row], list[Any]]] = {
    function.__name__: function for function in (integrate, integrate_dq, integrate_dv, difference, difference_dq, difference_dto)
}
"""By the names of quantities. The arguments are a joint, its position, and its velocity or another position."""


def blocks(mechanism: Mechanism, quantity: str, q: Row, other: Row) -> Iterator[tuple[tuple[slice, ...], list[Any]]]:
    """The answer at one state, joint by joint: the place in the answer, and the numbers there. All other numbers are zero.

    ``q`` is the mechanism's position, ``other`` its velocity dv or another position. Joints do not depend on one another.
    """
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if body.joint.mimic is None:
            answer = OF_JOINTS[quantity](body.joint, q[q_i], other[v_i if quantity.startswith("integrate") else q_i])
            own = q_i if quantity == "integrate" else v_i
            yield (own, own)[: np.ndim(np.array(answer, dtype=object))], answer


def _added(slot: Slot, q: Row, step: Row) -> list[Ball]:
    if slot.form != "circle":
        return [q[0] + step[0]]
    c, s = step[0].cos(), step[0].sin()
    return [c * q[0] - s * q[1], s * q[0] + c * q[1]]


def _subtracted(slot: Slot, q: Row, to: Row) -> list[Ball]:
    return [arb.atan2(q[0] * to[1] - q[1] * to[0], q[0] * to[0] + q[1] * to[1]) if slot.form == "circle" else to[0] - q[0]]


def _matrix(joint: Joint, x: Row) -> arb_mat:
    """[x] (4, 4), along the axes of the joint's triad."""
    matrix = arb_mat(4, 4)
    for coordinate, rate in zip(joint.description.coordinates, x, strict=True):
        k = AXES[coordinate.direction]
        if coordinate.turns:
            i, j = (k + 1) % 3, (k + 2) % 3
            matrix[j, i], matrix[i, j] = matrix[j, i] + rate, matrix[i, j] - rate
        else:
            matrix[k, 3] = matrix[k, 3] + rate
    return matrix


def _components(joint: Joint, matrix: arb_mat) -> list[Ball]:
    """x with the matrix [x]."""
    places = ((AXES[coordinate.direction], coordinate.turns) for coordinate in joint.description.coordinates)
    return [matrix[(k + 2) % 3, (k + 1) % 3] if turns else matrix[k, 3] for k, turns in places]


def _commutator(joint: Joint, x: Row) -> arb_mat:
    """C(x)."""
    n, X = joint.nv, _matrix(joint, x)
    units = (_matrix(joint, [arb(int(k == j)) for j in range(n)]) for k in range(n))
    return arb_mat([_components(joint, X * E - E * X) for E in units]).transpose()


def _integral(matrix: arb_mat) -> arb_mat:
    """∫₀¹ exp(s A) ds."""
    n = matrix.nrows()
    block = arb_mat(2 * n, 2 * n)
    for i in range(n):
        block[i, n + i] = 1
        for j in range(n):
            block[i, j] = matrix[i, j]
    return _block(block.exp(), 0, n, n, 2 * n)


def _inverse(joint: Joint, matrix: arb_mat) -> arb_mat:
    """The inverse of [[A, 0], [B, D]], block by block, so that zeros stay exact: no turn depends on a slide."""
    n, turning = joint.nv, joint.nv - joint.description.distances
    if turning == n:
        return matrix.inv()
    A, B, D = (_block(matrix, *ends) for ends in ((0, turning, 0, turning), (turning, n, 0, turning), (turning, n, turning, n)))
    A, D = A.inv(), D.inv()
    below = -(D * B * A)
    upper: list[list[Ball]] = [[*row, *[0] * (n - turning)] for row in A.tolist()]
    return arb_mat(upper + [b + d for b, d in zip(below.tolist(), D.tolist(), strict=True)])


def _block(matrix: arb_mat, top: int, bottom: int, left: int, right: int) -> arb_mat:
    return arb_mat([[matrix[i, j] for j in range(left, right)] for i in range(top, bottom)])


def _by_quaternion(ω: Row) -> arb_mat:
    """The matrix (4, 4) that multiplies a quaternion x y z w from the right by the quaternion [ω; 0]."""
    x, y, z = ω
    return arb_mat([[0, z, -y, x], [-z, 0, x, y], [y, -x, 0, z], [-x, -y, -z, 0]])


def _product(a: Row, b: Row) -> list[Ball]:
    """The product of quaternions."""
    (x, y, z, w), (i, j, k, l) = a, b
    return [
        w * i + x * l + y * k - z * j,
        w * j - x * k + y * l + z * i,
        w * k + x * j - y * i + z * l,
        w * l - x * i - y * j - z * k,
    ]


def _conjugate(e: Row) -> list[Ball]:
    return [-e[0], -e[1], -e[2], e[3]]


def _turned(joint: Joint, q: Row, x: Row) -> list[Ball]:
    """x (3,) of the body's axes, along the axes of the joint's frame."""
    if joint.slots[-1].form == "angle":
        c, s = q[-1].cos(), q[-1].sin()
        return [c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]]
    e = q[joint.slots[-1].q]
    square = sum(part * part for part in e)
    return [part / square for part in _product(_product(e, [*x, arb(0)]), _conjugate(e))[:3]]


def _turned_back(joint: Joint, q: Row, x: Row) -> list[Ball]:
    """x of the joint's frame, as many components as it has distances, along the body's axes."""
    if joint.slots[-1].form == "angle":
        return _turned(joint, [-q[-1]], [*x, arb(0)])[: len(x)]
    return (
        _turned(joint, _conjugate(q[joint.slots[-1].q]), x) if len(q) == 4 else _turned(joint, [*q[:-4], *_conjugate(q[-4:])], x)
    )


def _turn_between(q: Row, to: Row) -> list[Ball]:
    """ω with to = ± q exp([ω]) for quaternions, |ω| at most π."""
    *x, w = _product(_conjugate(q), to)
    if all(part.is_zero() for part in x):
        return x
    length = sum(part * part for part in x).sqrt()
    if length.contains(0) or (w.contains(0) and not w.is_zero()):
        raise ZeroDivisionError("these balls are too wide to tell a turn from none, or from its opposite")
    ratio = 2 * arb.atan2(length, abs(w)) / length
    return [part * (-ratio if w < 0 else ratio) for part in x]


def _smallest(angle: Ball) -> list[Ball]:
    """The angle of the same turn that is at least −π and less than π."""
    turns = ((angle + arb.pi()) / (2 * arb.pi())).floor()
    if not turns.is_exact():
        raise ZeroDivisionError("this ball is too wide to tell a half turn from its opposite")
    return [angle - 2 * arb.pi() * turns]


def _one(joint: Joint, sign: int) -> list[list[Ball]]:
    return [[arb(sign if i == j else 0) for j in range(joint.nv)] for i in range(joint.nv)]
