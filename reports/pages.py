"""What the pages share: their templates, the environment that fills them in, their security policy, and Markdown as HTML."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")


def environment(names: dict[str, Any], filters: dict[str, Any]) -> Environment:
    """An environment whose templates escape their input, with these global ``names`` and ``filters``."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= names
    made.filters |= filters
    return made


def page(made: Environment, template: str, css: str, js: str = "", rules: str = "", **content: Any) -> str:
    """A self-contained page. Its security policy allows this style, these further rules of style, and this script alone."""
    styles = " ".join(hashed(text) for text in (css, rules) if text)
    script = f"; script-src {hashed(js)}" if js else ""
    policy = f"default-src 'none'; style-src {styles}{script}; base-uri 'none'; form-action 'none'"
    return made.get_template(template).render(css=Markup(css), js=Markup(js), policy=policy, **content)


def hashed(text: str) -> str:
    """The hash by which a content security policy names a style sheet or a script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def markdown(text: str) -> Markup:
    """The text as HTML; HTML in it is shown as it is written."""
    tokens = PARSER.parse(text)
    for start, content, end in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if start.type == "th_open" and not content.content:  # A header cell without text names nothing.
            start.tag = end.tag = "td"
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h3" if token.tag == "h1" else "h4"
        if token.children:
            token.children = _plain(token.children)
    return Markup(PARSER.renderer.render(tokens, PARSER.options, {}))


def _plain(tokens: Sequence[Token]) -> list[Token]:
    """Links as their text and address, images as their description."""
    plain: list[Token] = []
    address = ""
    for token in tokens:
        match token.type:
            case "link_open":
                address = str(token.attrs.get("href", ""))
            case "link_close":
                shown = plain[-1].content if plain else ""
                plain.append(Token("text", "", 0, content="" if address in ("", shown) else f" ({address})"))
            case "image":
                plain.append(Token("text", "", 0, content=token.content))
            case _:
                plain.append(token)
    return plain
