"""The gate as a pytest fixture: hold your dynamics code against the truth from your own test suite.

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
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("dalembert").addoption(
        "--dalembert-update-baseline", action="store_true", help="Make this run the baseline of every dalembert gate."
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "dalembert(*mechanisms, seed=0, states=98, bar=16, quantities=…, baseline=None): what the dalembert_gate fixture checks "
        "unless the call says otherwise; a relative baseline path counts from the test file",
    )


@pytest.fixture
def dalembert_gate(request: pytest.FixtureRequest) -> Callable[..., dict[str, Any]]:
    """A function that checks an implementation, given as a word or an object, on the mechanisms named.

    It fails the test with one line per problem, and returns the results document otherwise. Without mechanisms it takes
    the marker's, or else the baseline's, or else all of the textbook. With ``baseline`` it also fails where a number has
    become worse than in that file, and where the file is not there; ``--dalembert-update-baseline`` writes it.
    """
    marker = request.node.get_closest_marker("dalembert")
    marked = dict(marker.kwargs) if marker else {}

    def gate(implementation: Any, *mechanisms: str, **options: Any) -> dict[str, Any]:
        __tracebackhide__ = True
        from dalembert.gatekeeper import hold
        from dalembert.session import ABSENT, MENDABLE

        chosen = mechanisms or (marker.args if marker else ())
        options = marked | options
        baseline = options.pop("baseline", None)
        path = request.path.parent / Path(baseline) if baseline else None
        update = request.config.getoption("--dalembert-update-baseline")
        try:
            document, problems = hold(implementation, chosen, path, update, **options)
        except (*MENDABLE, *ABSENT) as error:
            document, problems = {}, [str(error)]
        if problems:
            pytest.fail("\n".join(problems), pytrace=False)
        return document

    return gate
