"""Results name the line of the user's code that computes what is wrong; nothing that a worker says becomes a path outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dalembert
from dalembert.renderings import ROOTS, folder_in_repository
from implementations.processes.own_files import is_place, place_of
from implementations.processes.remote import Remote
from implementations.spatial_algebra.reference import REFERENCE

CODE = """
from functools import partial, wraps
import numpy

def with_wraps(function):
    @wraps(function)
    def call(*arguments):
        return function(*arguments)
    return call

def without_wraps(function):
    def call(*arguments):
        return function(*arguments)
    return call

def gravity(mechanism, q):  # mine gravity
    return q + 1

@with_wraps  # mine potential_energy
def scaled(scale, mechanism, q):
    return 1.0
potential_energy = partial(scaled, 2)

@without_wraps  # mine kinetic_energy
def kinetic_energy(mechanism, q, v):
    return 1.0

class Called:
    def __call__(self, mechanism, q):  # mine mass_matrix
        return [[7.0]]
mass_matrix = Called()

def nonlinear_effects(mechanism, q, v):  # mine nonlinear_effects
    raise ValueError

class engine:
    def load(self, mechanism):
        return self
    def gravity(self, q):  # engine gravity
        return q + 1
    mass_matrix = staticmethod(numpy.sin)
"""
"""The line of a function that is called has a comment: the implementation and the quantity."""


@pytest.mark.slow
def test_the_line_of_a_function_crosses_from_the_worker_to_the_results(invoke: Any) -> None:
    Path("mine.py").write_text(CODE)
    options = ("--states", 3, "--no-explain", "--annotations", "github", "-o", "r.json", "--report", "r.html")
    found = invoke("check", "pendulum", "-i", "mine.py", "-i", "mine.py:engine", *options)
    assert found.exit_code == 1, found.output
    numbered = enumerate(CODE.splitlines(), 1)
    places = {text.partition("  # ")[2]: f"mine.py:{k}" for k, text in numbered if "  # " in text}
    cells = [cell for cell in json.loads(Path("r.json").read_text())["cells"] if cell["verdict"] in ("discrepancy", "failed")]
    said = {f"{cell['implementation']} {cell['quantity']}": cell["place"] for cell in cells}
    assert said == {**places, "engine mass_matrix": ""}
    place = places["mine gravity"]
    assert f"the function begins at {place}" in found.stdout
    assert f"The function begins at <code>{place}</code>" in Path("r.html").read_text("utf-8")
    line = place.partition(":")[2]
    assert f"::error file=mine.py,line={line},title=dalembert%3A disagrees::" in found.stdout


def test_only_files_of_the_project_are_named(tmp_path: Path) -> None:
    def here() -> None: ...

    def around(kernel: Any) -> Any:
        def gravity() -> None:
            kernel()

        return gravity

    folder = Path(__file__).parent
    assert place_of(here, folder).startswith("test_places.py:")
    assert place_of(here, folder.parents[1]).startswith("tests/dalembert/test_places.py:")
    assert place_of(here, tmp_path) == "", "another folder"
    assert place_of(pytest.fixture, Path("/")) == "", "an installed package"
    assert place_of(place_of, folder.parents[1]) == "", "our own code"
    assert place_of(len, folder) == place_of(None, folder) == place_of(7, folder) == ""
    gravity = around(here)
    assert place_of(gravity, folder, "gravity") == place_of(gravity, folder), "the function encloses a helper"

    class Endless:
        @property
        def __wrapped__(self) -> Any:
            return Endless()

    assert place_of(Endless(), folder) == ""


NO_PLACES = ["/etc/passwd:1", "../x.py:1", "a/../../x.py:1", "x.py:0", "x.py", "x.py:1:", "x\n.py:1", "x" * 500 + ":1"]


@pytest.mark.parametrize("text", [*NO_PLACES, 7, None, ["x.py:1"]])
def test_what_is_no_place_below_the_folder_is_dropped(text: object) -> None:
    assert not is_place(text)
    assert is_place("src/my dynamics, 2.py:12") and is_place("C:x.py:3"), "a place may have any name"


@pytest.mark.parametrize(
    ("variable", "root", "here", "folder"),
    [
        ("GITHUB_WORKSPACE", ".", "robots/arm", "robots/arm"),
        ("CI_PROJECT_DIR", "robots", "robots/arm", "arm"),
        ("GITHUB_WORKSPACE", ".", ".", ""),
        ("GITHUB_WORKSPACE", "elsewhere", "robots/arm", ""),
        ("", "", "robots/arm", "robots/arm"),
    ],
)
def test_places_count_from_the_root_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, root: str, here: str, folder: str
) -> None:
    for name in ROOTS:
        monkeypatch.delenv(name, raising=False)
    for name in ("robots/arm", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / root))
    else:
        (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path / here)
    assert folder_in_repository() == folder


def test_files_are_found_when_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To find those of a large project takes seconds, and a check without a journal needs none."""
    asked = tmp_path / "asked"
    monkeypatch.setattr("implementations.processes.subject.own_files", lambda: {"my.py": asked.write_text("") or "digest"})
    assert dalembert.check(["pendulum"], [REFERENCE], quantities=("gravity",), states=1).cells[0].verdict == "agrees"
    assert not asked.exists()
    code = Remote("code", implementation=REFERENCE)
    assert code.files == {"my.py": "digest"}
    code.close()
