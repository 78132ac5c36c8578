"""A run while it goes: an interrupted run keeps what it has finished."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cross_check.results.objects import (
    ImplementationSummary,
    MechanismSummary,
    Results,
    Rounding,
    RunSettings,
    Skipped,
    Times,
    to_json,
)
from cross_check.results.parts import Part

KeepOnDisk = Callable[[str, dict[str, Any] | None], None]
"""Called with the key of every part that is finished, and the part as JSON data; with None when the part is begun."""


@dataclass
class Recorder:
    """Collects the parts of a run as they are finished. :meth:`snapshot` gives them as frozen :class:`Results`.

    The order of the results is that of ``order``, the mechanisms' names, and of ``implementations``, whenever a part came.
    """

    settings: RunSettings
    machine: dict[str, str] = field(default_factory=dict)
    implementations: list[ImplementationSummary] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0
    journal: KeepOnDisk | None = None

    def begin(self, key: str) -> None:
        """Note that the part with this key is begun."""
        if self.journal:
            self.journal(key, None)

    def add(self, part: Part) -> None:
        """Keep a finished part."""
        self.parts[part.key] = part
        if self.journal:
            self.journal(part.key, to_json(part))

    def snapshot(self) -> Results:
        names = [implementation.name for implementation in self.implementations]
        parts = [self._with(mechanism, names) for mechanism in self.order]
        rows = [part for row in parts for part in row]
        seconds = {name: sum(part.seconds for part in rows if part.implementation == name) for name in names}
        return Results(
            self.settings,
            tuple(self.implementations),
            tuple(summary for row in parts if (summary := _summary(row))),
            tuple(cell for part in rows for cell in part.cells),
            tuple(invariant for part in rows for invariant in part.invariants),
            (*self.skipped, *(skipped for part in rows for skipped in part.skipped)),
            self.interrupted,
            machine=self.machine,
            times=Times(self.seconds, seconds),
        )

    def _with(self, mechanism: str, implementations: list[str]) -> list[Part]:
        """The parts of one mechanism that are there."""
        keys = [Part(mechanism, name).key for name in ("", *implementations)]
        return [self.parts[key] for key in keys if key in self.parts]


def _summary(parts: list[Part]) -> MechanismSummary | None:
    """The mechanism's summary, with what the truth took in all."""
    summary = next((part.summary for part in parts if part.summary), None)
    taken = [part.rounding for part in parts if part.rounding]
    if summary is None or not taken:
        return summary
    return replace(summary, certified=Rounding(max(one.bits for one in taken), max(one.ties for one in taken)))


def new_recorder(settings: RunSettings) -> Recorder:
    """A recorder with nothing in it yet but the settings and the machine."""
    machine = {
        "platform": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "extended precision": f"{np.finfo(np.longdouble).nmant + 1} bits",
    }
    return Recorder(settings, machine)
