"""Whether a recording with defects explains its answers: the right answers would stand in its columns and rows by a map.

The map that changes least is named, if after it every answer is right. The mechanism is accused instead if other numbers of it
explain the answers as they are: a mass that is twice as large makes τ twice as large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from cross_check.exchange.recorded_data.columns import units_of
from cross_check.exchange.recorded_data.recording import Recording
from cross_check.exchange.recorded_data.subject import LoadedRecording, Recorded
from cross_check.exchange.results.causes import Cause, Observation
from cross_check.exchange.results.objects import Cell, Item
from cross_check.explain.diagnosis import column_map
from cross_check.explain.diagnosis.column_map import ColumnMap, Source, Words, columns, mapped, sources_of, unlike
from cross_check.explain.diagnosis.laboratory import Laboratory, Run, try_states
from cross_check.explain.diagnosis.words import identifier
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.given import case_with_answers, states_of
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.measure import measure
from cross_check.judge.comparison.recorded_digits import resolution
from cross_check.judge.comparison.sampling import spread
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.judge.sharpness.columns import SOURCES, Problems
from cross_check.memory import Array
from implementations.spatial_algebra.reference import Reference
from mechanisms import Mechanism
from mechanisms.plain_text import count, listing, one_line
from mechanisms.quantities import QUANTITIES, ByValue

MOST_MEASURED = 1024
"""So many states show how large the errors are that come from how numbers were written."""

FEWEST = 8
"""Fewer rows show nothing about their order."""

ROWS, FEW_ROWS, MOST_ROWS = 24, 8, 512
"""So many rows are compared with each map, with each gear, and with the maps that are nearest."""

NEAR = 1e-2
"""Columns that are less alike, by 1 − cos², are not compared further: digits and noise make less."""

BEST = 100.0
"""Maps that are so many times less alike than the best are not compared further."""

MOST_JUDGED, MOST_NEAR = 4, 16
"""So many maps are judged, and so many are tried with one more defect."""

BLOCK = 2**15
"""So many states are computed at once."""

REFINED = 6
"""So many times the ratio of a gear is looked for in a part of the room."""

DENOMINATORS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 1000)
"""Of the ratio of a gear."""

QUOTIENT = 1.5
"""Terms of higher orders of the time step are at most half of the lowest."""

EXPLAINED = 1e-9
"""Other numbers explain errors if they leave so small a part of them."""

MASSES = "numbers of the mechanism that are wrong explain the same"


def examined(run: Run) -> tuple[list[Cause], Run]:
    """The defects of the recording, if the run is about one, and the run with what they do not explain.

    Its bar is above what the writing of the numbers alone makes wrong: else no fault predicts the answers.
    """
    subject, settings = run.entry.subject, run.settings
    if not isinstance(subject, Recorded):
        return [], run
    ((_, mechanism),) = run.mechanisms
    name, bar, loaded = run.entry.name, settings.bar, subject.load(mechanism)
    assert settings.given is not None
    for cell in wrong_cells(run.items, name):
        quantity = QUANTITIES[cell.quantity]
        answered = np.flatnonzero(loaded.rows_of(quantity.name, settings.given.numbers) >= 0)
        states = settings.given.pick(spread(answered, MOST_MEASURED))
        case = try_states(Laboratory(subject, name, mechanism.precision), mechanism, states).case()
        answer = loaded.ask(cell.quantity, *case.states.arguments(quantity.arguments)).value
        bar = max(bar, 2 * resolution(case, loaded, quantity, compare(case, quantity, answer)))
    causes = recording_causes(subject, name, run.items, mechanism, settings.bar, bar)
    explained = {cell for cause in causes for cell in cause.cells}
    left = [item for item in run.items if item.id not in explained]
    return causes, replace(run, items=left, settings=replace(settings, bar=bar))


def wrong_cells(items: Sequence[Item], name: str) -> list[Cell]:
    """The cells of this implementation that disagree."""
    return [item for item in items if isinstance(item, Cell) and item.verdict == "discrepancy" and item.implementation == name]


def recording_causes(
    subject: Recorded, name: str, items: Sequence[Item], mechanism: Mechanism, bar: float, written_bar: float
) -> list[Cause]:
    """The defects of the recording that explain cells of it, one cause for each set of defects.

    ``written_bar`` is above what the writing of the numbers makes wrong, in ε-units.
    """
    loaded = subject.load(mechanism)
    found: dict[str, Cause] = {}
    for cell in (cell for cell in wrong_cells(items, name) if cell.quantity in loaded.recording.answers):
        if cause := Examined(subject, name, mechanism, cell, bar, written_bar).cause():
            same = found.get(cause.sentence, cause)
            found[cause.sentence] = replace(same, cells=tuple(dict.fromkeys((*same.cells, *cause.cells))))
    return list(found.values())


class Examined:
    """The answers to one quantity, as a recording with defects may have them."""

    def __init__(self, subject: Recorded, name: str, mechanism: Mechanism, cell: Cell, bar: float, written_bar: float) -> None:
        self._subject, self._name, self._mechanism, self._cell = subject, name, mechanism, cell
        self._bar, self._written_bar = bar, written_bar
        self._quantity = QUANTITIES[cell.quantity]
        self._recording = subject.load(mechanism).recording
        self._count = len(self._recording.numbers)
        self._given = column_map.flat(self._recording, cell.quantity)
        self._ours = getattr(Reference().load(mechanism), cell.quantity)
        self._si = units_of(mechanism, cell.quantity)
        self._is_any = self._quantity.axes == ("nv",)
        answers = np.asarray(np.isfinite(self._given[cell.quantity]).all(axis=1))
        # Rows that stand for many have no neighbours.
        self._latest = most = 0 if self._recording.scatter else min(column_map.LATEST, len(answers) // 4)
        self._shifts = range(-most, most + 1)
        inside = np.array([answers[k - most : k + most + 1].all() for k in range(most, len(answers) - most)], dtype=np.bool_)
        self._rows = np.flatnonzero(inside) + most

    def cause(self) -> Cause | None:
        """The cause, if the recording has defects that explain all answers, and the mechanism has none."""
        if quotient := self._quotient():
            return quotient
        is_shown = len(self._rows) >= FEWEST and isinstance(self._quantity.judged, ByValue)
        found = self._found() if is_shown else []
        if not found or any(source.factor == -1 for source in _scaled(found[0])):
            # A sign is a convention: others explain it.
            return self._not_known()
        clauses = self._words(found[0])
        others = dict.fromkeys("; and ".join(words) for how in found[1:] if (words := self._words(how)) != clauses)
        is_of_mechanism = self._is_of_mechanism()
        if is_of_mechanism and any(not source.unit for source in _scaled(found[0])):
            return self._not_known()
        seen = Observation(f"the file after this is corrected, in {count(self._count, 'row')}", "every answer agrees")
        return self._cause("; and ".join(clauses), seen, alternatives=(*others, *([MASSES] if is_of_mechanism else [])))

    def _quotient(self) -> Cause | None:
        """The cause, if the answers are off by no more than difference quotients are from derivatives."""
        slack = self._recording.slack
        quotients = [one for one in self._recording.quotients if one.rates in self._quantity.arguments]
        wider = {**slack, **{one.rates: slack[one.rates] + QUOTIENT * one.room for one in quotients}}
        if not quotients or not self._is_right(replace(self._recording, slack=wider)):
            return None
        said, rates = " and ".join(one.sentence for one in quotients), listing([one.rates for one in quotients])
        remedy = f"record the {rates} that the answers were computed with; smaller faults cannot be seen"
        seen = Observation("derivatives as far from these as the time step allows", "every answer may be right")
        return self._cause(f"{said}, and the answers are not those to these {rates}: {remedy}", seen)

    def _not_known(self) -> Cause | None:
        """Noise lets many faults fit."""
        if not (scatter := self._recording.scatter.get(self._quantity.name)):
            return None
        off = "the mean answers are further from the right ones than scatter explains, and the scatter hides the cause"
        return replace(self._cause(f"{off}; {scatter}"), kind="unknown")

    def _cause(self, said: str, *seen: Observation, alternatives: tuple[str, ...] = ()) -> Cause:
        sentence = f"{one_line(self._subject.table.path.name, 100)}: {said}"
        return Cause(
            identifier(self._name, sentence),
            self._name,
            "convention",
            sentence,
            (self._cell.id,),
            tried=self._count,
            evidence=seen,
            alternatives=alternatives,
        )

    def _words(self, how: ColumnMap) -> list[str]:
        return Words(how, self._recording, self._mechanism).clauses()

    def _found(self) -> list[ColumnMap]:
        """The maps that change least and after which every answer is right."""
        about = self._mechanism, self._quantity.name
        base = column_map.identity({name: self._given[name] for name in self._quantity.arguments})
        if found := self._judged([base]):
            return found
        tried = self._nearest(column_map.moves(base, *about, self._latest), ROWS, self._shifts)
        if found := self._judged(tried):
            return found
        of_gears = self._nearest(column_map.gears(base, *about), FEW_ROWS, range(1))
        if found := self._judged(self._refined(how) for how in of_gears[:MOST_JUDGED]):
            return found
        more = (two for one in tried for two in column_map.moves(one, *about, self._latest, False))
        return self._judged(self._nearest(more, ROWS, self._shifts))

    def _nearest(self, maps: Iterable[ColumnMap], rows: int, shifts: Sequence[int]) -> list[ColumnMap]:
        """The maps whose answers are least unlike, the nearest first."""
        best: list[tuple[ColumnMap, float]] = []
        maps = iter(maps)
        while block := list(islice(maps, max(1, BLOCK // rows))):
            best += zip(block, self._off(block, rows, shifts).tolist(), strict=True)
            best = sorted(best, key=lambda one: one[1])[:MOST_NEAR]
        return [how for how, _ in best]

    def _off(self, maps: Sequence[ColumnMap], rows: int, shifts: Sequence[int]) -> Array:
        """How unlike the file's answers and the right ones are after each map."""
        chosen = spread(self._rows, rows)
        return unlike(self._rights(maps, chosen), self._answers(chosen, shifts), self._is_any).mean(axis=1)

    def _rights(self, maps: Sequence[ColumnMap], rows: Array) -> Array:
        """The right answers (maps, rows, n) in the states after each map."""
        states = [np.concatenate([columns(self._given, how[name], rows) for how in maps]) for name in self._quantity.arguments]
        with np.errstate(all="ignore"):
            return np.asarray(self._ours(*states), dtype=np.float64).reshape(len(maps), len(rows), -1)

    def _answers(self, rows: Array, shifts: Sequence[int]) -> Array:
        return np.stack([self._given[self._quantity.name][rows + late] for late in shifts])

    def _judged(self, maps: Iterable[ColumnMap]) -> list[ColumnMap]:
        """The maps after which every answer is right, with the sources of the answers: those with the fewest defects."""
        rows = self._rows[:: max(1, len(self._rows) // MOST_ROWS)]
        answers = self._answers(rows, self._shifts)
        near: list[tuple[float, ColumnMap]] = []
        for how in maps:
            right = self._rights([how], rows)[0]
            off = max(0.0, float(unlike(right[None], answers, self._is_any).max()))
            sources = sources_of(self._quantity.name, right, answers, self._shifts, self._si, self._is_any) if off < NEAR else ()
            if sources:
                near.append((off, {**how, self._quantity.name: sources}))
        best = min((off for off, _ in near), default=0.0)
        # Rounding alone makes 1 − cos² of a few spacings.
        near = [one for one in near if one[0] <= max(1e-13, BEST * best)]
        ranked = sorted(((self._size(how), how) for _, how in near), key=lambda one: one[0])
        changed = ((size, how) for size, how in ranked[:MOST_JUDGED] if any(size))
        right_ones = [one for one in changed if self._is_right(mapped(self._recording, self._quantity.name, one[1]))]
        return [how for size, how in right_ones if size == right_ones[0][0]]

    def _size(self, how: ColumnMap) -> tuple[int, int]:
        """How many defects the map has, and how many columns it changes."""
        changed = [s for name, sources in how.items() for k, s in enumerate(sources) if s != Source(name, k)]
        return len(self._words(how)), len(changed)

    def _is_right(self, recording: Recording) -> bool:
        """Whether every answer of the recording is right, as answers of a file are judged."""
        case = self._case(Recorded.of(self._subject.table, self._mechanism, recording))
        cell = measure(case, LoadedRecording(recording), self._name, self._quantity, self._bar).cell
        return cell.verdict in ("agrees", "lost digits")

    def _case(self, file: Recorded) -> Case:
        laboratory = Laboratory(file, self._name, self._mechanism.precision)
        return try_states(laboratory, self._mechanism, states_of(self._mechanism, [file])).case()

    def _is_of_mechanism(self) -> bool:
        """Whether other numbers of the mechanism explain the answers as they are, or too few rows show that none do."""
        loaded = LoadedRecording(self._recording)
        case = case_with_answers(self._case(self._subject), loaded, self._quantity.name)
        if case is None or self._quantity.name not in SOURCES:
            return False
        answer = loaded.ask(self._quantity.name, *case.states.arguments(self._quantity.arguments)).value
        problems = Problems(case)
        rows = problems.rows(self._quantity.name)
        r = (problems.residual(self._quantity.name, compare(case, self._quantity, answer).error) * rows.weights).ravel()
        if rows.count < 2 * len(rows.names):
            return True
        left = r - rows.unit @ np.linalg.lstsq(rows.unit, r, rcond=None)[0]
        return bool(np.abs(left).max() <= max(EXPLAINED * np.abs(r).max(), self._written_bar * EPSILON))

    def _refined(self, how: ColumnMap) -> ColumnMap:
        """The map with the ratio of its gear solved for, as a fraction with a small denominator if there is one nearby."""
        (source, *_) = sources = list(_scaled(how))
        ratio, room = 1.0, 0.01

        def times(factor: float) -> ColumnMap:
            return column_map.scaled(how, {(one.array, one.column): (factor, "") for one in sources})

        for _ in range(REFINED):
            ratios = ratio * np.linspace(1 - room, 1 + room, 65)
            off = self._off([times(1 / r) for r in ratios], FEW_ROWS, range(1))
            ratio, room = float(ratios[off.argmin()]), room / 16
        found = ratio / source.factor
        near = max(1e-7, 4 * max(0.0, float(off.min())) ** 0.5)
        rounded = (round(found * d) / d for d in DENOMINATORS)
        chosen = next((r for r in rounded if abs(r / found - 1) <= near), found)
        return times(1 / (chosen * source.factor))


def _scaled(how: ColumnMap) -> Iterator[Source]:
    """The sources with a factor."""
    return (source for sources in how.values() for source in sources if source.factor != 1)
