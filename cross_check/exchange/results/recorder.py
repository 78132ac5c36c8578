"""A run while it goes: an interrupted run keeps what it has finished."""

from __future__ import annotations

import platform
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cross_check.exchange.results.causes import Cause
from cross_check.exchange.results.codec import to_json
from cross_check.exchange.results.objects import (
    Coverage,
    ImplementationSummary,
    MechanismSummary,
    Results,
    RunSettings,
    Skipped,
    Times,
)
from cross_check.exchange.results.parts import Part, merge_parts, merge_rounding
from machine.run import advice

KeepOnDisk = Callable[[str, dict[str, Any]], None]
"""Called with the key of every part that is finished, and the part as JSON data."""


@dataclass
class Recorder:
    """Collects the parts of a run as they are finished. :meth:`snapshot` gives them as frozen :class:`Results`.

    The order of the results is that of ``order``, the mechanisms' names, and of ``implementations``, whenever a part came. Parts
    about consecutive states are merged as they come, so that memory does not grow with the number of states.
    """

    settings: RunSettings
    machine: dict[str, str] = field(default_factory=dict)
    implementations: list[ImplementationSummary] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    finished: set[str] = field(default_factory=set)
    """The keys of the parts that are there."""
    skipped: list[Skipped] = field(default_factory=list)
    interrupted: bool = False
    coverage: tuple[Coverage, ...] = ()
    causes: tuple[Cause, ...] = ()
    seconds: float = 0.0
    journal: KeepOnDisk | None = None
    _parts: dict[tuple[str, str], list[Part]] = field(default_factory=dict)

    def add(self, part: Part) -> None:
        """Keep a finished part."""
        self.finished.add(part.key)
        if self.journal:
            self.journal(part.key, to_json(part))
        parts = self._parts.setdefault((part.mechanism, part.implementation), [])
        insort(parts, part, key=lambda one: one.first)
        while len(parts) > 1 and parts[0].end == parts[1].first:
            parts[:2] = [merge_parts(parts[:2])]

    def snapshot(self) -> Results:
        names = [implementation.name for implementation in self.implementations]
        parts = [self._with(mechanism, names) for mechanism in self.order]
        rows = [part for row in parts for part in row]
        seconds = {name: sum(part.seconds for part in rows if part.implementation == name) for name in names}
        parts_of = {entry.name: [part for part in rows if part.implementation == entry.name] for entry in self.implementations}
        return Results(
            self.settings,
            tuple(_as_found(entry, parts_of[entry.name]) for entry in self.implementations),
            tuple(summary for row in parts if (summary := _summary(row))),
            tuple(cell for part in rows for cell in part.cells),
            tuple(invariant for part in rows for invariant in part.invariants),
            (*self.skipped, *(skipped for part in rows for skipped in part.skipped)),
            self.interrupted,
            machine=self.machine,
            times=Times(self.seconds, seconds),
            coverage=self.coverage,
            causes=self.causes,
        )

    def _with(self, mechanism: str, implementations: list[str]) -> list[Part]:
        """The parts of one mechanism that are there, one for every implementation."""
        rows = [self._parts.get((mechanism, name)) for name in ("", *implementations)]
        return [merge_parts(row) for row in rows if row]


def _as_found(entry: ImplementationSummary, parts: list[Part]) -> ImplementationSummary:
    """The implementation, with the robots that experiments have found, and with what it offers and no part of it compares."""
    robots = {part.mechanism: part.one_robot for part in parts if part.one_robot}
    compared = {cell.quantity for part in parts for cell in part.cells}
    others = dict.fromkeys(name for part in parts for name in part.not_compared if name not in compared)
    return replace(entry, one_robot={**entry.one_robot, **robots}, not_compared=tuple(others))


def _summary(parts: list[Part]) -> MechanismSummary | None:
    """The mechanism's summary, with what the truth took in all."""
    summary = next((part.summary for part in parts if part.summary), None)
    taken = merge_rounding([part.rounding for part in parts if part.rounding])
    return replace(summary, certified=taken) if summary and taken else summary


def new_recorder(settings: RunSettings) -> Recorder:
    """A recorder with nothing in it yet but the settings and the machine."""
    machine = {
        "platform": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "truth": "double-double, 106 bits",
        **({"slower": sentence} if (sentence := advice()) else {}),
    }
    return Recorder(settings, machine)
