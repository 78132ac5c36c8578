"""Documents of SDF: versions brought to the present meaning, and every <include> replaced by the model that it names.

No file outside of the document's folder is opened. There are bounds for the number of files and for their size all together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from mechanisms.errors import MechanismError
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.files.sdf.vocabulary import boolean, require_known
from mechanisms.files.untrusted_xml import Located, attribute, naming, parse_xml, place_of
from mechanisms.limits import MOST_INCLUDE_LEVELS, MOST_INCLUDES, MOST_URDF_BYTES
from mechanisms.numbers.exact import WHITESPACE

VERSIONS = {f"1.{minor}": minor for minor in range(3, 13)}

AXES = ("axis", "axis2")

NAMED = ("model", "link", "joint", "frame")
"""The elements that have a frame of their name."""


@dataclass
class Documents:
    """Reads documents, those that are included too. ``folder`` is the only one in which files are looked for."""

    folder: Path | None
    left: int = MOST_URDF_BYTES
    """So many bytes may still be read."""
    files: list[Path] = field(default_factory=list)

    def read(self, text: str | bytes, path: str = "", within: Sequence[Path] = ()) -> Element:
        """The element <sdf>, in which no <include> is left; ``within`` are the files that include this one.

        Raises :class:`MechanismError` for what is not understood, for unknown versions, and for files that may not be read.
        """
        self.left -= len(text)
        if self.left < 0:
            raise MechanismError(f"all files together are larger than {MOST_URDF_BYTES // 2**20} MiB; include less")
        sdf = parse_xml(text, "sdf", "SDF", path)
        _modernise(sdf)
        require_known(sdf, "sdf")
        self._expand(sdf, within)
        return sdf

    def _expand(self, sdf: Element, within: Sequence[Path]) -> None:
        parents = [sdf]
        for parent in parents:
            parents += [child for child in parent if child.tag in ("world", "model")]
            expanded: list[Element] = []
            for child in parent:
                if child.tag == "include":
                    with naming(f"<include> of {text_of(child, 'uri', '?')!r}", child):
                        expanded += self._included(child, parent, within)
                else:
                    expanded.append(child)
            parent[:] = expanded

    def _included(self, include: Element, parent: Element, within: Sequence[Path]) -> list[Element]:
        path = self._found(text_of(include, "uri"), within)
        self.files.append(path)
        if len(within) == MOST_INCLUDE_LEVELS or len(self.files) > MOST_INCLUDES:
            most = f"{MOST_INCLUDES} are included, {MOST_INCLUDE_LEVELS} deep"
            raise MechanismError(f"files include each other, or more than {most}; include fewer")
        read = self.read(_content(path), str(path), (*within, path))
        models = read.findall("model")
        if len(models) != 1:
            if not models and read.find("world") is None and parent.tag == "world":
                return []
            raise MechanismError("the file has no model, or several; include a file that has one")
        (model,) = models
        _override(model, include)
        return _merged(model, parent) if boolean(include.get("merge"), False) else [model]

    def _found(self, uri: str, within: Sequence[Path]) -> Path:
        """The file that ``uri`` names."""
        if self.folder is None:
            raise MechanismError("no file is opened for a text without a path; give the path of the document")
        scheme, _, rest = uri.rpartition("://")
        if scheme not in ("", "model") or not rest:
            raise MechanismError("only model:// and paths are looked for; put the file beside the document")
        root = self.folder.resolve()
        for folder in dict.fromkeys((within[-1].parent if within else root, root)):
            try:
                found = (folder / rest).resolve()
                is_there = found.exists()
            except (OSError, ValueError, RuntimeError):
                continue
            if is_there and found.is_relative_to(root):
                return _of_folder(found) if found.is_dir() else found
        raise MechanismError("there is no such file in the document's folder; put it there")


def _of_folder(folder: Path) -> Path:
    """The file of the newest version that the folder's model.config names."""
    config = parse_xml(_content(folder / "model.config"), "model", "model.config")
    named = [(VERSIONS.get(sdf.get("version", ""), 0), (sdf.text or "").strip(WHITESPACE)) for sdf in config.findall("sdf")]
    newest = max(named, key=lambda one: one[0], default=(0, ""))[1]
    if not newest or Path(newest).name != newest:
        raise MechanismError("model.config names no file of its folder in <sdf>; add one")
    return folder / newest


def _content(path: Path) -> bytes:
    try:
        return read_bounded(path, MOST_URDF_BYTES)
    except Unreadable as error:
        raise MechanismError(f"{path.name} cannot be read ({error}); correct the uri") from None


