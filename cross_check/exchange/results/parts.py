"""The parts of a run, what one implementation did with one mechanism at some of the states, and their recorder.

A run is computed, kept and resumed part by part. Parts about consecutive states are merged into one, cell by cell, as if all
states had been one block. Errors of very many states are counted in fixed bins, so that counts of several blocks add up exactly.
"""

from __future__ import annotations

import platform
from bisect import insort
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from cross_check.exchange.results.causes import Cause
from cross_check.exchange.results.codec import Frozen, to_json
from cross_check.exchange.results.objects import (
    NOT_RECORDED,
    Bin,
    Cell,
    Coverage,
    Histogram,
    ImplementationSummary,
    Invariant,
    MechanismSummary,
    Results,
    Rounding,
    RunSettings,
    Skipped,
    Times,
    Verdict,
)
from machine.run import advice


@dataclass(frozen=True)
class Part(Frozen):
    """One implementation and one mechanism, at ``states`` states from number ``first`` on.

    Without an implementation it is the truth's part: the mechanism's ``summary``.
    """

    mechanism: str
    implementation: str = ""
    first: int = 0
    states: int = 0
    cells: Sequence[Cell] = ()
    invariants: Sequence[Invariant] = ()
    skipped: Sequence[Skipped] = ()
    seconds: float = 0.0
    """What the implementation took."""
    rounding: Rounding | None = None
    """What a certified truth has taken so far."""
    summary: MechanismSummary | None = None
    one_robot: str = ""
    """If an experiment has shown that the implementation is code for this robot alone: what it has shown."""
    not_compared: Sequence[str] = ()
    """Of users' code: the quantities that it offers and that are not compared on this mechanism."""

    @property
    def key(self) -> str:
        """What identifies the part in a run. A name may contain any character, so line breaks separate."""
        return key_of(self.mechanism, self.implementation, self.first)

    @property
    def end(self) -> int:
        """The number of the state that follows."""
        return self.first + self.states


def key_of(mechanism: str, implementation: str = "", first: int = 0) -> str:
    """The key of a part."""
    return f"{mechanism}\n{implementation}\n{first}"


def merge_parts(parts: Sequence[Part]) -> Part:
    """One part from parts of one mechanism and one implementation, in the order of their states."""
    if len(parts) == 1:
        return parts[0]
    return replace(
        parts[0],
        states=sum(part.states for part in parts),
        # A part has no cells if the implementation could not represent the mechanism then.
        cells=tuple(map(merge_cells, zip(*(part.cells for part in parts if part.cells), strict=True))),
        invariants=tuple(invariant for part in parts for invariant in part.invariants),
        skipped=tuple(dict.fromkeys(skipped for part in parts for skipped in part.skipped)),
        seconds=sum(part.seconds for part in parts),
        rounding=merge_rounding([part.rounding for part in parts if part.rounding]),
        one_robot=next((part.one_robot for part in parts if part.one_robot), ""),
        not_compared=tuple(dict.fromkeys(name for part in parts for name in part.not_compared)),
    )


def merge_rounding(taken: Sequence[Rounding]) -> Rounding | None:
    """What a certified truth took in all; every entry is what it had taken until then."""
    if not taken:
        return None
    return Rounding(max(one.bits for one in taken), max(one.ties for one in taken), max(one.undecided for one in taken))


POINTS = 4096
"""Runs of more states than this keep a histogram of the errors instead of one error for every state."""

GRAVEST: tuple[Verdict, ...] = ("failed", "discrepancy", "unsupported", "not offered", "known", "lost digits", "agrees")
"""The verdict of a merged cell is the first of these that one of its blocks has."""

assert set(GRAVEST) == set(get_args(Verdict))


def counted(cell: Cell, kinds: Sequence[str], bar: float) -> Cell:
    """The cell with the histogram of its errors instead of the errors; ``kinds`` are the kinds of its states."""
    if not cell.errors:
        return cell
    if cell.missing:
        kinds = [kinds[0]] * len(cell.errors)  # All recorded states are of one kind.
    return replace(cell, errors=(), states=(), histogram=histogram(kinds, cell.errors, bar))


def _largest(parts: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, Sequence[float]]:
    """By kind of state, the largest of each number."""
    kinds = dict.fromkeys(kind for part in parts for kind in part)
    return {kind: tuple(map(max, zip(*(part[kind] for part in parts if kind in part), strict=True))) for kind in kinds}


