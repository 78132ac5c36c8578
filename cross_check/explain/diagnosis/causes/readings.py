"""Why code that reads files is wrong: faults of its reader, which predict its answers about files that are written differently.

A fault counts only if code with it would answer as the code under test does: to all that is wrong about a file, and to what is
right about the others.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause, Example, Observation
from cross_check.exchange.results.objects import Cell
from cross_check.explain.diagnosis.causes.evidence import PLAIN, plain_state
from cross_check.explain.diagnosis.examples.example import example
from cross_check.explain.diagnosis.examples.shrink import Shrinking
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, Progress, Run, Trial, try_states
from cross_check.explain.diagnosis.symptoms import rank
from cross_check.explain.diagnosis.words import identifier, sentence
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.fault import Fault
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.relations.readings import BY_RELATION, STATES, related
from cross_check.judge.relations.transformation import Question
from cross_check.judge.settings import Settings
from cross_check.read.as_read.declared import REWRITINGS
from cross_check.read.as_read.rewriting import Misreading, Rewriting, text_of
from implementations.protocol import Unsupported
from mechanisms import Mechanism, Source, parse_urdf
from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.quantities import QUANTITIES

MOST = 8_000
"""So many experiments explain one implementation (:attr:`Laboratory.experiments`)."""


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


def smallest_file(
    laboratory: Laboratory, entry: Entry, file: File, said: str, settings: Settings, fault: Fault | None, progress: Progress
) -> Example | None:
    """The example of what is wrong about ``file``, on the smallest mechanism whose file, rewritten likewise, is misread likewise.

    The file of a mechanism itself stays as it is. None if the code gives no answer.
    """
    quantity = min(file.wrong, key=lambda name: (not QUANTITIES[name].has_value, len(QUANTITIES[name].axes)))
    progress("making the smallest file")
    try:
        k = np.array([plain_state(file.trial, quantity)])
        question = Question(file.trial.mechanism, file.trial.states.pick(k))
        if file.rewriting:
            state = sample(file.mechanism, settings.seed, STATES).pick(k)
            question = _smallest(laboratory, file, state, quantity, fault, progress) or question
        version = entry.subject.version
        asked = example(laboratory, question.mechanism, question.states, quantity, entry.spec, version, said)
    except NoAnswer:
        return None
    source = question.mechanism.source
    return replace(asked, urdf=source.text) if source else asked


def _smallest(
    laboratory: Laboratory, file: File, state: States, quantity: str, fault: Fault | None, progress: Progress
) -> Question | None:
    rewriting = file.rewriting
    assert rewriting

    def shows(mechanism: Mechanism, state: States) -> bool:
        """Whether the plain file is read rightly, and the rewritten one is not."""
        both = related(rewriting, mechanism, state)
        before, after = (try_states(laboratory, one.mechanism, one.states) for one in (both.original, *both.images))
        if before.errors(quantity)[0] > laboratory.bar or after.errors(quantity)[0] <= PLAIN * laboratory.bar:
            return False
        return fault is None or after.explains(quantity, fault)

    best, at = Shrinking(replace(file.mechanism, frames=(), read_from=None), state, shows, progress).run()
    try:
        return related(rewriting, best, at).images[0] if shows(best, at) else None
    except (Unsupported, MechanismError):
        return None


class Readings:
    """One implementation, and what it answered in a run. ``laboratory`` asks it again."""

    def __init__(self, run: Run) -> None:
        self._entry, self._items, self._settings, self._progress = run.entry, run.items, run.settings, run.progress
        self._laboratory, mechanisms, items = run.laboratory, run.mechanisms, run.items
        self._laboratory.most = MOST
        self._mechanisms = [m for _, m in mechanisms if any(i.mechanism == m.name and i.verdict == "discrepancy" for i in items)]
        self._specs = {mechanism.name: spec for spec, mechanism in mechanisms}

    def causes(self) -> Iterator[Cause]:
        """The causes of relations of files that are broken, and of cells whose mechanism was misread in the same way."""
        files = [file for mechanism in self._mechanisms for file in self._files(mechanism)]
        left = [file for file in files if file.wrong]
        while left:
            faults, explained = self._best(left, files)
            if not faults:
                break
            yield self._cause(faults, explained)
            left = [file for file in left if file not in explained]
        unexplained: dict[str, list[File]] = {}
        for file in left:
            # Code that is wrong about the plain file, too, may be wrong in other things than its reader.
            if file.rewriting and file.plain and not any(file.plain.is_wrong(quantity) for quantity in file.wrong):
                unexplained.setdefault(file.rewriting.suspect or file.rewriting.name, []).append(file)
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
            if not broken or item.verdict not in ("agrees", "discrepancy") or self._laboratory.is_over():
                continue
            self._progress(f"reading files with {self._entry.name}: {BY_RELATION[name].name}")
            try:
                both = related(BY_RELATION[name], mechanism, states)
            except (Unsupported, MechanismError):
                continue
            trial = self._trial(both.images[0])
            off = [quantity for quantity in sorted(both.back, key=rank) if trial.is_wrong(quantity)]
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

    def _best(self, left: Sequence[File], files: Sequence[File]) -> tuple[list[Fault], list[File]]:
        """The fault that explains most files, with others that explain the same; and these files.

        A file refutes a fault that would change it, if the code reads it otherwise.
        """
        faults, best = list[Fault](), list[File]()
        for fault in FAULTS_OF_READERS:
            if self._laboratory.is_over():
                break
            explained = [file for file in left if self._explains(file, fault)]
            if not explained or len(explained) < len(best) or (len(explained) == len(best) and explained != best):
                continue
            if not any(self._refutes(file, fault) for file in files if file not in explained):
                faults, best = [*faults, fault] if explained == best else [fault], explained
        return faults, best

    def _explains(self, file: File, fault: Fault) -> bool:
        """Whether it predicts all that is wrong about a file."""
        try:
            return fault.changes(file.trial.mechanism) and all(file.trial.explains(quantity, fault) for quantity in file.wrong)
        except NoAnswer:
            return False

    def _refutes(self, file: File, fault: Fault) -> bool:
        """Whether the code reads a file otherwise than code with the fault would: rightly, or wrongly in another way."""
        if not fault.changes(file.trial.mechanism):
            return False
        if file.wrong:
            return not self._explains(file, fault)
        for quantity in file.right:
            with suppress(NoAnswer):
                if np.abs(file.trial.residual(quantity, fault)).max(initial=0) > self._laboratory.loose:
                    return True
        return False

    def _cause(self, faults: Sequence[Fault], explained: Sequence[File]) -> Cause:
        fault, *others = faults
        said = ", or it ".join([sentence(self._entry.name, fault), *(other.name.removeprefix("the reader ") for other in others)])
        tried = sum(len(file.trial.states) * len(file.wrong) for file in explained)
        return replace(self._made(said, fault.name, explained, fault), kind="model", tried=tried)

    def _unexplained(self, several: Sequence[File]) -> Cause:
        rewriting = several[0].rewriting
        assert rewriting
        # Its misreadings were tried, and do not fit.
        perhaps = f"; perhaps it {rewriting.suspect}" if rewriting.suspect else ""
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
            example=smallest_file(self._laboratory, self._entry, shown, said, self._settings, fault, self._progress),
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
            if not trial.is_wrong(quantity):
                return "agrees"
            return trial.off_in_words(quantity)
        except NoAnswer as why:
            return str(why)

    def _remedy(self, file: File) -> str:
        if not file.rewriting:
            return ""
        spec = self._specs.get(file.mechanism.name, file.mechanism.name)
        command = shlex.join(["dalembert", "urdf", spec, "--as-read", f"reads_{file.rewriting.name}"])
        return f"read the file that `{command}` writes, and follow the numbers"


@lru_cache(4096)
def misread(misreading: Misreading, source: Source, name: str) -> Mechanism | None:
    """What such a reader makes of the file; None if that is no mechanism."""
    try:
        robot = parse_xml(source.text, "robot", "URDF")
        misreading.edit(robot)
        return _read(text_of(robot), source.free_base, name)
    except MechanismError:
        return None


@lru_cache(64)
def _read(text: str, free_base: bool, name: str) -> Mechanism:
    """What a file describes. Most misreadings leave most files as they are, so the same text comes many times."""
    return replace(parse_urdf(text, name, free_base, physical=False, ignore_mimic=True), name=name)


def fault_of(misreading: Misreading) -> Fault:
    """Code that misreads its files. It changes nothing about mechanisms without a file."""

    def taken(mechanism: Mechanism) -> Mechanism:
        read = misread(misreading, mechanism.source, mechanism.name) if mechanism.source else None
        # Code that takes a file for a mechanism of another size answers nothing that can be compared.
        return read if read and _size(read) == _size(mechanism) else mechanism

    @lru_cache(256)
    def is_wrong(mechanism: Mechanism) -> bool:
        return wm.is_other(taken(mechanism), mechanism)

    return Fault(f"the reader {misreading.sentence}", "reading of files", mechanism=taken, needs=is_wrong)


def _size(mechanism: Mechanism) -> tuple[int, int, int]:
    return mechanism.nq, mechanism.nv, len(mechanism.bodies)


FAULTS_OF_READERS = tuple(
    fault_of(misreading) for misreading in dict.fromkeys(one for rewriting in REWRITINGS for one in rewriting.misreadings)
)
