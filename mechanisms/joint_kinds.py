"""Every kind of joint, declared once: its coordinates, the slots of its position, and its words.

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
                  the second axis, which the first moves
translation 3  3  distances along e₁, e₂, e₃                 their rates
euler-zyx   3  3  angle about e₃, then e₂, then e₁; each     their rates
                  angle moves the axes after it. Also
                  euler-xyz, euler-yxz, euler-zxy
spherical   4  3  quaternion x y z w                         ω in the body's frame
planar      3  3  distances along e₁ and e₂, angle about e₃  [ω₃; v₁, v₂] in the body's frame
free        7  6  x y z, then quaternion x y z w:            [ω; v] in the body's frame
                  the body's pose in the joint's frame
fixed       0  0
=========== == == ========================================== ==========================================

e₁, e₂, e₃ are the joint's **triad**: e₃ is the joint's axis, and the three are x, y, z turned by the smallest rotation
that takes z to it (about x where the axis is −z). If the axis is z, they are x, y, z.

The body's frame coincides with the joint's frame where the position is zero. For a quaternion or a cosine and sine, position
zero means the identity rotation. A quaternion may have any length but zero; cosine and sine must have the length one.

A new kind is one name in :data:`Kind` and one entry in :data:`JOINT_KINDS`. Both derivations and all adapters read the entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

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

Form = Literal["angle", "distance", "circle", "quaternion"]
"""The form of a slot: an angle (rad), a distance (m), an angle's cosine and sine, or a quaternion x y z w."""

SIZES: dict[Form, int] = {"angle": 1, "distance": 1, "circle": 2, "quaternion": 4}
"""How many numbers of q a slot of each form has."""

UNITS: dict[Form, str] = {"angle": "rad", "distance": "m", "circle": "cosine, sine", "quaternion": "quaternion x y z w"}

Direction = Literal["axis", "second axis", "x", "y", "z"]
"""The joint's axis, its second axis, or e₁, e₂, e₃ of its triad."""


class Coordinate(NamedTuple):
    """One component of a velocity: the body's motion where this component is one and the others are zero.

    The body turns about ``direction`` by 1 rad per unit of this component if ``turns``. The body advances along ``direction`` by
    0, by 1 m or by the pitch, per unit of this component.
    """

    name: str
    direction: Direction
    turns: bool
    advance: Literal["nothing", "one", "pitch"]


class Slot(NamedTuple):
    """One typed part of a joint's position."""

    form: Form
    q: slice
    """Its numbers in the joint's position."""
    v: slice
    """The components of the joint's velocity that change it."""
    advances: bool
    """Whether the body moves along the slot's axis as the slot grows."""
    names: tuple[str, ...]
    """A name for every number of it."""


