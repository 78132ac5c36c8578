"""The bodies of a model of MJCF as it nests them, with frames and replicates resolved, and with the defaults of every element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.defaults import MAIN
from mechanisms.files.mjcf.settings import Settings
from mechanisms.files.mjcf.vocabulary import require_zero
from mechanisms.files.mjcf.words import is_true, some, whole
from mechanisms.files.untrusted_xml import naming, place_of
from mechanisms.geometry import Placement, Rotation
from mechanisms.limits import MOST_COPIES, MOST_LINKS

WORLD = "world"

HERE = Placement()


@dataclass
class Outline:
    """A body, and what is in it; placements are those of enclosing frames in the body."""

    name: str
    element: Element | None
    parent: Outline | None
    placement: Placement = HERE
    """In the parent."""
    joints: list[tuple[Element, Placement]] = field(default_factory=list)
    geoms: list[tuple[Element, Placement]] = field(default_factory=list)
    inertial: tuple[Element, Placement] | None = None
    mocap: bool = False
    weld: str = ""
    """The name of the frame that is right around it; without a joint, that is the name of its weld."""
    pose: Placement = HERE
    """In the world, as the file shows it."""

    @property
    def is_static(self) -> bool:
        """Whether it is welded to the world, through all bodies between."""
        return not self.joints and (self.parent is None or self.parent.is_static)


@dataclass
class Outliner:
    """Collects the bodies of a model, parents first, and its sites by name."""

    settings: Settings
    bodies: list[Outline] = field(default_factory=list)
    sites: dict[str, tuple[Outline, Placement]] = field(default_factory=dict)
    copied: int = 0
    """How many elements replicates have made."""

    def collect(self) -> list[Outline]:
        """All bodies, the world first. Raises :class:`MechanismError`."""
        world = Outline(WORLD, None, None)
        self.bodies.append(world)
        for section in self.settings.root.findall("worldbody"):
            if section.attrib:
                raise MechanismError("<worldbody> has attributes; remove them", place_of(section))
            self._inside(section, world, HERE, MAIN, "")
        return self.bodies

    def _inside(self, element: Element, body: Outline, frame: Placement, around: str, suffix: str) -> None:
        for child in element:
            self.copied += bool(suffix)
            if self.copied > MOST_COPIES:
                raise MechanismError(f"replicates make more than {MOST_COPIES} elements; give fewer copies", place_of(child))
            match child.tag:
                case "joint" | "freejoint" | "geom" | "site" | "inertial":
                    self._part(child, body, frame, around, suffix)
                case "frame":
                    below = frame @ self.settings.angles.placement(child)
                    self._inside(child, body, below, self._class(child, around), suffix)
                case "replicate":
                    for placement, number in self._copies(child):
                        self._inside(child, body, frame @ placement, self._class(child, around), number + suffix)
                case "body":
                    weld = element.get("name", "") if element.tag == "frame" else ""
                    self._body(child, body, frame, around, suffix, weld)

    def _part(self, child: Element, body: Outline, frame: Placement, around: str, suffix: str) -> None:
        if body is self.bodies[0] and child.tag not in ("geom", "site"):
            raise MechanismError(f"a <{child.tag}> is in the world, which does not move; put it into a body", place_of(child))
        whole = child if child.tag in ("freejoint", "inertial") else self.settings.defaults.complete(child, around)
        if suffix and "name" in child.attrib:
            whole = self.settings.defaults.complete(child, around) if whole is child else whole
            whole.attrib["name"] += suffix
        match child.tag:
            case "joint" | "freejoint":
                body.joints.append((whole, frame))
            case "geom":
                body.geoms.append((whole, frame))
            case "site" if name := whole.get("name"):
                if name in self.sites:
                    raise MechanismError(f"the site name {name!r} is used twice; rename one", place_of(child))
                self.sites[name] = (body, frame @ self._site(whole))
            case "inertial":
                if body.inertial is not None:
                    raise MechanismError("a second <inertial> is in one body; remove one", place_of(child))
                body.inertial = child, frame

    def _site(self, site: Element) -> Placement:
        if "fromto" not in site.attrib:
            return self.settings.angles.placement(site)
        six = some(site, "fromto", 6)
        along = site.makeelement("site", {"zaxis": " ".join(str(float(a - b)) for a, b in zip(six[:3], six[3:], strict=True))})
        middle = tuple((a + b) / 2 for a, b in zip(six[:3], six[3:], strict=True))
        return Placement(self.settings.angles.rotation(along), middle)

    def _body(self, element: Element, parent: Outline, frame: Placement, around: str, suffix: str, weld: str) -> None:
        if len(self.bodies) > MOST_LINKS:
            raise MechanismError(f"the model has more than {MOST_LINKS} bodies; give fewer", place_of(element))
        name = element.get("name", "")
        body = Outline(name + suffix if name else "", element, parent, frame @ self.settings.angles.placement(element))
        body.pose = (parent.pose @ body.placement).shortened()
        body.mocap, body.weld = is_true(element, "mocap"), weld
        self.bodies.append(body)
        with naming(f"body {body.name!r}" if name else "<body>", element):
            require_zero(element, "body")
            around = self._class(element, around)
        self._inside(element, body, HERE, around, suffix)

    def _class(self, element: Element, around: str) -> str:
        return self.settings.defaults.checked(element.get("childclass", around), element)

    def _copies(self, element: Element) -> Iterator[tuple[Placement, str]]:
        with naming("<replicate>", element):
            count, angles = whole(element, "count", ""), some(element, "euler", 3, "0 0 0")
            offset, separator = some(element, "offset", 3, "0 0 0"), element.get("sep", "")
            if not 0 < count <= MOST_LINKS:
                raise MechanismError(f"its count is {count}; give 1 to {MOST_LINKS}")
            position: tuple[Fraction, ...] = (Fraction(0),) * 3
            for k in range(count):
                rotation = (
                    self.settings.angles.euler(tuple(k * angle for angle in angles)) if any(angles) else Rotation.identity()
                )
                yield Placement(rotation, position), f"{separator}{k:0{len(str(count))}}"
                position = tuple(a + b for a, b in zip(position, rotation(offset), strict=True))
