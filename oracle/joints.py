"""How joints move their bodies: transforms and their derivatives, over any field.

A joint's transform is a fixed part B followed by a moving part D, as in :mod:`oracle.energy`. Where the coordinates run
along q(t) = q + v t + ½ a t², to second order

    D(t) = D + Σₖ ∂ₖD vₖ t + ½ (Σₖ ∂ₖD aₖ + Σₖₗ ∂ₖ∂ₗD vₖ vₗ) t²,        ∂ₖD(t) = ∂ₖD + Σₗ ∂ₖ∂ₗD vₗ t,

so all that a joint has to say is D, ∂D and ∂∂D where it is. With N = [[ω×, v], [0, 0]] the generator of a unit screw,
D = Exp(q N) (K. Lynch, F. Park, "Modern Robotics", 2017, §3.3.3):

    revolute    N = [[u×, 0], [0, 0]]     D = 1 + sin q N + (1 − cos q) N²     Rodrigues' formula, as N³ = −N
    prismatic   N = [[0, u], [0, 0]]      D = 1 + q N                          as N² = 0
    free        N₁ … N₆                   D = Exp(Σ δₖ Nₖ) at δ = 0: 1, Nₖ, ½ (Nₖ Nₗ + Nₗ Nₖ); its pose is part of B

where δ̇ and δ̈ are a free joint's velocity and acceleration, as :mod:`oracle.energy` shows.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from mechanisms import Joint, Placement
from oracle.errors import OracleError
from oracle.fields import Array, Field, array
from oracle.jets import Jet, mul


class Pair(NamedTuple):
    """What is constant in a joint: 1 and the placement B (4, 4, 1), generators N (4, 4, nv, 1), products NN (4, 4, nv, nv, 1)."""

    joint: Joint
    one: Array
    B: Array
    N: Array
    NN: Array


class Motion(NamedTuple):
    """A joint where it is: B, D (4, 4, batch), ∂D (4, 4, nv, batch) and ∂∂D (4, 4, nv, nv, batch)."""

    B: Array
    D: Array
    dD: Array
    ddD: Array

    def along(self, v: Array, a: Array) -> tuple[Jet, Jet]:
        """B D to second and B ∂D to first order in time, moving with v and a (nv, batch)."""
        turn = (self.ddD * v).sum(-2)
        D = Jet(self.D, (self.dD * v).sum(-2), (self.dD * a + turn * v).sum(-2) / 2)
        return D.each(lambda x: mul(self.B, x)), Jet(self.dD, turn).each(lambda x: mul(self.B, x))


def pair(joint: Joint, field: Field) -> Pair:
    """``joint`` over ``field``. Raises :class:`OracleError` for scalars that are none of the field's."""
    none = (Fraction(0),) * 3
    twists: dict[str, Any] = {"revolute": [joint.axis + none], "prismatic": [none + joint.axis], "free": np.eye(6, dtype=int)}
    N = np.stack([generator(field, twist) for twist in twists[joint.kind]], 2)
    one = array(field, np.eye(4, dtype=int))[..., None]
    return Pair(joint, one, placed(field, joint.placement), N, mul(N[:, :, :, None], N[:, :, None]))


def motion(pair: Pair, q: Array, field: Field) -> Motion:
    """The joint at its position q (nq of the joint, batch).

    Raises :class:`OracleError` for a free joint's quaternion of length zero.
    """
    joint, one, B, N, NN = pair
    if joint.kind == "free":
        return Motion(mul(B, pose(joint, q)), one, N, (NN + NN.swapaxes(2, 3)) / 2)
    if joint.kind == "prismatic":
        return Motion(B, one + q * N[:, :, 0], N, 0 * NN)
    c, s = field.cos_sin(q)
    D = one + s * N[:, :, 0] + (1 - c) * NN[:, :, 0, 0]
    return Motion(B, D, c * N + s * NN[:, :, 0], c * NN - s * N[:, :, None])


def generator(field: Field, twist: Any) -> Array:
    """N (4, 4, 1), the rate of a transform, seen from the frame that it moves, at the velocity ``twist`` = [ω; v]."""
    (x, y, z, *v), o = twist, Fraction(0)
    return array(field, ((o, -z, y, v[0]), (z, o, -x, v[1]), (-y, x, o, v[2]), (o,) * 4))[..., None]


def placed(field: Field, placement: Placement) -> Array:
    """The homogeneous transform of ``placement`` (4, 4, 1)."""
    rows = zip(placement.rotation.matrix, placement.translation, strict=True)
    return array(field, [*((*row, p) for row, p in rows), (Fraction(0),) * 3 + (Fraction(1),)])[..., None]


def pose(joint: Joint, q: Array) -> Array:
    """A free joint's pose (4, 4, batch); dividing by |e|² allows a quaternion e of any length, and needs no root."""
    px, py, pz, x, y, z, w = q
    square = x * x + y * y + z * z + w * w
    if not np.all(square != 0):
        raise OracleError(f"a quaternion of joint {joint.name!r} is zero; give any other")
    zero, k = 0 * square, 2 / square
    rows = (
        (1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y), px),
        (k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x), py),
        (k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y), pz),
        (zero, zero, zero, zero + 1),
    )
    return np.array(rows)
