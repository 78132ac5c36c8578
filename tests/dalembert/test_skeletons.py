"""The projects that `dalembert new` writes: built, gated, broken on purpose, and asked hostile questions."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from built_projects import ENVIRONMENT, PATH, Project, built
from conversation import play, record

from dalembert.cli.languages import LANGUAGES, SKELETONS, write_project
from implementations.languages.lines import require_valid
from implementations.plugins.registry import find_implementation
from implementations.protocol import Failure, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Constraint, Inertia, Joint, Mechanism, Placement, find_mechanism, random_mechanism

GLUE = {"cpp": "main.cpp", "c": "glue.c", "rust": "src/main.rs", "python": "main.py", "julia": "main.jl", "matlab": "main.m"}

PROGRAMS = ("cpp", "rust", "python")
"""Languages of programs that are fast enough for many questions."""


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Every language's project, built once."""
    made: dict[str, Project] = {}

    def project(language: str) -> Project:
        if language not in made:
            made[language] = built(language, tmp_path_factory.mktemp("new") / f"{language} project")
        return made[language]

    return project


def lines_of_glue(text: str) -> list[str]:
    inside = re.split(r"glue begins.*\n|\n.*glue ends", text)[1]
    return [line for line in inside.splitlines() if line.strip() and not line.lstrip().startswith(("//", "/*", "#", "%"))]


@pytest.mark.parametrize("language", GLUE)
def test_the_glue_has_fifteen_lines_at_most(language: str) -> None:
    lines = lines_of_glue((SKELETONS / language / GLUE[language]).read_text())
    assert 5 <= len(lines) <= 15
    assert max(map(len, lines)) <= 130


def test_every_language_has_a_folder_and_its_readme_has_the_commands() -> None:
    folders = {path.name for path in SKELETONS.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(LANGUAGES) == set(GLUE)
    for language, about in LANGUAGES.items():
        readme = (SKELETONS / language / "README.md").read_text()
        for command in (*about.build, f"gate {shlex.quote(about.spec)}", "--junit gate.xml"):
            assert command.replace("cmd:./my", "'cmd:./my") in readme or command in readme or about.spec in readme


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["cpp", "c", "rust", "python"])
def test_the_printed_commands_lead_to_a_verdict(language: str, projects: Any, invoke: Any) -> None:
    project = projects(language)
    _, *commands = (command for command in project.next_commands() if command not in LANGUAGES[language].build)
    assert [command.split()[0] for command in commands] == ["dalembert", "dalembert"]
    baseline = [commands[-1].removesuffix(" pendulum ur5 --update-baseline")] if language == "c" else []
    for command in (*commands, *baseline):
        ran = project.run(command)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "my_dynamics agrees with the truth on 2 mechanisms" in ran.stdout
    assert (project.folder / "dalembert-baseline.json").is_file()
    assert invoke("check", "cart-pole", "-i", project.spec, "--states", 20).exit_code == 0


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["cpp", "c"])
def test_cmake_builds_the_same(language: str, projects: Any) -> None:
    if not shutil.which("cmake", path=PATH):
        pytest.skip("this machine has no cmake")
    project = projects(language)
    ran = project.run("cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug && cmake --build build")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    if language == "cpp":
        assert play(str(project.folder / "build" / "my_dynamics").replace(" ", "\\ ")) == []
    else:
        assert find_implementation(f"lib:{project.folder / 'build' / 'libmy_dynamics.so'}")


def test_the_record_is_a_conversation_by_the_schema() -> None:
    lines = record().splitlines()
    assert len(lines) % 2 == 1
    for k, line in enumerate(lines):
        message = json.loads(line)
        do = json.loads(lines[k - k % 2])["do"]
        if do == "hello" and k % 2:
            message |= {"name": "any", "version": "any"}
        kind = "refusal" if {"unsupported", "error"} & message.keys() else f"{do} {'reply' if k % 2 else 'request'}"
        require_valid(message, kind)


