"""Compares all readers of files: ours, and those of every engine that is installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from cross_check.entry import Entry
from cross_check.readers.among_engines import compared_among_themselves
from cross_check.readers.computed import SETTINGS, with_computed
from cross_check.readers.edited import File
from cross_check.readers.reader import read_by
from cross_check.readers.results import Comparison
from cross_check.settings import Settings
from implementations.plugins.registry import READERS
from mechanisms import MechanismError
from mechanisms.plain_text import one_line
from mechanisms.reading import Form
from mechanisms.source import Source
from mechanisms.untrusted_xml import naming, parse_xml

ROOTS: dict[str, Form] = {"mujoco": "mjcf", "sdf": "sdf"}
"""The element that a document consists of, for every form but URDF."""

XACRO = "http://www.ros.org/wiki/xacro"


def compared(
    name: str,
    text: str,
    free_base: bool,
    entries: Sequence[Entry],
    missing: Mapping[str, str],
    progress: Callable[[str], None] = lambda reader: None,
    settings: Settings = SETTINGS,
) -> Comparison:
    """The comparison of all readers of the file with this ``text``; ``entries`` are engines on the models that they read.

    What engines compute is compared as ``settings`` say, where we read the file.

    Raises :class:`MechanismError` for text that is no XML and for xacro: one sentence that names the file.
    """
    require_expanded(name, text)
    form = form_of(text)
    if form != "urdf":
        # An engine without a reader of this form has nothing to say about the file.
        able = [entry for entry in entries if form in READERS[entry.name].reads]
        return compared_among_themselves(name, Source(text, format=form), able, missing, progress)
    try:
        file = File(text, free_base)
    except MechanismError as error:
        with naming(name):
            parse_xml(text, "robot", "URDF")
        source = Source(text, free_base=free_base)
        return compared_among_themselves(name, source, entries, missing, progress, f"{name}: {error}")
    read = []
    for entry in entries:
        progress(entry.name)
        read.append(read_by(file, entry))
    readers = with_computed(read, progress, settings)
    mechanism = file.mechanism
    robot, joints = one_line(mechanism.name, 80), len(file.reading.joints)
    return Comparison(name, robot, free_base, joints, tuple(readers), missing=missing, notes=mechanism.notes)


def require_expanded(name: str, text: str) -> None:
    """Raises :class:`MechanismError` for a file that xacro has to expand first."""
    if name.endswith(".xacro") or XACRO in text:
        robot = parse_xml(text, "robot", "URDF")
        if name.endswith(".xacro") or any(XACRO in element.tag for element in robot.iter()):
            raise MechanismError(f"{name} is a xacro file, which is no URDF yet; expand it first: xacro {name} > robot.urdf")


def form_of(text: str) -> Form:
    """The form of a document, by its element; whatever is neither MJCF nor SDF is taken for URDF."""
    element = re.search(r"<\s*([A-Za-z][\w.-]*)", re.sub(r"<!--.*?-->", "", text[:20_000], flags=re.DOTALL))
    return ROOTS.get(element[1], "urdf") if element else "urdf"
