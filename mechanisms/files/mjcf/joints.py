"""The bodies of a mechanism from the bodies of MJCF: each joint of several carries a body without mass, the last one the body.

A joint of MJCF turns about an axis through a point of its body, or slides along the axis, and several do so one after the other:
the body's frame moves by E₁(q₁) E₂(q₂) …, with E(q) = Trans(p) Rot(a, q − ref) Trans(−p). Here a joint's frame is at p, and is
moved back by ref, so that q is MuJoCo's. The frame of the body that it carries is there as well, and not where MJCF has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.body import MASSLESS, Body
from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.outline import HERE, WORLD, Outline
from mechanisms.files.mjcf.settings import Settings
from mechanisms.files.mjcf.vocabulary import require_zero
from mechanisms.files.mjcf.words import is_true, one, some, values, word
from mechanisms.files.untrusted_xml import naming, place_of
from mechanisms.geometry import Placement, Rotation, unit_vector
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.mimic import Mimic

KINDS: Mapping[str, Kind] = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
"""The kind of joint for each of MJCF's types."""


@dataclass
class Names:
    """Names that are used; more are made."""

    used: set[str] = field(default_factory=set)

    def new(self, name: str, place: Element | None, kind: str) -> str:
        """The name itself. Raises :class:`MechanismError` if it is used."""
        if name in self.used:
            raise MechanismError(f"the {kind} name {name!r} is used twice; rename one", place_of(place))
        self.used.add(name)
        return name

    def made(self, like: str) -> str:
        """A name that is not used."""
        number, name = 1, like
        while name in self.used:
            number += 1
            name = f"{like} ({number})"
        self.used.add(name)
        return name


@dataclass
class Motor:
    """What motors add to a joint: armature and damping."""

    armature: Fraction = Fraction(0)
    damping: Fraction = Fraction(0)


