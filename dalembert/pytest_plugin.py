"""The gate as a pytest fixture: check your dynamics code from your own test suite.

    def test_my_dynamics(dalembert_gate):
        dalembert_gate("my_package.dynamics", "ur5", "robot.urdf")

    @pytest.mark.dalembert(seed=7, states=500, baseline="baseline.json")
    def test_against_baseline(dalembert_gate):
        dalembert_gate(MyDynamics(), "planar-pendulum:3")

Nothing heavy is imported before a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from cross_check.exchange.results import Results


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("dalembert").addoption(
        "--dalembert-update-baseline", action="store_true", help="Record this run in the baseline of every dalembert gate."
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "dalembert(*mechanisms, seed=0, states=98, bar=16, quantities=…, baseline=None): what the dalembert_gate fixture checks "
        "unless the call says otherwise; a relative baseline path counts from the test file",
    )


@pytest.fixture
def dalembert_gate(request: pytest.FixtureRequest) -> Callable[..., Results]:
    """A function that checks an implementation, given as a word or an object, on the mechanisms named.

    It fails the test with the verdict and one entry per cause; otherwise it returns the results. Without mechanisms it
    takes the marker's, or else the baseline's, or else all of the textbook. With ``baseline`` it also fails if a number is
    worse than in that file, and if the file does not exist. ``--dalembert-update-baseline`` writes it; tests may share it.

    The implementation runs in a process of its own, an object in a fork of pytest's process: code that ends its process fails
    the test. ``in_process=True`` calls it in pytest's own process, for a debugger.
    """
    marker = request.node.get_closest_marker("dalembert")
    marked = dict(marker.kwargs) if marker else {}

    def gate(implementation: Any, *mechanisms: str, **options: Any) -> Results:
        __tracebackhide__ = True
        from cross_check.exchange.results import verdict_of
        from dalembert.gatekeeper import run_gate
        from dalembert.session import MISSING_ERRORS, USER_ERRORS

        chosen = mechanisms or (marker.args if marker else ())
        options = marked | options
        baseline = options.pop("baseline", None)
        path = request.path.parent / Path(baseline) if baseline is not None else None
        update = request.config.getoption("--dalembert-update-baseline")
        try:
            results, problems = run_gate(implementation, chosen, path, update, **options)
        except (*USER_ERRORS, *MISSING_ERRORS) as error:
            message = str(error)
        else:
            verdict = verdict_of(results)
            if not verdict.exit_code:
                return results
            message = "\n".join([verdict.text, *problems])
        pytest.fail(message, pytrace=False)

    return gate
