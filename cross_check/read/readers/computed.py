"""What engines compute from what they have read, compared with the truth about just that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.objects import RIGHT, Results
from cross_check.read.as_read.rewriting import text_of
from cross_check.read.readers.reader import Read
from cross_check.read.readers.results import Computed, Reader, Verdict
from mechanisms import Mechanism, MechanismError
from mechanisms.files.by_form import ROOTS, read_text
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.plain_text import one_line
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.reading import Form

Run = Callable[[Mechanism, Sequence[Entry], tuple[str, ...], bool], Results]
"""A check of a mechanism, with the entries of engines, of these quantities; whether causes are wanted comes last."""


ALONG_LINKS = {
    name
    for name, one in ALL_QUANTITIES.items()
    if "f" in one.arguments or ({"bodies", "parameters"} & {*one.axes} and one.frame not in ("aligned", "world"))
}
"""Quantities that depend on how the frames of links are turned, which a reading does not say."""


@dataclass(frozen=True)
class Check:
    """How what engines compute is compared with the truth, of which quantities, and the bar of ``run``."""

    run: Run
    quantities: tuple[str, ...]
    bar: float

    def results(self, mechanism: Mechanism, group: Sequence[Read], explain: bool = False) -> Results:
        asked = tuple(name for name in self.quantities if mechanism is not group[0].numbers or name not in ALONG_LINKS)
        return self.run(mechanism, [read.entry for read in group], asked, explain)

    def computed(self, mechanism: Mechanism, read: Read) -> tuple[Computed, ...]:
        """What one engine computes, about a mechanism that it may have read."""
        return self.of(self.results(mechanism, [read]), read)

    def of(self, results: Results, read: Read) -> tuple[Computed, ...]:
        """What one engine of a group computes."""
        cells = (cell for cell in results.cells if cell.implementation == read.entry.name)
        computed = tuple(Computed(c.quantity, c.verdict, c.error, one_line(c.message, 300)) for c in cells)
        # An implementation that cannot load the mechanism has no cells.
        skipped = next((item.why for item in results.skipped if item.what.endswith(f"/{read.entry.name}")), "")
        return computed or tuple(Computed(name, "unsupported", None, one_line(skipped, 300)) for name in self.quantities)


HIDDEN = 1e5
"""In ε-units. Readings that count as the same differ by less than 10⁻¹¹ of their size, so what is computed is off by no more."""


def with_computed(all_read: Sequence[Read], progress: Callable[[str], None], check: Check) -> list[Reader]:
    """The readers, each with what its engine computes and the verdict on it. Readers of one mechanism share its truth."""
    groups: dict[str, list[Read]] = defaultdict(list)
    for read in all_read:
        if read.mechanism is not None:
            groups[read.mechanism.fingerprint].append(read)
    judged: dict[str, Reader] = {read.entry.name: read.reader for read in all_read}
    for group in groups.values():
        mechanism = group[0].mechanism
        assert mechanism
        progress(", ".join(read.entry.name for read in group))
        results = check.results(mechanism, group)
        for read in group:
            judged[read.entry.name] = _judged(read, check.of(results, read), check)
    return list(judged.values())


def _judged(read: Read, computed: tuple[Computed, ...], check: Check) -> Reader:
    reader = replace(read.reader, computed=computed)
    if failed := next((one for one in computed if one.verdict == "failed"), None):
        return replace(reader, verdict="failed", message=failed.message)
    wrong = [one for one in computed if one.verdict in ("discrepancy", "known")]
    if not wrong:
        return reader
    asked = replace(check, quantities=tuple(one.quantity for one in wrong))
    for reason, mechanism in read.others():
        # What is wrong is asked first: most reasons do not explain it.
        if _agree(asked.computed(mechanism, read)) and _agree(again := check.computed(mechanism, read)):
            return replace(reader, verdict="reading", reasons=(*reader.reasons, reason), computed=again)
    lost: Verdict = "reading" if reader.verdict == "reading" else "digits"
    # Where digits were lost in the reading, it was asked about its own numbers already.
    if read.numbers is not None and read.numbers is not read.mechanism and max((one.error or 0.0) for one in wrong) < HIDDEN:
        again = check.computed(read.numbers, read)
        if _agree(again):
            message = "what it has read has lost digits; from exactly the numbers that it has, it computes right"
            return replace(reader, verdict=lost, message=message, computed=again)
    assert read.mechanism
    if not reader.reasons and _is_rounding(read, asked, wrong):
        message = "the numbers of its model are rounded; it is right about files that differ by some roundings"
        return replace(reader, verdict="digits", message=message, computed=_with_lost_digits(computed, wrong, message))
    causes = asked.results(read.mechanism, [read], explain=True).causes
    first = wrong[0]
    message = (
        "; ".join(c.sentence for c in causes) or first.message or f"{first.quantity} is off by {first.error or 0.0:.3g} ε-units"
    )
    if not causes or any(cause.kind != "arithmetic" for cause in causes):
        return replace(reader, verdict="fault", message=message)
    return replace(reader, verdict=lost, message=message, computed=_with_lost_digits(computed, wrong, message))


def _with_lost_digits(computed: Sequence[Computed], wrong: Sequence[Computed], why: str) -> tuple[Computed, ...]:
    return tuple(replace(one, verdict="lost digits", message=why) if one in wrong else one for one in computed)


def _agree(computed: Sequence[Computed]) -> bool:
    compared = [one for one in computed if one.error is not None]
    return bool(compared) and all(one.verdict in RIGHT for one in compared)


FILES = 8

RIGHT_FILES = 6
"""An engine has made no mistake if it is right about so many of the files, and nowhere worse than :data:`LARGEST`."""

LARGEST = 2.0
"""Times the bar. Larger errors are not tried."""

STEP = 2.0**-44
"""Relative to the number. It is 256 roundings."""

PLACES: Mapping[Form, Mapping[str, tuple[str, ...]]] = {
    "urdf": {"origin": ("xyz", "rpy"), "axis": ("xyz",)},
    "mjcf": {"body": ("pos", "quat", "euler"), "joint": ("pos", "axis")},
    "sdf": {"pose": (), "xyz": ()},
}
"""The elements with angles, places and axes, and their attributes; without attributes, the numbers are the element's text."""


