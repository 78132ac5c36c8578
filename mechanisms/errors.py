"""The errors of mechanisms: one sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mechanisms.plain_text import sentence


@dataclass(frozen=True, order=True)
class Place:
    """Where an element begins: the file, the line and the column, both from one. The file is empty for a text without a path."""

    file: str
    line: int
    column: int

    def within(self, name: str) -> str:
        """The file and the line as one phrase; ``name`` is that of a text without a path."""
        return f"{self.file or name}:{self.line}"


Places = Mapping[tuple[str, str], Place | None]
"""Where the parts of a mechanism are in its file, by kind and name: ("body", "arm"), "joint", "inertial" of a body, "constraint",
and ("gravity", "")."""


class MechanismError(ValueError):
    """A mechanism cannot be what its data say; the message is one sentence: which element, what is wrong, the remedy.

    ``place`` is that of the innermost element that was being read. ``about`` has the kind and the name of the part that the
    sentence is about, ("body", "arm"), from which a reader knows the place in its file.
    """

    def __init__(self, message: str, place: Place | None = None, about: tuple[str, str] = ("", "")) -> None:
        super().__init__(sentence(message))
        self.place = place
        self.about = about


class Unsupported(Exception):
    """A mechanism has no such quantity, or an implementation cannot represent it; the message is one sentence that says why."""
