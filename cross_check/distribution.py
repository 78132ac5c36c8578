"""Several processes compute the tasks of a run, through ``concurrent.futures``. A process that is lost costs nothing but time."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Protocol

from cross_check.exchange.results.parts import Part
from cross_check.part import Task, compute, lost
from machine.caching.cached_programs import PERMISSION


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
        again = []
        for task, parts in self._finished(sorted(tasks, key=_cost, reverse=True), self.count):
            if parts is None:
                again.append(task)
            else:
                yield parts
        for task in again:
            for _, parts in self._finished([task], 1):
                yield lost(task) if parts is None else parts

    def _finished(self, tasks: Sequence[Task], count: int) -> Iterator[tuple[Task, list[Part] | None]]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        with _one_thread_each() as added:
            begin = (theirs, PERMISSION.allowed, gc.get_threshold(), added)
            executor = ProcessPoolExecutor(min(count, len(tasks)), context, _begin, begin)
            try:
                yield from computed(executor, tasks, BrokenProcessPool)
            finally:
                # The processes end when the other end of their pipe is closed, in the middle of a task too.
                ours.close()
                theirs.close()
                executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _one_thread_each() -> Iterator[tuple[str, ...]]:
    """Processes that start now do linear algebra in one thread each, unless the user says in how many.

    Threads of several processes would wait for each other on the same processors.
    """
    added = tuple(name for name in THREADS if name not in os.environ)
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield added
    finally:
        for name in added:
            os.environ.pop(name, None)


def computed(executor: Executor, tasks: Sequence[Task], is_lost: type[Exception]) -> Iterator[tuple[Task, list[Part] | None]]:
    """Every task with its parts, as they are finished; None instead of the parts if the task ends with an ``is_lost``.

    Few tasks are submitted ahead, so that little is held in memory.
    """
    waiting = list(reversed(tasks))
    running: dict[Future[list[Part]], Task] = {}
    while waiting or running:
        try:
            while waiting and len(running) < AHEAD:
                running[executor.submit(compute, waiting[-1])] = waiting[-1]
                waiting.pop()
        except is_lost:  # The executor takes no more tasks.
            yield from ((task, None) for task in waiting)
            waiting = []
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            task = running.pop(future)
            try:
                parts = future.result()
            except is_lost:
                yield task, None
            else:
                yield task, parts


THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables by which libraries of linear algebra learn how many threads to start."""

AHEAD = 16
"""Tasks that are submitted before the first of them is finished."""


def _begin(harness: Connection, may_keep: bool, thresholds: tuple[int, int, int], added: tuple[str, ...]) -> None:
    """What a process does first: it leaves Ctrl-C to the harness, and ends with it.

    It keeps programs if the harness may, and collects garbage as often. Code under test gets the user's own variables, without
    those that were ``added``: NumPy has read them by now.
    """
    for name in added:
        os.environ.pop(name, None)
    PERMISSION.allowed = may_keep
    gc.set_threshold(*thresholds)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(harness,), daemon=True).start()


def _end_with(harness: Connection) -> None:
    try:
        harness.recv_bytes()
    except (EOFError, OSError):
        os._exit(0)


def _cost(task: Task) -> int:
    """Large mechanisms first: the last task decides when the run ends."""
    return task.states * task.mechanism.nv**2 * len(task.mechanism.bodies)
