"""The comparison of readers in the terminal: readable at 80 columns and without colour."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cross_check.readers.results import Comparison
from mechanisms.plain_text import one_line
from reports.readers_words import SHORT, SIGNS, engine, headline, marks, reports, tone
from reports.terminal import STYLES, Indented


def readers_text(comparison: Comparison) -> RenderableType:
    """Reader by row, then every reader that differs, and last the verdict."""
    parts: list[RenderableType] = [_table(comparison)] if comparison.readers else []
    for report in reports(comparison):
        sign = SIGNS[report.tone]
        parts.append(Text(f"{sign} {one_line(report.sentence, 600)}", style=STYLES.get(report.tone, "")))
        parts += [Indented(Text(one_line(line, 600)), 4) for line in report.lines]
    parts += [Text(f"our reader: {one_line(note, 600)}", style="dim") for note in comparison.notes]
    parts += [Text(f"{name.removesuffix('-urdf')}: {why}", style="dim") for name, why in comparison.missing.items()]
    worst = "agrees" if comparison.is_green else "discrepancy"
    parts.append(Text(f"{SIGNS[worst]} {headline(comparison)}.", style=STYLES[worst]))
    return Group(*parts)


def _table(comparison: Comparison) -> Table:
    rows = [(reader, dict(marks(reader))) for reader in comparison.readers]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), title_justify="left", title_style="bold")
    table.add_column("reader")
    table.add_column("verdict")
    for column in rows[0][1]:
        table.add_column(SHORT.get(column, column), justify="center")
    for reader, entries in rows:
        verdict = Text(f"{SIGNS[tone(reader)]} {reader.verdict}", style=STYLES.get(tone(reader), ""))
        cells = [Text(mark.sign, style=STYLES.get(mark.tone, "")) for mark in entries.values()]
        table.add_row(f"{engine(reader)} {reader.version}", verdict, *cells)
    return table