def text_of(parent: Element, tag: str, default: str | None = None) -> str:
    """The text of a child; refuses a missing or empty one without a ``default``."""
    child = parent.find(tag)
    text = "" if child is None else (child.text or "").strip(WHITESPACE)
    if not text and default is None:
        raise MechanismError(f"<{parent.tag}> lacks the text of <{tag}>; add it", place_of(child) or place_of(parent))
    return text or default or ""


def _modernise(sdf: Element) -> None:
    """Give old versions and names with a prefix the form of version 1.12, as the migrations of the format do."""
    version = attribute(sdf, "version", "<sdf>")
    if version not in VERSIONS:
        raise MechanismError(f"version of <sdf> is {version!r}; convert it to one of {', '.join(VERSIONS)}", place_of(sdf))
    minor = VERSIONS[version]
    for element in sdf.iter():
        # The prefix of Drake's own elements stands for any namespace.
        element.tag = re.sub(r"^\{[^}]*drake[^}]*\}", "drake:", element.tag)
        if element.tag == "pose" and minor < 7 and "frame" in element.attrib:
            element.set("relative_to", element.attrib.pop("frame"))
    for joint in sdf.iter("joint") if minor < 7 else ():
        for axis in (axis for tag in AXES for axis in joint.findall(tag)):
            old = axis.find("use_parent_model_frame")
            if boolean(old.text, False) if old is not None else minor < 5:
                if axis.find("xyz") is None:
                    SubElement(axis, "xyz")
                for xyz in axis.findall("xyz"):
                    xyz.set("expressed_in", "__model__")
    for scope in (scope for tag in ("world", "model") for scope in sdf.iter(tag)) if minor > 6 else ():
        seen = set[str]()
        for child in scope:
            if child.tag in NAMED and (name := child.get("name", "")) in seen:
                raise MechanismError(f"the name {name!r} is used twice in {scope.get('name')!r}; rename one", place_of(child))
            if child.tag in NAMED:
                seen.add(name)
    for world in sdf.iter("world") if minor < 6 else ():
        for physics in world.findall("physics")[:1]:
            world.extend(physics.findall("gravity"))


def _override(model: Element, include: Element) -> None:
    """Give the model what <include> says of it."""
    if (name := text_of(include, "name", "")) and name:
        model.set("name", name)
    for tag in ("pose", "static"):
        given = include.find(tag)
        if given is not None:
            for own in model.findall(tag):
                model.remove(own)
            model.append(given)
    if frame := text_of(include, "placement_frame", ""):
        if include.find("pose") is None:
            raise MechanismError("it has <placement_frame> and no <pose>; add one")
        model.set("placement_frame", frame)


def _merged(model: Element, parent: Element) -> list[Element]:
    """The parts of ``model`` as parts of ``parent``; a frame stands for the model's own."""
    if parent.tag != "model" or model.get("placement_frame"):
        raise MechanismError("only models without a placement frame are merged, into models; leave out merge")
    proxy = f"_merged__{attribute(model, 'name', '<model>')}__model__"
    frame = _like(model, "frame", name=proxy, attached_to=_canonical(model))
    frame.extend(deepcopy(model.findall("pose")))
    own = frame.find("pose")
    own = SubElement(frame, "pose") if own is None else own
    own.set("relative_to", own.get("relative_to") or "__model__")
    parts = [part for part in model if part.tag in ("link", "model", "joint", "frame")]
    for part in parts:
        pose = part.find("pose")
        if part.tag in ("link", "model") and pose is None:
            part.append(pose := _like(part, "pose"))
        if pose is not None and (part.tag in ("link", "model") or pose.get("relative_to")):
            _rename(pose, "relative_to", proxy)
        if part.tag == "frame":
            _rename(part, "attached_to", proxy)
        for end in (*part.findall("parent"), *part.findall("child")):
            end.text = proxy if (end.text or "").strip(WHITESPACE) == "__model__" else end.text
        for xyz in (xyz for axis in AXES for xyz in part.findall(f"{axis}/xyz") if xyz.get("expressed_in")):
            _rename(xyz, "expressed_in", proxy)
    return [frame, *parts]


def _canonical(model: Element) -> str:
    first = model.find("link")
    if model.get("canonical_link") or first is not None:
        return model.get("canonical_link") or attribute(first if first is not None else model, "name", "<link>")
    raise MechanismError("the model that is merged has no link of its own; leave out merge")


def _rename(element: Element, name: str, proxy: str) -> None:
    if element.get(name, "") in ("", "__model__"):
        element.set(name, proxy)


def _like(place: Element, tag: str, **attributes: str) -> Element:
    """A new element where ``place`` is in the document."""
    made = Located(tag, attributes)
    made.place = place_of(place)
    return made
