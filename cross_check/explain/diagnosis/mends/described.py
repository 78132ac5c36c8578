"""Edits as a person makes them: without parentheses that change nothing, and as lines of a file."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path

from cross_check.exchange.results.causes import ChangedLines, Mend
from implementations.processes.edited import Edit, edited_sources


def described(edits: Sequence[Edit], states: int, mechanisms: int) -> Mend:
    """The mend that consists of these edits. Raises :class:`OSError`."""
    changes = [change for path, source in edited_sources(edits).items() for change in _changes(path, source)]
    return Mend(changes, states, mechanisms)


def _changes(path: Path, changed: bytes) -> Iterator[ChangedLines]:
    before, after = (text.decode("utf-8", "replace").splitlines() for text in (path.read_bytes(), changed))
    with suppress(ValueError):
        path = path.relative_to(Path.cwd())
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        blocks = [(first, last, start, end)]
        if last - first == end - start:
            blocks = [(first + k, first + k + 1, start + k, start + k + 1) for k in range(last - first)]
        for a, b, c, d in blocks if kind != "equal" else ():
            yield ChangedLines(path.as_posix(), a + 1, "\n".join(before[a:b]).strip(), "\n".join(after[c:d]).strip())


def plain(source: bytes, edit: Edit) -> Edit:
    """The same edit without the parentheses that change nothing. What stays of the source stays as it is written."""
    tree, kept = ast.parse(edit.text, mode="eval"), edit.text.removeprefix("(").removesuffix(")")
    for text in (kept, ast.unparse(tree)) if source[edit.start : edit.end].decode() in kept else (ast.unparse(tree),):
        with suppress(SyntaxError, ValueError):
            found = edit._replace(text=text)
            if ast.dump(ast.parse(found.applied(source))) == ast.dump(ast.parse(edit.applied(source))):
                return found
    return edit._replace(text=f"({ast.unparse(tree)})")
