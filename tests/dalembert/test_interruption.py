"""Signals that ask the process to end: they raise in the middle of whatever runs, once, and can be ignored."""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dalembert.cli import exits as interruption
from dalembert.cli.exits import SIGNALS, Interrupted, interruptible

ROOT = Path(__file__).parents[2]


def handlers() -> list[Any]:
    return [signal.getsignal(number) for number in SIGNALS]


def wait_for(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(10)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_interrupts_and_the_handlers_come_back(number: signal.Signals) -> None:
    before = handlers()
    with interruptible() as signals:
        assert signals.exit_code(3) == 3
        with pytest.raises(KeyboardInterrupt, match=f"interrupted by {number.name}") as caught:
            wait_for(number)
    assert isinstance(caught.value, Interrupted)
    assert (caught.value.number, signals.number, signals.exit_code(3)) == (number, number, 128 + number)
    assert handlers() == before


def test_signals_that_come_together_interrupt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with interruptible() as signals:
        with pytest.raises(Interrupted):
            wait_for(signal.SIGTERM)
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGHUP)
        monkeypatch.setattr(interruption, "PAUSE", 0)
        with pytest.raises(Interrupted, match="SIGHUP"):
            wait_for(signal.SIGHUP)
    assert signals.exit_code(1) == 143


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_changes_nothing() -> None:
    def within() -> list[Any]:
        with interruptible():
            return handlers()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(within).result() == handlers()


WRITES = """
import sys, time
from pathlib import Path
from dalembert.cli.exits import interruptible

with interruptible() as signals:
    try:
        print("ready", flush=True)
        time.sleep(10)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        print("interrupted", file=sys.stderr, flush=True)
        Path(sys.argv[1]).write_text("kept")
sys.exit(signals.exit_code(0))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals to close")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_terminal_that_is_closed_does_not_prevent_the_writing_of_files(tmp_path: Path) -> None:
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-c", WRITES, str(tmp_path / "file")])
    assert os.read(terminal, 5) == b"ready"
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 128 + signal.SIGHUP
    assert (tmp_path / "file").read_text() == "kept"
