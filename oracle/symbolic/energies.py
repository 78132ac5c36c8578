"""Where the bodies are, and the two energies, from 4×4 matrices alone.

With Tᵦ the homogeneous transform of body b and Jᵦ = ∫ x xᵀ dm, x = (position in the body, 1), its pseudo-inertia,

    T = ½ ∫ |ẋ|² dm = ½ Σᵦ tr(Ṫᵦ Jᵦ Ṫᵦᵀ),        V = −∫ gᵀx dm = −Σᵦ [gᵀ 0] Tᵦ Jᵦ e₄

(Lagrange's energies, text 001, without its ω and I). Source: J. J. Uicker, "On the dynamic analysis of spatial linkages
using 4×4 matrices", Northwestern University, 1965.

A joint's transform is a fixed part B followed by a moving part D: for every angle Rodrigues' rotation about its axis, for
every distance a translation along its axis, in the order of :attr:`Joint.screws`. A spherical, planar or free joint has its
present pose in B, and D = Exp(δ) = 1 + [δ] + ½[δ]² displaces it from there.

**Second order suffices**: Ṫᵦ holds first derivatives of Tᵦ, the Euler–Lagrange equations differentiate T once more, and
then δ = 0, where the third-order terms of Exp have vanished. So D is given to second order, and what is built of D and
∂D, to be differentiated once more, is kept to first, which is the ring's normal form. At δ = 0, δ̇ is the body's velocity
[ω; v] in its own frame and δ̈ is that velocity's rate: velocity = δ̇ + ½ [δ̇, δ] + O(δ²), where the bracket's rate at δ = 0
is [δ̇, δ̇] = 0. So the equations in δ are the joint's equations, in a chart that is never singular because it moves along.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mechanisms import Inertia, Joint, Placement
from mechanisms.joint import Screw
from mechanisms.joint_kinds import Slot
from oracle.errors import OracleError
from oracle.symbolic.ring import Matrix, Poly, Ring, angles


def product(ring: Ring, *factors: Matrix) -> Matrix:
    """The matrix product, every entry in normal form."""
    *rest, right = factors
    while rest:
        left, columns = rest.pop(), tuple(zip(*right, strict=True))
        right = tuple(tuple(ring.normal(_dot(ring, row, column)) for column in columns) for row in left)
    return right


def trace(ring: Ring, left: Matrix, right: Matrix) -> Poly:
    """tr(left · rightᵀ), in normal form."""
    return ring.normal(sum((_dot(ring, a, b) for a, b in zip(left, right, strict=True)), ring.number(0)))


def transpose(a: Matrix) -> Matrix:
    return tuple(zip(*a, strict=True))


def diff(ring: Ring, a: Matrix, v: int) -> Matrix:
    """∂a/∂q along coordinate ``v``, entry by entry."""
    return tuple(tuple(ring.diff(entry, v) for entry in row) for row in a)


def add(a: Matrix, b: Matrix) -> Matrix:
    return tuple(tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(a, b, strict=True))


def fixed_part(ring: Ring, joint: Joint, q: slice) -> Matrix:
    """B: the joint's placement, and the present pose of a spherical, planar or free joint."""
    B = _placed(ring, joint.placement)
    if not joint.velocity_is_body_twist:
        return B
    *slides, turn = joint.slots
    distances = [ring.position(q.start + slot.q.start) for slot in slides]
    axes = _axes(ring, joint, [joint.screws[slot.v.start] for slot in slides])
    p = tuple(_dot(ring, distances, row) for row in axes) if slides else (ring.number(0),) * 3
    if turn.form == "angle":
        k = turn.v.start
        return product(ring, B, _homogeneous(ring, _rodrigues(ring, joint, joint.screws[k], k, q), p))
    x, y, z, w = (ring.position(k) for k in range(q.start + turn.q.start, q.start + turn.q.stop))
    # Of unit length in the ring, so that w² + x² − y² − z² is 1 − 2y² − 2z², and so on.
    R = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return product(ring, B, _homogeneous(ring, R, p))


