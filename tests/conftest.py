"""What all tests share."""

import gc
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# A deadline would make the outcome depend on how busy the machine is.
settings.register_profile("dalembert", deadline=None)
settings.load_profile("dalembert")

MANY = 12
"""Some cases of a test that has more cases than this run at night: :func:`pytest_collection_modifyitems` chooses."""

SOURCE = "cross_check.explain.diagnosis.mends.mended.with_source"
"""Finds the source of users' code, if its lines can be edited."""

# In their own runs on GitHub the commands would print annotations, too.
os.environ.pop("GITHUB_ACTIONS", None)

# Beside each other, threads of linear algebra wait for one another in loops. NumPy reads this when it is imported.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test with more than :data:`MANY` cases keeps as many by day as show each value of every parameter once.

    The other cases are marked ``nightly``. Cases are chosen one after the other: the one with the most values that are missing.
    """
    tests: dict[str, list[Any]] = {}
    for item in items:
        if not item.get_closest_marker("nightly"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        left = [(case, _choices(case)) for case in cases] if len(cases) > MANY else []
        missing = set().union(*(choices for _, choices in left))
        while missing:
            most = max(left, key=lambda pair: len(missing & pair[1]))
            missing -= most[1]
            left.remove(most)
        for case, _ in left:
            case.add_marker("nightly")


def _choices(case: Any) -> set[tuple[Any, ...]]:
    """Which values the case has. Parameters of one ``parametrize`` belong together."""
    together = [mark.args[0] for mark in case.iter_markers("parametrize")]
    groups = [tuple(names.replace(",", " ").split()) if isinstance(names, str) else tuple(names) for names in together]
    values = case.callspec.params
    groups += [(name,) for name in values if not any(name in group for group in groups)]
    return {(group, *(id(values[name]) for name in group)) for group in groups}


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture(scope="module")
def without_coverage() -> Iterator[None]:
    """Checks do not measure what they would miss, which takes longer than all the rest where mechanisms and states are few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cross_check.harness.coverages", lambda *_: ())
        yield


class Running:
    """The test that runs now."""

    is_nightly = has_bridge = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    Running.is_nightly = item.get_closest_marker("nightly") is not None
    Running.has_bridge = Running.is_nightly or "with_bridge" in getattr(item, "fixturenames", ())


class Alone:
    """A case of which the two derivations are not compared."""

    def __init__(self, case: Any) -> None:
        self._case = case

    def __getattr__(self, name: str) -> Any:
        return getattr(self._case, name)

    def distance_to_reference(self, quantities: Any) -> dict[str, float]:
        return {}


@pytest.fixture(scope="module")
def only_the_verdicts(without_coverage: None) -> Iterator[None]:
    """Nor do they look for the lines of users' code by day, ask users' code again more often than engines, or compare the two
    derivations: to record the reference takes a third of the time of short checks."""
    from cross_check import part
    from cross_check.explain.diagnosis.mends.search import with_source
    from cross_check.part import Lane

    history, described = Lane.history, part._described

    def asked_again(lane: Lane, measured: Any, cells: Any, *more: bool) -> Any:
        return history(lane, measured, cells, *(more if Running.is_nightly else (False, False)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SOURCE, lambda *given: with_source(*given) if Running.is_nightly else None)
        patch.setattr(Lane, "history", asked_again)
        patch.setattr(part, "_described", lambda case, *about: described(case if Running.has_bridge else Alone(case), *about))
        yield


@pytest.fixture
def with_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The opposite, for one test of a folder where ``without_coverage`` is used by all."""
    from cross_check.explain.coverage import coverages

    monkeypatch.setattr("cross_check.harness.coverages", coverages)


@pytest.fixture
def with_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of the lines of users' code."""
    from cross_check.explain.diagnosis.mends.search import with_source

    monkeypatch.setattr(SOURCE, with_source)


@pytest.fixture
def with_bridge() -> None:
    """The same of the comparison of the two derivations."""
