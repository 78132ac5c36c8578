"""The example of docs/: a user's own inverse dynamics, through the gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalembert.gatekeeper import hold
from mechanisms import MechanismError, find_mechanism

EXAMPLE = Path(__file__).parents[2] / "docs" / "example.py"


@pytest.mark.parametrize("name", ["planar-pendulum:2", "branched-tree", "ur5"])
def test_the_example_passes(name: str) -> None:
    try:
        find_mechanism(name)
    except MechanismError as error:
        pytest.skip(str(error))
    document, problems = hold(str(EXAMPLE), [name], None, False, states=28)
    assert problems == []
    assert [cell["verdict"] for cell in document["cells"]].count("agrees") == 1


def test_an_error_in_it_is_caught(tmp_path: Path) -> None:
    text = EXAMPLE.read_text("utf-8")
    assert text.count("2 * np.cross(w1, slides * v[i])") == 1
    (tmp_path / "mine.py").write_text(text.replace("2 * np.cross(w1, slides * v[i])", "np.cross(w1, slides * v[i])"), "utf-8")
    _, problems = hold(str(tmp_path / "mine.py"), ["stanford-arm"], None, False, states=28)
    assert len(problems) == 1
    assert problems[0].startswith("stanford-arm/mine/inverse_dynamics: off by ")
