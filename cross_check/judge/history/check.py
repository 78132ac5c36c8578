"""The invariant "independent of history": two answers to one question are the same, after any other calls.

They must have the same bits or be within the bar, because correct code may sum in another order where a batch has another size.
:mod:`cross_check.judge.history.experiment` says what is asked, :mod:`cross_check.judge.history.replay` finds the two calls that
show it.

Answers may depend on the process alone: processes with other hash seeds are asked what the first one was asked. A set of strings
has another order in a process with another hash seed; random numbers differ unless their seed is fixed. Nothing was called before
in a fresh process, so two first answers that differ do not come from what code remembers.

Code may declare ``deterministic = False``. Sums in any order, as threads of a graphics card add them up, have other roundings
each time. Such answers differ, and depend on nothing that was called before. They are right if they are within the bar, like
those of all other code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from cross_check.exchange.results import Cell, Invariant
from cross_check.exchange.results.objects import HISTORY, Verdict
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import rounded
from cross_check.judge.history.calls import Call, Session
from cross_check.judge.history.experiment import Experiment, Suspicion
from cross_check.judge.history.replay import BY_PROCESS, Judge, Pair, Replay, in_units
from cross_check.memory import Array
from implementations.processes.remote import OTHER_PROCESSES
from implementations.processes.subject import Failure, Loaded, Subject
from implementations.protocol import Unsupported

EXPLAINED = 2
"""For how many suspicions a pair of calls is searched for, until one is found."""


COMPARED = 2
"""For so many calls two fresh processes are compared."""

TIMES = 5
"""So often a question is asked in a row of code that declares that its answers scatter."""

DECLARED = "deterministic = False"


@dataclass(frozen=True)
class History:
    """What asking again has shown. ``difference`` is the largest between two answers to one question, in ε-units."""

    verdict: Verdict
    message: str = ""
    difference: float | None = None
    pair: Pair | None = None
    """The calls that show it, if they were found."""
    seconds: float = 0.0

    def invariant(self, mechanism: str, implementation: str) -> Invariant:
        """The result on the mechanism and the implementation of these names."""
        error = None if self.difference is None else rounded(self.difference)
        ids = (f"{mechanism}/{implementation}/{HISTORY}", mechanism, implementation, HISTORY)
        return Invariant(*ids, self.verdict, self.message, error)


def ask_again(
    case: Case,
    subject: Subject,
    loaded: Loaded,
    answers: Mapping[str, Array],
    cells: Sequence[Cell],
    bar: float,
    fresh: Callable[..., Subject] | None = None,
    in_batches: bool = False,
    others: Sequence[Subject] = (),
    is_users: bool = False,
) -> History:
    """Whether the implementation's answers depend on what was called before.

    ``answers`` are what ``loaded`` gave at all states of ``case``, by quantity; ``cells`` are their comparison with the truth.
    ``fresh`` makes the same implementation in a new process, with a hash seed that is larger by its argument. It is called only
    if something is wrong, at most thirty times. ``others`` are the same implementation in processes with other hash seeds.
    With ``in_batches`` every quantity of code that takes batches is asked in batches of other sizes, too. Of code that
    ``is_users`` every quantity is asked about another mechanism of the same name, too, not just one, and in_batches often.
    """
    if not answers:
        return History("not offered", "nothing was answered that could be asked again")
    lost = {cell.quantity: cell.error for cell in cells if cell.verdict == "lost digits" and cell.error is not None}
    replay = Replay(subject, Judge(case, answers, bar, lost), fresh)
    experiment = Experiment(replay, cells, in_batches, is_users)
    failure = experiment.run(subject, loaded)
    scatter = 0.0
    if not (failure or subject.deterministic):
        # It fails alone where it failed before.
        with suppress(Failure, Unsupported):
            scatter, asked = scatter_of(Session(subject, case.mechanism, loaded), replay.judge, experiment.targets)
        if scatter > bar:
            said = f"{asked}, asked {TIMES} times in a row, has answers that differ by {in_units(scatter)}"
            said = f"{said}; {DECLARED} is declared, and every answer has to be within the bar"
            return History("discrepancy", said, scatter, None, experiment.seconds + replay.seconds)
    different = [suspicion.target for suspicion in experiment.suspicions if suspicion.before]
    if not (failure or experiment.suspicions):
        different = list(dict.fromkeys(_answered_otherwise(replay, others, experiment.targets)))
    if process := _by_process(replay, different):
        return History("discrepancy", process.sentence, process.units, None, experiment.seconds + replay.seconds)
    if different and not experiment.suspicions:
        experiment.ask_first(different[0])
    order = list(answers)
    found = sorted(experiment.suspicions, key=lambda suspicion: order.index(suspicion.target.quantity))
    if not found:
        if failure:
            return History("failed", failure, seconds=experiment.seconds)
        units = max(experiment.largest, scatter)
        said = f"{DECLARED} is declared; two answers to one question differ by at most {in_units(units)}"
        message = "" if subject.deterministic else said
        return History("agrees", message, units, seconds=experiment.seconds)
    pair = _pair(found, replay)
    units, sentence = (pair.units, pair.sentence) if pair else (found[0].units, found[0].sentence)
    further = len({suspicion.target.quantity for suspicion in found}) - 1
    more = f"; so do {further} other quantities" if further > 1 else "; so does another quantity" if further else ""
    return History("discrepancy", sentence + more, units, pair, experiment.seconds + replay.seconds)


def _pair(found: Sequence[Suspicion], replay: Replay) -> Pair | None:
    """The calls that show one of the suspicions; an earlier call shows more than a batch."""
    by_batch = None
    for suspicion in [suspicion for suspicion in found if suspicion.before][:EXPLAINED]:
        if pair := replay.smallest_pair(suspicion.target, suspicion.before):
            if not pair.is_by_batch:
                return pair
            by_batch = by_batch or pair
    return by_batch


def _by_process(replay: Replay, targets: Sequence[Call]) -> Suspicion | None:
    """The first of a few ``targets`` that fresh processes answer differently when it is the first question; None if none is."""
    for target in targets[:COMPARED] if replay.has_fresh else ():
        units = replay.by_process(target, range(1, 1 + OTHER_PROCESSES))
        if units > replay.judge.bar:
            return Suspicion(target, units, f"{target.text} {BY_PROCESS}")
    return None


def _answered_otherwise(replay: Replay, others: Sequence[Subject], targets: Sequence[Call]) -> Iterator[Call]:
    """The ``targets``, which have ordinary answers, that one of the ``others`` answers otherwise than they were answered here.

    These processes serve a whole run, so what differs may also come from earlier calls.
    """
    judge = replay.judge
    for other in others:
        # What fails elsewhere alone may be what only one process at a time can have.
        with suppress(Failure, Unsupported):
            session = Session(other, judge.case.mechanism)
            for target in targets:
                if judge.difference(target, session.ask(target).value, judge.ordinary(target)) > judge.bar:
                    yield target


def scatter_of(session: Session, judge: Judge, calls: Sequence[Call]) -> tuple[float, str]:
    """The largest difference, in ε-units, between two answers to one of these calls of states of the case that is asked in a row,
    and this call in words. Raises what asking raises."""
    found = [(0.0, "")]
    for call in calls:
        first, *others = (session.ask(call).value for _ in range(TIMES))
        found.append((max(judge.difference(call, first, other) for other in others), call.text))
    return max(found, key=lambda one: one[0])
