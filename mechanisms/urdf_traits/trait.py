"""A trait: a small URDF file with one peculiarity, and what is right to make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mechanisms.reading import Mass, Numbers, ReadJoint


@dataclass(frozen=True)
class Trait:
    """A file with one peculiarity.

    ``joints`` is the right reading, parents first, otherwise in the order of the file; None where there is none, so that a
    reader must refuse the file. With ``may_refuse`` the file breaks a rule, or leaves out what a reader may well need: to refuse
    it is as right as to read it so.
    """

    name: str
    text: str | bytes
    why: str
    """The reason, with its source."""
    joints: tuple[ReadJoint, ...] | None
    may_refuse: bool = False
    named: str = ""
    """What the sentence has to contain with which our own reader refuses the file; empty if our reader reads it."""
    aloud: str = ""
    """What our reader has to say of what it ignores; empty if it ignores nothing aloud."""

    @property
    def right(self) -> str:
        """What is right, in a word: "read", "refuse" or "either"."""
        return "refuse" if self.joints is None else "either" if self.may_refuse else "read"


def right(
    name: str,
    text: str | bytes,
    why: str,
    *joints: ReadJoint,
    may_refuse: bool | None = None,
    named: str = "",
    aloud: str = "",
) -> Trait:
    """A file that has a right reading. By default, whatever our reader refuses may be refused."""
    return Trait(name, text, why, joints, bool(named) if may_refuse is None else may_refuse, named, aloud)


def refused(name: str, text: str | bytes, why: str, named: str) -> Trait:
    """A file that has no right reading."""
    return Trait(name, text, why, None, True, named)


AT = '<origin xyz="0 0 1"/>'
HERE = '<origin xyz="0 0 0"/>'
AXIS = '<axis xyz="0 1 0"/>'
LIMIT = '<limit lower="-3" upper="3" effort="100" velocity="10"/>'
MASS = '<mass value="2"/>'
INERTIA = '<inertia ixx="0.5" ixy="0.01" ixz="0.02" iyy="0.6" iyz="0.03" izz="0.7"/>'
INERTIAL = f'<inertial><origin xyz="0.1 0.2 0.3"/>{MASS}{INERTIA}</inertial>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'  <link name="{name}">{inside}</link>\n'


def joint(name: str, parent: str, child: str, inside: str = AT + AXIS, type_: str = "revolute", limit: str = LIMIT) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'  <joint name="{name}" type="{type_}">{ends}{inside}{limit}</joint>\n'


def weld(name: str, parent: str, child: str, inside: str = HERE) -> str:
    """A fixed joint."""
    return joint(name, parent, child, inside, "fixed", "")


def robot(inside: str, attributes: str = "") -> str:
    return f'<robot name="r"{attributes}>\n{inside}</robot>\n'


def file(
    inside: str = AT + AXIS,
    *,
    inertial: str = INERTIAL,
    type_: str = "revolute",
    limit: str = LIMIT,
    more: str = "",
    attributes: str = "",
) -> str:
    """The plain file: the link "arm" of 2 kg on the joint "hinge" at the link "base". ``inside`` is what the joint has."""
    return robot(
        link("base", "") + link("arm", inertial) + joint("hinge", "base", "arm", inside, type_, limit) + more, attributes
    )


CARRIED = Mass(2.0, (0.1, 0.2, 1.3), (0.5, 0.6, 0.7, 0.01, 0.02, 0.03))
"""The arm of the plain file, seen from the root."""

NO_MASS = Mass(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)


def hinge(
    name: str = "hinge",
    kind: str = "revolute",
    parent: str = "",
    origin: Numbers = (0, 0, 1),
    axis: Numbers = (0, 1, 0),
    carries: Mass = CARRIED,
    damping: float = 0.0,
    **others: Any,
) -> ReadJoint:
    """The joint of the plain file, but for what is given."""
    return ReadJoint(name, kind, parent, origin, axis, carries, damping=damping, **others)
