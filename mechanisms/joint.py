"""Joints: how a body may move relative to its parent. :mod:`mechanisms.joint_kinds` declares the kinds of joints."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, basis, cross, smallest_turn, unit_vector
from mechanisms.joint_forces import JOINT_FORCES, JOINT_PARAMETERS, NO_DYNAMICS
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, JointKind, Kind, Slot
from mechanisms.mimic import Mimic
from mechanisms.numbers.exact import Scalar, Vector, exact, is_number, require_moderate

__all__ = ["MOVING", "Joint", "Kind", "Screw"]

AT_PARENT = Placement()
"""A joint's frame that coincides with the parent's."""


class Screw(NamedTuple):
    """The unit motion of one coordinate: a turn by one about ``axis`` if it ``turns``, and an advance along it (m)."""

    axis: Vector
    turns: bool
    advance: Scalar

    @property
    def twist(self) -> Vector:
        """[ω; v] (6,): the velocity of the body relative to its parent where this coordinate's rate is one, at position zero."""
        return (*(x * int(self.turns) for x in self.axis), *(x * self.advance for x in self.axis))


@dataclass(frozen=True)
class Joint:
    """The joint between a body and its parent.

    ``placement`` is the joint's frame in the parent body's frame. ``axis`` is a unit vector of the joint's frame; free,
    spherical and fixed joints have no axis, and keep z. ``pitch`` (m/rad) belongs to helical joints. ``second_axis`` belongs to
    universal joints: a unit vector of the joint's frame at position zero, not parallel to ``axis``, by default e₁.
    ``armature`` is the rotor inertia seen at the joint (kg m² or kg), which adds armature · q̈ to the joint's force.
    ``damping`` is the viscous coefficient, which adds damping · q̇, and ``friction`` (N m or N) that of Coulomb's law, which adds
    friction · sign(q̇). Only joints with one velocity have these three.
    ``stiffness`` (N m/rad or N/m) is that of a spring, which adds stiffness · (q − rest); it pushes back to the position ``rest``
    (rad or m). Only joints whose position is one angle or one distance have a spring. See :mod:`mechanisms.joint_forces`.
    ``mimic`` names another joint, which this one follows; then it has no coordinate of its own. It must be revolute, prismatic or
    helical, and so must the other.
    """

    name: str
    kind: Kind
    axis: Vector = basis()[2]
    placement: Placement = AT_PARENT
    armature: Scalar = Fraction(0)
    damping: Scalar = Fraction(0)
    pitch: Scalar = Fraction(0)
    second_axis: Vector | None = None
    mimic: Mimic | None = field(default=None, repr=False)
    stiffness: Scalar = field(default=Fraction(0), repr=False)
    rest: Scalar = field(default=Fraction(0), repr=False)
    friction: Scalar = field(default=Fraction(0), repr=False)

    def __post_init__(self) -> None:
        where = f"joint {self.name!r}"
        if self.kind not in JOINT_KINDS:
            raise MechanismError(f"{where} is of kind {self.kind!r}; use one of {', '.join(JOINT_KINDS)}")
        kind = self.description
        object.__setattr__(self, "axis", unit_vector(self.axis, f"axis of {where}") if kind.has_axis else basis()[2])
        for what in ("pitch", *NO_DYNAMICS):
            value = exact(getattr(self, what), f"{what} of {where}")
            signed = what == "pitch" or (what in JOINT_PARAMETERS and JOINT_PARAMETERS[what].signed)
            if not signed and is_number(value) and value < 0:
                raise MechanismError(f"{what} of {where} is {float(value):g}; give zero or more")
            allowed = kind.takes_pitch if what == "pitch" else kind.takes_armature_and_damping
            if is_number(value) and value != 0 and not allowed:
                only = f"{_those('takes_pitch')} joints" if what == "pitch" else "joints with one velocity"
                raise MechanismError(f"{where} is {self.kind} and has {what}; only {only} may")
            require_moderate((value,), f"{what} of {where}")
            object.__setattr__(self, what, value)
        self._check_second_axis(where)
        for name, force in JOINT_FORCES.items():
            if force.has_energy and any(getattr(self, parameter) != 0 for parameter in force.parameters):
                self.require_one_slot(f"has {force.words}", f"the {name}")
        if self.mimic is not None:
            self.require_one_slot(f"mimics joint {self.mimic.joint!r}")

    def _check_second_axis(self, where: str) -> None:
        if not self.description.takes_second_axis:
            if self.second_axis is not None:
                only = _those("takes_second_axis")
                raise MechanismError(f"{where} is {self.kind} and has a second axis; only {only} joints may")
            return
        second = self.triad[0] if self.second_axis is None else unit_vector(self.second_axis, f"second axis of {where}")
        if all(is_number(x) and x == 0 for x in cross(self.axis, second)):
            raise MechanismError(f"the axes of {where} are parallel; give two that are not, or make it revolute")
        object.__setattr__(self, "second_axis", second)

    def require_one_slot(self, what: str, remove: str = "the mimic") -> None:
        """Raise :class:`MechanismError` unless the position is one angle or one distance, as it must be if the joint ``what``."""
        if len(self.slots) != 1 or self.slots[0].form not in ("angle", "distance"):
            remedy = f"only revolute, prismatic and helical joints may, so remove {remove} or change the joint"
            raise MechanismError(f"joint {self.name!r} is {self.kind} and {what}; {remedy}", about=("joint", self.name))

    @property
    def description(self) -> JointKind:
        """What all joints of its kind have in common."""
        return JOINT_KINDS[self.kind]

    @property
    def dynamics(self) -> dict[str, Scalar]:
        """Armature and the parameters of all forces, by name, which are zero for what it does not have."""
        return {name: getattr(self, name) for name in NO_DYNAMICS}

    @property
    def forces(self) -> dict[str, dict[str, Scalar]]:
        """The forces of :mod:`mechanisms.joint_forces` that it has, with their parameters, by name."""
        found = {name: {one: getattr(self, one) for one in force.parameters} for name, force in JOINT_FORCES.items()}
        return {name: numbers for name, numbers in found.items() if next(iter(numbers.values())) != 0}

    @property
    def nq(self) -> int:
        return self.description.nq

    @property
    def nv(self) -> int:
        return self.description.nv

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The parts of its position."""
        return self.description.slots

    @property
    def velocity_is_body_twist(self) -> bool:
        """Whether its velocity is the body's, in the body's own frame; else it is the rates of its slots."""
        return self.description.velocity_is_body_twist

    @property
    def pose(self) -> Kind | None:
        """See :attr:`mechanisms.joint_kinds.JointKind.pose`."""
        return self.description.pose

    @property
    def compound(self) -> bool:
        """Whether it makes several motions, one after the other, so that its motion subspace depends on q."""
        return self.description.compound

    @cached_property
    def triad(self) -> tuple[Vector, Vector, Vector]:
        """e₁, e₂, e₃ in the joint's frame."""
        e1, e2, e3 = zip(*smallest_turn(self.axis).matrix, strict=True)
        return e1, e2, e3

    @cached_property
    def screws(self) -> tuple[Screw, ...]:
        """The screw of each component of the velocity, in the joint's frame, at position zero.

        Unless :attr:`velocity_is_body_twist`, the joint makes the motion exp(s₁ q₁) exp(s₂ q₂) …, one screw after the other.
        """
        directions = {"axis": self.axis, "second axis": self.second_axis or self.axis}
        directions |= zip("xyz", self.triad, strict=True)
        advances = {"nothing": 0, "one": 1, "pitch": self.pitch}
        return tuple(Screw(directions[x.direction], x.turns, advances[x.advance]) for x in self.description.coordinates)


def _those(trait: str) -> str:
    """The kinds of joints that have a trait of :class:`JointKind`."""
    return " and ".join(kind for kind, declared in JOINT_KINDS.items() if getattr(declared, trait))
