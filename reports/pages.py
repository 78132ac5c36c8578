"""What the pages share: their templates, the environment that fills them in, their security policy, and Markdown as HTML."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from reports import words

TEMPLATES = Path(__file__).with_name("templates")


def _sentence(text: str) -> str:
    """The text with a capital and a full stop, unless it has them."""
    text = text.rstrip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


@cache
def _environment() -> Environment:
    """An environment whose templates escape their input, with the words of all pages."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= {"count": words.count, "VERDICTS": words.VERDICTS}
    made.filters |= {name: getattr(words, name) for name in ("units", "symbol", "whose", "level", "change_word", "tally_word")}
    made.filters |= {"number_of": words.number, "title_of": words.title, "clean": words.printable, "sentence": _sentence}
    made.filters |= {"capitalize_first": lambda text: text[:1].upper() + text[1:]}
    return made


def fill(template: str, **content: Any) -> Markup:
    """The template with this content."""
    return Markup(_environment().get_template(template).render(**content))


def page(template: str, *sheets: str, js: str = "", rules: str = "", **content: Any) -> str:
    """A self-contained page with these style sheets beside that of all pages.

    Its security policy allows this style, these further rules of style, and this script alone.
    """
    css = "".join(TEMPLATES.joinpath(name).read_text("utf-8") for name in ("report.css", *sheets))
    styles = " ".join(hashed(text) for text in (css, rules) if text)
    script = f"; script-src {hashed(js)}" if js else ""
    policy = f"default-src 'none'; style-src {styles}{script}; base-uri 'none'; form-action 'none'"
    return str(fill(template, css=Markup(css), js=Markup(js), policy=policy, **content))


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
