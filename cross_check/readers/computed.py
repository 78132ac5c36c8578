"""What engines compute from what they have read, compared with the truth about just that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from cross_check import harness
from cross_check.readers.nearby import LARGEST, RIGHT_FILES, nearby
from cross_check.readers.reader import Read
from cross_check.readers.results import Computed, Reader, Verdict
from cross_check.results.objects import RIGHT, Results
from cross_check.settings import Settings
from mechanisms import Mechanism, MechanismError, parse_urdf
from mechanisms.plain_text import one_line

SETTINGS = Settings(quantities=("mass_matrix", "gravity", "nonlinear_effects", "inverse_dynamics"), invariants=False)
"""What is compared, and at which states, if the caller does not say."""

HIDDEN = 1e5
"""In ε-units. Readings that count as the same differ by less than 10⁻¹¹ of their size, so what is computed is off by no more."""


def with_computed(all_read: Sequence[Read], progress: Callable[[str], None], settings: Settings = SETTINGS) -> list[Reader]:
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
        results = _results(mechanism, group, settings)
        for read in group:
            judged[read.entry.name] = _judged(read, results, settings)
    return list(judged.values())


def _judged(read: Read, results: Results, settings: Settings) -> Reader:
    computed = _of(results, read, settings)
    reader = replace(read.reader, computed=computed)
    if failed := next((one for one in computed if one.verdict == "failed"), None):
        return replace(reader, verdict="failed", message=failed.message)
    wrong = [one for one in computed if one.verdict in ("discrepancy", "known")]
    if not wrong:
        return reader
    asked = replace(settings, quantities=tuple(one.quantity for one in wrong))
    for reason, mechanism in read.others():
        # What is wrong is asked first: most reasons do not explain it.
        if not _agree(_of(_results(mechanism, [read], asked), read, asked)):
            continue
        again = _of(_results(mechanism, [read], settings), read, settings)
        if _agree(again):
            return replace(reader, verdict="reading", reasons=(*reader.reasons, reason), computed=again)
    # Where digits were lost in the reading, it was asked about its own numbers already.
    if read.numbers is not None and read.numbers is not read.mechanism and max((one.error or 0.0) for one in wrong) < HIDDEN:
        again = _of(_results(read.numbers, [read], settings), read, settings)
        if _agree(again):
            message = "what it has read has lost digits; from exactly the numbers that it has, it computes right"
            verdict: Verdict = "reading" if reader.verdict == "reading" else "digits"
            return replace(reader, verdict=verdict, message=message, computed=again)
    assert read.mechanism
    if not reader.reasons and _is_rounding(read, asked, wrong):
        message = "the numbers of its model are rounded; it is right about files that differ by some roundings"
        return replace(reader, verdict="digits", message=message, computed=_with_lost_digits(computed, wrong, message))
    causes = _results(read.mechanism, [read], asked, explain=True).causes
    first = wrong[0]
    message = (
        "; ".join(c.sentence for c in causes) or first.message or f"{first.quantity} is off by {first.error or 0.0:.3g} ε-units"
    )
    if not causes or any(cause.kind != "arithmetic" for cause in causes):
        return replace(reader, verdict="fault", message=message)
    lost = _with_lost_digits(computed, wrong, message)
    return replace(reader, verdict="reading" if reader.verdict == "reading" else "digits", message=message, computed=lost)


def _with_lost_digits(computed: Sequence[Computed], wrong: Sequence[Computed], why: str) -> tuple[Computed, ...]:
    return tuple(replace(one, verdict="lost digits", message=why) if one in wrong else one for one in computed)


def _is_rounding(read: Read, asked: Settings, wrong: Sequence[Computed]) -> bool:
    """Whether the engine is right about files that differ by some roundings: :mod:`cross_check.readers.nearby`."""
    source = read.mechanism.read_from if read.mechanism else None
    if source is None or any(one.verdict == "known" or one.error is None or one.error > LARGEST * asked.bar for one in wrong):
        return False
    right = 0
    for text in nearby(source.text):
        try:
            mechanism = parse_urdf(text, source=read.entry.name, free_base=source.free_base)
        except MechanismError:
            return False
        errors = [one.error for one in _of(_results(mechanism, [read], asked), read, asked)]
        if any(error is None or error > LARGEST * asked.bar for error in errors):
            return False
        right += all(error is not None and error <= asked.bar for error in errors)
    return right >= RIGHT_FILES


def _results(mechanism: Mechanism, group: Iterable[Read], settings: Settings, explain: bool = False) -> Results:
    return harness.check([(mechanism.name, mechanism)], [read.entry for read in group], settings, explain=explain)


def _of(results: Results, read: Read, settings: Settings) -> tuple[Computed, ...]:
    cells = (cell for cell in results.cells if cell.implementation == read.entry.name)
    computed = tuple(Computed(c.quantity, c.verdict, c.error, one_line(c.message, 300)) for c in cells)
    # An implementation that cannot load the mechanism has no cells.
    skipped = next((item.why for item in results.skipped if item.what.endswith(f"/{read.entry.name}")), "")
    return computed or tuple(Computed(name, "unsupported", None, one_line(skipped, 300)) for name in settings.quantities)


def _agree(computed: Sequence[Computed]) -> bool:
    compared = [one for one in computed if one.error is not None]
    return bool(compared) and all(one.verdict in RIGHT for one in compared)
