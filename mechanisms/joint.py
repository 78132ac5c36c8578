"""Joints: how a body may move relative to its parent.

=========== == == ========================================== ==========================================
kind        nq nv position                                   velocity
=========== == == ========================================== ==========================================
revolute    1  1  angle (rad) about the axis                 its rate
continuous  2  1  cosine and sine of that angle              the angle's rate
prismatic   1  1  distance (m) along the axis                its rate
helical     1  1  angle about the axis, along which the      its rate
                  body advances by pitch (m/rad) × angle
cylindrical 2  2  angle about the axis, distance along it    their rates
universal   2  2  angle about the axis, then angle about     their rates
                  the second axis, which moves along
translation 3  3  distances along e₁, e₂, e₃                 their rates
euler-zyx   3  3  angle about e₃, then e₂, then e₁, each     their rates
                  axis moving along; so with the letters
                  of euler-xyz, euler-yxz, euler-zxy
spherical   4  3  quaternion x y z w                         ω in the body's frame
planar      3  3  distances along e₁ and e₂, angle about e₃  [ω₃; v₁, v₂] in the body's frame
free        7  6  x y z, then quaternion x y z w:            [ω; v] in the body's frame
                  the body's pose in the joint's frame
fixed       0  0
=========== == == ========================================== ==========================================

e₁, e₂, e₃ are the joint's **triad**: e₃ is the joint's axis, and the three are x, y, z turned by the smallest rotation
that takes z to it (about x where the axis is −z). Left at z, the axis gives them the names they have.

The body's frame coincides with the joint's frame where the position is zero (where it is the identity, for a
quaternion or a cosine and a sine). A quaternion's length does not matter; cosine and sine must have the length one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple, get_args

from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, basis, cross, smallest_turn, unit_vector
from mechanisms.numbers import Scalar, Vector, exact, is_number

AT_PARENT = Placement()
"""A joint's frame that coincides with the parent's."""

Kind = Literal[
    "revolute",
    "continuous",
    "prismatic",
    "helical",
    "cylindrical",
    "universal",
    "translation",
    "euler-xyz",
    "euler-yxz",
    "euler-zxy",
    "euler-zyx",
    "spherical",
    "planar",
    "free",
    "fixed",
]

KINDS: tuple[Kind, ...] = get_args(Kind)

MOVING: tuple[Kind, ...] = KINDS[:-1]
"""Every kind of joint that moves."""

PARTS: dict[Kind, tuple[str, ...]] = {
    "cylindrical": ("angle", "distance"),
    "universal": ("first", "second"),
    "translation": ("x", "y", "z"),
    "euler-xyz": ("x", "y", "z"),
    "euler-yxz": ("y", "x", "z"),
    "euler-zxy": ("z", "x", "y"),
    "euler-zyx": ("z", "y", "x"),
    "spherical": ("wx", "wy", "wz"),
    "planar": ("w", "vx", "vy"),
    "free": ("wx", "wy", "wz", "vx", "vy", "vz"),
    "fixed": (),
}
"""A name for every component of the velocity, where there is not just one."""

POSITIONS: dict[Kind, tuple[str, ...]] = {
    "continuous": ("cos", "sin"),
    "spherical": ("qx", "qy", "qz", "qw"),
    "planar": ("x", "y", "angle"),
    "free": ("x", "y", "z", "qx", "qy", "qz", "qw"),
}
"""A name for every component of the position, where they are not those of the velocity."""

QUATERNION: dict[Kind, int] = {"spherical": 0, "free": 3}
"""Where a joint's quaternion starts in its position."""

NV: dict[Kind, int] = {kind: len(PARTS.get(kind, ("rate",))) for kind in KINDS}
NQ: dict[Kind, int] = {kind: len(POSITIONS.get(kind, NV[kind] * ("",))) for kind in KINDS}


class Screw(NamedTuple):
    """The unit motion of one coordinate: a turn by one about ``axis`` if it ``turns``, and an advance along it (m)."""

    axis: Vector
    turns: bool
    advance: Scalar


