"""Writes the table of docs/urdf.md: what our reader of URDF does with every element and attribute.

Run ``python docs/write_urdf.py``.
"""

from __future__ import annotations

from pathlib import Path

from written import table, with_parts

from mechanisms.files.urdf.vocabulary import VOCABULARY, Part
from mechanisms.urdf_traits import TRAITS

PAGE = Path(__file__).with_name("urdf.md")


def render() -> str:
    """The page. All parts of files with one treatment and one meaning share a row."""
    alike: dict[Part, list[str]] = {}
    for path, parts in VOCABULARY.items():
        for name, part in parts.items():
            alike.setdefault(part, []).append(f"`{path}/{name}`")
    rows = ((", ".join(names), _use(part), _cell(part.words)) for part, names in alike.items())
    return with_parts(PAGE, traits=len(TRAITS), vocabulary="\n".join(table(("part", "treatment", ""), rows)))


def _use(part: Part) -> str:
    words = {"ignored aloud": "ignored with a note", "aloud unless zero": "ignored with a note unless zero"}
    return words.get(part.use, part.use)


def _cell(words: str) -> str:
    return words.replace("<", "\\<").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
