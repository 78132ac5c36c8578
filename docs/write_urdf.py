"""Writes docs/urdf.md: what our reader of URDF does with every element and attribute. Run ``python docs/write_urdf.py``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mechanisms.urdf_traits import TRAITS
from mechanisms.urdf_vocabulary import VOCABULARY, Part

PAGE = Path(__file__).with_name("urdf.md")

HEAD = """\
# How URDF is read

`python docs/write_urdf.py` writes this page from the table in
[mechanisms/urdf_vocabulary.py](../mechanisms/urdf_vocabulary.py), and a test compares the two.

URDF has no complete specification. Where its [pages](https://wiki.ros.org/urdf/XML) leave something open, we read what
[urdfdom](https://github.com/ros/urdfdom), the parser of ROS, reads. There are exceptions, because a silent guess must not
become the truth: where urdfdom drops an element with a message on the console, or replaces a number that makes no sense, we
refuse the file in one sentence.

Each element and attribute has one of four treatments:

- **read**: it enters the mechanism, and what cannot be right in it is refused.
- **refused**: a file with it describes something else than its text shows, so it is not read at all.
- **ignored aloud**: it does not enter the mechanism, although it may matter. `Mechanism.notes` has one sentence for each kind.
  `dalembert check`, `gate` and their reports have them under "Ignored in files"; other commands print them to standard error.
- **ignored**: it does not enter the dynamics, by its meaning.

**What is not in the tables is ignored aloud.** So is the second of two elements of which one is expected; the first counts, as
for urdfdom. Elements of xacro are refused: expand the file first. The namespace of `<robot>` itself does not matter; elements
of other namespaces are unknown elements. What is inside an ignored element is not looked at.

Numbers are decimal, with a sign and an exponent if need be, and are kept exactly. Several spaces, tabs and line ends may
separate them. NaN, infinities, hexadecimal numbers and decimal commas are refused.

`version` of `<robot>` decides about quaternions. Since version 1.1, `<origin quat_xyzw="x y z w">` may stand in the place of
`rpy`. Its length does not matter; zero is refused, and so are both attributes together. In a file of version 1.0, which is also
what a file without a version is, `quat_xyzw` is ignored aloud: the body is not turned. urdfdom 6.0 does the same, and prints a
warning.

[urdf-traits.md](urdf-traits.md) shows what we and every engine make of {traits} small files with one trait each.
"""


def render() -> str:
    """The page."""
    return "\n".join(
        [
            HEAD.replace("{traits}", str(len(TRAITS))),
            *(line for path, parts in VOCABULARY.items() for line in _table(path, parts)),
        ]
    )


def _table(path: str, parts: Mapping[str, Part]) -> list[str]:
    title = " in ".join(f"`<{tag}>`" for tag in reversed(path.split("/")))
    rows = [f"| {_name(name)} | {_use(part)} | {_cell(part.words)} |" for name, part in parts.items()]
    return [f"## {title}", "", "| part | treatment | |", "|---|---|---|", *rows, ""]


def _name(name: str) -> str:
    return f"attribute `{name[1:]}`" if name.startswith("@") else f"`<{name}>`"


def _use(part: Part) -> str:
    return {"aloud unless zero": "ignored; aloud unless zero"}.get(part.use, part.use)


def _cell(words: str) -> str:
    return words.replace("<", "\\<").replace("|", "\\|")


def main() -> None:
    PAGE.write_text(render(), "utf-8")


if __name__ == "__main__":
    main()
