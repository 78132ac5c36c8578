"""What a reader makes of a file: the tree, and its numbers at position zero, all along the root's axes.

A file is read by us and by every engine that can. Readers place frames differently, weld links or keep them, and order joints as
they like. A :class:`Reading` has only what they must agree on: the pose of every joint and the inertia that it carries,
expressed in the root's frame where every position is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from mechanisms.decoding import decoded

Form = Literal["urdf", "mjcf", "sdf"]
"""The form of a file that describes a mechanism."""

FORMS: tuple[Form, ...] = get_args(Form)

Numbers = tuple[float, ...]

Array = np.ndarray[Any, np.dtype[np.float64]]

ROOT_JOINT = "root_joint"
"""The name of the free joint on which a robot's root link is put."""


@dataclass(frozen=True)
class Mass:
    """The inertia of one rigid body: mass (kg), centre of mass (3) in the root's frame (m), and the entries xx, yy, zz, xy, xz,
    yz of the inertia matrix about the centre of mass, along the root's axes (kg m²)."""

    mass: float
    com: Numbers
    inertia: Numbers


@dataclass(frozen=True)
class ReadMimic:
    """q = multiplier · (q of the joint ``leader``) + offset (rad or m)."""

    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class ReadJoint:
    """A joint that moves, and the body that it carries, with every link that is welded to that body."""

    name: str
    kind: str
    """A kind of :mod:`mechanisms.joint_kinds`, "revolute" for URDF's continuous joints, or the reader's own word."""
    parent: str
    """The name of the joint that carries its parent; empty for the root."""
    origin: Numbers
    """(3) the joint's origin, in the root's frame (m)."""
    axis: Numbers
    """(3) the axis as long as the reader uses it, along the root's axes; of a planar joint the normal of the plane.

    It is a unit vector, unless the reader does not normalise what the file has. Empty for a joint without an axis."""
    carries: Mass
    limits: tuple[float | None, ...] = (None,) * 4
    """The least and the largest position, the largest speed and the largest force; None where the reader has none."""
    damping: float | None = None
    """The viscous coefficient; None where the reader does not keep it."""
    armature: float | None = None
    friction: float | None = None
    mimic: ReadMimic | None = None
    lifted: float | None = None
    """The mass that gravity compensation lifts (kg)."""


@dataclass(frozen=True)
class ReadLink:
    """One link of the file that the reader keeps apart, also where it is welded to another."""

    name: str
    joint: str
    """The name of the moving joint that carries it; empty if it does not move."""
    has: Mass


@dataclass(frozen=True)
class Reading:
    """What one reader makes of one file. Joints are in the order of the reader's coordinates."""

    name: str
    """The robot's."""
    joints: tuple[ReadJoint, ...]
    gravity: Numbers
    """(3) m/s², along the root's axes."""
    links: tuple[ReadLink, ...] = ()
    said: tuple[str, ...] = ()
    """What the reader said meanwhile: its warnings, one line each."""
    tells_mimic: bool = True
    """Whether the reader's model can be asked which joints follow others."""

    def to_document(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Reading:
        """What :meth:`to_document` wrote. Raises ValueError or TypeError for anything else."""
        reading: Reading = decoded(cls, document)
        return reading


def combined(parts: Iterable[Mass]) -> Mass:
    """The inertia of several rigid bodies that are welded together; nothing is a :class:`Mass` of zeros.

    The centre of mass of bodies without mass is that of the first one that has moments.
    """
    whole = [part for part in parts if part.mass or any(part.inertia)]
    if len(whole) <= 1:
        return whole[0] if whole else Mass(0.0, (0.0,) * 3, (0.0,) * 6)
    mass = sum(part.mass for part in whole)
    levers = [part.mass * np.array(part.com) for part in whole]
    com: Array = np.sum(levers, axis=0) / mass if mass else np.array(whole[0].com)
    total = np.zeros((3, 3))
    for part in whole:
        xx, yy, zz, xy, xz, yz = part.inertia
        r = np.array(part.com) - com
        total += [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        total += part.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return mass_about(mass, com, total)


def mass_about(mass: float, com: Sequence[float] | Array, inertia: Sequence[Sequence[float]] | Array) -> Mass:
    """A :class:`Mass` of plain numbers and of a 3×3 matrix."""
    m = inertia
    six = (m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])
    return Mass(float(mass), _numbers(com), _numbers(six))


def _numbers(values: Sequence[float] | Array) -> Numbers:
    return tuple(float(x) for x in values)
