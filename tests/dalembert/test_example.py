"""The example of docs/: a user's own inverse dynamics, through the gate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dalembert.gatekeeper import run_gate
from mechanisms import MechanismError, find_mechanism

EXAMPLE = Path(__file__).parents[2] / "docs" / "example.py"


@pytest.mark.parametrize(
    "name",
    [
        "planar-pendulum:2",
        pytest.param("branched-tree", marks=pytest.mark.nightly),
        pytest.param("ur5", marks=[pytest.mark.nightly, pytest.mark.engines]),
    ],
)
def test_the_example_passes(name: str) -> None:
    try:
        find_mechanism(name)
    except MechanismError as error:
        pytest.skip(str(error))
    results, problems = run_gate(str(EXAMPLE), [name], None, False, states=28, in_process=True)
    assert problems == []
    assert [cell.verdict for cell in results.cells].count("agrees") == 1


README = EXAMPLE.parents[1] / "README.md"


def test_what_the_readme_tells_to_write_down_works(tmp_path: Path) -> None:
    """With docs/example.py behind the engine that it imports."""
    (block,) = re.findall(r"```python\n(# my_dynamics.py\n.*?)```", README.read_text("utf-8"), re.S)
    (tmp_path / "my_dynamics.py").write_text(block, "utf-8")
    engine = f"""import sys

sys.path.insert(0, {str(EXAMPLE.parent)!r})
import example

rnea = example.inverse_dynamics


def load(mechanism):
    return mechanism
"""
    (tmp_path / "my_engine.py").write_text(engine, "utf-8")
    results, problems = run_gate(str(tmp_path / "my_dynamics.py"), ["branched-tree"], None, False, states=14, in_process=True)
    assert problems == []
    assert [cell.verdict for cell in results.cells].count("agrees") == 1
