"""What the site changes in pages that are written for the repository: outputs, links to folders, generated pages, and maths.

Maths is MathML, which browsers draw themselves: no script, no font and no network.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import write_api
from docutils import nodes
from executed import PageError, executed
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError

from dalembert.cli.main import main

DOCS = Path(__file__).parents[1]

LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def without_links_to_folders(text: str, page: Path) -> str:
    """Links to folders become text: a site has no page for them. Files are copied, so links to them stay."""

    def shown(link: re.Match[str]) -> str:
        return link[1] if (page.parent / link[2]).is_dir() else link[0]

    return LINK.sub(shown, text)


def reference() -> str:
    """The page of the public names, from their docstrings."""
    introduction, _, _ = write_api.PAGE.read_text("utf-8").partition("<!-- names")
    lines = [introduction.rstrip()]
    for title, names in write_api.sections().items():
        lines += [f"## {title}", *(_entry(name, thing) for name, thing in names.items())]
    return "\n\n".join(lines)


def _entry(name: str, thing: Any) -> str:
    """The directive that documents one name, with the signature of docs/api.md, which leaves long defaults out."""
    kind, options = "function", ""
    if isinstance(thing, type):
        kind, options = ("exception", "") if issubclass(thing, Exception) else ("class", "   :members:\n   :undoc-members:\n")
    return f"```{{eval-rst}}\n.. auto{kind}:: dalembert.{write_api.signature(name, thing)}\n{options}```"


def command_line() -> str:
    """The page of all commands: what the page in the checkout says, then what ``--help`` prints."""
    lines = [(DOCS / "command-line.md").read_text("utf-8").rstrip()]
    assert isinstance(main, click.Group)
    for name in ("", *sorted(main.commands)):
        words = f"dalembert {name}".strip()
        lines.append(f"## `{words}`\n\n```console\n$ {words} --help\n```")
    return "\n\n".join(lines)


GENERATED = {"api": reference, "command-line": command_line}


def prepare(app: Any, docname: str, source: list[str]) -> None:
    """Change the text of a page before it is parsed. A page that cannot be built stops the build."""
    path = DOCS / f"{docname}.md"
    text = GENERATED[docname]() if docname in GENERATED else source[0]
    text = without_links_to_folders(text, path)
    if app.config.run_commands:
        try:
            text = executed(text, f"docs/{docname}.md")
        except PageError as error:
            raise ExtensionError(str(error)) from error
    source[0] = text


def make_accessible(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Say what Sphinx and the theme leave out: the level of headings in the navigation, and that blocks scroll by keyboard."""
    if "furo_navigation_tree" in context:
        context["furo_navigation_tree"] = context["furo_navigation_tree"].replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )
    body = context.get("body", "")
    context["body"] = body.replace("<pre>", '<pre tabindex="0">').replace(
        '<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'
    )


def inline_maths(translator: Any, node: nodes.math) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block_of_maths(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math" tabindex="0">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx. ``-D run_commands=0`` builds in seconds, without outputs: to look at text and links."""
    app.add_config_value("run_commands", True, "env", bool)
    app.connect("source-read", prepare)
    app.connect("html-page-context", make_accessible, priority=900)
    app.add_html_math_renderer("mathml", (inline_maths, None), (block_of_maths, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
