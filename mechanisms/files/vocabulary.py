"""The elements and attributes of the formats: what our readers do with each, and why, from one table for each format.

A table is a file ``vocabulary.toml``. A section is the path of an element, or of several with commas between; a path begins at an
element that occurs in several places, or at the document's. What the reader does, and why, comes first: "use: words", "use unless
zero: words" for a part that changes nothing where it has that value, or what is called so in the section "names". Behind it are
the attributes, with @, and the child elements that it is true of. "+" names other sections, "+NAME", whose parts are here, too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mechanisms.errors import MechanismError
from mechanisms.numbers.exact import exact
from mechanisms.reading import Form

Section = Mapping[str, str]


class Part(NamedTuple):
    """What the reader does with an element or an attribute."""

    use: str
    """"read", "ignored", "ignored aloud", where a note says it, or "refused"."""
    words: str
    """What it means, where it is read; otherwise a clause that says why, or the remedy."""
    unless: str = ""
    """The value with which it is ignored in silence: "zero", "true" or "false"."""


Vocabulary = Mapping[str, Mapping[str, Part]]
"""By path, attributes with @ and child elements: what the reader does with them. Elements without a path of their own are not
looked into."""


@cache
def vocabulary(form: Form) -> Vocabulary:
    """That of a format."""
    sections = tomllib.loads(Path(__file__).with_name(form).joinpath("vocabulary.toml").read_text("utf-8"))
    names = sections.pop("names")
    paths = ((path, section) for title, section in sections.items() for path in title.split(", "))
    return {path: dict(_parts(section, sections, names)) for path, section in paths if not path.startswith("+")}


def _parts(section: Section, sections: Mapping[str, Section], names: Section) -> Iterator[tuple[str, Part]]:
    for said, parts in section.items():
        if said == "+":
            for name in parts.split():
                yield from _parts(sections[f"+{name}"], sections, names)
            continue
        use, words = names.get(said, said).split(": ", 1)
        use, _, unless = use.partition(" unless ")
        yield from ((part, Part(use, words, unless)) for part in parts.split())


def is_zero(text: str) -> bool:
    """Whether the text has no number but zeros."""
    try:
        return all(exact(word) == 0 for word in text.split())
    except MechanismError:
        return False
