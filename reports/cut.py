"""Markdown that fits into a page of bounded size."""

from __future__ import annotations

import re

STEP_SUMMARY = 2**20
"""Bytes of a step's summary on GitHub; more is refused as a whole."""

RESERVED = 2000
"""Bytes for the sentence that says what was left out."""


def cut(text: str, most: int = STEP_SUMMARY) -> str:
    """``text``, if it has at most so many bytes (UTF-8). Otherwise its first lines, and a sentence that says what was left out.

    No code block and no line is cut in two.
    """
    if _size(text) <= most:
        return text
    lines = text.splitlines(keepends=True)
    kept = _kept(lines, most - RESERVED)
    sections = [line[4:].strip()[:60] for line in lines[kept:] if line.startswith("### ")]
    named = f", with the sections {', '.join(sections)}" if sections else ""
    sentence = (
        f"**Left out:** the last {len(lines) - kept} lines{named}. This page holds {most} bytes; the HTML report has all.\n"
    )
    return f"{''.join(lines[:kept]).rstrip()}\n\n{sentence}"


def _kept(lines: list[str], most: int) -> int:
    """How many lines fit, so that no code block is open after them."""
    size, kept, fence = 0, 0, ""
    for k, line in enumerate(lines):
        size += _size(line)
        if size > most:
            break
        if found := re.match(r" *(`{3,})", line):
            fence = "" if fence and found[1] == fence else fence or found[1]
        kept = kept if fence else k + 1
    return kept


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