def merge_cells(cells: Sequence[Cell]) -> Cell:
    """One cell from the cells of one quantity at some blocks of states, given in the order of the blocks.

    All have errors, or all have histograms. Merging merged cells gives the same as merging all at once; only of the numbers of
    blocks beside others that were not compared, some may be missing. Distances in ulps are not merged.
    """
    if len(cells) == 1:
        return cells[0]
    missing = sum(cell.missing for cell in cells)
    # A block of which recorded data has no answer says nothing about the others.
    cells = [cell for cell in cells if cell.message != NOT_RECORDED] or cells[:1]
    gravest = min(cells, key=lambda cell: GRAVEST.index(cell.verdict))
    measured = [cell for cell in cells if cell.error is not None]
    if gravest.error is None or not measured:
        return replace(gravest, missing=missing)
    worst = max(measured, key=lambda cell: cell.error or 0.0)
    histograms = [cell.histogram for cell in measured if cell.histogram]
    return replace(
        gravest,
        error=worst.error,
        worst=worst.worst,
        errors=tuple(error for cell in measured for error in cell.errors),
        coordinates=tuple(map(max, zip(*(cell.coordinates for cell in measured), strict=True))),
        ulps=None,
        output=next((cell.output for cell in cells if cell.output), ""),
        histogram=merged(histograms) if histograms else None,
        by_kind=_largest([cell.by_kind for cell in measured]),
        missing=missing,
        states=tuple(number for cell in measured for number in cell.states),
        sharpness=next((cell.sharpness for cell in cells if cell.sharpness), None),
        moved=max((cell.moved for cell in measured if cell.moved is not None), default=None),
    )


PER_DECADE, LOWEST = 10, -40
"""Bin k begins at 10^(k / PER_DECADE). The lowest bin also counts everything below it."""

Bins = Counter[tuple[str, int]]
"""By kind of state and bin, how many errors there are."""


def histogram(kinds: Sequence[str], errors: Sequence[float], bar: float) -> Histogram:
    """The histogram of ``errors`` in ε-units, one for every state, whose kinds are ``kinds``."""
    # A hair more, so that a power of ten is in the bin that it begins, whichever way its logarithm is rounded.
    decades = np.log10(np.maximum(errors, 10.0 ** (LOWEST / PER_DECADE))) + 1e-9
    places = np.floor(PER_DECADE * decades).astype(int).tolist()
    return _from_bins(Counter(zip(kinds, places, strict=True)), sum(error > bar for error in errors))


def merged(histograms: Sequence[Histogram]) -> Histogram:
    """All of them together."""
    bins: Bins = Counter()
    for one in histograms:
        bins.update({(kind, k): count for kind, pairs in one.bins.items() for k, count in pairs})
    return _from_bins(bins, sum(one.over for one in histograms))


def lower_end(k: int) -> float:
    """Where bin k begins, in ε-units."""
    return float(f"{10.0 ** (k / PER_DECADE):.3g}")


def _from_bins(bins: Bins, over: int) -> Histogram:
    order = sorted(bins, key=lambda bin: bin[1])
    ends = np.cumsum([bins[bin] for bin in order])
    states = int(ends[-1])
    median, most = (lower_end(order[int(np.searchsorted(ends, share * states))][1] + 1) for share in (0.5, 0.99))
    by_kind: dict[str, list[Bin]] = {}
    for kind, k in sorted(bins):
        by_kind.setdefault(kind, []).append(Bin(k, bins[kind, k]))
    return Histogram(states, over, median, most, by_kind)


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
        there = ([self._parts.get((mechanism, name)) for name in ("", *names)] for mechanism in self.order)
        rows = [[merge_parts(own) for own in row if own] for row in there]
        parts = [part for row in rows for part in row]
        parts_of = {name: [part for part in parts if part.implementation == name] for name in names}
        return Results(
            self.settings,
            tuple(_as_found(entry, parts_of[entry.name]) for entry in self.implementations),
            tuple(summary for row in rows if (summary := _summary(row))),
            tuple(cell for part in parts for cell in part.cells),
            tuple(invariant for part in parts for invariant in part.invariants),
            (*self.skipped, *(skipped for part in parts for skipped in part.skipped)),
            self.interrupted,
            machine=self.machine,
            times=Times(self.seconds, {name: sum(part.seconds for part in own) for name, own in parts_of.items()}),
            coverage=self.coverage,
            causes=self.causes,
        )


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
