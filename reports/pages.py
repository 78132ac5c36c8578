"""What the pages share: their templates, the environment that fills them in, and hashes for their security policies."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).with_name("templates")


def environment(names: dict[str, Any], filters: dict[str, Any]) -> Environment:
    """An environment whose templates escape their input, with these global ``names`` and ``filters``."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= names
    made.filters |= filters
    return made


def hashed(text: str) -> str:
    """The hash by which a content security policy names a style sheet or a script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
