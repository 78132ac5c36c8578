"""A run that ends early loses nothing that it finished, and goes on from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from processes import started

from cross_check.exchange.results import read_results
from dalembert.journals import cache
from mechanisms import find_mechanism

CODE = """
import pathlib, time
from implementations.spatial_algebra.reference import REFERENCE

class engine:
    @staticmethod
    def load(mechanism):
        with open("loaded", "a") as file:
            file.write(f"{mechanism.name} {mechanism.fingerprint}\\n")
        while mechanism.name == pathlib.Path("waits").read_text():
            time.sleep(0.01)
        return REFERENCE.load(mechanism)
"""
MECHANISMS = ("pendulum", "cart-pole", "scara")
WORDS = ("check", *MECHANISMS, "-i", "code.py:engine", "-q", "dynamics", "--states", "7", "-j", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "code.py").write_text(CODE)
    (tmp_path / "waits").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def killed_at(folder: Path, mechanism: str, *words: str) -> None:
    """Run, and kill the run while the code loads this mechanism."""
    (folder / "waits").write_text(mechanism)
    process = started(folder, *words, until=lambda: mechanism in loaded(folder))
    process.kill()
    process.communicate()
    (folder / "waits").write_text("")


def loaded(folder: Path) -> list[str]:
    """What the code was asked to load: the names of mechanisms, and "another" for others of these names."""
    path = folder / "loaded"
    lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return [name if find_mechanism(name).fingerprint == own else f"another {name}" for name, own in lines]


def numbers(path: Path) -> Any:
    document = json.loads(path.read_text())
    return {key: value for key, value in document.items() if key != "times"}


@pytest.mark.nightly
@pytest.mark.parametrize("output", [("-o", "results.json"), ()], ids=["beside the output", "in the cache"])
def test_a_killed_run_goes_on_and_ends_as_if_nothing_had_happened(invoke: Any, folder: Path, output: tuple[str, ...]) -> None:
    killed_at(folder, "cart-pole", *WORDS, *output)
    found = invoke(*WORDS, *(output or ("--markdown", "m.md")), "--resume")
    assert found.exit_code == 0, found.stderr
    # Another mechanism of the same name shows code for one robot. The run was killed before it asked about that of cart-pole.
    first, second = ["pendulum", "another pendulum", "cart-pole"], ["cart-pole", "another cart-pole", "scara", "another scara"]
    assert loaded(folder) == [*first, *second]
    assert not [*folder.glob("*.journal"), *cache().glob("*/*.journal")]
    if output:
        resumed = numbers(folder / "results.json")
        assert invoke(*WORDS, *output).exit_code == 0
        assert numbers(folder / "results.json") == resumed


@pytest.mark.slow
def test_a_killed_run_is_reported_as_far_as_it_came_and_another_one_does_not_resume_it(invoke: Any, folder: Path) -> None:
    killed_at(folder, "scara", *WORDS, "-o", "results.json")
    assert not (folder / "results.json").exists()
    assert invoke("report", "results.json.journal", "--markdown", "m.md").exit_code == 0
    text = (folder / "m.md").read_text()
    assert "Interrupted" in text
    assert "agrees with the truth on 2 mechanisms" in text
    resume = (*WORDS, "-o", "results.json", "--resume")
    other = invoke(*resume, "--seed", "1")
    assert other.exit_code == 2
    assert "is the journal of another run: settings.seed is 0 there and 1 here" in other.stderr
    (folder / "code.py").write_text(CODE + "\n# other code\n")
    other = invoke(*resume)
    assert other.exit_code == 2
    assert "is the journal of another run: files." in other.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("imports", ["import helper", "def later():\n    from parts import helper"], ids=["now", "later"])
def test_a_run_with_another_helper_is_not_resumed(invoke: Any, folder: Path, imports: str) -> None:
    """The code imports another module of its own, at once or in a function."""
    (folder / "parts").mkdir()
    helpers = [folder / "helper.py", folder / "parts" / "helper.py"]

    def write(factor: int) -> None:
        for helper in helpers:
            helper.write_text(f"factor = {factor}\n")

    write(1)
    (folder / "code.py").write_text(f"{imports}\n{CODE}")
    words = (*WORDS, "-o", "results.json")
    killed_at(folder, "cart-pole", *words)
    journal = (folder / "results.json.journal").read_bytes()
    write(2)
    other = invoke(*words, "--resume")
    assert other.exit_code == 2
    assert "is the journal of another run: files./" in other.stderr
    assert "helper.py is" in other.stderr
    assert (folder / "results.json.journal").read_bytes() == journal
    write(1)
    assert invoke(*words, "--resume").exit_code == 0


@pytest.mark.slow
def test_two_runs_at_once_do_not_mix(invoke: Any, folder: Path) -> None:
    (folder / "waits").write_text("cart-pole")
    words = (*WORDS, "-o", "results.json")
    first = started(folder, *words, until=lambda: "cart-pole" in loaded(folder))
    second = invoke(*words)
    assert second.exit_code == 2
    assert "results.json.journal is the journal of a run that still goes on" in second.stderr
    (folder / "waits").write_text("")
    first.communicate(timeout=30)
    assert first.returncode == 0
    assert len(read_results(folder / "results.json").mechanisms) == 3
