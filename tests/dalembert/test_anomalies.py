"""A short `dalembert check` in which one operation fails: no finished result is lost, and the run goes on and ends as ever."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import pytest
from anomalies import STEP, Error, every_failure, failing, short_write
from click.testing import CliRunner

from cross_check.exchange.results import ResultsError, read_results
from cross_check.exchange.results.journal import read_journal
from cross_check.exchange.results.parts import Part, Recorder, key_of
from dalembert.cli.main import main

WORDS = ("check", "pendulum", "-i", "reference", "-i", "traced", "-q", "gravity", "--states", "3", "--in-process")
FILES = ("-o", "results.json", "--junit", "junit.xml")


class Run:
    """The command in this process. ``finished`` has the keys of the parts that it finished."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.finished: set[str] = set()
        add = Recorder.add

        def noting(recorder: Recorder, part: Part) -> None:
            add(recorder, part)
            self.finished.add(part.key)

        monkeypatch.setattr(Recorder, "add", noting)
        self()
        self.cells = read_results(Path("results.json")).cells
        remove_files()

    def __call__(self, *words: str) -> int:
        self.finished.clear()
        return CliRunner().invoke(main, [*WORDS, *FILES, *words]).exit_code

    def judge(self, n: int) -> None:
        """Nothing is lost, and the run goes on from what there is."""
        results, journal = Path("results.json"), Path("results.json.journal")
        kept: set[str] = set()
        with suppress(ResultsError):  # Nothing was finished before its first line.
            kept |= read_journal(journal)[1].keys()
        if results.exists():
            written = read_results(results)
            kept |= {key_of(cell.mechanism, cell.implementation) for cell in written.cells}
            kept |= {key_of(mechanism.name) for mechanism in written.mechanisms}
        assert self.finished <= kept, n
        assert self(*(["--resume"] if journal.exists() else [])) == 0
        assert read_results(results).cells == self.cells
        assert {path.name for path in Path.cwd().iterdir()} == {results.name, "junit.xml"}
        remove_files()


def remove_files() -> None:
    for path in Path.cwd().iterdir():
        path.unlink()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    return Run(monkeypatch)


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
BROKEN = OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize(
    ("operation", "error"),
    [("os.open", BROKEN), ("os.replace", BROKEN), ("os.fsync", BROKEN), ("os.write", short_write), ("json.dumps", MemoryError())],
)
@pytest.mark.nightly
def test_every_single_failure_loses_nothing(run: Run, operation: str, error: Error) -> None:
    tried = every_failure(operation, error, run, run.judge)
    print(f"{operation}: each of {tried} operations failed, no part lost")
    assert tried


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
# Python drops what is raised while it closes a generator, and says so; the run then goes on.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <generator object:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.nightly
def test_an_interruption_at_any_step_loses_nothing(run: Run) -> None:
    """Every step would take minutes: these are twenty from the whole run, and twenty from its end, when the files are written.

    An interrupt and a failure take turns.
    """
    errors = cycle((KeyboardInterrupt(), MemoryError()))
    with failing(STEP, 10**9, MemoryError()) as counted:
        run()
    remove_files()
    steps = counted.calls
    for n, error in zip((*range(1, steps, steps // 20), *range(steps - 2000, steps, 100)), errors, strict=False):
        with failing(STEP, n, error), suppress(BaseException):
            run()
        run.judge(n)
