"""One fault in mechanisms/: an exact edit of one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

Seen = dict[str, list[str] | None]
"""What saw a fault, by sense; None where it was not asked."""

SENSES = ("proof", "check", "reader", "vectors", "tests")


@dataclass(frozen=True)
class Fault:
    """``right`` stands in mechanisms/``module``.py exactly once; with ``wrong`` in its place, ``sentence`` is what is wrong."""

    module: str
    sentence: str
    right: str
    wrong: str

    def edited(self, text: str) -> str:
        """The module's ``text`` with this fault. Raises ValueError where ``right`` does not stand in it exactly once."""
        if (times := text.count(self.right)) != 1:
            raise ValueError(f"{self.module}: {self.sentence}: {self.right!r} stands there {times} times; mend the edit")
        return text.replace(self.right, self.wrong)

    def plant(self, folder: Path) -> None:
        """Put the fault into the copy of mechanisms/ in ``folder``."""
        path = folder / f"{self.module}.py"
        path.write_text(self.edited(path.read_text("utf-8")), "utf-8")


def faults(module: str, *rows: tuple[str, str, str]) -> tuple[Fault, ...]:
    """The faults of one module, from their sentences, right and wrong texts."""
    return tuple(Fault(module, *row) for row in rows)
