"""Joints: how a body may move relative to its parent.

======== == == ===================================== =====================================
kind     nq nv position                              velocity
======== == == ===================================== =====================================
revolute 1  1  angle (rad) about the axis            its rate
prismatic 1 1  distance (m) along the axis           its rate
free     7  6  x y z, then quaternion x y z w:       the body's spatial velocity [ω; v]
               the body's pose in the joint's frame  in its own frame
fixed    0  0
======== == == ===================================== =====================================

The body's frame coincides with the joint's frame where the position is zero (for a free joint: the identity pose).
A quaternion's length does not matter; its rotation does.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, basis, unit_vector
from mechanisms.numbers import Scalar, Vector, exact, is_number

AT_PARENT = Placement()
"""A joint's frame that coincides with the parent's."""

Kind = Literal["revolute", "prismatic", "free", "fixed"]

NQ = {"revolute": 1, "prismatic": 1, "free": 7, "fixed": 0}
NV = {"revolute": 1, "prismatic": 1, "free": 6, "fixed": 0}


@dataclass(frozen=True)
class Joint:
    """The joint between a body and its parent.

    ``placement`` is the joint's frame in the parent body's frame; ``axis`` is a unit vector of the joint's frame;
    free and fixed joints have none, and keep z.
    ``armature`` is the rotor inertia seen at the joint (kg m² or kg), which adds armature · q̈ to the joint's force,
    ``damping`` the viscous coefficient, which adds damping · q̇. Both are for revolute and prismatic joints only.
    """

    name: str
    kind: Kind
    axis: Vector = basis()[2]
    placement: Placement = AT_PARENT
    armature: Scalar = Fraction(0)
    damping: Scalar = Fraction(0)

    def __post_init__(self) -> None:
        where = f"joint {self.name!r}"
        if self.kind not in NQ:
            raise MechanismError(f"{where} is of kind {self.kind!r}; use one of {', '.join(NQ)}")
        object.__setattr__(self, "axis", unit_vector(self.axis, f"axis of {where}") if self.nv == 1 else basis()[2])
        for what in ("armature", "damping"):
            value = exact(getattr(self, what), f"{what} of {where}")
            if is_number(value) and value < 0:
                raise MechanismError(f"{what} of {where} is {float(value):g}; give zero or more")
            if is_number(value) and value != 0 and self.nv != 1:
                raise MechanismError(f"{where} is {self.kind} and has {what}; only revolute and prismatic joints may")
            object.__setattr__(self, what, value)

    @property
    def nq(self) -> int:
        return NQ[self.kind]

    @property
    def nv(self) -> int:
        return NV[self.kind]
