"""A Markdown page as text and fenced blocks, with the options behind a block's language: ``console exit=1``."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

FENCE = re.compile(r"(?P<ticks>`{3,})(?P<language>[\w-]*)(?P<options>[^`]*)")


class PageError(Exception):
    """A page cannot be built; the message is one sentence that starts with the page and the line."""


@dataclass(frozen=True)
class Block:
    """A fenced block that starts at the line ``line``, counted from 1; ``lines`` are those between the fences."""

    page: str
    line: int
    language: str
    options: dict[str, str]
    lines: tuple[str, ...]
    written: str
    """The whole block as it stands in the page, fences included."""

    def error(self, problem: str, line: int | None = None) -> PageError:
        return PageError(f"{self.page}:{line or self.line}: {problem}")


def split(text: str, page: str) -> list[str | Block]:
    """The page's parts, in order: text between blocks, and the blocks that start at the beginning of a line.

    Raises :class:`PageError` for a block that does not end and for options that are not ``name=value``.
    """
    parts: list[str | Block] = []
    lines = iter(enumerate(text.splitlines(keepends=True), 1))
    between: list[str] = []
    for number, line in lines:
        if not (start := FENCE.fullmatch(line.rstrip())):
            between.append(line)
            continue
        inside: list[str] = []
        for _, line_inside in lines:
            if line_inside.rstrip() == start["ticks"]:
                break
            inside.append(line_inside)
        else:
            raise PageError(f"{page}:{number}: this block does not end; close it with {start['ticks']}")
        written = line + "".join(inside) + start["ticks"] + "\n"
        options = _options(start["options"], f"{page}:{number}") if start["language"] else {}
        block = Block(page, number, start["language"], options, tuple(one.rstrip("\n") for one in inside), written)
        parts += ["".join(between), block]
        between = []
    return [*parts, "".join(between)]


def _options(text: str, place: str) -> dict[str, str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise PageError(f"{place}: the options of this block cannot be read: {error}") from error
    if wrong := [word for word in words if "=" not in word]:
        raise PageError(f"{place}: the option {wrong[0]!r} of this block has no value; write name=value")
    return dict(word.split("=", 1) for word in words)
