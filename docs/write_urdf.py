"""Writes the table of docs/urdf.md: what our reader of URDF does with every element and attribute.

Run ``python docs/write_urdf.py``.
"""

from __future__ import annotations

from pathlib import Path

from vocabulary_table import vocabulary_table
from written import with_parts

from mechanisms.urdf_traits import TRAITS

PAGE = Path(__file__).with_name("urdf.md")


def render() -> str:
    return with_parts(PAGE, traits=len(TRAITS), vocabulary=vocabulary_table("urdf"))


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
