"""Results name the line of the user's code that computes what is wrong; nothing that a worker says becomes a path outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dalembert.renderings import ROOTS, folder_in_repository
from implementations.processes.own_files import is_place, place_of

CODE = {
    "functions.py": """
        def gravity(mechanism, q):
            return q + 1
        """,
    "decorated.py": """
        from functools import cache, partial, wraps

        def checked(function):
            @wraps(function)
            def call(*arguments):
                return function(*arguments)
            return call

        @checked
        def slow(scale, mechanism, q):
            return scale * q + 1

        gravity = partial(slow, 2)
        """,
    "without_wraps.py": """
        def checked(function):
            def call(*arguments):
                return function(*arguments)
            return call

        @checked
        def gravity(mechanism, q):
            return q + 1
        """,
    "methods.py": """
        class Engine:
            def load(self, mechanism):
                return self

            def gravity(self, q):
                return q + 1

        engine = Engine()
        """,
    "called.py": """
        class Gravity:
            def __call__(self, mechanism, q):
                return q + 1

        gravity = Gravity()
        """,
    "raising.py": """
        def gravity(mechanism, q):
            raise ValueError("no")
        """,
    "native.py": """
        import numpy
        class engine:
            def load(mechanism):
                return engine
            load = staticmethod(load)
            gravity = staticmethod(numpy.sin)
            name = version = "native"
        """,
}

LINES = {
    "functions.py": 1,
    "decorated.py": 9,
    "without_wraps.py": 6,
    "methods.py:engine": 5,
    "called.py": 2,
    "raising.py": 1,
    "native.py:engine": 0,
}


@pytest.mark.nightly
def test_the_line_of_a_function_crosses_from_the_worker_to_the_results(invoke: Any, tmp_path: Path) -> None:
    from textwrap import dedent

    for name, text in CODE.items():
        (tmp_path / name).write_text(dedent(text).lstrip())
    words = [word for spec in LINES for word in ("-i", spec)]
    options = ("-q", "gravity", "--states", 3, "--no-explain", "--annotations", "github")
    found = invoke("check", "pendulum", *words, *options, "-o", "r.json", "--report", "r.html")
    assert found.exit_code == 1, found.output
    cells = json.loads((tmp_path / "r.json").read_text())["cells"]
    expected = [f"{spec.partition(':')[0]}:{line}" if line else "" for spec, line in LINES.items()]
    assert [cell["place"] for cell in cells] == expected
    assert "computed at functions.py:1" in found.stdout
    assert "Computed at <code>functions.py:1</code>" in (tmp_path / "r.html").read_text("utf-8")
    assert "::error file=methods.py,line=5,title=dalembert%3A disagrees::" in found.stdout


def test_only_files_of_the_project_are_named(tmp_path: Path) -> None:
    def here() -> None: ...

    folder = Path(__file__).parent
    assert place_of(here, folder).startswith("test_places.py:")
    assert place_of(here, folder.parents[1]).startswith("tests/dalembert/test_places.py:")
    assert place_of(here, tmp_path) == "", "another folder"
    assert place_of(pytest.fixture, Path("/")) == "", "an installed package"
    assert place_of(place_of, folder.parents[1]) == "", "our own code"
    assert place_of(len, folder) == place_of(None, folder) == place_of(7, folder) == ""

    class Endless:
        @property
        def __wrapped__(self) -> Any:
            return Endless()

    assert place_of(Endless(), folder) == ""


def test_decorators_without_wraps_are_looked_through_by_the_name_of_the_function() -> None:
    def checked(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            return function(*arguments)

        return call

    def gravity(mechanism: Any, q: Any) -> Any: ...

    def made(kernel: Any) -> Any:
        def gravity(mechanism: Any, q: Any) -> Any:
            return kernel(mechanism, q)

        return gravity

    folder = Path(__file__).parent
    line = f"test_places.py:{gravity.__code__.co_firstlineno}"
    assert place_of(checked(gravity), folder, "gravity") == line
    assert place_of(made(gravity), folder, "gravity") != line, "the function encloses a helper"


@pytest.mark.parametrize(
    "text",
    [
        "/etc/passwd:1",
        "../x.py:1",
        "a/../../x.py:1",
        "x.py:0",
        "x.py",
        "x.py:1:",
        "x\n.py:1",
        "x" * 500 + ":1",
        7,
        None,
        ["x.py:1"],
    ],
)
def test_what_is_no_place_below_the_folder_is_dropped(text: object) -> None:
    assert not is_place(text)


def test_a_place_may_have_any_name() -> None:
    assert is_place("src/my dynamics, 2.py:12")
    assert is_place("C:x.py:3")


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
