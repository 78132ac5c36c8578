"""Files that we do not read, such as MJCF and SDF: engines are compared with one another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cross_check.entry import Entry
from cross_check.readers.compare import compared_rows, differences, order_differs
from cross_check.readers.computed import with_computed
from cross_check.readers.reader import Read, of_numbers, reading_by
from cross_check.readers.results import Comparison, Reader, Verdict
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Reading
from mechanisms.source import Source


def compared_among_themselves(
    name: str,
    source: Source,
    entries: Sequence[Entry],
    missing: Mapping[str, str],
    progress: Callable[[str], None],
    refused: str = "",
) -> Comparison:
    """The readers of a file, compared with the reading that differs least from all others.

    Nobody's reading is the right one here: the verdict on a reader that differs is "unknown", or "digits". What an engine
    computes is compared with the truth about what it has read itself. ``refused`` says why we refuse the file.
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
    readers = with_computed([done[entry.name] for entry in entries], progress)
    robot, joints = (one_line(read[base].name, 80), len(read[base].joints)) if base else ("", 0)
    return Comparison(name, robot, source.free_base, joints, tuple(readers), base, missing, refused=refused)


def _compared(entry: Entry, base: Reading, reading: Reading, source: Source) -> Read:
    found = differences(base, reading)
    verdict: Verdict = "agrees" if not found else "digits" if all(one.is_digits for one in found) else "unknown"
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
    return Read(entry, reader, of_numbers(reading, "the root", source))
