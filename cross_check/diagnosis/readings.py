"""Why code that reads files is wrong: faults of its reader, which predict its answers about files that are written differently.

A fault counts only if code with it would answer as the code under test does: to all that is wrong about a file, and to what is
right about the others.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import process_time

import numpy as np

from cross_check.comparison.sampling import States, sample
from cross_check.diagnosis.evidence import USUAL
from cross_check.diagnosis.example import example
from cross_check.diagnosis.laboratory import LOOSE, Laboratory, NoAnswer, Progress, Trial, try_states
from cross_check.diagnosis.misread_files import FAULTS_OF_READERS
from cross_check.diagnosis.shrink import shrink
from cross_check.diagnosis.symptoms import rank
from cross_check.diagnosis.units import common, units_of
from cross_check.diagnosis.words import identifier, sentence
from cross_check.faults.fault import NO_FAULT, Fault
from cross_check.part import Entry
from cross_check.relations.as_read.relation import BY_RELATION, STATES, related
from cross_check.relations.as_read.rewriting import Rewriting
from cross_check.relations.relation import Question
from cross_check.results.causes import Cause, Example, Observation
from cross_check.results.objects import Cell, Item
from cross_check.settings import Settings
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.quantities import QUANTITIES

SECONDS = 30.0
"""Seconds of computing for one implementation."""

PLAIN = 100.0
"""An example is off by so many times the bar at least."""


@dataclass(frozen=True, eq=False)
class File:
    """One file of a mechanism that was asked for, and what of the run is about it."""

    mechanism: Mechanism
    """The mechanism of the run."""
    rewriting: Rewriting | None
    """None for the file of the mechanism itself."""
    trial: Trial
    wrong: dict[str, str]
    """By quantity that is wrong: the id of the cell or relation. Empty if all is right."""
    right: tuple[str, ...]
    """Quantities that are right."""
    plain: Trial | None = None
    """The same mechanism in its plain file."""


class Readings:
    """One implementation, and what it answered in a run. ``laboratory`` asks it again."""

    def __init__(
        self,
        entry: Entry,
        items: Sequence[Item],
        mechanisms: Sequence[tuple[str, Mechanism]],
        settings: Settings,
        progress: Progress = lambda activity: None,
    ) -> None:
        self._entry, self._items, self._settings, self._progress = entry, items, settings, progress
        self._laboratory = Laboratory(entry.subject, entry.name)
        self._mechanisms = [m for _, m in mechanisms if any(i.mechanism == m.name and i.verdict == "discrepancy" for i in items)]
        self._specs = {mechanism.name: spec for spec, mechanism in mechanisms}
        self._until = process_time() + SECONDS

    def causes(self) -> Iterator[Cause]:
        """The causes of relations of files that are broken, and of cells whose mechanism was misread in the same way."""
        files = [file for mechanism in self._mechanisms for file in self._files(mechanism)]
        left = [file for file in files if file.wrong]
        while left:
            fault, explained = self._best(left, files)
            if not explained:
                break
            yield self._cause(fault, explained)
            left = [file for file in left if file not in explained]
        unexplained: dict[str, list[File]] = {}
        for file in left:
            # Code that is wrong about the plain file, too, may be wrong in other things than its reader.
            if file.rewriting and file.plain and not any(self._is_wrong(file.plain, quantity) for quantity in file.wrong):
                unexplained.setdefault(file.rewriting.name, []).append(file)
        for several in unexplained.values():
            yield self._unexplained(several)

    def _files(self, mechanism: Mechanism) -> Iterator[File]:
        """The mechanism's own file, and the rewritten ones that the run has tried."""
        own = [item for item in self._items if item.mechanism == mechanism.name]
        relations = {item.name: item for item in own if not isinstance(item, Cell) and item.name in BY_RELATION}
        broken = any(item.verdict == "discrepancy" for item in relations.values())
        if not (broken or mechanism.source):
            return
        states = sample(mechanism, self._settings.seed, STATES)
        cells = {item.quantity: item for item in own if isinstance(item, Cell) and item.verdict in ("agrees", "discrepancy")}
        names = sorted(cells, key=rank)
        itself = try_states(self._laboratory, mechanism, states)
        if mechanism.source and (broken or self._asks(itself, names)):
            wrong = {name: cells[name].id for name in names if cells[name].verdict == "discrepancy"}
            yield File(mechanism, None, itself, wrong, tuple(name for name in names if name not in wrong))
        for name, item in relations.items():
            if not broken or item.verdict not in ("agrees", "discrepancy") or process_time() > self._until:
                continue
            self._progress(f"reading files with {self._entry.name}: {BY_RELATION[name].name}")
            try:
                both = related(BY_RELATION[name], mechanism, states)
            except (Unsupported, MechanismError):
                continue
            trial = self._trial(both.images[0])
            off = [quantity for quantity in sorted(both.back, key=rank) if self._is_wrong(trial, quantity)]
            shown = dict.fromkeys(off, item.id) if item.verdict == "discrepancy" else {}
            right = tuple(quantity for quantity in both.back if quantity in names and quantity not in off)
            yield File(mechanism, BY_RELATION[name], trial, shown, right, self._trial(both.original))

    def _trial(self, question: Question) -> Trial:
        return try_states(self._laboratory, question.mechanism, question.states)

    def _asks(self, trial: Trial, names: Sequence[str]) -> bool:
        """Whether the code asks for the mechanism's file."""
        with suppress(NoAnswer):
            for name in names[:1]:
                trial.answer(name)
        return self._laboratory.asks_for_source(trial.mechanism)

    def _is_wrong(self, trial: Trial, quantity: str) -> bool:
        try:
            return float(np.abs(trial.residual(quantity)).max(initial=0)) > self._settings.bar
        except NoAnswer:
            return False

    def _best(self, left: Sequence[File], files: Sequence[File]) -> tuple[Fault, list[File]]:
        """The fault that explains most files, and these; those that it should show in, and does not, refute it."""
        best: tuple[Fault, list[File]] = NO_FAULT, []
        for fault in FAULTS_OF_READERS:
            if process_time() > self._until:
                break
            explained = [file for file in left if self._explains(file, fault)]
            if len(explained) > len(best[1]) and not any(self._refutes(file, fault) for file in files if not file.wrong):
                best = fault, explained
        return best

    def _explains(self, file: File, fault: Fault) -> bool:
        """Whether it predicts all that is wrong about a file."""
        try:
            return fault.changes(file.trial.mechanism) and all(
                file.trial.explains(quantity, fault, self._settings.bar) for quantity in file.wrong
            )
        except NoAnswer:
            return False

    def _refutes(self, file: File, fault: Fault) -> bool:
        """Whether the code reads a file rightly that code with the fault would not."""
        if not fault.changes(file.trial.mechanism):
            return False
        for quantity in file.right:
            with suppress(NoAnswer):
                if np.abs(file.trial.residual(quantity, fault)).max(initial=0) > LOOSE * self._settings.bar:
                    return True
        return False

    def _cause(self, fault: Fault, explained: Sequence[File]) -> Cause:
        said = sentence(self._entry.name, fault)
        tried = sum(len(file.trial.states) * len(file.wrong) for file in explained)
        return replace(self._made(said, fault.name, explained, fault), kind="model", tried=tried)

    def _unexplained(self, several: Sequence[File]) -> Cause:
        rewriting = several[0].rewriting
        assert rewriting
        suspect = rewriting.suspect or (rewriting.misreadings[0].sentence if rewriting.misreadings else "")
        perhaps = f"; perhaps it {suspect}" if suspect else ""
        said = f"In {self._entry.name}, the reader misreads files in which {rewriting.exercises}{perhaps}"
        return self._made(said, f"misreads {rewriting.name}", several, None)

    def _made(self, said: str, word: str, files: Sequence[File], fault: Fault | None) -> Cause:
        cells = tuple(dict.fromkeys(id for file in files for id in file.wrong.values()))
        shown = min(files, key=lambda file: (file.rewriting is None, len(file.trial.mechanism.bodies)))
        return Cause(
            identifier(self._entry.name, word),
            self._entry.name,
            "unknown",
            said,
            cells,
            "reading of files",
            evidence=tuple(self._evidence(shown)),
            remedy=self._remedy(shown),
            example=self._example(shown, said, fault),
        )

    def _evidence(self, file: File) -> Iterator[Observation]:
        """What is wrong about this file, and what is right about the plain one."""
        quantity = next(iter(file.wrong))
        if file.plain:
            yield Observation("the same mechanism in a plain file", self._seen(file.plain, quantity))
        asked = f"a file in which {file.rewriting.exercises}" if file.rewriting else "the mechanism's own file"
        yield Observation(asked, self._seen(file.trial, quantity))

    def _seen(self, trial: Trial, quantity: str) -> str:
        try:
            if not self._is_wrong(trial, quantity):
                return "agrees"
            unit = common(units_of(trial.mechanism, quantity, trial.answer(quantity)[0].size))
            return f"off by {trial.off(quantity):.3g} {unit}".rstrip()
        except NoAnswer as why:
            return str(why)

    def _remedy(self, file: File) -> str:
        if not file.rewriting:
            return ""
        spec = self._specs.get(file.mechanism.name, file.mechanism.name)
        command = shlex.join(["dalembert", "urdf", spec, "--as-read", f"reads_{file.rewriting.name}"])
        return f"read the file that `{command}` writes, and follow the numbers"

    def _example(self, file: File, said: str, fault: Fault | None) -> Example | None:
        """The smallest file that shows it."""
        if not file.wrong:
            return None
        quantity = min(file.wrong, key=lambda name: (not QUANTITIES[name].has_value, len(QUANTITIES[name].axes)))
        self._progress("making the smallest file")
        try:
            errors = file.trial.errors(quantity)
            usual = [k for k, kind in enumerate(file.trial.states.kinds) if kind == USUAL and errors[k] > self._settings.bar]
            k = usual[0] if usual else int(errors.argmax())
            state = sample(file.mechanism, self._settings.seed, STATES).pick(np.array([k]))
            question = Question(file.trial.mechanism, file.trial.states.pick(np.array([k])))
            if file.rewriting:
                question = self._smallest(file.mechanism, state, file.rewriting, quantity, fault) or question
            asked = example(
                self._laboratory,
                question.mechanism,
                question.states,
                quantity,
                self._entry.spec,
                self._entry.subject.version,
                said,
            )
        except NoAnswer:
            return None
        source = question.mechanism.source
        return replace(asked, urdf=source.text) if source else asked

    def _smallest(
        self, mechanism: Mechanism, state: States, rewriting: Rewriting, quantity: str, fault: Fault | None
    ) -> Question | None:
        """The rewritten file of the smallest mechanism whose rewritten file is misread and whose plain one is not."""

        def shows(mechanism: Mechanism, state: States) -> bool:
            both = related(rewriting, mechanism, state)
            bar = self._settings.bar
            before, after = self._trial(both.original), self._trial(both.images[0])
            if before.errors(quantity)[0] > bar or after.errors(quantity)[0] <= PLAIN * bar:
                return False
            return fault is None or after.explains(quantity, fault, bar)

        best, at = shrink(replace(mechanism, frames=(), read_from=None), state, shows, self._progress)
        try:
            return related(rewriting, best, at).images[0] if shows(best, at) else None
        except (Unsupported, MechanismError, NoAnswer):
            return None
