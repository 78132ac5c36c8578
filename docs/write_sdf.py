"""Writes the table of docs/sdf.md: what our reader of SDF does with every element and attribute.

Run ``python docs/write_sdf.py``.
"""

from __future__ import annotations

from pathlib import Path

from vocabulary_table import vocabulary_table
from written import with_parts

PAGE = Path(__file__).with_name("sdf.md")


def render() -> str:
    return with_parts(PAGE, vocabulary=vocabulary_table("sdf"))


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
