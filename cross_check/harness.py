"""The harness checks every mechanism with every implementation, in this process or in several."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

from cross_check.distribution import Distribution
from cross_check.entry import Entry
from cross_check.exchange.results.error_file import ErrorFile
from cross_check.exchange.results.objects import Cell, ImplementationSummary, Results, Skipped
from cross_check.exchange.results.parts import POINTS, Part, Recorder, counted, key_of, new_recorder
from cross_check.explain.coverage import coverages
from cross_check.explain.diagnosis.causes.of_run import causes_of
from cross_check.explain.diagnosis.laboratory import FOUND
from cross_check.judge.estimate import blocks_of
from cross_check.judge.one_robot import as_found, restricted, robots_of
from cross_check.judge.settings import Settings
from cross_check.part import Task, measure_state, parts_of
from implementations.processes.waiting import telling
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

__all__ = ["Entry", "Progress", "ShowProgress", "check", "describe", "measure_state"]


DONE = "done"
"""The last activity of a run."""

MOST_TASKS = 256
"""Into how many tasks the states of one mechanism are divided at most. A task that is lost is computed again."""


@dataclass(frozen=True)
class Progress:
    """What a run is doing: ``done`` of ``total`` steps are done."""

    mechanism: str
    """Empty if the activity is not about one mechanism."""
    activity: str
    done: int
    total: int
    is_new_mechanism: bool = False
    implementation: str = ""
    """Empty if the activity is not about one implementation."""

    @property
    def text(self) -> str:
        """The mechanism, and the implementation or the activity."""
        return ": ".join(part for part in (self.mechanism, self.implementation or self.activity) if part)

    @property
    def stays(self) -> bool:
        """Whether it says what was found, which stays on the screen."""
        return self.activity.startswith(FOUND)


ShowProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Shows nothing."""


def check(
    mechanisms: Sequence[tuple[str, Mechanism]],
    entries: Sequence[Entry],
    settings: Settings,
    recorder: Recorder | None = None,
    progress: ShowProgress = ignore,
    distribution: Distribution | None = None,
    error_file: ErrorFile | None = None,
    explain: bool = True,
) -> Results:
    """Compare every entry with the truth about every mechanism.

    ``mechanisms`` are pairs of a spec (what to type to get it again) and a mechanism. ``recorder`` is filled as the run
    goes, so the caller still has what was finished if the run is interrupted; parts that it has already are not computed
    again. With a ``distribution`` other processes compute. ``error_file`` gets the error of every state. With ``explain`` what
    disagrees is diagnosed.
    """
    entries = restricted_entries(entries, mechanisms)
    recorder = new_recorder(settings.recorded) if recorder is None else recorder
    describe(recorder, mechanisms, entries, settings)
    tasks = tasks_of(mechanisms, entries, settings, keeps_errors=error_file is not None)
    run = _Run(recorder, progress, _count(tasks), perf_counter() - recorder.seconds, error_file, settings)
    waiting = [left for task in tasks if (left := _left(task, recorder))]
    try:
        if distribution and len(waiting) > 1:
            for parts in distribution.compute(waiting):
                run.begin(parts[0].mechanism, "checked")
                for part in parts:
                    run.finish(part)
        else:
            for task in waiting:
                run.begin(task.mechanism.name, "deriving")
                with telling(partial(run.show, "")):
                    for part in parts_of(task, run.activity):
                        run.finish(part)
    finally:
        recorder.seconds = perf_counter() - run.start
    trees = [(spec, mechanism.tree) for spec, mechanism in mechanisms]
    results = recorder.snapshot()
    about_trees = [cell for cell in results.cells if cell.quantity in QUANTITIES]
    of_one_robot = [summary.name for summary in results.implementations if summary.one_robot]
    recorder.coverage = coverages(trees, about_trees, settings, of_one_robot)
    if explain:
        show = partial(run.show, "")
        with telling(show):
            recorder.causes, interrupted = causes_of(results, mechanisms, _as_found(entries, results, trees), settings, show)
        if interrupted:
            recorder.skipped.append(Skipped("the rest of the diagnosis", "it was interrupted; the same command makes it whole"))
    run.show("", DONE)
    return recorder.snapshot()


def restricted_entries(entries: Sequence[Entry], mechanisms: Sequence[tuple[str, Mechanism]]) -> list[Entry]:
    """The entries; code for one robot is asked about this alone. Raises what :func:`restricted` raises."""
    return [replace(entry, subject=restricted(entry.subject, entry.name, mechanisms)) for entry in entries]