@dataclass
class Assembler:
    """Makes bodies of outlines, parents first."""

    settings: Settings
    motors: Mapping[str, Motor]
    """By the name of the joint."""
    mimics: Mapping[str, Mimic]
    """By the name of the joint that follows."""
    carriers: dict[int, tuple[str, Placement]] = field(default_factory=dict)
    """By the outline (its id): the body that carries it, and where MJCF's frame is in it."""
    bodies: list[Body] = field(default_factory=list)

    def name(self, outlines: list[Outline]) -> dict[int, list[str]]:
        """Name the bodies that have no name; the names of all joints, by the outline."""
        used, joints = Names({WORLD}), Names()
        for body in outlines[1:]:
            if body.name:
                used.new(body.name, body.element, "body")
            for joint, _ in body.joints:
                if name := joint.get("name"):
                    joints.new(name, joint, "joint")
        names: dict[int, list[str]] = {}
        for number, body in enumerate(outlines):
            body.name = body.name or used.made(f"body {number}")
            several = len(body.joints) > 1
            likes = [
                joint.get("name") or (f"{body.name} {k}" if several else body.name) for k, (joint, _) in enumerate(body.joints)
            ]
            given = [joint.get("name") for joint, _ in body.joints]
            names[id(body)] = [like if own else joints.made(like) for like, own in zip(likes, given, strict=True)]
        self._bodies, self._joints = used, joints
        return names

    def add(self, body: Outline, joints: list[str], inertia: Inertia) -> None:
        """Append the bodies of an outline, whose parent was added. ``inertia`` is in the frame that MJCF gives the body."""
        assert body.parent
        holder, where = self.carriers[id(body.parent)]
        placement = (where @ body.placement).shortened()
        if not body.joints:
            weld = Joint(self._joints.made(body.weld or body.name), "fixed", placement=placement)
            self.bodies.append(Body(body.name, holder, weld, inertia, self._lifted(body, inertia)))
            self.carriers[id(body)] = (body.name, HERE)
            return
        if body.mocap:
            raise MechanismError("it is mocap and has a joint; remove one", place_of(body.element))
        last = len(joints) - 1
        for k, (name, (element, frame)) in enumerate(zip(joints, body.joints, strict=True)):
            with naming(f"joint {name!r}", element):
                joint, offset = self._joint(name, element, frame, body, placement)
            carried = body.name if k == last else self._bodies.made(f"{body.name}/{name}")
            carrier = Body(carried, holder, joint)
            if k == last:
                carrier = replace(carrier, inertia=inertia, lifted=self._lifted(body, inertia)).seen_from(offset)
            self.bodies.append(carrier)
            holder, placement = carried, offset
        self.carriers[id(body)] = (holder, placement)

    def _lifted(self, body: Outline, inertia: Inertia) -> Inertia:
        """What gravity compensation lifts of a body with this inertia."""
        factor = one(body.element, "gravcomp", "0") if body.element is not None else Fraction(0)
        if factor < 0:
            raise MechanismError("its gravcomp is negative, which MuJoCo ignores in some models; give a positive number, or 0")
        return Inertia(factor * inertia.mass, inertia.com) if factor and not self.settings.is_passive_off else MASSLESS

    def _joint(
        self, name: str, element: Element, frame: Placement, body: Outline, placement: Placement
    ) -> tuple[Joint, Placement]:
        """The joint, and where MJCF has the body's frame in that of the joint, which carries it."""
        free = element.tag == "freejoint"
        if self.settings.has_compensation and is_true(element, "actuatorgravcomp"):
            raise MechanismError(
                "actuatorgravcomp makes gravity compensation a motor's force, which is not read; set it to false"
            )
        kind = KINDS["free" if free else word(element, "type", tuple(KINDS), "hinge")]
        if not free:
            require_zero(element, "joint", self.settings.zero)
        if JOINT_KINDS[kind].nv > 1:
            require_zero(element, "joint with several velocities", self.settings.zero)
        if kind == "free":
            if word(element, "align", ("auto", "false", "true"), "auto") == "true":
                raise MechanismError("align turns the body's frame to its principal axes; set it to false")
            if len(body.joints) > 1 or body.parent is None or body.parent.name != WORLD:
                raise MechanismError(
                    "it is free, but its body is not in the world itself or has another joint; make it another type"
                )
            # q is the pose in the world, wherever the file shows the body.
            return Joint(name, kind), HERE
        at = frame(some(element, "pos", 3, "0 0 0"))
        moved = placement @ Placement(translation=at)
        offset = Placement(translation=tuple(-x for x in at))
        if kind == "spherical":
            return Joint(name, kind, placement=moved), offset
        axis = unit_vector(frame.rotation(some(element, "axis", 3, "0 0 1")), "its axis", normalise=True)
        if ref := self.reference(element):
            turn = Rotation.about(axis, -float(ref)) if kind == "revolute" else Rotation.identity()
            slide = tuple(-ref * x for x in axis) if kind == "prismatic" else HERE.translation
            moved = moved @ Placement(turn, slide)
        motor = self.motors.get(name, Motor())
        armature, damping = self._linear(element, "armature") + motor.armature, self._linear(element, "damping") + motor.damping
        stiffness = self._linear(element, "stiffness")
        relaxed = self._position(element, "springref") if stiffness else Fraction(0)
        made = Joint(name, kind, axis, moved.shortened(), armature, damping, mimic=self.mimics.get(name))
        friction = self._linear(element, "frictionloss")
        return replace(made, stiffness=stiffness, rest=relaxed, friction=friction), offset

    def reference(self, joint: Element) -> Fraction:
        """The position in which the file shows a hinge (rad) or slide joint (m)."""
        return self._position(joint, "ref")

    def _position(self, joint: Element, name: str) -> Fraction:
        """An attribute that is a position of a hinge (rad) or slide joint (m)."""
        given = one(joint, name, "0")
        return self.settings.angles.radians(given) if joint.get("type", "hinge") == "hinge" else given

    def _linear(self, element: Element, name: str) -> Fraction:
        """A coefficient; zero where the flag says so. Those of higher degree have to be zero."""
        first, *others = values(element, name, "0") or (Fraction(0),)
        if name in self.settings.zero:
            return Fraction(0)
        if any(others):
            raise MechanismError(f"its {name} is not linear, which is not read; give one number")
        return Fraction(first)
