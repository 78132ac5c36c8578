"""Exact edits of files, kept as lines of JSON: faults that somebody or something is to notice."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """``old`` stands in ``file`` exactly once; with ``new`` in its place, ``sentence`` is what is wrong."""

    file: str
    """The path in the checkout."""
    sentence: str
    old: str
    new: str

    def edited(self, text: str) -> str:
        """The file's ``text`` with this edit. Raises ValueError where ``old`` does not stand in it exactly once."""
        if (times := text.count(self.old)) != 1:
            raise ValueError(f"{self.file}: {self.sentence}: {self.old!r} stands there {times} times; mend the edit")
        return text.replace(self.old, self.new)

    def plant(self, checkout: Path) -> None:
        """Edit the file in the copy ``checkout``."""
        path = checkout / self.file
        path.write_text(self.edited(path.read_text("utf-8")), "utf-8")


def read_edits(path: Path) -> tuple[Edit, ...]:
    """The edits in a file of JSON lines."""
    return tuple(Edit(**json.loads(line)) for line in path.read_text("utf-8").splitlines())


def write_edits(path: Path, edits: list[Edit]) -> None:
    """Write them, one a line, by file."""
    path.write_text("".join(json.dumps(vars(edit), ensure_ascii=False) + "\n" for edit in edits), "utf-8")
