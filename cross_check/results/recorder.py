"""A run while it goes: an interrupted run keeps what it has finished."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field

import numpy as np

from cross_check.results.objects import (
    Cell,
    ImplementationSummary,
    Invariant,
    MechanismSummary,
    Results,
    RunSettings,
    Skipped,
    Times,
)


@dataclass
class Recorder:
    """Collects what a run finds. :meth:`snapshot` gives it as frozen :class:`Results`."""

    settings: RunSettings
    machine: dict[str, str] = field(default_factory=dict)
    implementations: list[ImplementationSummary] = field(default_factory=list)
    mechanisms: list[MechanismSummary] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    invariants: list[Invariant] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0
    seconds_of: dict[str, float] = field(default_factory=dict)
    """Seconds that each implementation took."""

    def snapshot(self) -> Results:
        return Results(
            self.settings,
            tuple(self.implementations),
            tuple(self.mechanisms),
            tuple(self.cells),
            tuple(self.invariants),
            tuple(self.skipped),
            self.interrupted,
            machine=self.machine,
            times=Times(self.seconds, self.seconds_of),
        )


def new_recorder(settings: RunSettings) -> Recorder:
    """A recorder with nothing in it yet but the settings and the machine."""
    machine = {
        "platform": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "extended precision": f"{np.finfo(np.longdouble).nmant + 1} bits",
    }
    return Recorder(settings, machine)
