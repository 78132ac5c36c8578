"""What all tests share."""

import gc
import os
import signal

import pytest
from hypothesis import settings

# A deadline would make the outcome depend on how busy the machine is.
settings.register_profile("dalembert", deadline=None)
settings.load_profile("dalembert")

# In their own runs on GitHub the commands would print annotations, too.
os.environ.pop("GITHUB_ACTIONS", None)

# Tests replace functions and expect other results, so programs are recorded afresh.
os.environ["DALEMBERT_NO_CACHE"] = "programs"

# Thousands of tests and their results live to the end: to search them for cycles takes a tenth of all time.
gc.set_threshold(100_000, 20, 20)

# A shell that starts the tests in the background has signals ignored, which processes inherit. Tests send these signals.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (getattr(signal, "SIGHUP", None), signal.SIG_DFL)):
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more process than there are processors: a quarter of the time, a test waits for a process that it started."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture
def without_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks do not measure what they would miss, which takes longer than all the rest where mechanisms and states are few."""
    monkeypatch.setattr("cross_check.harness.coverages", lambda *_: ())
