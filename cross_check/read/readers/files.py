"""Compares all readers of a file: with our reading, or among themselves where we refuse the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cross_check.entry import Entry
from cross_check.read.readers.compare import compared_rows, differences, order_differs
from cross_check.read.readers.computed import Check, with_computed
from cross_check.read.readers.edited import File
from cross_check.read.readers.reader import Read, of_numbers, read_by, reading_by
from cross_check.read.readers.results import Comparison, Reader, Verdict
from implementations.plugins.registry import READERS
from mechanisms import MechanismError
from mechanisms.files.by_form import ROOTS, form_of
from mechanisms.files.untrusted_xml import in_file, parse_xml
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Reading
from mechanisms.source import Source

XACRO = "http://www.ros.org/wiki/xacro"


def compared(
    name: str,
    text: str,
    free_base: bool,
    entries: Sequence[Entry],
    missing: Mapping[str, str],
    progress: Callable[[str], None],
    check: Check,
) -> Comparison:
    """The comparison of all readers of the file with this ``text``; ``entries`` are engines on the models that they read.

    Raises :class:`MechanismError` for text that is no XML and for xacro: one sentence that names the file.
    """
    require_expanded(name, text)
    form = form_of(text)
    # An engine without a reader of this form has nothing to say about the file.
    entries = [entry for entry in entries if entry.name not in READERS or form in READERS[entry.name].reads]
    try:
        file = File(text, free_base, name)
    except MechanismError as error:
        with in_file(name):
            parse_xml(text, ROOTS[form], form.upper())
        source = Source(text, format=form, free_base=free_base)
        return _compared_among_themselves(name, source, entries, missing, progress, check, str(error))
    read = []
    for entry in entries:
        progress(entry.name)
        read.append(read_by(file, entry))
    readers = with_computed(read, progress, check)
    mechanism = file.mechanism
    robot, joints = one_line(mechanism.name, 80), len(file.reading.joints)
    return Comparison(name, robot, free_base, joints, tuple(readers), missing=missing, notes=mechanism.notes)


def _compared_among_themselves(
    name: str,
    source: Source,
    entries: Sequence[Entry],
    missing: Mapping[str, str],
    progress: Callable[[str], None],
    check: Check,
    refused: str,
) -> Comparison:
    """The readers of a file that we refuse, compared with the reading that differs least from all others.

    Nobody's reading is the right one here: if one differs by more than digits, the verdict on all is "apart". Of a URDF, what an
    engine computes is compared with the truth about what it has read itself. ``refused`` says why we refuse the file.
    """
    form: Form = source.format
    read: dict[str, Reading] = {}
    done: dict[str, Read] = {}
    for entry in entries:
        progress(entry.name)
        reading = reading_by(entry, source.text, form, source.free_base)
        if isinstance(reading, Reader):
            done[entry.name] = Read(entry, reading)
        else:
            read[entry.name] = reading
    base = min(read, key=lambda one: sum(len(differences(read[one], other)) for other in read.values()), default="")
    for entry in entries:
        if entry.name in read:
            done[entry.name] = _compared(entry, read[base], read[entry.name], source)
    if any(one.reader.verdict == "apart" for one in done.values()):
        apart = {name: replace(one, reader=replace(one.reader, verdict="apart")) for name, one in done.items() if name in read}
        done |= apart
    readers = with_computed([done[entry.name] for entry in entries], progress, check)
    robot, joints = (one_line(read[base].name, 80), len(read[base].joints)) if base else ("", 0)
    return Comparison(name, robot, source.free_base, joints, tuple(readers), base, missing, refused=refused)


def _compared(entry: Entry, base: Reading, reading: Reading, source: Source) -> Read:
    found = differences(base, reading)
    verdict: Verdict = "agrees" if not found else "digits" if all(one.is_digits for one in found) else "apart"
    reader = Reader(
        entry.name,
        entry.version,
        verdict,
        differences=found,
        remaining=found,
        compared=compared_rows(base, reading),
        other_order=order_differs(base, reading),
        said=reading.said,
    )
    # Readings of other forms do not say all that is computed: springs, friction, links without weight.
    return Read(entry, reader, of_numbers(reading, "the root", source) if source.format == "urdf" else None)


def require_expanded(name: str, text: str) -> None:
    """Raises :class:`MechanismError` for a file that xacro has to expand first."""
    if name.endswith(".xacro") or XACRO in text:
        robot = parse_xml(text, "robot", "URDF")
        if name.endswith(".xacro") or any(XACRO in element.tag for element in robot.iter()):
            raise MechanismError(f"{name} is a xacro file, which is no URDF yet; expand it first: xacro {name} > robot.urdf")
