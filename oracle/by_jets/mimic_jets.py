"""The moving part of a mimic joint, as a function of its leader's coordinate: a substitution in L, over any field.

    q = k q_l + c,        ∂D/∂q_l = k ∂D,        ∂∂D/∂q_l∂q_l = k² ∂∂D

After the substitution no equation knows of mimic joints. A coordinate then moves several joints, and its terms are sums over
them.
"""

from __future__ import annotations

from typing import NamedTuple

from mechanisms import Joint
from oracle.by_jets.joint_jets import JointConstants, MovingPart, motion
from oracle.fields import Array, Field, array


class MimicConstants(NamedTuple):
    """k and c (1, 1), and whether the leader's coordinate and the mimic joint's own are angles."""

    k: Array
    c: Array
    of_angle: bool
    is_angle: bool


def mimic_constants(joint: Joint, leader: Joint, field: Field) -> MimicConstants | None:
    """The constants of a joint that follows ``leader``; None for a joint with coordinates of its own."""
    if joint.mimic is None:
        return None
    k, c = (array(field, [[x]]) for x in (joint.mimic.multiplier, joint.mimic.offset))
    return MimicConstants(k, c, leader.slots[0].form == "angle", joint.slots[0].form == "angle")


def following(constants: JointConstants, mimic: MimicConstants | None, q: Array, field: Field) -> tuple[Array, MovingPart]:
    """:func:`oracle.by_jets.joint_jets.motion` by the coordinate q (1, batch) of what the joint follows, or by its own."""
    if mimic is None:
        return motion(constants, q, field)
    k, c, of_angle, is_angle = mimic
    own = k * (field.angle(q) if of_angle else q) + c
    B, (D, dD, ddD) = motion(constants, field.position(own) if is_angle else own, field)
    return B, MovingPart(D, k * dD, k * (k * ddD))
