"""The pages of findings. The wheel has them beside this module."""

from __future__ import annotations

import re
from pathlib import Path


def text_of(page: str) -> str:
    """The page with this name, in Markdown."""
    packaged = Path(__file__).with_name("pages") / f"{page}.md"
    return (packaged if packaged.exists() else Path(__file__).parents[3] / "docs" / "findings" / f"{page}.md").read_text("utf-8")


def script_of(page: str) -> str:
    """The Python script of the page."""
    (script, *_) = re.findall(r"```python\n(.*?)```", text_of(page), re.DOTALL)
    return str(script)
