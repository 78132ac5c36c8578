"""What one reader makes of a file, and why: its reading, its differences from ours, and the reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cross_check.entry import Entry
from cross_check.readers.compare import compared_rows, differences, order_differs
from cross_check.readers.edited import File, Misread
from cross_check.readers.explain import Explained, alternatives, explain
from cross_check.readers.rebuilt import in_order_of, rebuilt
from cross_check.readers.results import Element, Reader, Reason, Verdict
from implementations.processes.remote import Refusal, Remote
from implementations.protocol import Failure, Missing
from mechanisms import Mechanism, MechanismError
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Reading
from mechanisms.source import Source

LONGEST = 400
"""Characters of what an engine says."""


@dataclass(frozen=True)
class Read:
    """A reader, before what its engine computes is judged, and the mechanisms that it may have read."""

    entry: Entry
    reader: Reader
    mechanism: Mechanism | None = None
    """What it has read, in numbers of the file where these are its own; None if it is not known."""
    numbers: Mechanism | None = None
    """What it has read, in the numbers that it has itself; None where a reading does not say enough."""
    others: Callable[[], Iterator[tuple[Reason, Mechanism]]] = lambda: iter(())
    """Reasons that change the mechanism and nothing that readings show, and the mechanism with each. They cost a reading of the
    file for every hypothesis, and are wanted only where an engine computes something else."""


def reading_by(entry: Entry, text: str, form: Form, free_base: bool) -> Reading | Reader:
    """What the engine's reader makes of a file, with what it printed; its verdict if it makes nothing of it."""
    assert isinstance(entry.subject, Remote)
    try:
        reading, printed = entry.subject.read(text, form, free_base)
    except Refusal as refusal:
        return Reader(entry.name, entry.version, "refuses", one_line(str(refusal), LONGEST), said=_said(refusal.output))
    except (Failure, Missing) as failure:
        said = _said(getattr(failure, "output", ""))
        return Reader(entry.name, entry.version, "failed", one_line(str(failure), LONGEST), said=said)
    return replace(reading, said=(*reading.said, *_said(printed)))


def read_by(file: File, entry: Entry) -> Read:
    """What the engine's reader makes of the file, and what explains its differences from our reading."""
    reading = reading_by(entry, file.text, "urdf", file.free_base)
    if isinstance(reading, Reader):
        return Read(entry, reading)
    found = differences(file.reading, reading)
    explained = explain(file, reading) if found else Explained((), (), ())
    verdict = _verdict(explained)
    reasons = tuple(_reason(file, one, explained, reading) for one in explained.misread)
    known = verdict != "unknown"
    reader = Reader(
        entry.name,
        entry.version,
        verdict,
        reasons=reasons if known else (),
        partly=() if known else tuple(reason.sentence for reason in reasons),
        differences=found,
        remaining=explained.remaining,
        ruled_out=() if known else explained.ruled_out,
        compared=compared_rows(file.reading, reading),
        other_order=order_differs(file.reading, reading),
        said=reading.said,
    )
    if not known:
        return Read(entry, reader)
    # States are drawn for the coordinates in their order: in another order, a fault might not show.
    numbers = of_numbers(in_order_of(file.reading, reading), file.mechanism.root, file.mechanism.read_from)
    mechanism = numbers if explained.remaining else file.mechanism_as(explained.misread)
    return Read(entry, reader, mechanism, numbers, partial(_hidden, file, explained))


def of_numbers(reading: Reading, root: str, source: Source | None) -> Mechanism | None:
    """The mechanism of a reading's own numbers, with the file that the engine reads again.

    None if a reading does not say enough.
    """
    try:
        mechanism = rebuilt(reading, root)
    except MechanismError:
        return None
    return replace(mechanism, read_from=source and replace(source, fingerprint=mechanism.fingerprint))


def _verdict(explained: Explained) -> Verdict:
    if any(not difference.is_digits for difference in explained.remaining):
        return "unknown"
    verdicts: set[Verdict] = {misread.hypothesis.verdict for misread in explained.misread}
    if explained.remaining:
        verdicts.add("digits")
    return next((verdict for verdict in ("reading", "digits") if verdict in verdicts), "agrees")


def _reason(file: File, misread: Misread, explained: Explained, theirs: Reading) -> Reason:
    others = [one for one in explained.misread if one is not misread]
    left = {(difference.row, difference.joint) for difference in explained.remaining}
    again = [one for one in file.left(others, theirs) or () if (one.row, one.joint) not in left]
    rows = tuple(dict.fromkeys(difference.row for difference in again))
    joints = {difference.joint for difference in again}
    # Of joints only those that differ.
    elements = tuple((tag, name) for tag, name in misread.elements if tag == "link" or name in joints) or misread.elements
    return _made(file, misread, elements, rows, alternatives(file, explained, misread, theirs))


def _hidden(file: File, explained: Explained) -> Iterator[tuple[Reason, Mechanism]]:
    """The hypotheses that no reading shows, beside those that explain it, and the mechanism with each."""
    for one in file.hidden:
        if (mechanism := file.mechanism_as([*explained.misread, one])) is not None:
            yield _made(file, one, one.elements, (), ()), mechanism


def _made(
    file: File, misread: Misread, elements: Sequence[tuple[str, str]], rows: tuple[str, ...], rivals: tuple[str, ...]
) -> Reason:
    placed = tuple(Element(tag, name, *file.places.get((tag, name), (0, 0))) for tag, name in elements)
    hypothesis = misread.hypothesis
    return Reason(hypothesis.sentence, hypothesis.remedy, hypothesis.verdict, placed, rows, rivals)


def _said(printed: str) -> tuple[str, ...]:
    return tuple(one_line(line, LONGEST) for line in printed.splitlines()[:20] if line.strip())
