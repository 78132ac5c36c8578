"""What a robot's file says that no mechanism keeps: where its elements are, shapes, and angles as they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from cross_check.read.lint.shapes import UNREADABLE, Points, corners, known, moved, of_geometry, vertices
from mechanisms.errors import MechanismError, Place
from mechanisms.files.bounded_file import read_robot
from mechanisms.files.mjcf.files import Files
from mechanisms.files.mjcf.joints import Assembler
from mechanisms.files.mjcf.outline import HERE, Outliner
from mechanisms.files.mjcf.settings import Settings
from mechanisms.files.mjcf.words import some, values
from mechanisms.files.sdf.documents import Documents, text_of
from mechanisms.files.sdf.frames import Node, between
from mechanisms.files.sdf.read import world_of
from mechanisms.files.solids import SHAPES
from mechanisms.files.untrusted_xml import by_name, parse_xml, place_of
from mechanisms.files.urdf.read import origin_of
from mechanisms.files.urdf.vocabulary import overlooked
from mechanisms.geometry import Placement
from mechanisms.reading import Form

NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?"

DEGREE = math.pi / 180


class Angle(NamedTuple):
    """An angle of a joint's limit or of an orientation, as it is written."""

    what: str
    text: str
    unit: float
    """1 if the file means radians, or a degree in radians."""
    place: Place | None
    joint: str = ""
    """Whose limit it is."""

    @property
    def value(self) -> float:
        return float(self.text)


class Range(NamedTuple):
    """From where to where a joint moves, as it is written."""

    joint: str
    lower: str
    upper: str
    place: Place | None


@dataclass
class Written:
    """Places, shapes and meshes are by the name of the body; in SDF, of the link in the world."""

    places: dict[str, Place | None] = field(default_factory=dict)
    shapes: dict[str, Points] = field(default_factory=dict)
    """Points of all shapes, in the body's frame; None if not all are read."""
    meshes: set[str] = field(default_factory=set)
    """The bodies that have one."""
    angles: list[Angle] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)

    def add_angles(self, what: str, text: str, element: Element, unit: float = 1, joint: str = "") -> None:
        """Add the numbers in ``text``."""
        words = [word for word in text.split() if re.fullmatch(NUMBER, word)]
        self.angles += [Angle(what, word, unit, place_of(element), joint) for word in words]

    def add_range(self, joint: str, ends: Sequence[str], element: Element, unit: float | None = 1) -> None:
        """Add the limits of a joint; ``unit`` is None for lengths."""
        if len(ends) == 2 and all(re.fullmatch(NUMBER, end) for end in ends):
            self.ranges.append(Range(joint, ends[0], ends[1], place_of(element)))
        if unit is not None:
            self.add_angles(f"a limit of joint {joint!r}", " ".join(ends), element, unit, joint)


def written(path: Path, form: Form) -> Written:
    """What the file says. Raises :class:`MechanismError`, as the reader of the form does."""
    return FORMS[form](read_robot(path, "a robot's file"), path)


def _urdf(text: bytes, path: Path) -> Written:
    found, robot = Written(), parse_xml(text, "robot", "URDF")
    overlooked(robot)
    for name, link in by_name(robot, "link").items():
        found.places[name] = place_of(link)
        found.meshes |= {name for _ in link.iter("mesh")}
        found.shapes[name] = known(*([_of_urdf(part, path) for part in link.findall(tag)] for tag in ("visual", "collision")))
    for name, joint in by_name(robot, "joint").items():
        limit, kind = joint.find("limit"), joint.get("type")
        if limit is not None and kind in ("revolute", "prismatic"):
            ends = [limit.get(end, "0") for end in ("lower", "upper")]
            found.add_range(name, ends, limit, 1 if kind == "revolute" else None)
    for origin in robot.iter("origin"):
        found.add_angles("an angle of rpy", origin.get("rpy", ""), origin)
    return found


def _of_urdf(part: Element, path: Path) -> Points:
    return of_geometry(part.find("geometry"), origin_of(part), lambda shape, name: shape.get(name, ""), path)


def _mjcf(text: bytes, path: Path) -> Written:
    found, root, files = Written(), parse_xml(text, "mujoco", "MJCF"), Files(path.parent)
    files.expand(root)
    settings = Settings(root, files)
    bodies = Outliner(settings).collect()
    Assembler(settings, {}, {}).name(bodies)
    unit = DEGREE if settings.angles.degrees else 1
    for body in bodies[1:]:
        found.places[body.name] = place_of(body.element)
        # The frame of a mechanism's body is at the last joint.
        joint, frame = body.joints[-1] if body.joints else (Element("joint"), HERE)
        back = Placement(translation=tuple(-x for x in frame(some(joint, "pos", 3, "0 0 0"))))
        found.meshes |= {body.name for geom, _ in body.geoms if "mesh" in geom.attrib}
        found.shapes[body.name] = known([_of_geom(geom, back @ around, settings) for geom, around in body.geoms])
        for joint, _ in body.joints:
            if (kind := joint.get("type", "hinge")) in ("hinge", "slide") and joint.get("limited") != "false":
                ends = joint.get("range", "").split()
                found.add_range(joint.get("name", body.name), ends, joint, unit if kind == "hinge" else None)
    for element in root.iter():
        found.add_angles("an angle of euler", element.get("euler", ""), element, unit)
    return found


def _of_geom(geom: Element, frame: Placement, settings: Settings) -> Points:
    with suppress(*UNREADABLE):
        kind, size = geom.get("type", "sphere"), [float(x) for x in values(geom, "size")]
        if kind in SHAPES and "fromto" in geom.attrib:
            six = some(geom, "fromto", 6)
            return known([corners("sphere", size, frame @ Placement(translation=end)) for end in (six[:3], six[3:])])
        placement = frame @ settings.angles.placement(geom)
        if "mesh" in geom.attrib:
            mesh = settings.meshes[geom.get("mesh", "")]
            matrix, offset = (np.array(part, float) for part in settings.standing(mesh))
            return moved(vertices(settings.surface(mesh)) @ matrix.T + offset, placement)
        return corners(kind, size, placement)
    return None


def _sdf(text: bytes, path: Path) -> Written:
    found, sdf = Written(), Documents(path.parent).read(text)
    for node in world_of(sdf).walk():
        element, found.places[node.name] = node.element, place_of(node.element)
        if element.tag == "link":
            groups = (element.findall(tag) for tag in ("visual", "collision"))
            found.meshes |= {node.name for _ in element.iter("mesh")}
            found.shapes[node.name] = known(*([_of_sdf(part, node, path) for part in group] for group in groups))
        kind = element.get("type", "")
        for limit in element.iterfind("axis/limit") if kind in ("revolute", "prismatic") else ():
            ends = [text_of(limit, end, "") for end in ("lower", "upper")]
            found.add_range(node.name, ends, limit, 1 if kind == "revolute" else None)
    for pose in sdf.iter("pose"):
        if pose.get("rotation_format") != "quat_xyzw":
            unit = DEGREE if pose.get("degrees") == "true" else 1
            found.add_angles("an angle of <pose>", " ".join((pose.text or "").split()[3:]), pose, unit)
    return found


def _of_sdf(part: Element, link: Node, path: Path) -> Points:
    with suppress(MechanismError):
        placement = between(link, Node("", part, link.scope, holder=link))
        return of_geometry(part.find("geometry"), placement, lambda shape, name: text_of(shape, name, ""), path)
    return None


FORMS: dict[Form, Callable[[bytes, Path], Written]] = {"urdf": _urdf, "mjcf": _mjcf, "sdf": _sdf}