def moving_part(ring: Ring, joint: Joint, q: slice, v: slice) -> Matrix:
    """D: what the joint's coordinates move, the identity where they are zero."""
    if joint.velocity_is_body_twist:
        zero, half = ring.number(0), ring.number(Fraction(1, 2))
        δ = [ring.displacement(k) for k in range(v.start, v.stop)]
        turns = [δk if screw.turns else zero for δk, screw in zip(δ, joint.screws, strict=True)]
        slides = [zero if screw.turns else δk for δk, screw in zip(δ, joint.screws, strict=True)]
        ω, p = (tuple(_dot(ring, part, row) for row in _axes(ring, joint, joint.screws)) for part in (turns, slides))
        N = (*((*row, x) for row, x in zip(_cross(ring, ω), p, strict=True)), (zero,) * 4)
        half_square = tuple(tuple(half * _dot(ring, row, column) for column in transpose(N)) for row in N)
        return add(add(_homogeneous(ring, _identity(ring), (zero,) * 3), N), half_square)
    return product(ring, *(_screw(ring, joint, slot, q) for slot in joint.slots))


def _screw(ring: Ring, joint: Joint, slot: Slot, q: slice) -> Matrix:
    """The turn and the advance of one slot of the joint's position."""
    k = slot.v.start
    screw = joint.screws[k]
    R = _rodrigues(ring, joint, screw, k, q) if screw.turns else _identity(ring)
    distance = ring.number(screw.advance) * ring.position(q.start + slot.q.start) if slot.advances else ring.number(0)
    return _homogeneous(ring, R, tuple(distance * component for (component,) in _axes(ring, joint, (screw,))))


def _rodrigues(ring: Ring, joint: Joint, screw: Screw, k: int, q: slice) -> Matrix:
    """R = c 1 + (1 − c) u uᵀ + s [u]×, by the angle of which the joint's k-th velocity is the rate."""
    s, c = (ring.gen(generator) for generator in angles(joint, q)[k])
    u = tuple(component for (component,) in _axes(ring, joint, (screw,)))
    one, u_cross = _identity(ring), _cross(ring, u)
    return tuple(tuple(c * one[i][j] + (1 - c) * u[i] * u[j] + s * u_cross[i][j] for j in range(3)) for i in range(3))


def _axes(ring: Ring, joint: Joint, screws: Sequence[Screw]) -> Matrix:
    """The axes of ``screws`` as columns."""
    if not all(isinstance(component, Fraction) for screw in screws for component in screw.axis):
        raise OracleError(f"an axis of joint {joint.name!r} holds symbols; give numbers, which are known to have length 1")
    return tuple(tuple(ring.number(component) for component in row) for row in zip(*(s.axis for s in screws), strict=True))


def _identity(ring: Ring) -> Matrix:
    return tuple(tuple(ring.number(int(i == j)) for j in range(3)) for i in range(3))


def pseudo_inertia(ring: Ring, inertia: Inertia) -> Matrix:
    """J = [[Σ, m c], [m cᵀ, m]], Σ = ½ tr(I) 1 − I, with I about the frame's origin (kg m², kg m, kg)."""
    zero = Fraction(0)
    I = inertia.about((zero, zero, zero))
    half_trace = (I[0][0] + I[1][1] + I[2][2]) * Fraction(1, 2)
    S = [[(half_trace if i == j else zero) - I[i][j] for j in range(3)] for i in range(3)]
    mc = [inertia.mass * c for c in inertia.com]
    rows = (*((*row, m) for row, m in zip(S, mc, strict=True)), (*mc, inertia.mass))
    return tuple(tuple(ring.number(entry) for entry in row) for row in rows)


def _dot(ring: Ring, a: Sequence[Poly], b: Sequence[Poly]) -> Poly:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ring.number(0))


def _placed(ring: Ring, placement: Placement) -> Matrix:
    R = tuple(tuple(ring.number(entry) for entry in row) for row in placement.rotation.matrix)
    return _homogeneous(ring, R, tuple(ring.number(entry) for entry in placement.translation))


def _homogeneous(ring: Ring, R: Any, p: Any) -> Matrix:
    zero, one = ring.number(0), ring.number(1)
    return (*((*row, component) for row, component in zip(R, p, strict=True)), (zero, zero, zero, one))


def _cross(ring: Ring, u: tuple[Poly, ...]) -> Matrix:
    """[u]×, the matrix of x ↦ u × x."""
    zero, (x, y, z) = ring.number(0), u
    return ((zero, -z, y), (z, zero, -x), (-y, x, zero))
