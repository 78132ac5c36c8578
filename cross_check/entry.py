"""An implementation under test, as a run names it."""

from __future__ import annotations

from dataclasses import dataclass

from implementations.processes.subject import Subject


@dataclass(frozen=True)
class Entry:
    """An implementation under test."""

    name: str
    spec: str
    subject: Subject
    follows: str = ""
    """The name of the entry before it in the run whose answers its own are compared with, if there is one."""

    @property
    def version(self) -> str:
        return self.subject.version
