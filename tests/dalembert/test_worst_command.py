"""The command worst: what it prints and writes, and what it says when it asks again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dalembert.cli.main import main

pytestmark = pytest.mark.slow

Invoke = Callable[..., Result]

FEW = ("spatial-3r", "-q", "gravity", "--states", "400", "--in-process", "-o", "worst.json")
AGAIN = ("--again", "worst.json", "--in-process")

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


def written(name: str, factor: str = "1", more: str = "") -> str:
    Path(name).write_text(WRONG.format(factor=factor, more=more), "utf-8")
    return f"{name}:code"


def document() -> Any:
    return json.loads(Path("worst.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What a search of right code prints and writes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("searched"))
        found = CliRunner().invoke(main, ["worst", written("mine.py"), *FEW])
        assert found.exit_code == 0, found.output
        return found.stdout, Path("worst.json").read_text("utf-8")


def test_what_is_written_comes_out_again(invoke: Invoke, searched: tuple[str, str]) -> None:
    said, text = searched
    assert said.startswith("spatial-3r, gravity: ")
    written("mine.py")
    Path("worst.json").write_text(text, "utf-8")
    (state,) = document()["worst"]
    assert state["found"] > state["sampled"] > 0
    q = [float.fromhex(x) for x in state["state"]["q"]]
    assert f"  q = {' '.join(map(repr, q))}\n" in said
    again = invoke("worst", *AGAIN)
    assert again.exit_code == 0
    assert again.stdout.startswith("code 1, at the worst states of code 1:\nspatial-3r, gravity: ")
    assert "the same error; value " in again.stdout


def test_other_code_is_asked_at_the_same_states(invoke: Invoke) -> None:
    assert invoke("worst", written("bad.py", "(1 + 1e-10)"), *FEW).exit_code == 0
    (state,) = document()["worst"]
    assert 1e4 < state["found"] < 1e6
    again = invoke("worst", "reference", *AGAIN)
    error = float(again.stdout.split("gravity: ")[1].split()[0].replace("<", ""))
    assert again.exit_code == 0 and error < 4
    assert "in the file; value" in again.stdout and "the same error" not in again.stdout


def test_float32_code_is_asked_again_in_its_precision(invoke: Invoke, searched: tuple[str, str]) -> None:
    code = written("mine.py", "1", 'precision = "float32"')
    assert invoke("worst", code, *FEW).exit_code == 0
    assert document()["precision"] == "float32"
    assert "the same error" in invoke("worst", *AGAIN).stdout
    # Code with fewer digits cannot be given a state that it cannot represent.
    Path("worst.json").write_text(searched[1], "utf-8")
    refused = invoke("worst", code, *AGAIN)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "worst.json has states of float64, and code computes in float32" in refused.stderr


def test_code_that_fails_says_so_and_ends_with_3(invoke: Invoke) -> None:
    found = invoke("worst", written("mine.py", "float('nan')"), *FEW)
    assert found.exit_code == 3
    assert "spatial-3r, gravity: failed: gravity returned nan" in found.stdout
    assert document()["worst"] == []


def test_code_without_the_quantity_compares_nothing(invoke: Invoke) -> None:
    found = invoke("worst", written("mine.py"), "spatial-3r", "-q", "mass_matrix", "--states", 40, "--in-process")
    assert found.exit_code == 5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda file: file.pop("worst"), "is damaged at $: 'worst' is a required property"),
        (lambda file: file["worst"][0]["state"]["q"].pop(), "the state of gravity of spatial-3r has other numbers than it needs"),
        (lambda file: file["worst"][0]["state"].update(q=["0.5"]), "is damaged at $.worst[0].state.q[0]"),
        (lambda file: file["worst"][0]["state"]["q"].__setitem__(0, "0x1p+9999"), "a number that is too large for float64"),
        (lambda file: file["worst"][0].update(quantity="x"), "is damaged at $.worst[0].quantity"),
        (lambda file: file["worst"][0].update(fingerprint="0" * 16), "is about a mechanism spatial-3r with other numbers"),
    ],
)
def test_a_file_that_cannot_be_used_is_answered_in_one_sentence(
    invoke: Invoke, searched: tuple[str, str], change: Callable[[Any], Any], says: str
) -> None:
    written("mine.py")
    damaged = json.loads(searched[1])
    change(damaged)
    Path("worst.json").write_text(json.dumps(damaged), "utf-8")
    refused = invoke("worst", *AGAIN)
    assert refused.exit_code == 2
    (line,) = (line for line in refused.stderr.splitlines() if line)
    assert says in line
