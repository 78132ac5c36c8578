"""Whether answers depend on the process: processes with other hash seeds are asked what the first one was asked.

A set of strings has another order in a process with another hash seed; random numbers differ unless their seed is fixed. Nothing
was called before in a fresh process, so two first answers that differ do not come from what code remembers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from cross_check.history.calls import Call, Session
from cross_check.history.experiment import Suspicion
from cross_check.history.replay import BY_PROCESS, Replay
from implementations.processes.remote import OTHER_PROCESSES
from implementations.processes.subject import Failure, Subject
from implementations.protocol import Unsupported

MOST = 2
"""For so many calls two fresh processes are compared."""


def by_process(replay: Replay, targets: Sequence[Call]) -> Suspicion | None:
    """The first of a few ``targets`` that fresh processes answer differently when it is the first question; None if none is."""
    for target in targets[:MOST] if replay.has_fresh else ():
        units = replay.by_process(target, range(1, 1 + OTHER_PROCESSES))
        if units > replay.judge.bar:
            return Suspicion(target, units, f"{target.text} {BY_PROCESS}")
    return None


def answered_otherwise(replay: Replay, others: Sequence[Subject], targets: Sequence[Call]) -> Iterator[Call]:
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
