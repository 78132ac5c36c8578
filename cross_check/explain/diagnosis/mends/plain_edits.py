"""How odd an edit is, and the plainest way to write it.

Of the edits that all mend a code, people have made the least odd one the other way round.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import accumulate

from cross_check.explain.slips.places import span
from implementations.processes.edited import Edit


def oddity(source: bytes, edit: Edit) -> tuple[bool, bool, bool, int]:
    """Small for an edit that people make.

    Odd are a number in the place of zero or of what is no number, a transpose of a transpose, and a new minus within an
    expression. Of all others, the edit of fewest characters is the least odd.
    """
    before, after = source[edit.start : edit.end].decode(), edit.text
    kept = sum(block.size for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks())
    is_constant = _number(after) is not None and not _number(before)
    is_negated = after.count("-") > before.count("-") and (edit.start, edit.end) not in _values(source)
    return is_constant, ".T.T" in after, is_negated, len(before) + len(after) - 2 * kept


def _number(text: str) -> float | None:
    """The number that a text is; None if it is none."""
    try:
        return float(text.strip("()").replace(" ", ""))
    except ValueError:
        return None


def _values(source: bytes) -> Iterator[tuple[int, int]]:
    """Where the whole values of statements stand."""
    starts = (0, *accumulate(map(len, source.splitlines(keepends=True))))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Return | ast.Assign | ast.AugAssign) and node.value:
            yield span(starts, node.value)


def plain(source: bytes, edit: Edit) -> Edit:
    """The same edit without the parentheses that change nothing. What stays of the source stays as it is written."""
    if text := _in_literal(source[edit.start : edit.end].decode(), edit.text):
        return edit._replace(text=text)
    written, kept = ast.unparse(ast.parse(edit.text, mode="eval")), edit.text.removeprefix("(").removesuffix(")")
    for text in (kept, written) if source[edit.start : edit.end].decode() in kept else (written,):
        with suppress(SyntaxError, ValueError):
            found = edit._replace(text=text)
            if ast.dump(ast.parse(found.applied(source))) == ast.dump(ast.parse(edit.applied(source))):
                return found
    return edit._replace(text=f"({written})")


def _in_literal(before: str, after: str) -> str:
    """The literal ``before`` of a text, with the one line changed in which ``after`` differs; empty if they differ otherwise."""
    with suppress(ValueError, SyntaxError, TypeError, AttributeError):
        lines = [ast.literal_eval(text).split("\n") for text in (before, after)]
        ((old, new),) = [(old, new) for old, new in zip(*lines, strict=True) if old != new]
        found = before.replace(old, new)
        return found if before.count(old) == 1 and ast.literal_eval(found) == ast.literal_eval(after) else ""
    return ""
