"""What a comparison of readers says: the words, the terminal's output, and the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cross_check.exchange.results.objects import RIGHT
from cross_check.read.readers.compare import ROWS
from cross_check.read.readers.results import WORDS, Comparison, Element, Reader, Reason
from mechanisms.plain_text import count, listing, one_line, printable
from mechanisms.quantities import QUANTITIES
from reports.pages import page
from reports.terminal import STYLES, Indented

TONES = {"agrees": "agrees", "failed": "failed", "refuses": "known", "digits": "known", "apart": "known"}
"""The tone of a verdict; all others are discrepancies."""

SIGNS = {"agrees": "✓", "discrepancy": "✗", "failed": "!", "known": "~"}

NAMES = {
    "joints": ("the tree of joints", "tree"),
    "mass": ("the mass", "m"),
    "com": ("the centre of mass", "com"),
    "inertia": ("the inertia", "I"),
    "origins": ("the place of the joint", "place"),
    "axes": ("the axis of the joint", "axis"),
    "limits": ("the limits", "limits"),
    "damping": ("the damping", "damp"),
    "armature": ("the armature", "arm"),
    "friction": ("the friction", "fric"),
    "lifted": ("the gravity compensation", "lift"),
    "gravity": ("gravity", "grav"),
}
"""The rows in sentences, and as headings."""


def noun(row: str) -> str:
    """The row in a sentence."""
    return NAMES.get(row, (row, row))[0]


def heading(row: str) -> str:
    """The row, or another column, as a heading."""
    return NAMES.get(row, (row, row))[1]


MOST_ELEMENTS = 3
MOST_DIFFERENCES = 4


@dataclass(frozen=True)
class Mark:
    """One entry of the table: a sign, and what it means."""

    sign: str
    meaning: str
    tone: str


@dataclass(frozen=True)
class Report:
    """What one reader does with the file: a sentence, and lines of evidence."""

    sentence: str
    lines: tuple[str, ...]
    tone: str


def tone(reader: Reader) -> str:
    return TONES.get(reader.verdict, "discrepancy")


def engine(reader: Reader) -> str:
    return reader.name.removesuffix("-urdf")


def headline(comparison: Comparison) -> str:
    """One sentence: do all readers take the file alike, and if not, who is odd."""
    readers, odd, file = comparison.readers, comparison.odd, comparison.file
    if comparison.refused:
        return f"dalembert refuses {comparison.refused}"
    if not readers:
        return f"No engine that is installed reads {file}"
    if not odd:
        who = [*map(engine, readers), *(["dalembert"] if comparison.compared_with == "dalembert" else [])]
        alike = f"{listing(who)} read {file} alike" if len(who) > 1 else f"{who[0]} alone read {file}"
        blind = [engine(reader) for reader in readers if not _is_computed(reader)]
        return alike + (f"; what {listing(blind)} would compute was not compared" if blind else "")
    if len(odd) == len(readers) > 1 and _shared_by_all(comparison):
        return f"dalembert reads {file} otherwise than all {len(readers)} engines"
    by_verdict: dict[str, list[str]] = {}
    for reader in odd:
        by_verdict.setdefault(DOES[reader.verdict], []).append(engine(reader))
    said = "; ".join(f"{listing(names)} {does}" for does, names in by_verdict.items())
    return f"{file}: of {count(len(readers), 'engine')}, {said}"


DOES = {
    "reading": "read it otherwise",
    "digits": "lost digits",
    "fault": "computed wrong",
    "refuses": "refused it",
    "failed": "failed",
    "unknown": "differed for a reason that was not found",
    "apart": "did not read it alike",
}
"""What a reader did, by its verdict."""


def _is_computed(reader: Reader) -> bool:
    return any(one.error is not None for one in reader.computed)


def _shared_by_all(comparison: Comparison) -> bool:
    if any(reader.verdict != "reading" for reader in comparison.readers):
        return False
    return bool(set.intersection(*({reason.sentence for reason in reader.reasons} for reader in comparison.readers)))


def marks(reader: Reader) -> dict[str, Mark]:
    """The marks of a reader, by column of the table."""
    return dict(_marks(reader))


def _marks(reader: Reader) -> Iterator[tuple[str, Mark]]:
    direct = {reason.rows[0] for reason in reader.reasons if reason.rows}
    differing = {difference.row for difference in reader.differences}
    left = {difference.row for difference in reader.remaining if not difference.is_digits}
    compared = reader.verdict not in ("refuses", "failed") or bool(reader.computed)
    for row in ROWS:
        if not compared or (row not in reader.compared and row not in differing):
            yield row, Mark("", "not compared", "absent")
        elif row in left:
            yield row, Mark("?", "differs, not explained", "discrepancy")
        elif row in direct:
            yield row, Mark("≠", "differs", "discrepancy")
        elif row in differing and {d.row for d in reader.remaining} >= {row}:
            yield row, Mark("≈", "differs in the last digits", "known")
        elif row in differing:
            yield row, Mark("↳", "follows from the first difference", "known")
        else:
            yield row, Mark("=", "the same", "agrees")
    computed = {one.quantity: one for one in reader.computed}
    for quantity in ("mass_matrix", "gravity", "nonlinear_effects", "inverse_dynamics"):
        one, symbol = computed.get(quantity), QUANTITIES[quantity].symbol
        if one is None or one.error is None:
            yield symbol, Mark("", one.message if one else "not compared", "absent")
        else:
            right = one.verdict in RIGHT
            means = f"{one.error:.3g} ε-units from the truth about what it read"
            yield symbol, Mark("=" if right else "≠", means, "agrees" if right else "discrepancy")


def reports(comparison: Comparison) -> Iterator[Report]:
    """Every reader that differs, and why; and why nothing that a reader computes was compared."""
    for reader in comparison.readers:
        if reader.verdict != "agrees" or reader.reasons:
            yield Report(_sentence(reader), tuple(_lines(comparison, reader)), tone(reader))
        elif not _is_computed(reader) and (why := _why(reader)):
            yield Report(f"what {engine(reader)} {reader.version} computes was not compared{why}", (), "known")


def _sentence(reader: Reader) -> str:
    who = f"{engine(reader)} {reader.version}"
    if reader.verdict == "fault":
        also = f"; it also {listing([*map(_claim, reader.reasons)])}" if reader.reasons else ""
        return f"{who} {WORDS['fault']}: {reader.message}{also}"
    if reader.verdict == "failed":
        return f"{who} {WORDS['failed']}: {reader.message}"
    if reader.reasons:
        return f"{who} {', and '.join(map(_claim, reader.reasons))}"
    if reader.verdict == "digits":
        return f"{who} {WORDS['digits']}: {reader.message or 'the numbers that it has read differ in the last digits'}"
    return f"{who} {WORDS[reader.verdict]}" + (f": {reader.message}" if reader.message else "")


def _claim(reason: Reason) -> str:
    where = "; ".join(map(_place, reason.elements[:MOST_ELEMENTS]))
    more = len(reason.elements) - MOST_ELEMENTS
    return f"{reason.sentence} ({where}{f', and {more} more' if more > 0 else ''})" if where else reason.sentence


def _place(element: Element) -> str:
    at = f", line {element.line}, column {element.column}" if element.line else ""
    return f"{element.tag} {element.name!r}{at}"


def _lines(comparison: Comparison, reader: Reader) -> Iterator[str]:
    others = len(comparison.readers)
    for reason in reader.reasons:
        first, *after = (noun(row) for row in reason.rows or ("what it computes",))
        shared = comparison.shared(reason)
        who = "no other reader does so" if shared == 1 else f"{shared} of the {others} engines do so"
        follow = f"; {listing(after)} {'follows' if len(after) == 1 else 'follow'} from it" if after else ""
        yield f"it changes {first}{follow}" + (f"; {who}" if others > 1 else "")
        if reason.alternatives:
            yield f"this file does not tell it from a reader that {', or that '.join(reason.alternatives)}"
    shown = reader.remaining or reader.differences
    for difference in shown[:MOST_DIFFERENCES]:
        where = f"joint {difference.joint!r}, " if difference.joint else ""
        ours = f"{comparison.compared_with.removesuffix('-urdf')} {difference.ours}"
        by = f", {difference.size:.1g} of its size" if difference.is_digits else ""
        yield f"{where}{noun(difference.row)}: {ours}; {engine(reader)} {difference.theirs}{by}"
    if (more := len(shown) - MOST_DIFFERENCES) > 0:
        yield f"and {more} more {'difference' if more == 1 else 'differences'}"
    if reader.reasons:
        yield _retested(reader)
    elif not _is_computed(reader) and reader.verdict in ("agrees", "digits"):
        yield f"what it computes was not compared{_why(reader)}"
    if reader.partly:
        yield f"a part of this would be the work of a reader that {' and that '.join(reader.partly)}"
    if reader.ruled_out:
        yield f"ruled out: it {'; it '.join(reader.ruled_out)}"
    for line in reader.said[:3]:
        yield f"{engine(reader)} says: {line}"
    for reason in reader.reasons:
        if reason.page:
            yield f"docs/findings/{reason.page}.md has the proof that this is a fault of {engine(reader)}"
        if reason.remedy:
            yield f"to make all agree: {reason.remedy}"


def _retested(reader: Reader) -> str:
    undone = f"retested: with {'this' if len(reader.reasons) == 1 else 'these'} undone, "
    left = "only last digits differ" if reader.remaining else "every number is the same"
    if not _is_computed(reader):
        return f"{undone}{left}; what it computes was not compared{_why(reader)}"
    right = all(one.verdict in RIGHT for one in reader.computed if one.error is not None)
    return f"{undone}{left}, {'and what it computes is right' if right else 'but what it computes is wrong'}"


def _why(reader: Reader) -> str:
    why = next((one.message for one in reader.computed if one.message), "")
    return f": {why}" if why else ""


def readers_text(comparison: Comparison) -> RenderableType:
    """Reader by row, then every reader that differs, and last the verdict: readable at 80 columns and without colour."""
    parts: list[RenderableType] = [_table(comparison)] if comparison.readers else []
    for report in reports(comparison):
        sign = SIGNS[report.tone]
        parts.append(Text(f"{sign} {one_line(report.sentence, 600)}", style=STYLES.get(report.tone, "")))
        parts += [Indented(Text(one_line(line, 600)), 4) for line in report.lines]
    parts += [Text(f"our reader: {one_line(note, 600)}", style="dim") for note in comparison.notes]
    parts += [Text(f"{name.removesuffix('-urdf')}: {why}", style="dim") for name, why in comparison.missing.items()]
    worst = comparison.verdict
    parts.append(Text(f"{SIGNS[worst]} {headline(comparison)}.", style=STYLES[worst]))
    return Group(*parts)


def _table(comparison: Comparison) -> Table:
    rows = [(reader, marks(reader)) for reader in comparison.readers]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), title_justify="left", title_style="bold")
    table.add_column("reader")
    table.add_column("verdict")
    for column in rows[0][1]:
        table.add_column(heading(column), justify="center")
    for reader, entries in rows:
        verdict = Text(f"{SIGNS[tone(reader)]} {reader.verdict}", style=STYLES.get(tone(reader), ""))
        cells = [Text(mark.sign, style=STYLES.get(mark.tone, "")) for mark in entries.values()]
        table.add_row(f"{engine(reader)} {reader.version}", verdict, *cells)
    return table


def readers_page(comparisons: Sequence[Comparison]) -> str:
    """The comparisons of several files as one page that opens from disk and needs no network and no script."""
    odd = sum(one.verdict == "discrepancy" for one in comparisons)
    title = f"In {odd} of {len(comparisons)} files, readers do not agree" if odd else "All readers agree"
    said = printable(headline(comparisons[0]) if len(comparisons) == 1 else title)
    names: dict[str, Any] = {"engine": engine, "said_of": headline, "marks": marks, "reports": reports, "tone": tone}
    names |= {"signs": SIGNS, "words": WORDS, "rows": ROWS, "heading": heading, "comparisons": comparisons, "odd": odd}
    return page("readers.html", "readers.css", headline=said, **names)
