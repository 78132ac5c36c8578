"""Several processes compute the tasks of a run, through ``concurrent.futures``. A process that is lost costs nothing but time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Protocol

from cross_check.part import Task, compute
from cross_check.results.objects import Cell
from cross_check.results.parts import Part


class Distribution(Protocol):
    """Where tasks are computed."""

    def compute(self, tasks: Sequence[Task]) -> Iterator[list[Part]]:
        """The parts of every task, in the order in which they are finished."""


class LocalProcesses:
    """``count`` processes on this machine."""

    def __init__(self, count: int) -> None:
        self.count = count

    def compute(self, tasks: Sequence[Task]) -> Iterator[list[Part]]:
        """The parts of every task.

        If a process is lost, the unfinished tasks are computed one at a time. A task that loses its process again has failed.
        """
        waiting = sorted(tasks, key=_cost, reverse=True)
        done: set[int] = set()
        try:
            yield from self._finished(waiting, self.count, done)
        except BrokenProcessPool:
            for task in [task for task in waiting if id(task) not in done]:
                try:
                    yield from self._finished([task], 1, done)
                except BrokenProcessPool:
                    yield _lost(task)

    def _finished(self, tasks: Sequence[Task], count: int, done: set[int]) -> Iterator[list[Part]]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        executor = ProcessPoolExecutor(min(count, len(tasks)), context, _begin, (theirs,))
        try:
            for task, parts in computed(executor, tasks):
                done.add(id(task))
                yield parts
        finally:
            # The processes end when their end of the pipe is closed, in the middle of a task too.
            ours.close()
            theirs.close()
            executor.shutdown(wait=True, cancel_futures=True)


def computed(executor: Executor, tasks: Sequence[Task]) -> Iterator[tuple[Task, list[Part]]]:
    """Every task with its parts, as they are finished. Few are submitted ahead, so that little is lost or held in memory."""
    waiting = list(reversed(tasks))
    running: dict[Future[list[Part]], Task] = {}
    while waiting or running:
        while waiting and len(running) < AHEAD:
            task = waiting.pop()
            running[executor.submit(compute, task)] = task
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            yield running.pop(future), future.result()


AHEAD = 16
"""Tasks that are submitted before the first of them is finished."""


def _begin(harness: Connection) -> None:
    """What a process does first: it leaves Ctrl-C to the harness, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(harness,), daemon=True).start()


def _end_with(harness: Connection) -> None:
    try:
        harness.recv_bytes()
    except (EOFError, OSError):
        os._exit(0)


def _cost(task: Task) -> int:
    """Large mechanisms first: the last task decides when the run ends."""
    return task.mechanism.nv**2 * len(task.mechanism.bodies)


def _lost(task: Task) -> list[Part]:
    """The parts of a task that cannot be computed here."""
    name = task.mechanism.name
    why = "the process that compared it ended; the machine may have too little memory"
    return [
        Part(name, entry.name, [_failed(name, entry.name, quantity, why) for quantity in task.settings.quantities])
        for entry in task.entries
    ]


def _failed(mechanism: str, implementation: str, quantity: str, why: str) -> Cell:
    return Cell(f"{mechanism}/{implementation}/{quantity}", mechanism, implementation, quantity, "failed", why)