def _as_found(entries: Sequence[Entry], results: Results, mechanisms: Sequence[tuple[str, Mechanism]]) -> list[Entry]:
    """The entries; code for one robot, as experiments of the run have shown, is asked about no other mechanism."""
    robots = {summary.name: summary.one_robot for summary in results.implementations}
    return [replace(entry, subject=as_found(entry.subject, robots.get(entry.name, {}), mechanisms)) for entry in entries]


def tasks_of(
    mechanisms: Sequence[tuple[str, Mechanism]], entries: Sequence[Entry], settings: Settings, keeps_errors: bool = False
) -> list[Task]:
    """One task for every mechanism, and more where the states are many.

    Code that answers batches need not know the mechanism, so that batches of other sizes are asked only of the smallest one with
    quaternions, and the smallest one without.
    """
    tasks = []
    by_size = sorted((mechanism for _, mechanism in mechanisms), key=lambda mechanism: mechanism.nv)
    smallest = {bool(mechanism.slots("quaternion")): mechanism.name for mechanism in reversed(by_size)}.values()
    for spec, mechanism in mechanisms:
        blocks = blocks_of(mechanism, settings)
        size = -(-len(blocks) // MOST_TASKS)
        tasks += [
            Task(spec, mechanism, tuple(entries), settings, tuple(blocks[k : k + size]), mechanism.name in smallest, keeps_errors)
            for k in range(0, len(blocks), size)
        ]
    return tasks


def _count(tasks: Sequence[Task]) -> int:
    """How many parts the tasks have."""
    return sum(len(task.entries) + (task.first == 0) for task in tasks)


def describe(
    recorder: Recorder, mechanisms: Sequence[tuple[str, Mechanism]], entries: Sequence[Entry], settings: Settings
) -> None:
    """Tell the recorder what the run is about."""
    recorder.implementations = [
        ImplementationSummary(
            entry.name,
            entry.spec,
            entry.version,
            entry.subject.workarounds,
            robots_of(entry.subject, mechanisms),
            precision=settings.precision_of(entry.subject, entry.spec).name,
        )
        for entry in entries
    ]
    recorder.order = [mechanism.name for _, mechanism in mechanisms]


def _left(task: Task, recorder: Recorder) -> Task | None:
    """The task without what the recorder has already; None if nothing is left."""
    name = task.mechanism.name
    entries = tuple(entry for entry in task.entries if key_of(name, entry.name, task.first) not in recorder.finished)
    has_summary = task.first > 0 or key_of(name) in recorder.finished
    return None if has_summary and not entries else replace(task, entries=entries)


@dataclass
class _Run:
    """Records the parts, and shows how far the run is."""

    recorder: Recorder
    progress: ShowProgress
    total: int
    start: float
    error_file: ErrorFile | None
    settings: Settings
    mechanism: str = ""

    def begin(self, mechanism: str, activity: str) -> None:
        is_new = mechanism != self.mechanism
        self.mechanism = mechanism
        self.show(mechanism, activity, is_new=is_new)

    def activity(self, activity: str, entry: Entry | None) -> None:
        self.show(self.mechanism, activity, entry.name if entry else "")

    def finish(self, part: Part) -> None:
        if self.error_file:
            for cell in part.cells:
                self.error_file.add(self._aligned(cell, part), part.first)
            if self.recorder.settings.states > POINTS:
                kinds = self.settings.kinds(part.first, part.states)
                bar = self.recorder.settings.bar
                part = replace(part, cells=[counted(cell, kinds, bar) for cell in part.cells])
        if part.key not in self.recorder.finished:
            self.recorder.add(part)

    def _aligned(self, cell: Cell, part: Part) -> Cell:
        """The cell with an error for every state of the part: NaN where recorded data has no answer."""
        if not cell.missing or self.settings.given is None:
            return cell
        errors = dict(zip(cell.states, cell.errors, strict=True))
        numbers = self.settings.given.numbers[part.first : part.end]
        return replace(cell, errors=[errors.get(number, math.nan) for number in numbers])

    def show(self, mechanism: str, activity: str, implementation: str = "", is_new: bool = False) -> None:
        done = self.total if activity == DONE else len(self.recorder.finished)
        self.progress(Progress(mechanism, activity, done, self.total, is_new, implementation))
