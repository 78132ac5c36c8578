"""Mimic joints: joints without a coordinate of their own, which follow another joint: q = multiplier · q_leader + offset."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from mechanisms.numbers.exact import Scalar, exact, require_moderate, shortened


@dataclass(frozen=True)
class Mimic:
    """What a mimic joint follows: its angle (rad) or distance (m) is multiplier · q + offset, with q that of ``joint``.

    ``joint`` is the name of the leader. The leader may be anywhere in the tree. Once a mechanism is made of them, chains of mimic
    joints are resolved: every leader has a coordinate of its own.
    """

    joint: str
    multiplier: Scalar = Fraction(1)
    offset: Scalar = Fraction(0)

    def __post_init__(self) -> None:
        for what in ("multiplier", "offset"):
            value = exact(getattr(self, what), f"{what} of a mimic of joint {self.joint!r}")
            require_moderate((value,), f"{what} of a mimic of joint {self.joint!r}")
            object.__setattr__(self, what, value)

    def after(self, leader: Mimic) -> Mimic:
        """What this joint follows if its leader itself follows ``leader``."""
        k, c = self.multiplier, self.offset
        return Mimic(leader.joint, shortened(k * leader.multiplier), shortened(k * leader.offset + c))
