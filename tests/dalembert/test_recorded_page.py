"""The programs of docs/recorded.md are built and run."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cross_check.recorded_data.units import choices, plain

PAGE = (Path(__file__).parents[2] / "docs" / "recorded.md").read_text("utf-8")


def program(language: str) -> str:
    (text,) = re.findall(rf"```{language} file=\S+\n(.*?)```", PAGE, re.DOTALL)
    return text


def assert_right(invoke: Any) -> None:
    found = invoke("check", "pendulum", "--recorded", "torques.csv")
    assert found.exit_code == 0 and "torques (recorded) agrees with the truth on 1 mechanism" in found.stdout
    assert "missing" not in found.stdout and "lost digits" not in found.stdout


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_the_c_program_writes_what_agrees(invoke: Any) -> None:
    assert invoke("states", "pendulum", "-q", "inverse_dynamics", "-o", "pendulum.csv").exit_code == 0
    Path("torques.c").write_text(program("c"))
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "torques.c", "-lm"], check=True)
    with Path("pendulum.csv").open() as states, Path("torques.csv").open("w") as torques:
        subprocess.run(["./a.out"], stdin=states, stdout=torques, check=True)
    assert_right(invoke)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("octave"), reason="there is no Octave")
def test_the_matlab_program_writes_what_agrees(invoke: Any) -> None:
    assert invoke("states", "pendulum", "-q", "inverse_dynamics", "-o", "pendulum.csv").exit_code == 0
    Path("torques.m").write_text(program("matlab"))
    subprocess.run(["octave", "--no-gui", "--norc", "--quiet", "torques.m"], check=True, capture_output=True)
    assert_right(invoke)


def test_the_page_lists_the_units() -> None:
    table = PAGE[PAGE.index("| SI |") : PAGE.index("## What is missing")]
    for si in ("rad", "rad/s", "rad/s^2", "m", "N m", "N", "J", "m/s", "m/s^2"):
        for unit in choices(si):
            assert f"`{unit}`" in table or unit.startswith(("cm/", "mm/")), unit
    assert plain("N·mm") == "N mm" and plain("deg/s²") == "deg/s^2" and plain("°") == "deg"
