"""A page as a browser would read it."""

from __future__ import annotations

import base64
import json
import zlib
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "input", "link", "br", "mspace"}


class Page(HTMLParser):
    """A page as the tags in it, each with its attributes, and all text but that of scripts and styles."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text, self.raw = "", {"script": [], "style": []}
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[Any]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[Any]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]].append(data)
        else:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def data(self) -> Any:
        return self.packed[0]

    @property
    def packed(self) -> tuple[Any, bytes]:
        """The data of the page's script: JSON, and the bytes of the errors."""
        text, errors = zlib.decompress(base64.b64decode(self.raw["script"][0], validate=True)).split(b"\0", 1)
        return json.loads(text), errors
