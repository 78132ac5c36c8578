"""The table of a page: what our reader of a format does with every element and attribute."""

from __future__ import annotations

from written import table

from mechanisms.files.vocabulary import Part, vocabulary
from mechanisms.reading import Form


def vocabulary_table(form: Form) -> str:
    """All parts of files with one treatment and one meaning share a row."""
    alike: dict[Part, list[str]] = {}
    for path, parts in vocabulary(form).items():
        for name, part in parts.items():
            alike.setdefault(part, []).append(f"`{path}/{name}`")
    rows = (
        (", ".join(names), treatment(part), part.words.replace("<", "\\<").replace("|", "\\|")) for part, names in alike.items()
    )
    return "\n".join(table(("part", "treatment", ""), rows))


def treatment(part: Part) -> str:
    """What the reader does, in words."""
    use = part.use.replace("ignored aloud", "ignored with a note")
    return f"{use} unless {part.unless}" if part.unless else use
