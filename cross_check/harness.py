"""The harness checks every mechanism with every implementation, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from cross_check.distribution import Distribution
from cross_check.part import Entry, Task, measure_state, parts_of
from cross_check.results.objects import ImplementationSummary, Results
from cross_check.results.parts import Part
from cross_check.results.recorder import Recorder, new_recorder
from cross_check.settings import Settings
from mechanisms import Mechanism

__all__ = ["Entry", "Progress", "ShowProgress", "check", "describe", "measure_state"]


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
) -> Results:
    """Compare every entry with the truth about every mechanism.

    ``mechanisms`` are pairs of a spec (what to type to get it again) and a mechanism. ``recorder`` is filled as the run
    goes, so the caller still has what was finished if the run is interrupted; parts that it has already are not computed
    again. With a ``distribution`` other processes compute.
    """
    recorder = new_recorder(settings.recorded) if recorder is None else recorder
    describe(recorder, mechanisms, entries)
    tasks = [Task(spec, mechanism, tuple(entries), settings) for spec, mechanism in mechanisms]
    run = _Run(recorder, progress, len(tasks) * (1 + len(entries)), perf_counter() - recorder.seconds)
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
                for part in parts_of(task, run.activity):
                    run.finish(part)
    finally:
        recorder.seconds = perf_counter() - run.start
    run.show("", "done")
    return recorder.snapshot()


def describe(recorder: Recorder, mechanisms: Sequence[tuple[str, Mechanism]], entries: Sequence[Entry]) -> None:
    """Tell the recorder what the run is about."""
    recorder.implementations = [ImplementationSummary(entry.name, entry.spec, entry.version) for entry in entries]
    recorder.order = [mechanism.name for _, mechanism in mechanisms]


def _left(task: Task, recorder: Recorder) -> Task | None:
    """The task without what the recorder has already; None if nothing is left."""
    name = task.mechanism.name
    entries = tuple(entry for entry in task.entries if Part(name, entry.name).key not in recorder.parts)
    return replace(task, entries=entries) if entries or Part(name).key not in recorder.parts else None


@dataclass
class _Run:
    """Records the parts, and shows how far the run is."""

    recorder: Recorder
    progress: ShowProgress
    total: int
    start: float
    mechanism: str = ""

    def begin(self, mechanism: str, activity: str) -> None:
        self.mechanism = mechanism
        self.show(mechanism, activity, is_new=True)

    def activity(self, activity: str, entry: Entry | None) -> None:
        if entry:
            self.recorder.begin(Part(self.mechanism, entry.name).key)
        self.show(self.mechanism, activity, entry.name if entry else "")

    def finish(self, part: Part) -> None:
        self.recorder.add(part)

    def show(self, mechanism: str, activity: str, implementation: str = "", is_new: bool = False) -> None:
        done = self.total if activity == "done" else len(self.recorder.parts)
        self.progress(Progress(mechanism, activity, done, self.total, is_new, implementation))
