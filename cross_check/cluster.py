"""A Dask cluster computes the tasks of a run. Its workers need this package; ``pip install "dalembert[dask]"`` brings Dask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cross_check.distribution import computed
from cross_check.exchange.results.parts import Part
from cross_check.judge.settings import SettingsError
from cross_check.part import Task, lost

CONNECTING = 20
"""Seconds that connecting to the scheduler may take."""


class DaskCluster:
    """The workers of the scheduler at ``address``, such as ``tcp://10.0.0.1:8786``."""

    def __init__(self, address: str) -> None:
        self.address = address

    def compute(self, tasks: Sequence[Task]) -> Iterator[list[Part]]:
        """The parts of every task. Dask repeats the tasks of a worker that is lost; a task that loses several has failed.

        Raises :class:`SettingsError` if Dask is not installed, or if there is no scheduler.
        """
        try:
            from distributed import Client, KilledWorker
        except ImportError as error:
            raise SettingsError('Dask is not installed; pip install "dalembert[dask]"') from error
        try:
            client = Client(self.address, timeout=CONNECTING, set_as_default=False)
        except (OSError, ValueError) as error:
            remedy = "start one with `dask scheduler`, or correct the address"
            raise SettingsError(f"there is no Dask scheduler at {self.address!r}; {remedy}") from error
        with client, client.get_executor(pure=False) as executor:
            for task, parts in computed(executor, tasks, KilledWorker):
                yield lost(task) if parts is None else parts
