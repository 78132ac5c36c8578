"""The transforms of bodies and the two energies, from 4×4 matrices alone; docs/notes/energies.md derives them.

    E_kin = ½ Σᵦ tr(Ṫᵦ Jᵦ Ṫᵦᵀ),        V = −Σᵦ [gᵀ 0] Tᵦ Wᵦ                          (eqs. 3, 4; text 001, without its ω and I)

Tᵦ is the homogeneous transform of body b, and Jᵦ = ∫ x xᵀ dm with x = (position in the body, 1) its pseudo-inertia. W is
J e₄, less that of the mass that gravity compensation lifts. Source: J. J. Uicker, "On the dynamic analysis of spatial linkages
using 4×4 matrices", Northwestern University, 1965.

The transform of a joint is B D. B is fixed. D is Rodrigues' rotation for every angle, and a translation for every distance, in
the order of :attr:`Joint.screws` (eqs. 7–10). For a joint whose velocity is the body's own, B includes the present pose, and D
= Exp(δ) displaces the body from there, to second order in δ (eq. 11). After one differentiation, first order suffices; the note
says why. This is the ring's normal form. At δ = 0, δ̇ and δ̈ are the joint's velocity and acceleration (eq. 12).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mechanisms import Body, Inertia, Joint, Placement
from mechanisms.joint import Screw
from mechanisms.joint_kinds import Slot
from oracle.errors import OracleError
from oracle.symbolic.ring import Matrix, Poly, Ring, angles


def product(ring: Ring, *factors: Matrix) -> Matrix:
    """The matrix product, every entry in normal form."""
    *lefts, right = factors
    while lefts:
        left, columns = lefts.pop(), tuple(zip(*right, strict=True))
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
    """B: the joint's placement, and the present pose of a joint whose velocity is the body's own."""
    B = _placed(ring, joint.placement)
    if not joint.velocity_is_body_twist:
        return B
    *distances, last = joint.slots
    lengths = [ring.position(q.start + slot.q.start) for slot in distances]
    axes = _axes(ring, joint, [joint.screws[slot.v.start] for slot in distances])
    p = tuple(_dot(ring, lengths, row) for row in axes) if distances else (ring.number(0),) * 3
    if last.form == "angle":
        k = last.v.start
        return product(ring, B, _homogeneous(ring, _rodrigues(ring, joint, joint.screws[k], k, q), p))
    x, y, z, w = (ring.position(k) for k in range(q.start + last.q.start, q.start + last.q.stop))
    # The quaternion has unit length in the ring, so w² + x² − y² − z² is 1 − 2y² − 2z², and so on.
    R = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return product(ring, B, _homogeneous(ring, R, p))


def moving_part(ring: Ring, joint: Joint, q: slice, v: slice) -> Matrix:
    """D: the moving part, which is the identity where the coordinates are zero."""
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
    distance = ring.number(screw.advance) * _length(ring, joint, slot, q) if slot.advances else ring.number(0)
    return _homogeneous(ring, R, tuple(distance * component for (component,) in _axes(ring, joint, (screw,))))


def _length(ring: Ring, joint: Joint, slot: Slot, q: slice) -> Poly:
    """The slot's distance, or its angle; for a mimic joint k q + c, with q that of its leader."""
    position = ring.position(q.start + slot.q.start)
    return ring.number(joint.mimic.multiplier) * position + ring.number(joint.mimic.offset) if joint.mimic else position


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


def weighed(ring: Ring, body: Body) -> Matrix:
    """W = [m c; m] (4, 1) of the body's mass (kg m, kg), less that of the mass that is lifted."""
    (m, c), (lifted, at) = ((part.mass, part.com) for part in (body.inertia, body.lifted))
    moment = (m * x - lifted * y for x, y in zip(c, at, strict=True))
    return tuple((ring.number(x),) for x in (*moment, m - lifted))


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