def _is_rounding(read: Read, asked: Check, wrong: Sequence[Computed]) -> bool:
    """Whether the engine is right about files that differ by some roundings."""
    source = read.mechanism.read_from if read.mechanism else None
    if source is None or any(one.verdict == "known" or one.error is None or one.error > LARGEST * asked.bar for one in wrong):
        return False
    right = 0
    for text in nearby(source.text, source.format):
        try:
            _, mechanism = read_text(text, source.format, read.entry.name, source.free_base)
        except MechanismError:
            return False
        errors = [one.error for one in asked.computed(mechanism, read)]
        if any(error is None or error > LARGEST * asked.bar for error in errors):
            return False
        right += all(error is not None and error <= asked.bar for error in errors)
    return right >= RIGHT_FILES


def nearby(text: str, form: Form = "urdf") -> Iterator[str]:
    """:data:`FILES` files that differ from a file by some roundings, the same from run to run.

    A reader turns angles and axes into matrices, which are rounded. So are the numbers of its model, once for all states. On a
    long chain such roundings may add up to a little more than the bar, which allows for the roundings of an algorithm. In another
    file, whose angles, places and axes differ by :data:`STEP` at most, the roundings are others. A wrong term stays wrong.
    """
    rng = np.random.default_rng(0)
    for _ in range(FILES):
        robot = parse_xml(text, ROOTS[form], form.upper())
        for tag, names in PLACES[form].items():
            for element in robot.iter(tag):
                if not names:
                    element.text = _moved(element.text or "", rng)
                element.attrib.update({name: _moved(element.attrib[name], rng) for name in names if name in element.attrib})
        yield text_of(robot)


def _moved(numbers: str, rng: np.random.Generator) -> str:
    return " ".join(repr(float(x) * (1 + STEP * rng.uniform(-1, 1))) for x in numbers.split())
