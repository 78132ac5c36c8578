"""Writes the table of docs/mjcf.md: what our reader of MJCF does with every element and attribute.

Run ``python docs/write_mjcf.py``.
"""

from __future__ import annotations

from pathlib import Path

from written import table, with_parts

from mechanisms.files.mjcf.vocabulary import VOCABULARY
from mechanisms.files.urdf.vocabulary import Part
from mechanisms.mjcf_traits import TRAITS

PAGE = Path(__file__).with_name("mjcf.md")


def render() -> str:
    """The page. All parts of files with one treatment and one meaning share a row."""
    alike: dict[Part, list[str]] = {}
    for path, parts in VOCABULARY.items():
        for name, part in parts.items():
            alike.setdefault(part, []).append(f"`{path}/{name}`")
    rows = ((", ".join(names), part.use, part.words.replace("<", "\\<")) for part, names in alike.items())
    return with_parts(PAGE, traits=len(TRAITS), vocabulary="\n".join(table(("part", "treatment", ""), rows)))


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
