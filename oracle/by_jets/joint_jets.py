"""The transforms of joints and their derivatives, over any field.

A joint's transform is B D: a fixed part B, then a moving part D. This module gives D, ∂ₖD and ∂ₖ∂ₗD at a position q. The
series of D and ∂D in time follow from these (docs/notes/energies.md, eqs. 13, 14). W and P are the generators of a unit turn
about the joint's axis, and of its advance along the axis (eq. 6):

    an angle q                        D = 1 + sin q W + (1 − cos q) W²             eq. 7
    an angle q with advance           D = 1 + sin q W + (1 − cos q) W² + q P       eq. 8; here P already contains the pitch h
    a distance q                      D = 1 + q P                                  eq. 9
    several of these                  D = D₁ D₂ …                                  eq. 10
    a velocity that is the body's     D = 1, ∂ₖD = Nₖ, ∂ₖ∂ₗD = ½ (Nₖ Nₗ + Nₗ Nₖ)   eq. 16, N = W + P

In the last case the joint's pose is part of B. All matrices are 3 × 4, without their last row (:mod:`oracle.by_jets.jets`).

The moving part of a mimic joint is a function of its leader's coordinate: a substitution in L.

    q = k q_l + c,        ∂D/∂q_l = k ∂D,        ∂∂D/∂q_l∂q_l = k² ∂∂D

After the substitution no equation knows of mimic joints. A coordinate then moves several joints, and its terms are sums over
them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from mechanisms import Joint, Placement
from mechanisms.joint_kinds import Slot
from oracle.by_jets.jets import after_rate, compose
from oracle.fields import Array, Field, array


class JointConstants(NamedTuple):
    """The constants of a joint: 1 and the placement B (3, 4, 1), the generators W of turns and P of advances (3, 4, nv, 1)."""

    joint: Joint
    one: Array
    B: Array
    W: Array
    P: Array


class MimicConstants(NamedTuple):
    """k and c (1, 1), and whether the leader's coordinate and the mimic joint's own are angles."""

    k: Array
    c: Array
    of_angle: bool
    is_angle: bool


class MovingPart(NamedTuple):
    """D (3, 4, batch), ∂D (3, 4, nv, batch) and ∂∂D (3, 4, nv, nv, batch) of a joint at one position."""

    D: Array
    dD: Array
    ddD: Array

    def then(self, after: MovingPart) -> MovingPart:
        """The product D₁ D₂, with the coordinates of both."""
        mixed = after_rate(self.dD[:, :, :, None], after.dD[:, :, None])
        first = np.concatenate([compose(self.ddD, after.D), mixed], 3)
        last = np.concatenate([mixed.swapaxes(2, 3), after_rate(self.D, after.ddD)], 3)
        dD = np.concatenate([compose(self.dD, after.D), after_rate(self.D, after.dD)], 2)
        return MovingPart(compose(self.D, after.D), dD, np.concatenate([first, last], 2))


def joint_constants(joint: Joint, field: Field) -> JointConstants:
    """``joint`` over ``field``. Raises :class:`OracleError` if a number of the joint does not exist in the field."""
    zero = (Fraction(0),) * 3
    W = [generator(field, screw.twist[:3] + zero) for screw in joint.screws]
    P = [generator(field, zero + screw.twist[3:]) for screw in joint.screws]
    one = array(field, np.eye(3, 4, dtype=int))[..., None]
    return JointConstants(joint, one, placed(field, joint.placement), np.stack(W, 2), np.stack(P, 2))


def motion(constants: JointConstants, q: Array, field: Field) -> tuple[Array, MovingPart]:
    """B (3, 4, batch) and the moving part of a joint at its position q (nq of the joint, batch)."""
    joint, one, B, W, P = constants
    if joint.velocity_is_body_twist:
        N = W + P
        NN = after_rate(N[:, :, :, None], N[:, :, None])
        return compose(B, pose(constants, q, field)), MovingPart(one, N, (NN + NN.swapaxes(2, 3)) / 2)
    return B, reduce(MovingPart.then, (coordinate(constants, slot, q[slot.q], field) for slot in joint.slots))


def coordinate(constants: JointConstants, slot: Slot, q: Array, field: Field) -> MovingPart:
    """The moving part of one slot of the joint's position; q (numbers of the slot, batch)."""
    one, W, P = constants.one, constants.W[:, :, slot.v], constants.P[:, :, slot.v]
    if slot.form == "circle":
        return turn(one, W, q[:1], q[1:])
    if slot.form == "distance":
        D = one + q * P[:, :, 0]
        return MovingPart(D, P + 0 * D[:, :, None], 0 * D[:, :, None, None])
    rotation = turn(one, W, *field.cos_sin(q))
    if not slot.advances:
        return rotation
    return MovingPart(rotation.D + field.angle(q) * P[:, :, 0], rotation.dD + P, rotation.ddD)


