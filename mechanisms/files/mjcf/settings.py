"""What a model of MJCF says once for all its elements: <compiler>, <option>, the classes of defaults and the meshes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.defaults import Defaults
from mechanisms.files.mjcf.files import Files
from mechanisms.files.mjcf.mesh_files import FORMATS, Mesh, mesh_of, read_mesh
from mechanisms.files.mjcf.mesh_inertia import Content, content_of, transformed
from mechanisms.files.mjcf.placing import Angles, quaternion
from mechanisms.files.mjcf.vocabulary import actuators, require_zero
from mechanisms.files.mjcf.words import is_true, one, some, values, word
from mechanisms.files.untrusted_xml import Located, naming, place_of
from mechanisms.geometry import Matrix, Placement
from mechanisms.limits import MOST_FACES
from mechanisms.numbers.exact import Scalar, Vector

MODES = ("legacy", "exact", "shell", "convex")


def joined(root: Element, tag: str) -> Element:
    """All elements of this tag as one: of an attribute that occurs several times, the last one counts."""
    whole = Located(tag)
    for element in root.findall(tag):
        whole.attrib.update(element.attrib)
        whole.extend(element)
        whole.place = place_of(element)
    return whole


@dataclass(frozen=True)
class Settings:
    """See the module; the fields are the model's element and the files beside it."""

    root: Element
    files: Files

    @cached_property
    def compiler(self) -> Element:
        return joined(self.root, "compiler")

    @cached_property
    def option(self) -> Element:
        option = joined(self.root, "option")
        with naming("<option>", option):
            require_zero(option, "option")
        return option

    @cached_property
    def defaults(self) -> Defaults:
        return Defaults(self.root.findall("default"), actuators())

    @cached_property
    def angles(self) -> Angles:
        sequence = self.compiler.get("eulerseq", "xyz")
        if len(sequence) != 3 or not set(sequence) <= set("xyzXYZ"):
            raise MechanismError(f"eulerseq is {sequence[:40]!r}; give three of x y z X Y Z", place_of(self.compiler))
        return Angles(word(self.compiler, "angle", ("degree", "radian"), "degree") == "degree", sequence)

    def check(self) -> None:
        """Raise :class:`MechanismError` for classes and meshes that are wrong, for forces on all bodies that are not read, and
        for coordinates and frames that do not stand in the file as they are."""
        _ = self.defaults, self.option, self.meshes
        if word(self.compiler, "coordinate", ("local", "global"), "local") == "global":
            raise MechanismError(
                "global coordinates are read by no MuJoCo since 2.3.3; convert the file with that", place_of(self.compiler)
            )
        if is_true(self.compiler, "alignfree"):
            raise MechanismError(
                "alignfree turns the frames of free bodies to their principal axes; set it to false", place_of(self.compiler)
            )

    @cached_property
    def disabled(self) -> frozenset[str]:
        """The names of flags that are disabled."""
        flags = joined(self.option, "flag")
        return frozenset(name for name in flags.attrib if word(flags, name, ("enable", "disable"), "enable") == "disable")

    @property
    def is_passive_off(self) -> bool:
        """Whether all passive forces are disabled."""
        return {"spring", "damper"} <= self.disabled

    @cached_property
    def has_compensation(self) -> bool:
        """Whether a body has gravity compensation."""
        return any(one(body, "gravcomp", "0") for body in self.root.iter("body"))

    @cached_property
    def zero(self) -> frozenset[str]:
        """Attributes of joints that count as zero."""
        springs = {"stiffness", "springdamper"} if self.is_passive_off else {"stiffness"}
        return frozenset(
            name
            for flag, names in (("spring", springs), ("damper", {"damping"}), ("frictionloss", {"frictionloss"}))
            if flag in self.disabled
            for name in names
        )

    @cached_property
    def gravity(self) -> Vector:
        gravity = some(self.option, "gravity", 3, "0 0 -9.81")
        return (Fraction(0),) * 3 if "gravity" in self.disabled else gravity

    @cached_property
    def groups(self) -> range:
        """The groups of geoms that have inertia."""
        least, most = map(int, some(self.compiler, "inertiagrouprange", 2, "0 5"))
        return range(least, most + 1)

    @cached_property
    def from_geoms(self) -> str:
        return word(self.compiler, "inertiafromgeom", ("auto", "true", "false"), "auto")

    def bound(self, name: str) -> Scalar:
        """A number of <compiler>, zero if it is left out."""
        return one(self.compiler, name, "0")

    @cached_property
    def meshes(self) -> dict[str, Element]:
        """The meshes by name, with their defaults."""
        found: dict[str, Element] = {}
        for asset in self.root.findall("asset"):
            for element in asset.findall("mesh"):
                mesh = self.defaults.complete(element)
                name = mesh.get("name") or PurePosixPath(mesh.get("file", "").replace("\\", "/")).stem
                if not name or name in found:
                    problem = (
                        f"the mesh name {name[:60]!r} is used twice; rename one" if name else "a <mesh> has no name; give one"
                    )
                    raise MechanismError(problem, place_of(element))
                found[name] = mesh
        return found

    def content(self, name: str, done: dict[str, Content]) -> Content:
        """The content of the mesh of this name; ``done`` keeps it."""
        if name not in self.meshes:
            raise MechanismError(f"its mesh {name[:60]!r} is not in <asset>; correct the name")
        if name not in done:
            element = self.meshes[name]
            with naming(f"mesh {name!r}", element):
                done[name] = self._content(element)
        return done[name]

    def _content(self, element: Element) -> Content:
        mode = word(element, "inertia", MODES, "legacy")
        mesh = self.surface(element)
        if mode == "convex" or not mesh.faces.size:
            raise MechanismError(
                'its inertia is that of its convex hull, which is not computed; give it faces and inertia="exact"'
            )
        return content_of(transformed(mesh, *self.standing(element)), mode)

    def standing(self, element: Element) -> tuple[Matrix, Vector]:
        """The matrix and the offset that put a surface where the scale and the reference frame of its mesh say."""
        scale = some(element, "scale", 3, "1 1 1")
        back = Placement(
            quaternion(some(element, "refquat", 4, "1 0 0 0"), "refquat"), some(element, "refpos", 3, "0 0 0")
        ).inverse()
        matrix = tuple(tuple(s * x for x in row) for s, row in zip(scale, back.rotation.matrix, strict=True))
        return matrix, tuple(s * x for s, x in zip(scale, back.translation, strict=True))

    def surface(self, element: Element) -> Mesh:
        """The surface in the file of a mesh, or in its attributes."""
        if element.get("builtin", "none") != "none":
            raise MechanismError("builtin shapes are not computed; give the body an <inertial>")
        name = element.get("file", "").replace("\\", "/")
        if not name:
            numbers, corners = (values(element, what, most=9 * MOST_FACES) for what in ("vertex", "face"))
            return mesh_of(numbers, corners)
        path = PurePosixPath(name)
        if is_true(self.compiler, "strippath"):
            path = PurePosixPath(path.name)
        folder = self.compiler.get("meshdir") or self.compiler.get("assetdir") or ""
        kind = element.get("content_type") or FORMATS.get(path.suffix.lower(), path.suffix)
        return read_mesh(self.files.mesh(str(PurePosixPath(folder.replace("\\", "/")) / path), element), kind)