@dataclass(frozen=True)
class Joint:
    """The joint between a body and its parent.

    ``placement`` is the joint's frame in the parent body's frame; ``axis`` is a unit vector of the joint's frame; free,
    spherical and fixed joints have none, and keep z. ``pitch`` (m/rad) is a helical joint's; ``second_axis`` a universal
    joint's, as the joint's frame has it where the position is zero: any unit vector not along ``axis``, e₁ unless given.
    ``armature`` is the rotor inertia seen at the joint (kg m² or kg), which adds armature · q̈ to the joint's force,
    ``damping`` the viscous coefficient, which adds damping · q̇. Both are for joints with one velocity only.
    """

    name: str
    kind: Kind
    axis: Vector = basis()[2]
    placement: Placement = AT_PARENT
    armature: Scalar = Fraction(0)
    damping: Scalar = Fraction(0)
    pitch: Scalar = Fraction(0)
    second_axis: Vector | None = None

    def __post_init__(self) -> None:
        where = f"joint {self.name!r}"
        if self.kind not in NQ:
            raise MechanismError(f"{where} is of kind {self.kind!r}; use one of {', '.join(NQ)}")
        has_axis = self.kind not in ("free", "spherical", "fixed")
        object.__setattr__(self, "axis", unit_vector(self.axis, f"axis of {where}") if has_axis else basis()[2])
        for what in ("armature", "damping", "pitch"):
            value = exact(getattr(self, what), f"{what} of {where}")
            if what != "pitch" and is_number(value) and value < 0:
                raise MechanismError(f"{what} of {where} is {float(value):g}; give zero or more")
            allowed = self.nv == 1 if what != "pitch" else self.kind == "helical"
            if is_number(value) and value != 0 and not allowed:
                only = "joints with one velocity" if what != "pitch" else "helical joints"
                raise MechanismError(f"{where} is {self.kind} and has {what}; only {only} may")
            object.__setattr__(self, what, value)
        self._settle_second_axis(where)

    def _settle_second_axis(self, where: str) -> None:
        if self.kind != "universal":
            if self.second_axis is not None:
                raise MechanismError(f"{where} is {self.kind} and has a second axis; only universal joints may")
            return
        second = self.triad[0] if self.second_axis is None else unit_vector(self.second_axis, f"second axis of {where}")
        if all(is_number(x) and x == 0 for x in cross(self.axis, second)):
            raise MechanismError(f"the axes of {where} are parallel; give two that are not, or make it revolute")
        object.__setattr__(self, "second_axis", second)

    @property
    def nq(self) -> int:
        return NQ[self.kind]

    @property
    def nv(self) -> int:
        return NV[self.kind]

    @property
    def velocity_is_body_twist(self) -> bool:
        """Whether its velocity is the body's, in the body's own frame; else it is the rates of angles and distances."""
        return self.kind in ("spherical", "planar", "free")

    @cached_property
    def triad(self) -> tuple[Vector, Vector, Vector]:
        """e₁, e₂, e₃ in the joint's frame."""
        e1, e2, e3 = zip(*smallest_turn(self.axis).matrix, strict=True)
        return e1, e2, e3

    @cached_property
    def screws(self) -> tuple[Screw, ...]:
        """What each component of the velocity does, in the joint's frame where the position is zero.

        A joint that does not :attr:`velocity_is_body_twist` makes the motion exp(s₁ q₁) exp(s₂ q₂) …, of its screws one after the other.
        """
        e = dict(zip("xyz", self.triad, strict=True))
        turns = {letter: Screw(axis, True, 0) for letter, axis in e.items()}
        slides = {letter: Screw(axis, False, 1) for letter, axis in e.items()}
        if self.kind.startswith("euler-"):
            return tuple(turns[letter] for letter in self.kind.removeprefix("euler-"))
        about, along = Screw(self.axis, True, 0), Screw(self.axis, False, 1)
        second = Screw(self.second_axis or self.axis, True, 0)
        return {
            "revolute": (about,),
            "continuous": (about,),
            "prismatic": (along,),
            "helical": (Screw(self.axis, True, self.pitch),),
            "cylindrical": (about, along),
            "universal": (about, second),
            "translation": tuple(slides.values()),
            "spherical": tuple(turns.values()),
            "planar": (turns["z"], slides["x"], slides["y"]),
            "free": (*turns.values(), *slides.values()),
            "fixed": (),
        }[self.kind]
