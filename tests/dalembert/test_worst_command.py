"""The command worst: what it prints and writes, and what it says when it asks again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from mechanisms import find_mechanism, write_urdf

pytestmark = pytest.mark.slow

Invoke = Callable[..., Result]

FEW = ("-q", "gravity", "--states", 400)

WRONG = """
from implementations.spatial_algebra.reference import REFERENCE

class code:
    version = "1"
    {more}
    def load(self, mechanism):
        right = REFERENCE.load(mechanism)
        class Dynamics:
            def gravity(self, q):
                return right.gravity(q) * {factor}
        return Dynamics()
"""


@pytest.fixture(autouse=True)
def quick(in_this_process: None) -> None:
    """No processes are started."""


def written(name: str, factor: str = "1", more: str = "") -> str:
    Path(name).write_text(WRONG.format(factor=factor, more=more), "utf-8")
    return f"{name}:code"


def document(path: str = "worst.json") -> Any:
    return json.loads(Path(path).read_text("utf-8"))


def test_what_is_written_comes_out_again(invoke: Invoke) -> None:
    code = written("mine.py")
    found = invoke("worst", code, "spatial-3r", *FEW, "-o", "worst.json")
    assert found.exit_code == 0
    assert found.stdout.startswith("spatial-3r, gravity: ")
    (state,) = document()["worst"]
    assert state["found"] > state["sampled"] > 0
    q = [float.fromhex(x) for x in state["state"]["q"]]
    assert f"  q = {' '.join(map(repr, q))}\n" in found.stdout
    again = invoke("worst", "--again", "worst.json")
    assert again.exit_code == 0
    assert again.stdout.startswith("code 1, at the worst states of code 1:\nspatial-3r, gravity: ")
    assert "the same error; value " in again.stdout


def test_other_code_is_asked_at_the_same_states(invoke: Invoke) -> None:
    assert invoke("worst", written("bad.py", "(1 + 1e-10)"), "spatial-3r", *FEW, "-o", "worst.json").exit_code == 0
    (state,) = document()["worst"]
    assert 1e4 < state["found"] < 1e6
    again = invoke("worst", "reference", "--again", "worst.json")
    error = float(again.stdout.split("gravity: ")[1].split()[0].replace("<", ""))
    assert again.exit_code == 0 and error < 4
    assert "in the file; value" in again.stdout and "the same error" not in again.stdout


def test_float32_code_is_asked_again_in_its_precision(invoke: Invoke) -> None:
    code = written("mine.py", "1", 'precision = "float32"')
    assert invoke("worst", code, "spatial-3r", *FEW, "-o", "worst.json").exit_code == 0
    assert document()["precision"] == "float32"
    assert "the same error" in invoke("worst", "--again", "worst.json").stdout
    # Code with fewer digits cannot be given a state that it cannot represent.
    assert invoke("worst", "reference", "spatial-3r", *FEW, "-o", "double.json").exit_code == 0
    refused = invoke("worst", code, "--again", "double.json")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "double.json has states of float64, and code computes in float32" in refused.stderr


def test_code_that_fails_says_so_and_ends_with_3(invoke: Invoke) -> None:
    found = invoke("worst", written("mine.py", "float('nan')"), "spatial-3r", *FEW, "-o", "worst.json")
    assert found.exit_code == 3
    assert "spatial-3r, gravity: failed: gravity returned nan" in found.stdout
    assert document()["worst"] == []


def test_code_without_the_quantity_compares_nothing(invoke: Invoke) -> None:
    found = invoke("worst", written("mine.py"), "spatial-3r", "-q", "mass_matrix", "--states", 40)
    assert found.exit_code == 5


def test_a_mechanism_with_other_numbers_is_refused(invoke: Invoke) -> None:
    Path("arm.urdf").write_text(write_urdf(find_mechanism("spatial-3r")), "utf-8")
    assert invoke("worst", "reference", "arm.urdf", *FEW, "-o", "worst.json").exit_code == 0
    Path("arm.urdf").write_text(write_urdf(find_mechanism("branched-tree")), "utf-8")
    refused = invoke("worst", "--again", "worst.json")
    assert refused.exit_code == 2
    assert "worst.json is about a mechanism arm.urdf with other numbers" in refused.stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda file: file.pop("worst"), "is damaged at $: 'worst' is a required property"),
        (lambda file: file["worst"][0]["state"]["q"].pop(), "the state of gravity of spatial-3r has other numbers than it needs"),
        (lambda file: file["worst"][0]["state"].update(q=["0.5"]), "is damaged at $.worst[0].state.q[0]"),
        (lambda file: file["worst"][0]["state"]["q"].__setitem__(0, "0x1p+9999"), "a number that is too large for float64"),
        (lambda file: file["worst"][0].update(quantity="x"), "is damaged at $.worst[0].quantity"),
    ],
)
def test_a_damaged_file_is_answered_in_one_sentence(invoke: Invoke, change: Callable[[Any], Any], says: str) -> None:
    invoke("worst", "reference", "spatial-3r", *FEW, "-o", "worst.json")
    damaged = document()
    change(damaged)
    Path("worst.json").write_text(json.dumps(damaged), "utf-8")
    refused = invoke("worst", "--again", "worst.json")
    assert refused.exit_code == 2
    (line,) = (line for line in refused.stderr.splitlines() if line)
    assert says in line
