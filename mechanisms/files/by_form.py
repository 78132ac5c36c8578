"""A mechanism and the forms of files: a file given to the reader of its form, and a mechanism to the writer of a form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mechanisms.errors import MechanismError, Unsupported
from mechanisms.files.attributes import quoted
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.files.mjcf.read import parse_mjcf, read_mjcf
from mechanisms.files.mjcf.write import write_mjcf
from mechanisms.files.reading import reading_of
from mechanisms.files.sdf.read import parse_sdf, read_sdf
from mechanisms.files.sdf.write import write_sdf
from mechanisms.files.urdf.read import read_urdf
from mechanisms.files.urdf.reading import reading_of as urdf_reading
from mechanisms.files.urdf.write import write_urdf
from mechanisms.limits import MOST_URDF_BYTES
from mechanisms.mechanism import Mechanism
from mechanisms.reading import Form, Reading
from mechanisms.source import Source, source_text

ENDINGS = (".urdf", ".xml", ".sdf", ".world")
"""The ends of names that are files' for sure, whether there is such a file or not."""

ROOTS: Mapping[Form, str] = {"urdf": "robot", "mjcf": "mujoco", "sdf": "sdf"}
"""The element that a document consists of, for every form."""

FREE = {"mjcf": "give the body a <freejoint/>", "sdf": "leave out joints to the world"}
"""How a file says that a base moves freely."""

WRITERS: Mapping[Form, Callable[[Mechanism], str]] = {"urdf": write_urdf, "mjcf": write_mjcf, "sdf": write_sdf}
"""A mechanism as text, for every form."""


def read_file(path: str | Path, free_base: bool = False, *, physical: bool = True, ignore_mimic: bool = False) -> Mechanism:
    """The mechanism in a file; see :func:`mechanisms.parse_urdf`, :func:`parse_mjcf` and :func:`parse_sdf` there.

    Raises :class:`MechanismError` as they do, and for a free base where the form says itself what moves freely.
    """
    form = form_of_file(path)
    if form == "urdf":
        return read_urdf(path, free_base, physical=physical, ignore_mimic=ignore_mimic)
    _require_no_free_base(str(path), form, free_base)
    read = read_mjcf if form == "mjcf" else read_sdf
    return read(path, physical=physical, ignore_mimic=ignore_mimic)


def form_of_file(path: str | Path) -> Form:
    """The form of a file, by its element or by its name; that of a file that cannot be read is URDF."""
    form: Form = "urdf"
    with suppress(Unreadable):
        form = form_of(source_text(read_bounded(path, MOST_URDF_BYTES)) or "")
    return "sdf" if form == "urdf" and Path(path).suffix.lower() in ENDINGS[2:] else form


def form_of(text: str) -> Form:
    """The form of a document, by its element; whatever is neither MJCF nor SDF is taken for URDF."""
    element = re.search(r"<\s*([A-Za-z][\w.-]*)", re.sub(r"<!--.*?-->", "", text[:20_000], flags=re.DOTALL))
    return next((form for form, tag in ROOTS.items() if element and element[1] == tag), "urdf")


def read_text(text: str, form: Form, source: str, free_base: bool = False) -> tuple[Reading, Mechanism]:
    """What we make of a document without the files beside it, and its mechanism without constraints, in which every joint moves
    on its own. Inertias that no body can have are accepted.

    Raises :class:`MechanismError`, which names ``source``, as :func:`read_file` does.
    """
    if form == "urdf":
        return urdf_reading(text, free_base, source)
    _require_no_free_base(source, form, free_base)
    read = (parse_mjcf if form == "mjcf" else parse_sdf)(text, source, physical=False)
    alone = read.tree.independent
    named = with_names(text, alone)
    notes = ("joints without a name get ours in the text that readers are given",) if named != text else ()
    reading = reading_of(read)
    if form == "mjcf":
        # A slide of MJCF has a direction, and no place: readers put it anywhere.
        placed = (replace(joint, origin=()) if joint.kind == "prismatic" else joint for joint in reading.joints)
        reading = replace(reading, joints=tuple(placed))
    return reading, replace(alone, read_from=Source(named, format=form, fingerprint=alone.fingerprint, notes=notes))


NAMELESS = re.compile(r"""<(?:free)?joint\b(?![^>]*\sname\s*=)""")


def with_names(text: str, mechanism: Mechanism) -> str:
    """The MJCF that a mechanism was read from, with our name for every joint that has none there: readers give theirs.

    No line begins elsewhere.
    """
    lines = text.splitlines(keepends=True)
    places = {place: name for (kind, name), place in (mechanism.places or {}).items() if kind == "joint" and place}
    for place, name in sorted(places.items(), reverse=True):
        line, at = lines[place.line - 1], place.column - 1
        if found := NAMELESS.match("".join(lines[place.line - 1 :])[at:]):
            end = at + found.end()
            lines[place.line - 1] = f"{line[:end]} name={quoted(name)}{line[end:]}"
    return "".join(lines)


def _require_no_free_base(source: str, form: Form, free_base: bool) -> None:
    if free_base:
        raise MechanismError(f"{source}: {form.upper()} says itself what moves freely; leave out free:, and {FREE[form]}")


def source_of(mechanism: Mechanism, form: Form = "urdf") -> Source:
    """The file of this form that the mechanism was read from; if there is none, one that is written, without a path.

    Raises :class:`Unsupported` for a mechanism that the form cannot describe.
    """
    if mechanism.source and mechanism.source.format == form:
        return mechanism.source
    try:
        return Source(WRITERS[form](mechanism), format=form, fingerprint=mechanism.fingerprint)
    except MechanismError as error:
        raise Unsupported(str(error)) from None
