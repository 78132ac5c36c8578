"""Files of a form that we do not read, MJCF and SDF: engines are compared with one another."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from cross_check.part import Entry
from cross_check.readers.compare import differences, order_differs
from cross_check.readers.reader import reading_by, with_dynamics
from cross_check.readers.rebuilt import rebuilt
from cross_check.readers.results import Comparison, Reader, Verdict
from mechanisms import MechanismError
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Reading
from mechanisms.source import Source


def compared_among_themselves(
    name: str, text: str, form: Form, entries: Sequence[Entry], missing: Mapping[str, str], progress: Callable[[str], None]
) -> Comparison:
    """The readers of a file, compared with the reading that differs least from all others.

    Nobody's reading is the right one here: the verdict on a reader that differs is "unknown", or "digits". What an engine
    computes is compared with the truth about what it has read itself.
    """
    read: dict[str, Reading] = {}
    readers: dict[str, Reader] = {}
    for entry in entries:
        progress(entry.name)
        reading = reading_by(entry, text, form, False)
        if isinstance(reading, Reader):
            readers[entry.name] = reading
        else:
            read[entry.name] = reading
    base = min(read, key=lambda one: sum(len(differences(read[one], other)) for other in read.values()), default="")
    for entry in entries:
        if entry.name in read:
            readers[entry.name] = _judged(entry, read[base], read[entry.name], text, form)
    robot, joints = (one_line(read[base].name, 80), len(read[base].joints)) if base else ("", 0)
    return Comparison(name, robot, False, joints, tuple(readers[entry.name] for entry in entries), base, missing)


def _judged(entry: Entry, base: Reading, reading: Reading, text: str, form: Form) -> Reader:
    found = differences(base, reading)
    verdict: Verdict = "agrees" if not found else "digits" if all(one.is_digits for one in found) else "unknown"
    order = order_differs(base, reading)
    reader = Reader(entry.name, entry.version, verdict, differences=found, remaining=found, other_order=order, said=reading.said)
    try:
        mechanism = rebuilt(reading, "the root")
    except MechanismError:
        return reader
    source = Source(text, format=form, fingerprint=mechanism.fingerprint)
    return with_dynamics(reader, entry, lambda: dataclasses.replace(mechanism, read_from=source))
