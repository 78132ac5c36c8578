"""Writes the table of docs/sdf.md: what our reader of SDF does with every element and attribute.

Run ``python docs/write_sdf.py``.
"""

from __future__ import annotations

from pathlib import Path

from written import table, with_parts

from mechanisms.files.sdf.vocabulary import VOCABULARY, Part

PAGE = Path(__file__).with_name("sdf.md")


def render() -> str:
    """The page. All parts of files with one treatment and one meaning share a row."""
    alike: dict[Part, list[str]] = {}
    for path, parts in VOCABULARY.items():
        for name, part in parts.items():
            alike.setdefault(part, []).append(f"`{path}/{name}`")
    rows = ((", ".join(names), _use(part), part.words.replace("<", "\\<")) for part, names in alike.items())
    return with_parts(PAGE, vocabulary="\n".join(table(("part", "treatment", ""), rows)))


def _use(part: Part) -> str:
    return f"{part.use} unless {part.unless}" if part.unless else part.use


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