def turn(one: Array, W: Array, c: Array, s: Array) -> MovingPart:
    """1 + s W + (1 − c) W² and its derivatives by the angle; W (3, 4, 1, batch)."""
    WW = after_rate(W, W)
    return MovingPart(one + s * W[:, :, 0] + (1 - c) * WW[:, :, 0], c * W + s * WW, (c * WW - s * W)[:, :, None])


def generator(field: Field, twist: Any) -> Array:
    """N (3, 4, 1) with Ṫ = T N for a frame that moves with ``twist`` = [ω; v], in its own axes."""
    (x, y, z, *v), o = twist, Fraction(0)
    return array(field, ((o, -z, y, v[0]), (z, o, -x, v[1]), (-y, x, o, v[2])))[..., None]


def placed(field: Field, placement: Placement) -> Array:
    """The homogeneous transform of ``placement`` (3, 4, 1)."""
    rows = zip(placement.rotation.matrix, placement.translation, strict=True)
    return array(field, [(*row, p) for row, p in rows])[..., None]


def pose(constants: JointConstants, q: Array, field: Field) -> Array:
    """The pose (3, 4, batch) of a joint whose velocity is the body's own: distances along the axes, then a rotation."""
    *distances, last = constants.joint.slots
    T = rotation(constants, last, q[last.q], field)
    for slot in distances:
        T = T + q[slot.q] * constants.P[:, :, slot.v.start]
    return T


def rotation(constants: JointConstants, slot: Slot, q: Array, field: Field) -> Array:
    """The rotation (3, 4, batch) of one slot; q (numbers of the slot, batch). A quaternion may have any length but zero."""
    if slot.form == "angle":
        return turn(constants.one, constants.W[:, :, slot.v], *field.cos_sin(q)).D
    x, y, z, w = q
    square = x * x + y * y + z * z + w * w
    zero, k = 0 * square, 2 / square
    rows = (
        (1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y), zero),
        (k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x), zero),
        (k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y), zero),
    )
    return np.stack([np.stack(row) for row in rows])


def mimic_constants(joint: Joint, leader: Joint, field: Field) -> MimicConstants | None:
    """The constants of a joint that follows ``leader``; None for a joint with coordinates of its own."""
    if joint.mimic is None:
        return None
    k, c = (array(field, [[x]]) for x in (joint.mimic.multiplier, joint.mimic.offset))
    return MimicConstants(k, c, leader.slots[0].form == "angle", joint.slots[0].form == "angle")


def following(constants: JointConstants, mimic: MimicConstants | None, q: Array, field: Field) -> tuple[Array, MovingPart]:
    """:func:`motion` by the coordinate q (1, batch) of what the joint follows, or by its own."""
    if mimic is None:
        return motion(constants, q, field)
    B, (D, dD, ddD) = motion(constants, own_position(mimic, q, field), field)
    return B, MovingPart(D, mimic.k * dD, mimic.k * (mimic.k * ddD))


def own_position(mimic: MimicConstants | None, q: Array, field: Field) -> Array:
    """The position (1, batch) of a joint, from the coordinate of what it follows, or from its own."""
    if mimic is None:
        return q
    k, c, of_angle, is_angle = mimic
    own = k * (field.angle(q) if of_angle else q) + c
    return field.position(own) if is_angle else own
