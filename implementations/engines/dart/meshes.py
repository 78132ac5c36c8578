"""Cuts geometry that is read from other files out of a URDF or an SDF. What remains of the text is not touched."""

from __future__ import annotations

from xml.parsers import expat

SHAPES = ("visual", "collision")


class _Declared(Exception):
    """The document declares entities, which no robot needs."""


def without_meshes(text: str) -> tuple[str, int]:
    """``text`` without its <visual> and <collision> elements that contain a <mesh>, and how many there were.

    Line ends inside them are kept, so that an engine's messages name the right lines. A text that is no XML, or that declares
    entities, is returned as it is.
    """
    data = text.encode("utf-8", "replace")
    ends: list[tuple[int, int]] = []
    begun: list[int] = []
    has_mesh = False
    # What the text says of its encoding holds for the file, not for this copy.
    parser = expat.ParserCreate("utf-8")

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal has_mesh
        if tag in SHAPES:
            begun.append(parser.CurrentByteIndex)
            has_mesh = has_mesh and len(begun) > 1
        elif tag == "mesh" and begun:
            has_mesh = True

    def end(tag: str) -> None:
        if tag in SHAPES and begun:
            first = begun.pop()
            if has_mesh and not begun:
                ends.append((first, data.index(b">", parser.CurrentByteIndex) + 1))

    def refuse(*_: object) -> None:
        raise _Declared

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, _Declared):
        return text, 0
    for first, last in reversed(ends):
        data = data[:first] + b"\n" * data.count(b"\n", first, last) + data[last:]
    return data.decode("utf-8"), len(ends)
