"""The causes of everything in a run that disagrees or fails: known findings, failures, and what a diagnosis finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause
from cross_check.exchange.results.failures import severity
from cross_check.exchange.results.objects import HISTORY, Cell, Invariant, Item, Results, name_of
from cross_check.explain.diagnosis.causes.of_diagnosis import AsCauses
from cross_check.explain.diagnosis.causes.plain import (
    Undeclared,
    cause_of_history,
    failures,
    known_findings,
    systematic_causes,
    undeclared,
)
from cross_check.explain.diagnosis.causes.readings import Readings
from cross_check.explain.diagnosis.causes.usual_faults import OF_CONSTRAINTS, OF_INTEGRATION, OF_MIMIC_JOINTS
from cross_check.explain.diagnosis.diagnose import Diagnosis
from cross_check.explain.diagnosis.laboratory import Progress, Run
from cross_check.explain.diagnosis.mends.mended import Lines
from cross_check.explain.diagnosis.recordings import examined
from cross_check.judge.history.check import History
from cross_check.judge.history.replay import BY_BATCH, BY_PROCESS
from cross_check.judge.relations.invariants import INVARIANTS
from cross_check.judge.relations.readings import BY_RELATION
from cross_check.judge.settings import Settings
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.quantities import CONSTRAINT_QUANTITIES, INTEGRATION


def causes_of(
    results: Results,
    mechanisms: Sequence[tuple[str, Mechanism]],
    entries: Sequence[Entry],
    settings: Settings,
    progress: Progress = lambda activity: None,
) -> tuple[tuple[Cause, ...], bool]:
    """The causes, those found by diagnosis first, and whether the diagnosis was interrupted: then it has what it found so far.

    ``mechanisms`` and ``entries`` are those of the run. The process of the run asks the implementations again.
    """
    causes: list[Cause] = []
    interrupted = False
    for entry in entries:
        items = [item for item in results.items if item.implementation == entry.name]
        run, coarse = Run(entry, items, mechanisms, settings, progress), None
        if not interrupted:
            coarse, interrupted = _undeclared(run)
        if coarse:
            chosen = replace(settings, precision=coarse.precision.name)
            run = replace(run, items=coarse.judged(items), settings=chosen)
            causes += [coarse.cause] if coarse.cause else []
        precision = run.settings.precision_of(entry.subject, entry.spec)
        run = replace(run, mechanisms=[(spec, mechanism.in_precision(precision)) for spec, mechanism in mechanisms])
        of_entry, interrupted = _of_entry(run, interrupted)
        causes += of_entry
    return tuple(_gravest_first(causes, results)), interrupted


def _of_entry(run: Run, interrupted: bool) -> tuple[list[Cause], bool]:
    """The causes in one implementation, and whether the user has interrupted the search, or had ``interrupted`` it before."""
    entry, every, settings, trees = run.entry, run.items, run.settings, run.trees
    causes: list[Cause] = []

    def explain(items: Sequence[Item], search: Callable[[Sequence[Item]], Iterable[Cause]], lost: Sequence[Item]) -> None:
        """Add the causes of the items that disagree; if the search fails, one cause that stands for those that are ``lost``."""
        nonlocal interrupted
        if interrupted or not any(item.verdict == "discrepancy" for item in items):
            return
        try:
            # Wrong variants of the reference may divide by zero; their answers then explain nothing.
            with np.errstate(all="ignore"):
                causes.extend(search(items))
        except KeyboardInterrupt:
            interrupted = True
        except Exception as error:
            # What was compared must not be lost because of what should explain it.
            causes.append(_broken(entry, lost, error))

    plain = [(spec, mechanism.tree) for spec, mechanism in run.mechanisms if not mechanism.tree.has_mimics]
    systematic = [item for item in every if isinstance(item, Cell) and item.sharpness and item.verdict == "discrepancy"]
    left = [item for item in every if item not in systematic]
    # Numbers that seem wrong may be what an earlier call has left.
    of_history = systematic if _dependent(left) else []
    # What no number explains may be a fault that is above the bar in other answers.
    of_faults = [cell for cell in systematic if cell.sharpness and not cell.sharpness.number and not of_history]
    if not of_history:
        causes += systematic_causes(entry.name, [cell for cell in systematic if cell not in of_faults])
    constrained = [mechanism for _, mechanism in run.mechanisms if mechanism.constraints]
    for usual, names, concerned in ((OF_CONSTRAINTS, CONSTRAINT_QUANTITIES, constrained), (OF_INTEGRATION, INTEGRATION, trees)):
        cells = [item for item in left if isinstance(item, Cell) and item.quantity in names]
        causes += usual.causes(entry, cells, concerned, settings) if any(cell.verdict == "discrepancy" for cell in cells) else ()
        left = [item for item in left if item not in cells]
    coupled = {mechanism.name: mechanism for mechanism in trees if mechanism.has_mimics}
    others = [item for item in left if item.mechanism in coupled]
    own = [item for item in left if item.mechanism not in coupled]

    def of_mimics(items: Sequence[Item]) -> Iterable[Cause]:
        cells = [item for item in items if isinstance(item, Cell)]
        return _with_invariants(list(OF_MIMIC_JOINTS.causes(entry, cells, list(coupled.values()), settings)), items)

    lines = Lines(run)
    if not _dependent(left):
        explain(left, lines.seek, ())
    explain(others, of_mimics, others)
    explain(own, lambda items: Readings(replace(run, items=items, mechanisms=plain)).causes(), ())
    explained = {cell for cause in causes for cell in cause.cells}
    rest = [item for item in own if item.id not in explained]
    left = [*rest, *of_faults]
    explain(rest, lambda _: _diagnosed(replace(run, items=left, mechanisms=plain), lines.whole is not None), rest)
    explained = {cell for cause in causes for cell in cause.cells}
    causes += systematic_causes(entry.name, [cell for cell in of_faults if cell.id not in explained])
    causes = _with_cells(causes, of_history)
    if not interrupted:
        causes, interrupted = lines.mended(causes)
    explained = {cell for cause in causes for cell in cause.cells}
    plainest_first = sorted(every, key=lambda item: item.mechanism in coupled)
    causes += failures(entry, [item for item in plainest_first if item.id not in explained])
    return [*causes, *known_findings(entry, every)], interrupted


def _undeclared(run: Run) -> tuple[Undeclared | None, bool]:
    """What is different in the precision in which the code computes, if that can be measured; and whether it was interrupted."""
    try:
        return undeclared(run), False
    except KeyboardInterrupt:
        return None, True
    except Exception:
        # What was compared must not be lost because of what should explain it.
        return None, False


def _gravest_first(causes: Sequence[Cause], results: Results) -> list[Cause]:
    """The causes of every implementation by the size of what they explain; known findings last."""
    errors = {item.id: item.error for item in results.items}
    names = list(dict.fromkeys(cause.implementation for cause in causes))

    def order(cause: Cause) -> tuple[int, bool, int]:
        return names.index(cause.implementation), cause.is_known, -severity(errors.get(cell) for cell in cause.cells)

    return sorted(causes, key=order)


def _diagnosed(run: Run, has_line: bool) -> Iterator[Cause]:
    """The causes of what disagrees. An interruption passes after those that were found so far.

    With ``has_line`` the line is known that is wrong: the search for a fault that says more is short.
    """
    entry, items = run.entry, run.items
    dependent, files = _dependent(items), _misread_files(items)
    if by_process := [item for item in dependent if BY_PROCESS in item.message]:
        # Chance answers every experiment.
        wrong = [item.id for item in items if item.verdict == "discrepancy"]
        yield from _with_cells(_of_history(entry, by_process, wrong), files)
        return
    is_by_batch = bool(dependent) and all(BY_BATCH in item.message for item in dependent)
    remembers = bool(dependent) and not is_by_batch
    of_recording, run = examined(run)
    diagnosis = Diagnosis(run, ("discrepancy",), remembers, is_by_batch, has_line)
    stopped: KeyboardInterrupt | None = None
    try:
        diagnosis.run([mechanism for _, mechanism in run.mechanisms])
        found = list(AsCauses(diagnosis).all())
    except KeyboardInterrupt as interruption:
        stopped = interruption
        found = list(AsCauses(diagnosis, with_examples=False).all())
    if dependent:
        found = _with_history(entry, found, run.items, is_by_batch)
    found = [replace(cause, untried=(*cause.untried, *diagnosis.laboratory.untried)) for cause in found]
    yield from _with_cells(list(_with_invariants([*of_recording, *found], run.items)), files)
    if stopped:
        raise stopped


def _dependent(items: Sequence[Item]) -> list[Invariant]:
    """The broken invariants that say that answers depend on earlier calls."""
    return [i for i in items if i.verdict == "discrepancy" and isinstance(i, Invariant) and i.name == HISTORY]


def _with_history(entry: Entry, causes: list[Cause], items: Sequence[Item], is_by_batch: bool) -> list[Cause]:
    """The causes of answers that depend on earlier calls. All that is wrong may come from that, so nothing else is named.

    Answers that depend on the batch alone are a condition, if one was found.
    """
    broken = _dependent(items)
    ids = [item.id for item in broken]
    kept = [cause for cause in causes if cause.kind == "history"]
    if is_by_batch and all(cause.kind != "unknown" for cause in causes):
        kept = sorted(causes, key=lambda cause: cause.kind not in ("history", "condition"))
    if kept:
        return [replace(kept[0], cells=(*kept[0].cells, *ids)), *kept[1:]]
    return _of_history(entry, broken, [*ids, *(cell for cause in causes for cell in cause.cells)]) or causes


def _of_history(entry: Entry, broken: Sequence[Invariant], cells: Sequence[str]) -> list[Cause]:
    """The cause that the first of these broken invariants names; it explains the ``cells``."""
    history = History("discrepancy", broken[0].message, broken[0].error)
    cause = cause_of_history(history, entry.name, broken[0].mechanism, cells)
    untried = ("other faults: mend this first, because the same question may have two answers",)
    return [replace(cause, untried=untried)] if cause else []


def _broken(entry: Entry, items: Sequence[Item], error: Exception) -> Cause:
    """The cause that stands for a diagnosis that failed."""
    what = one_line(f"{type(error).__name__}: {error}", 300)
    files = _misread_files(items)
    wrong = [item.id for item in items if item.verdict == "discrepancy" and (not isinstance(item, Invariant) or item in files)]
    said = f"{entry.name} disagrees; dalembert failed to find out why ({what}), please report it"
    return Cause(f"{entry.name}/not-diagnosed", entry.name, "unknown", said, tuple(wrong))


def _with_invariants(causes: Sequence[Cause], items: Sequence[Item]) -> Iterator[Cause]:
    """The causes; a broken invariant belongs to the first cause that explains a quantity that it takes."""
    belongs: dict[str, list[str]] = {}
    for item in items:
        if item.verdict == "discrepancy" and isinstance(item, Invariant) and item.name in INVARIANTS:
            taken = {f"{item.mechanism}/{item.implementation}/{quantity}" for quantity in INVARIANTS[item.name].needs}
            if cause := next((cause for cause in causes if taken & set(cause.cells)), None):
                belongs.setdefault(cause.id, []).append(item.id)
    for cause in causes:
        yield replace(cause, cells=(*cause.cells, *belongs.get(cause.id, ())))


def _misread_files(items: Sequence[Item]) -> list[Item]:
    """The relations that are broken because files are read otherwise than the mechanism, about which all is wrong."""
    return [item for item in items if item.verdict == "discrepancy" and name_of(item) in BY_RELATION]


def _with_cells(causes: list[Cause], items: Sequence[Item]) -> list[Cause]:
    """The causes; the first of them explains these items, too."""
    if not (causes and items):
        return causes
    first, *others = causes
    return [replace(first, cells=(*first.cells, *(item.id for item in items))), *others]