@dataclass(frozen=True, eq=False)
class JointKind:
    """What all joints of one kind have in common.

    The velocity of most kinds is the rates of their slots. They have one coordinate for every slot, in the same order, and the
    body makes the motions of the slots one after the other: each motion moves the axes of those after it.

    Where ``velocity_is_body_twist``, the velocity is the body's own [ω; v] in the body's frame: turning coordinates come first,
    then sliding ones. The position then is a pose: one distance for every sliding coordinate, then an angle or a quaternion.
    """

    coordinates: tuple[Coordinate, ...]
    forms: tuple[Form, ...]
    velocity_is_body_twist: bool = False
    has_axis: bool = True
    """Whether the joint's axis has a meaning. Without one the triad is x, y, z."""
    singular_angle: int | None = None
    """Index of the angle that makes M singular at ±90°, where two other axes become parallel."""
    urdf: str | None = None
    """The URDF type that is written for this kind. A continuous joint is read as revolute."""
    position_description: str | None = None
    """Text for legends; default: the units of the slots."""

    @cached_property
    def nq(self) -> int:
        return sum(SIZES[form] for form in self.forms)

    @cached_property
    def nv(self) -> int:
        return len(self.coordinates)

    @property
    def compound(self) -> bool:
        """Whether the joint makes several motions, one after the other, so that its motion subspace depends on q."""
        return self.nv > 1 and not self.velocity_is_body_twist

    @property
    def takes_armature_and_damping(self) -> bool:
        return self.nv == 1

    @property
    def takes_pitch(self) -> bool:
        return any(coordinate.advance == "pitch" for coordinate in self.coordinates)

    @property
    def takes_second_axis(self) -> bool:
        return any(coordinate.direction == "second axis" for coordinate in self.coordinates)

    @property
    def distances(self) -> int:
        """How many slots are distances."""
        return self.forms.count("distance")

    @property
    def pose(self) -> Kind | None:
        """The kind of joint with the same motions in another triad, where the velocity is the body's twist; else None."""
        if not self.velocity_is_body_twist:
            return None
        return "planar" if "angle" in self.forms else "free" if self.distances else "spherical"

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        made: list[Slot] = []
        turning, start = self.nv - self.distances, 0
        for k, form in enumerate(self.forms):
            q = slice(start, start := start + SIZES[form])
            if not self.velocity_is_body_twist:
                v = slice(k, k + 1)
            else:
                v = slice(turning + k, turning + k + 1) if form == "distance" else slice(0, turning)
            coordinate = self.coordinates[v][0]
            made.append(Slot(form, q, v, coordinate.advance != "nothing", self._names(form, coordinate)))
        return tuple(made)

    def _names(self, form: Form, coordinate: Coordinate) -> tuple[str, ...]:
        name, direction, *_ = coordinate
        if form == "quaternion":
            return ("qx", "qy", "qz", "qw")
        if self.velocity_is_body_twist:
            name = {"angle": "angle", "distance": direction, "circle": ""}[form]
        return (name,) if form != "circle" else tuple(f"{name}.{part}" if name else part for part in ("cos", "sin"))

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for every component of the velocity; empty where there is just one."""
        return tuple(coordinate.name for coordinate in self.coordinates)

    @property
    def position_names(self) -> tuple[str, ...]:
        """A name for every component of the position; empty where there is just one."""
        return tuple(name for slot in self.slots for name in slot.names)

    @property
    def position_units(self) -> str:
        """What the position is, in words."""
        units = [UNITS[form] for form in self.forms]
        return self.position_description or ", ".join(units if len(set(units)) > 1 else units[:1])

    @property
    def velocity_units(self) -> str | None:
        """What the velocity is, in words; None where it is the rate of the position."""
        if self.velocity_is_body_twist:
            return "[ω; v] in its frame" if self.distances else "ω in its frame"
        return ("the angle's rate" if self.nv == 1 else "their rates") if "circle" in self.forms else None


def turn(direction: Direction, name: str = "") -> Coordinate:
    return Coordinate(name, direction, True, "nothing")


def slide(direction: Direction, name: str = "") -> Coordinate:
    return Coordinate(name, direction, False, "one")


def euler(first: Direction, second: Direction, third: Direction) -> JointKind:
    """Angles about three axes of the triad, one after the other."""
    # At a quarter turn of the second angle the third axis lies along the first.
    coordinates = tuple(turn(letter, letter) for letter in (first, second, third))
    return JointKind(coordinates, ("angle",) * 3, singular_angle=1)


ABOUT_XYZ = (turn("x", "wx"), turn("y", "wy"), turn("z", "wz"))

JOINT_KINDS: dict[Kind, JointKind] = {
    "revolute": JointKind((turn("axis"),), ("angle",), urdf="revolute"),
    "continuous": JointKind((turn("axis"),), ("circle",), urdf="continuous"),
    "prismatic": JointKind((slide("axis"),), ("distance",), urdf="prismatic"),
    "helical": JointKind((Coordinate("", "axis", True, "pitch"),), ("angle",)),
    "cylindrical": JointKind((turn("axis", "angle"), slide("axis", "distance")), ("angle", "distance")),
    "universal": JointKind((turn("axis", "first"), turn("second axis", "second")), ("angle", "angle")),
    "translation": JointKind((slide("x", "x"), slide("y", "y"), slide("z", "z")), ("distance",) * 3),
    "euler-xyz": euler("x", "y", "z"),
    "euler-yxz": euler("y", "x", "z"),
    "euler-zxy": euler("z", "x", "y"),
    "euler-zyx": euler("z", "y", "x"),
    "spherical": JointKind(ABOUT_XYZ, ("quaternion",), velocity_is_body_twist=True, has_axis=False),
    "planar": JointKind(
        (turn("z", "w"), slide("x", "vx"), slide("y", "vy")),
        ("distance", "distance", "angle"),
        velocity_is_body_twist=True,
        urdf="planar",
    ),
    "free": JointKind(
        (*ABOUT_XYZ, slide("x", "vx"), slide("y", "vy"), slide("z", "vz")),
        ("distance", "distance", "distance", "quaternion"),
        velocity_is_body_twist=True,
        has_axis=False,
        urdf="floating",
        position_description="x y z, quaternion x y z w",
    ),
    "fixed": JointKind((), (), has_axis=False, urdf="fixed"),
}

MOVING: tuple[Kind, ...] = tuple(kind for kind, declared in JOINT_KINDS.items() if declared.nv)
"""Every kind of joint that moves."""
