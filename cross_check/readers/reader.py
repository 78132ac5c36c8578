"""One reader's reading of a file, judged: verdict, reasons, and what the engine computes from what it read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import suppress

from cross_check import harness
from cross_check.part import Entry
from cross_check.readers.compare import Difference, differences, order_differs
from cross_check.readers.explain import Explained, File, Misread, alternatives, explain
from cross_check.readers.rebuilt import rebuilt
from cross_check.readers.results import Computed, Element, Reader, Reason, Verdict
from cross_check.results.objects import Results
from cross_check.settings import Settings
from implementations.processes.remote import Refusal, Remote
from implementations.protocol import Failure, Missing
from mechanisms import Mechanism, MechanismError, parse_urdf
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Reading

QUANTITIES = ("mass_matrix", "gravity", "nonlinear_effects", "inverse_dynamics")
"""What is computed, in this order."""

STATES = 24


def judged(file: File, entry: Entry) -> Reader:
    """The verdict on one engine's reader. ``entry`` is the engine on the models that it reads itself."""
    reading = reading_by(entry, file.text, "urdf", file.free_base)
    if isinstance(reading, Reader):
        return reading
    found = differences(file.reading, reading)
    explained = explain(file, reading) if found else Explained((), (), ())
    reader = Reader(
        entry.name,
        entry.version,
        _verdict(explained),
        reasons=tuple(_reason(file, one, explained, reading) for one in explained.misread),
        differences=found,
        remaining=explained.remaining,
        ruled_out=explained.ruled_out if explained.remaining else (),
        other_order=order_differs(file.reading, reading),
        said=reading.said,
    )
    if reader.verdict == "unknown":
        return reader
    truths = (lambda: _as_read(file, explained, reading), lambda: _as_its_numbers_say(file, reading))
    try:
        return with_dynamics(reader, entry, *truths)
    except MechanismError:
        return reader  # What it has read cannot be rebuilt, and so not be judged.


def reading_by(entry: Entry, text: str, form: Form, free_base: bool) -> Reading | Reader:
    """What the engine's reader makes of a file, with what it printed; its verdict if it makes nothing of it."""
    assert isinstance(entry.subject, Remote)
    try:
        reading, printed = entry.subject.read(text, form, free_base)
    except Refusal as refusal:
        return Reader(entry.name, entry.version, "refuses", one_line(str(refusal), 400), said=_said(refusal.output))
    except (Failure, Missing) as failure:
        said = _said(getattr(failure, "output", ""))
        return Reader(entry.name, entry.version, "failed", one_line(str(failure), 400), said=said)
    return dataclasses.replace(reading, said=(*reading.said, *_said(printed)))


def _verdict(explained: Explained) -> Verdict:
    if any(not difference.is_digits for difference in explained.remaining):
        return "unknown"
    verdicts: set[Verdict] = {misread.hypothesis.verdict for misread in explained.misread}
    if explained.remaining:
        verdicts.add("digits")
    return next((verdict for verdict in ("reading", "digits") if verdict in verdicts), "agrees")


def _reason(file: File, misread: Misread, explained: Explained, theirs: Reading) -> Reason:
    others = [one for one in explained.misread if one is not misread]
    again = file.left(others, theirs) or ()
    rows = tuple(dict.fromkeys(difference.row for difference in again))
    elements = tuple(Element(tag, name, *file.places.get((tag, name), (0, 0))) for tag, name in _affected(misread, again))
    hypothesis = misread.hypothesis
    rivals = alternatives(file, explained, misread, theirs)
    return Reason(hypothesis.sentence, hypothesis.remedy, hypothesis.verdict, elements, rows, rivals)


def _affected(misread: Misread, again: Sequence[Difference]) -> tuple[tuple[str, str], ...]:
    """The elements of a misreading; of joints only those that differ."""
    joints = {difference.joint for difference in again}
    kept = tuple((tag, name) for tag, name in misread.elements if tag == "link" or name in joints)
    return kept or misread.elements


def with_dynamics(reader: Reader, entry: Entry, *truths: Callable[[], Mechanism]) -> Reader:
    """The reader with what its engine computes, compared with the truth about what it has read.

    ``truths`` make the mechanism that it has read: the first as the file means it, another one from the numbers that the reader
    itself has. Where the engine agrees with the latter alone, what it has read has lost digits. Raises :class:`MechanismError`.
    """
    judged = _computed(reader, entry, truths[0](), explain=len(truths) == 1)
    if judged.verdict != "fault" or len(truths) == 1:
        return judged
    with suppress(MechanismError):
        again = _computed(reader, entry, truths[1](), explain=False)
        if again.verdict == reader.verdict:
            message = "what it has read has lost digits; from exactly the numbers that it has, it computes right"
            verdict: Verdict = "reading" if reader.verdict == "reading" else "digits"
            return dataclasses.replace(again, verdict=verdict, message=message)
    return _computed(reader, entry, truths[0](), explain=True)


def _computed(reader: Reader, entry: Entry, mechanism: Mechanism, explain: bool) -> Reader:
    settings = Settings(states=STATES, quantities=QUANTITIES, invariants=False)
    results = harness.check([(mechanism.name, mechanism)], [entry], settings, explain=explain)
    computed = tuple(Computed(c.quantity, c.verdict, c.error, one_line(c.message, 300)) for c in results.cells)
    verdict, message = _of_dynamics(results, computed)
    if verdict != "agrees":
        reader = dataclasses.replace(reader, verdict=verdict, message=message)
    return dataclasses.replace(reader, computed=computed)


def _of_dynamics(results: Results, computed: Sequence[Computed]) -> tuple[Verdict, str]:
    wrong = [one for one in computed if one.verdict in ("discrepancy", "known")]
    if wrong:
        causes = "; ".join(cause.sentence for cause in results.causes)
        return "fault", causes or wrong[0].message or f"{wrong[0].quantity} is off by {wrong[0].error:.3g} ε-units"
    if failed := next((one for one in computed if one.verdict == "failed"), None):
        return "failed", failed.message
    return "agrees", ""


def _as_read(file: File, explained: Explained, reading: Reading) -> Mechanism:
    """The mechanism that the reader made of the file. It keeps the file's own text, which the engine reads again.

    Where digits were lost, it is built from the numbers that the reader has. Raises :class:`MechanismError`.
    """
    if explained.remaining:
        return _as_its_numbers_say(file, reading)
    if explained.misread:
        edited = file.edited(explained.misread)
        mechanism = parse_urdf(edited, "the edited file", file.free_base, physical=False, ignore_mimic=True)
    else:
        return file.mechanism
    source = file.mechanism.read_from
    assert source
    return dataclasses.replace(mechanism, read_from=dataclasses.replace(source, fingerprint=mechanism.fingerprint))


def _as_its_numbers_say(file: File, reading: Reading) -> Mechanism:
    """The mechanism of the numbers that the reader has, all of them. Raises :class:`MechanismError`."""
    mechanism = rebuilt(reading, file.mechanism.root)
    source = file.mechanism.read_from
    assert source
    return dataclasses.replace(mechanism, read_from=dataclasses.replace(source, fingerprint=mechanism.fingerprint))


def _said(printed: str) -> tuple[str, ...]:
    return tuple(one_line(line, 300) for line in printed.splitlines()[:20] if line.strip())