@pytest.mark.slow
@pytest.mark.parametrize("language", [*PROGRAMS, "matlab"])
def test_the_recorded_conversation_is_reproduced(language: str, projects: Any) -> None:
    assert play(projects(language).spec.removeprefix("cmd:")) == []


@pytest.mark.nightly
def test_memory_and_undefined_behaviour_of_the_header_are_checked(projects: Any, tmp_path: Path) -> None:
    flags = "-std=c++17 -O0 -Wall -Wextra -Werror -pedantic -fsanitize=address,undefined -fno-sanitize-recover=all"
    command = ["g++", *flags.split(), "main.cpp", "my_dynamics.cpp", "-o", str(tmp_path / "checked")]
    compiled = subprocess.run(command, cwd=projects("cpp").folder, capture_output=True, text=True, check=False)
    if "cannot find" in compiled.stderr and "asan" in compiled.stderr:
        pytest.skip("g++ has no sanitizers here")
    assert compiled.returncode == 0, compiled.stderr
    assert play(str(tmp_path / "checked")) == []


@pytest.mark.nightly
@pytest.mark.parametrize("language", [*PROGRAMS, "c"])
def test_a_thousand_bodies_and_four_thousand_states(language: str, projects: Any) -> None:
    implementation = find_implementation(projects(language).spec)
    for mechanism, states in ((random_mechanism(1, 1000, ("revolute", "prismatic")), 2), (find_mechanism("ur5"), 4096)):
        q, v, a = np.random.default_rng(5).normal(size=(3, states, mechanism.nv))
        answer = implementation.load(mechanism).inverse_dynamics(q, v, a)
        expected = REFERENCE.load(mechanism).inverse_dynamics(q, v, a)
        assert np.abs(answer - expected).max() < 1e-10 * np.abs(expected).max()


NAMES = ['"quoted" \\ and \\u0041', "line\nfeed\ttab", "θ, 机器人, 🤖", "[1, 2]}", "\u202eright to left"]


def chain(name: str, names: list[str]) -> Mechanism:
    bodies, parent = [], "world"
    for k, joint in enumerate(names):
        bodies.append(Body(f"body {k}", parent, Joint(joint, "revolute", axis=(0, 1, 0)), Inertia(1, (0.5, 0, 0))))
        parent = bodies[-1].name
    return Mechanism(name, tuple(bodies))


ECHO = Path(__file__).with_name("echo")
"""Main files of programs that report the reverse order of joints, and multiply accelerations by 1, 2, … in that order. They
refuse, fail and throw for mechanisms of these names, and print to standard output."""

ECHO_IN_PYTHON = """import dalembert_stdio, types
def load(m):
    print("noise")
    if m.name == "refused": raise dalembert_stdio.Unsupported("not " + m.joints[0])
    if m.name == "failed": raise ValueError("half \\ud83e")
    if m.name == "thrown": raise KeyError(7)
    for one in m.constraints:
        assert (one["first"], one["second"], one["directions"]) == (0, -1, ["wx", "wz", "vy"])
        assert m.second_translations.tolist() == [[1, 2, 3]]
    return types.SimpleNamespace(joints=m.joints[::-1])
of_a = {"inverse_dynamics": lambda m, q, v, a: a * range(1, len(a) + 1)}
dalembert_stdio.serve("echo", "1", load, {**of_a, "impact_velocity_plastic": lambda m, q, v_minus: v_minus})
"""


def built_echo(language: str, project: Project, folder: Path) -> Any:
    shutil.copytree(project.folder, folder, ignore=shutil.ignore_patterns("my_dynamics", "*.so"))
    file = folder / GLUE[language]
    file.write_text(ECHO_IN_PYTHON if language == "python" else (ECHO / file.name).read_text())
    shutil.copy(ECHO / "loaded_by_test.m", folder)
    if language == "cpp":
        (folder / "my_dynamics.cpp").write_text("")
    project = Project(language, folder)
    if language == "rust":  # The module of quantities that it does not use must not warn.
        ran = subprocess.run(["cargo", "build", "-q", "--release", "--offline"], cwd=folder, env={**ENVIRONMENT, "RUSTFLAGS": ""})
        assert ran.returncode == 0
    else:
        project.build()
    return find_implementation(project.spec)


