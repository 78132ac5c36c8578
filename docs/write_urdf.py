"""Writes docs/urdf.md: what our reader of URDF does with every element and attribute. Run ``python docs/write_urdf.py``."""

from __future__ import annotations

from pathlib import Path

from mechanisms.urdf_traits import TRAITS
from mechanisms.urdf_vocabulary import VOCABULARY, Part

PAGE = Path(__file__).with_name("urdf.md")

HEAD = """\
# How URDF is read

This page is for everybody who gives `dalembert` a URDF file. After reading it you know which parts of the file enter the
mechanism, which parts are ignored, and which files are refused.

URDF has no complete specification. Where its [pages](https://wiki.ros.org/urdf/XML) leave something open, `dalembert` reads what
[urdfdom](https://github.com/ros/urdfdom), the parser of ROS, reads. Where urdfdom drops an element with a message, or replaces a
number that makes no sense, `dalembert` refuses the file in one sentence.

- **read**: the part enters the mechanism. A value that cannot be right is refused.
- **refused**: a file with this part is not read, because it describes something else than its text shows.
- **ignored with a note**: the part does not enter the mechanism, although it may matter. `Mechanism.notes` has one sentence
  for each kind. Reports show them under "Ignored in files"; other commands print them to standard error.
- **ignored**: the part does not enter the dynamics.

More rules:

- **Every part that the table does not have is ignored with a note**, as is the second of two elements where one is expected. The
  content of an ignored element is not looked at.
- Elements of xacro are refused: expand the file first. Elements of a namespace other than the namespace of `<robot>` are unknown.
- Numbers are decimal, may have a sign and an exponent, and are kept exactly. Spaces, tabs and line ends may separate them. NaN,
  infinities, hexadecimal numbers and decimal commas are refused.
- `<origin quat_xyzw="x y z w">` needs `version` 1.1 or 1.2. A quaternion of zero is refused, and so are `quat_xyzw` and `rpy`
  together. In version 1.0, the version of a file without a version, `quat_xyzw` is ignored with a note, as in urdfdom 6.0.

[urdf-traits.md](urdf-traits.md) shows what `dalembert` and every engine make of {traits} small files with one trait each.
`python docs/write_urdf.py` writes this page from [urdf_vocabulary.py](../mechanisms/urdf_vocabulary.py).

## Elements and attributes

Attributes have an @ before their name.

| part | treatment | |
|---|---|---|
"""


def render() -> str:
    """The page: a row for all parts with one treatment and one meaning."""
    alike: dict[Part, list[str]] = {}
    for path, parts in VOCABULARY.items():
        for name, part in parts.items():
            alike.setdefault(part, []).append(f"`{path}/{name}`")
    rows = [f"| {', '.join(names)} | {_use(part)} | {_cell(part.words)} |" for part, names in alike.items()]
    return HEAD.replace("{traits}", str(len(TRAITS))) + "\n".join(rows) + "\n"


def _use(part: Part) -> str:
    words = {"ignored aloud": "ignored with a note", "aloud unless zero": "ignored with a note unless zero"}
    return words.get(part.use, part.use)


def _cell(words: str) -> str:
    return words.replace("<", "\\<").replace("|", "\\|")


def main() -> None:
    PAGE.write_text(render(), "utf-8")


if __name__ == "__main__":
    main()
