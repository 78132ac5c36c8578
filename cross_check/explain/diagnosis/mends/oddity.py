"""How odd an edit is. Of the edits that all mend a code, people have made the least odd one the other way round."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import accumulate

from cross_check.explain.formulations.places import span
from implementations.processes.edited import Edit


def oddity(source: bytes, edit: Edit) -> tuple[bool, bool, bool, int]:
    """Small for an edit that people make.

    Odd are a number in the place of zero or of what is no number, a transpose of a transpose, and a new minus in a comparison or
    an index. Of all others, the edit of fewest characters is the least odd.
    """
    before, after = source[edit.start : edit.end].decode(), edit.text
    kept = sum(block.size for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks())
    is_constant = _number(after) is not None and not _number(before)
    is_negated = after.count("-") > before.count("-") and any(
        start <= edit.start and edit.end <= end for start, end in _decisions(source)
    )
    return is_constant, ".T.T" in after, is_negated, len(before) + len(after) - 2 * kept


def _number(text: str) -> float | None:
    """The number that a text is; None if it is none."""
    try:
        return float(text.strip("()").replace(" ", ""))
    except ValueError:
        return None


def _decisions(source: bytes) -> Iterator[tuple[int, int]]:
    """Where comparisons and indices stand."""
    starts = (0, *accumulate(map(len, source.splitlines(keepends=True))))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            yield span(starts, node)
        elif isinstance(node, ast.Subscript):
            yield span(starts, node.slice)
