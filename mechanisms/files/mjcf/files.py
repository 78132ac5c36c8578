"""The files that a model names: other models that it includes, and meshes. None is opened but regular files of bounded size."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.files.untrusted_xml import attribute, naming, parse_xml, place_of
from mechanisms.limits import MOST_MESH_BYTES, MOST_MODEL_FILES, MOST_URDF_BYTES, MOST_XML_ELEMENTS

HERE = PurePosixPath()
"""The model's own folder."""


@dataclass
class Files:
    """The files beside a model, by names that are relative to ``folder``; without a folder none is opened."""

    folder: Path | None
    included: set[Path] = field(default_factory=set)
    left: int = MOST_MESH_BYTES

    def mesh(self, name: str, element: Element) -> bytes:
        """The bytes of a mesh; all meshes of a model together have a bounded size."""
        data = self._read(self._path(name, element), self.left, element)
        self.left -= len(data)
        return data

    def expand(self, root: Element, beside: PurePosixPath = HERE) -> None:
        """Put the elements of every included file in the place of its <include>, anywhere below ``root``.

        A name is relative to the model's folder, or else to that of the file that includes it, ``beside``. As for MuJoCo, no file
        is included twice. Raises :class:`MechanismError`.
        """
        children: list[Element] = []
        for child in root:
            if child.tag != "include":
                self.expand(child, beside)
                children.append(child)
                continue
            with naming("<include>", child):
                children += self._included(child, beside)
        if len(children) > MOST_XML_ELEMENTS:
            raise MechanismError(f"<{root.tag[:40]}> has more than {MOST_XML_ELEMENTS} elements; give fewer", place_of(root))
        root[:] = children

    def _included(self, include: Element, beside: PurePosixPath) -> list[Element]:
        if len(include) or set(include.attrib) - {"file"}:
            raise MechanismError("it has more than a file; give nothing else")
        name = attribute(include, "file", "it")
        path = self._path(name, include)
        if not path.is_file():
            name = str(beside / name)
            path = self._path(name, include)
        if path in self.included:
            raise MechanismError(f"{name!r} is included twice, or includes itself; include it once")
        self.included.add(path)
        if len(self.included) > MOST_MODEL_FILES:
            raise MechanismError(f"more than {MOST_MODEL_FILES} files are included; put them into one")
        root = parse_xml(self._read(path, MOST_URDF_BYTES, include), None, "MJCF", str(path))
        self.expand(root, PurePosixPath(name).parent)
        return list(root)

    def _path(self, name: str, element: Element) -> Path:
        if self.folder is None:
            raise MechanismError(
                f"it needs the file {name[:80]!r}, but the text is read alone; write into it what that file is needed for",
                place_of(element),
            )
        try:
            path = (self.folder / name).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise MechanismError(
                f"the file {name[:80]!r} cannot be found ({error}); correct the name", place_of(element)
            ) from None
        if PurePosixPath(name).is_absolute() and not path.is_relative_to(self.folder.resolve()):
            raise MechanismError(
                f"the file {name[:80]!r} is outside of the model's folder; give a relative name", place_of(element)
            )
        return path

    def _read(self, path: Path, most: int, element: Element) -> bytes:
        try:
            return read_bounded(path, most)
        except Unreadable as error:
            name = os.path.relpath(path, Path(self.folder or "").resolve())
            raise MechanismError(f"the file {name[-80:]!r} cannot be read ({error}); give that file", place_of(element)) from None
