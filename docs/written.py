"""The parts of a page that a script writes, and tables in Markdown. All other text of the page is written by hand.

A part stands between two comments, in lines of its own or within a line:

    <!-- NAME: written by docs/write_PAGE.py -->
    <!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

PART = re.compile(r"(?P<begin><!-- (?P<name>[\w-]+): written by [\w./]+ -->)(?P<line>\n?).*?(?P<end><!-- end -->)", re.S)


def with_parts(page: Path, **parts: object) -> str:
    """The text of ``page`` with these parts, by name. Raises :class:`ValueError` for a part that the page has no place for."""
    text = page.read_text("utf-8")
    if missing := parts.keys() - {part["name"] for part in PART.finditer(text)}:
        raise ValueError(f"{page} has no place for {', '.join(sorted(missing))}; add the comments that docs/written.py shows")

    def written(part: re.Match[str]) -> str:
        if part["name"] not in parts:
            return part[0]
        content = f"{parts[part['name']]}"
        around = ("\n\n" if content else "\n") if part["line"] else ""
        return f"{part['begin']}{around}{content}{around if content else ''}{part['end']}"

    return PART.sub(written, text)


def row(*cells: object) -> str:
    """One line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def table(head: Iterable[object], rows: Iterable[Iterable[object]], aligned: str = "") -> Iterator[str]:
    """The lines of a table. ``aligned`` has a letter for each column, "l" or "r"; by default all columns are set left."""
    names = [*head]
    yield row(*names)
    yield row(*("--:" if side == "r" else "---" for side in aligned or "l" * len(names)))
    yield from (row(*cells) for cells in rows)