@pytest.mark.slow
@pytest.mark.parametrize("language", [*PROGRAMS, "matlab"])
def test_names_orders_refusals_and_failures_arrive(language: str, projects: Any, tmp_path: Path) -> None:
    echo = built_echo(language, projects(language), tmp_path / "echo")
    a = np.array([[1.0, 2.0, 3.0, 4.0, 5.0], [5e-324, -0.0, 1e307, 0.1, -1 / 3]])
    expected = a * [5, 4, 3, 2, 1]
    np.testing.assert_array_equal(echo.load(chain("odd", NAMES)).inverse_dynamics(a, a, a), expected)
    if "gravity" in echo.conversation.declaration.quantities:
        np.testing.assert_array_equal(echo.load(chain("one", NAMES)).gravity(a)[:, 0], a[:, -1])
    if "impact_velocity_plastic" in echo.conversation.declaration.quantities:
        held = Constraint("hold", "body 0", "world", ("wx", "wz", "vy"), second_placement=Placement(translation=(1, 2, 3)))
        tied = replace(chain("tied", NAMES), constraints=(held,))
        np.testing.assert_array_equal(echo.load(tied).impact_velocity_plastic(a, a[::-1]), a[::-1])
    if language == "cpp":
        # The next state's answer would hide it, and so would the allocator behind the last one.
        past = echo.load(chain("past", ["past the end"]))
        with pytest.raises(Failure, match="gravity failed: it writes past the end of its answer, which has 1 numbers"):
            past.gravity(np.zeros((3, 1)))
    with pytest.raises(Unsupported, match=r"not the first$"):
        echo.load(chain("refused", ["the first"]))
    for name in ("failed", "thrown"):
        with pytest.raises(Failure, match=r"^load failed: "):
            echo.load(chain(name, ["the first"]))
    np.testing.assert_array_equal(echo.load(chain("again", NAMES)).inverse_dynamics(a, a, a), expected)
    assert echo.conversations == 1, "the program was started once"
    echo.conversation.program.kill()


JUNK = [
    b"junk\n",
    b"[" * 100_000 + b"\n",
    b'{"do": "load"}\n',
    b'{"do": "hello", "id": -1}\n',
    b'{"do": 7, "id": 1}\n',
    b"{",
    b"\xff\n",
    b'{"do": "load", "id": 1, "arrays": [{"name": "q", "shape": [9999999999, 9999999999]}]}\n',
    b'{"do": "load", "id": 1, "arrays": [{"name": "q", "shape": [2]}]}\nshort',
]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["cpp", "rust"])
def test_what_is_no_request_ends_the_program_with_a_sentence(language: str, projects: Any) -> None:
    command = shlex.split(projects(language).spec.removeprefix("cmd:"))
    for junk in JUNK:
        ran = subprocess.run(command, input=junk, capture_output=True, check=False, timeout=20)
        assert (ran.returncode, ran.stdout) == (2, b""), junk[:60]
        assert ran.stderr.startswith(b"my_dynamics: standard input has a line that is no request of dalembert: ")
        assert ran.stderr.count(b"\n") == 1
    assert subprocess.run(command, input=b"", check=False).returncode == 0


def test_a_project_is_written_into_a_new_or_an_empty_folder(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "deep/inside", "it's new"):
        result = invoke("new", "--language", "c", folder)
        assert result.exit_code == 0
        assert sorted(path.name for path in (tmp_path / folder).iterdir()) == sorted(
            path.name for path in (SKELETONS / "c").iterdir()
        )
    assert "cd 'it'\"'\"'s new'" in result.output


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    def full(source: str, target: str) -> None:
        if copied:
            raise OSError(28, "No space left on device")
        copied.append(shutil.copyfile(source, target))

    monkeypatch.setattr("dalembert.cli.languages.copyfile", full)
    with pytest.raises(click.UsageError, match="No space left on device"):
        write_project("rust", tmp_path / "deep" / "new")
    assert copied
    assert list(tmp_path.iterdir()) == []
