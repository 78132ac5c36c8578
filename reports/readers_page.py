"""The comparison of readers as one page that opens from disk and needs no network and no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from cross_check.readers.compare import ROWS
from cross_check.readers.results import WORDS, Comparison
from mechanisms.plain_text import printable
from reports.pages import TEMPLATES, environment, hashed
from reports.readers_words import SHORT, SIGNS, engine, headline, marks, reports, tone


def readers_page(comparisons: Sequence[Comparison]) -> str:
    """The page of several files."""
    css = "".join(TEMPLATES.joinpath(name).read_text("utf-8") for name in ("report.css", "readers.css"))
    odd = sum(not one.is_green for one in comparisons)
    title = f"In {odd} of {len(comparisons)} files, readers do not agree" if odd else "All readers agree"
    names: dict[str, Any] = {
        "engine": engine,
        "said_of": headline,
        "marks": lambda reader: dict(marks(reader)),
        "reports": reports,
    }
    names |= {"tone": tone, "signs": SIGNS, "words": WORDS, "rows": ROWS, "short": SHORT}
    return (
        environment(names, {"clean": printable})
        .get_template("readers.html")
        .render(
            css=Markup(css),
            policy=f"default-src 'none'; style-src {hashed(css)}; base-uri 'none'; form-action 'none'",
            headline=printable(headline(comparisons[0]) if len(comparisons) == 1 else title),
            comparisons=comparisons,
            odd=odd,
        )
    )
