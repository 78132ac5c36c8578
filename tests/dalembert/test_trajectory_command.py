"""The command trajectory: what it prints and writes, what it proves again, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dalembert.cli.main import main

pytestmark = pytest.mark.slow

SHORT = ("euler-top", "--time", "0.2", "--samples", "2", "-o", "top.json")


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What the command printed, and the file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("certified"))
        done = CliRunner().invoke(main, ["trajectory", *SHORT])
        assert done.exit_code == 0, done.output
        return done.stdout, Path("top.json").read_text("utf-8")


@pytest.fixture
def run(certified: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Calls the command in a folder with the file."""
    monkeypatch.chdir(tmp_path)
    Path("top.json").write_text(certified[1], "utf-8")
    return lambda *words: CliRunner().invoke(main, ["trajectory", *words])


def test_a_trajectory_is_printed_written_and_proven_again(certified: tuple[str, str], run: Callable[..., Result]) -> None:
    printed, file = certified
    assert printed.startswith("euler-top at 0.2 s, every number within 1e-15:\n    q point.qx ")
    assert "\nproven twice: oracle (" in printed
    kept = json.loads(file)
    assert kept["times"] == ["0.1", "0.2"]
    assert kept["q"][1][0] in printed
    again = run("--prove", "top.json")
    assert again.exit_code == 0
    assert again.stdout.startswith("euler-top: 2 times up to 0.2 s, every number within 1e-15\nproven twice: oracle (")


def test_another_start_gives_another_motion(run: Callable[..., Result]) -> None:
    done = run("pendulum", "--time", "0.1", "--digits", "20", "-q", "0.5", "-v", "-1e-1")
    assert done.exit_code == 0
    assert "every number within 1e-20" in done.stdout


def test_the_named_trajectories_are_listed(run: Callable[..., Result]) -> None:
    done = run()
    assert done.exit_code == 0
    assert "double-pendulum        10 s  released from rest; chaotic" in done.stdout


def changed(edit: Callable[[Any], Any]) -> None:
    file = json.loads(Path("top.json").read_text("utf-8"))
    edit(file)
    Path("top.json").write_text(json.dumps(file), "utf-8")


def test_a_wrong_digit_is_refuted(run: Callable[..., Result]) -> None:
    changed(lambda file: file["v"][0].__setitem__(1, file["v"][0][1][:-1] + str((int(file["v"][0][1][-1]) + 4) % 10)))
    done = run("--prove", "top.json")
    assert done.exit_code == 1
    assert "the enclosure of the oracle refutes v of point.wy = " in done.stdout
    assert "\nrefuted: oracle (" in done.stdout


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda file: file.pop("times"), "is damaged at $: 'times' is a required property"),
        (lambda file: file["q"][0].pop(), "lacks numbers, or its times do not rise"),
        (lambda file: file["start"].pop("v"), "lacks numbers, or its times do not rise"),
        (lambda file: file.update(times=["0.2", "0.1"]), "lacks numbers, or its times do not rise"),
        (lambda file: file["q"][0].__setitem__(0, "nan"), "is damaged at $.q[0][0]"),
        (lambda file: file.update(fingerprint="0" * 16), "is about a mechanism euler-top with other numbers"),
        (lambda file: file.update(mechanism="nonsense"), "no mechanism is called 'nonsense'"),
        (lambda file: file.update(digits=0), "is damaged at $.digits"),
    ],
)
def test_damaged_files_are_refused_in_one_sentence(run: Callable[..., Result], edit: Callable[[Any], Any], told: str) -> None:
    changed(edit)
    done = run("--prove", "top.json")
    assert done.exit_code == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("pendulum", "-q", "1 2"), "-q has 2 numbers; give 1"),
        (("four-bar", "-v", "1"), "-v has 1 numbers; give 3"),
        (("pendulum", "-q", "one"), "a number of -q is 'one'"),
        (("pendulum", "--time", "0"), "--time must be above zero"),
        (("pendulum", "--time", "soon"), "--time is 'soon'"),
        (("--prove", "top.json", "--digits", "3"), "leave all other arguments out"),
        (("--digits", "3"), "name a mechanism"),
        (("pendulums",), "did you mean 'pendulum'?"),
    ],
)
def test_wrong_usage_is_explained(run: Callable[..., Result], words: tuple[str, ...], told: str) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert told in done.stderr


def test_a_start_in_gimbal_lock_ends_with_five(run: Callable[..., Result]) -> None:
    done = run("gyroscope", "-q", "0 1.5707963267948966 0 1 0", "-v", "1 1 1 1", "--time", "0.1", "--digits", "3")
    assert done.exit_code == 5
    assert "singular" in done.stderr
