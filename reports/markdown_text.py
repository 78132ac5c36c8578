"""Markdown as HTML that can be put into a page: no raw HTML, nothing that is loaded, headings below the page's own."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

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
