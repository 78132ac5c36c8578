"""How joints move their bodies: transforms and their derivatives, over any field.

A joint's transform is a fixed part B followed by a moving part D, as in :mod:`oracle.symbolic.energies`. Where the coordinates run
along q(t) = q + v t + ½ a t², to second order

    D(t) = D + Σₖ ∂ₖD vₖ t + ½ (Σₖ ∂ₖD aₖ + Σₖₗ ∂ₖ∂ₗD vₖ vₗ) t²,        ∂ₖD(t) = ∂ₖD + Σₗ ∂ₖ∂ₗD vₗ t,

so all that a joint has to say is D, ∂D and ∂∂D where it is. With W = [[u×, 0], [0, 0]] and P = [[0, u], [0, 0]] the
generators of a unit turn about the axis u and of a unit slide along it, D is made of (K. Lynch, F. Park, "Modern
Robotics", 2017, §3.3.3)

    an angle q           1 + sin q W + (1 − cos q) W² + q h P        Rodrigues' formula, as W³ = −W; h is the pitch, as W P = 0
    a distance q         1 + q P                                     as P² = 0
    several of these     D₁ D₂ …                                     one after the other
    a moving frame       Exp(Σ δₖ Nₖ) at δ = 0: 1, Nₖ, ½ (Nₖ Nₗ + Nₗ Nₖ)

where N are the generators of a spherical, planar or free joint, whose pose is part of B, and δ̇ and δ̈ are its velocity and
acceleration, as :mod:`oracle.symbolic.energies` shows.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from mechanisms import Joint, Placement
from mechanisms.joint_kinds import Slot
from oracle.by_jets.jets import Jet, mul
from oracle.errors import OracleError
from oracle.fields import Array, Field, array


class Pair(NamedTuple):
    """What is constant in a joint: 1 and the placement B (4, 4, 1), generators W of turns and P of advances (4, 4, nv, 1)."""

    joint: Joint
    one: Array
    B: Array
    W: Array
    P: Array


class Moved(NamedTuple):
    """D (4, 4, batch), ∂D (4, 4, nv, batch) and ∂∂D (4, 4, nv, nv, batch) of a joint where it is."""

    D: Array
    dD: Array
    ddD: Array

    def then(self, after: Moved) -> Moved:
        """The product D₁ D₂, whose coordinates are those of both."""
        mixed = mul(self.dD[:, :, :, None], after.dD[:, :, None])
        first = np.concatenate([mul(self.ddD, after.D), mixed], 3)
        last = np.concatenate([mixed.swapaxes(2, 3), mul(self.D, after.ddD)], 3)
        dD = np.concatenate([mul(self.dD, after.D), mul(self.D, after.dD)], 2)
        return Moved(mul(self.D, after.D), dD, np.concatenate([first, last], 2))


def along(B: Array, at: Moved, v: Array, a: Array) -> tuple[Jet, Jet]:
    """B D to second and B ∂D to first order in time, moving with v and a (nv, batch)."""
    turn = (at.ddD * v).sum(-2)
    D = Jet(at.D, (at.dD * v).sum(-2), (at.dD * a + turn * v).sum(-2) / 2)
    return D.each(lambda x: mul(B, x)), Jet(at.dD, turn).each(lambda x: mul(B, x))


def pair(joint: Joint, field: Field) -> Pair:
    """``joint`` over ``field``. Raises :class:`OracleError` for scalars that are none of the field's."""
    none = (Fraction(0),) * 3
    W = [generator(field, screw.twist[:3] + none) for screw in joint.screws]
    P = [generator(field, none + screw.twist[3:]) for screw in joint.screws]
    one = array(field, np.eye(4, dtype=int))[..., None]
    return Pair(joint, one, placed(field, joint.placement), np.stack(W, 2), np.stack(P, 2))


def motion(pair: Pair, q: Array, field: Field) -> tuple[Array, Moved]:
    """The joint at its position q (nq of the joint, batch): B (4, 4, batch), the pose of a moving frame included, and D.

    Raises :class:`OracleError` for a quaternion of length zero.
    """
    joint, one, B, W, P = pair
    if joint.velocity_is_body_twist:
        N = W + P
        NN = mul(N[:, :, :, None], N[:, :, None])
        return mul(B, pose(pair, q, field)), Moved(one, N, (NN + NN.swapaxes(2, 3)) / 2)
    return B, reduce(Moved.then, (coordinate(pair, slot, q[slot.q], field) for slot in joint.slots))


def coordinate(pair: Pair, slot: Slot, q: Array, field: Field) -> Moved:
    """The motion of one slot of the joint's position, whose numbers are q (their number, batch)."""
    one, W, P = pair.one, pair.W[:, :, slot.v], pair.P[:, :, slot.v]
    if slot.form == "circle":
        return turn(one, W, q[:1], q[1:])
    if slot.form == "distance":
        D = one + q * P[:, :, 0]
        return Moved(D, P + 0 * D[:, :, None], 0 * D[:, :, None, None])
    turned = turn(one, W, *field.cos_sin(q))
    if not slot.advances:
        return turned
    return Moved(turned.D + field.angle(q) * P[:, :, 0], turned.dD + P, turned.ddD)


def turn(one: Array, W: Array, c: Array, s: Array) -> Moved:
    """1 + s W + (1 − c) W² and its derivatives by the angle, W (4, 4, 1, batch)."""
    WW = mul(W, W)
    return Moved(one + s * W[:, :, 0] + (1 - c) * WW[:, :, 0], c * W + s * WW, (c * WW - s * W)[:, :, None])


def generator(field: Field, twist: Any) -> Array:
    """N (4, 4, 1), the rate of a transform, seen from the frame that it moves, at the velocity ``twist`` = [ω; v]."""
    (x, y, z, *v), o = twist, Fraction(0)
    return array(field, ((o, -z, y, v[0]), (z, o, -x, v[1]), (-y, x, o, v[2]), (o,) * 4))[..., None]


def placed(field: Field, placement: Placement) -> Array:
    """The homogeneous transform of ``placement`` (4, 4, 1)."""
    rows = zip(placement.rotation.matrix, placement.translation, strict=True)
    return array(field, [*((*row, p) for row, p in rows), (Fraction(0),) * 3 + (Fraction(1),)])[..., None]


def pose(pair: Pair, q: Array, field: Field) -> Array:
    """The pose (4, 4, batch) of a spherical, planar or free joint; a quaternion is divided by |e|², which needs no root."""
    *slides, turning = pair.joint.slots
    T = rotation(pair, turning, q[turning.q], field)
    for slide in slides:
        T = T + q[slide.q] * pair.P[:, :, slide.v.start]
    return T


def rotation(pair: Pair, slot: Slot, q: Array, field: Field) -> Array:
    """The rotation (4, 4, batch) that one slot of the position holds, whose numbers are q (their number, batch)."""
    if slot.form == "angle":
        return turn(pair.one, pair.W[:, :, slot.v], *field.cos_sin(q)).D
    x, y, z, w = q
    square = x * x + y * y + z * z + w * w
    try:
        is_zero_somewhere = not np.all(square != 0)
    except TypeError:  # a degree stands for a function, and a function that is drawn is not zero
        is_zero_somewhere = False
    if is_zero_somewhere:
        raise OracleError(f"a quaternion of joint {pair.joint.name!r} is zero; give any other")
    zero, k = 0 * square, 2 / square
    rows = (
        (1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y), zero),
        (k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x), zero),
        (k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y), zero),
        (zero, zero, zero, zero + 1),
    )
    return np.array(rows)
