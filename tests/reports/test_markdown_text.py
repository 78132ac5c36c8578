"""Markdown in a page: raw HTML is text, links and images load nothing."""

from __future__ import annotations

from pathlib import Path

from documents import HOSTILE
from parsed_page import Page

from reports.pages import markdown
from reports.words import cleaned

FINDINGS = Path(__file__).parents[2] / "docs/findings"


def test_html_links_and_images_are_text() -> None:
    source = markdown(
        "# Title\n\n<script>alert(1)</script> [text](https://example.org/x) ![picture](https://example.org/y.png)\n"
    )
    found = Page(source)
    assert {tag for tag, _ in found.tags} == {"h3", "p"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt; text (https://example.org/x) picture" in source


def test_hostile_text_is_text() -> None:
    assert not {tag for tag, _ in Page(markdown(cleaned(HOSTILE))).tags} & {"script", "a", "img", "style"}


def test_the_findings_are_readable() -> None:
    for path in FINDINGS.glob("*.md"):
        tags = {tag for tag, _ in Page(markdown(path.read_text("utf-8"))).tags}
        assert "h3" in tags and not tags & {"a", "img", "script"}, path.name
