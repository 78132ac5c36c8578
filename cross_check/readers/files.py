"""Compares all readers of files: ours, and those of every engine that is installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cross_check.part import Entry
from cross_check.readers.explain import File
from cross_check.readers.reader import judged
from cross_check.readers.results import Comparison, Reader
from mechanisms import MechanismError
from mechanisms.plain_text import one_line
from mechanisms.untrusted_xml import parse_xml

XACRO = "http://www.ros.org/wiki/xacro"


def compared(
    name: str,
    text: str,
    free_base: bool,
    entries: Sequence[Entry],
    missing: Mapping[str, str],
    progress: Callable[[str], None] = lambda reader: None,
) -> Comparison:
    """The comparison of all readers of the file with this ``text``; ``entries`` are engines on the models that they read.

    Raises :class:`MechanismError` if we refuse the file: one sentence that names it.
    """
    require_expanded(name, text)
    try:
        file = File(text, free_base)
    except MechanismError as error:
        raise MechanismError(f"{name}: {error}") from None
    readers: list[Reader] = []
    for entry in entries:
        progress(entry.name)
        readers.append(judged(file, entry))
    robot = one_line(file.mechanism.name, 80)
    return Comparison(name, robot, free_base, len(file.reading.joints), tuple(readers), missing=missing)


def require_expanded(name: str, text: str) -> None:
    """Raises :class:`MechanismError` for a file that xacro has to expand first."""
    if name.endswith(".xacro") or XACRO in text:
        robot = parse_xml(text, "robot", "URDF")
        if name.endswith(".xacro") or any(XACRO in element.tag for element in robot.iter()):
            raise MechanismError(f"{name} is a xacro file, which is no URDF yet; expand it first: xacro {name} > robot.urdf")
