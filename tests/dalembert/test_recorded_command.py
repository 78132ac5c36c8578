"""Recorded data: states written, answers filled in, the file checked and compared with a baseline; and the page about it."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.recorded_data.units import choices, plain
from implementations.spatial_algebra.reference import Reference
from mechanisms import find_mechanism

ARM = find_mechanism("furuta-pendulum")
TAU = [f"inverse_dynamics.{name}" for name in ARM.coordinates]


def fill(path: Path, factor: float = 1.0, leave: tuple[int, ...] = (), drop: tuple[int, ...] = ()) -> None:
    """What another program does: read the states of a CSV, write its answers to inverse dynamics into the empty columns."""
    comments = [line for line in path.read_text().splitlines() if line.startswith("#")]
    rows = list(csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#")))
    q, v, a = (np.array([[float(row[f"{x}.{name}"]) for name in ARM.coordinates] for row in rows]) for x in "qva")
    tau = factor * Reference().load(ARM).inverse_dynamics(q, v, a)
    for k, row in enumerate(rows):
        if k not in leave:
            row |= dict(zip(TAU, (f"{x:.17g}" for x in tau[k]), strict=True))
    kept = [row for k, row in enumerate(rows) if k not in drop]
    lines = [*comments, ",".join(rows[0]), *(",".join(row.values()) for row in kept)]
    path.write_text("\n".join(lines) + "\n")


def written(invoke: Any, path: Path | str, *words: Any) -> Path:
    assert invoke("states", "furuta-pendulum", "-q", "inverse_dynamics", "-o", path, *words).exit_code == 0
    return Path(path)


def test_missing_states_are_said_and_nothing_is_green_about_them(invoke: Any) -> None:
    path = written(invoke, "arm.csv", "--states", 98, "--seed", 4)
    head = f"# mechanism: furuta-pendulum\n# fingerprint: {ARM.fingerprint}\n# states: 98\nstate,q.motor,"
    assert path.read_text().startswith(head)
    fill(path, leave=(3, 17, 18), drop=(40, 97))
    files = ("-o", "r.json", "--errors", "errors.npz", "--junit", "a.xml", "--markdown", "a.md")
    found = invoke("check", "furuta-pendulum", "--recorded", path, *files)
    assert found.exit_code == 0 and "arm (recorded) agrees with the truth on 1 mechanism" in found.stdout
    assert "5 of 98 states have no recorded answer: 3, 17, 18, 40, 97" in found.stdout
    assert "5 recorded answers are missing, of which nothing is known" in found.stdout.splitlines()[-1]
    for file in ("a.xml", "a.md"):
        assert "5 of 98 states have no recorded answer" in Path(file).read_text()
    (errors,) = np.load("errors.npz").values()
    assert len(errors) == 96 and np.flatnonzero(np.isnan(errors)).tolist() == [3, 17, 18]
    settings = json.loads(Path("r.json").read_text())["settings"]
    assert (settings["recorded"], settings["states"]) == (["arm.csv"], 96)
    assert invoke("report", "r.json").exit_code == 0


def test_a_wrong_answer_fails_and_one_state_can_be_shown(invoke: Any) -> None:
    fill(path := written(invoke, "arm.csv", "--states", 18), 1.001, drop=(5,))
    check = ("check", "furuta-pendulum", "--recorded", path, "--no-explain")
    found = invoke(*check, "--state", 7)
    assert found.exit_code == 1 and "--implementation recorded:arm.csv --quantity inverse_dynamics --state " in found.stdout
    assert "--seed" not in found.stdout, "the states are those of the file"
    assert found.stdout.count("State 7 (recorded)") == 1 and "has no mass_matrix" not in found.stdout
    found = invoke(*check, "--state", 5)
    assert found.exit_code == 2 and "--state 5 is out of range; there are states 0 to 4, 6 to 17" in found.output


@pytest.mark.slow
def test_the_gate_wants_the_states_and_the_answers_of_the_baseline(invoke: Any) -> None:
    fill(path := written(invoke, "arm.csv", "--states", 18))
    gate = ("gate", "recorded:./arm.csv", "furuta-pendulum")
    assert invoke(*gate, "--update-baseline").exit_code == 0
    fill(written(invoke, path, "--states", 25))
    assert invoke("gate", "recorded:arm.csv").exit_code == 0, "further states are welcome"
    fill(path, leave=(2,))
    path.write_text(path.read_text().replace(path.read_text().splitlines()[6], _emptied(path.read_text().splitlines()[6])))
    found = invoke(*gate)
    assert found.exit_code == 1 and "1 recorded answer of it missing, 0 in the baseline" in found.stdout
    fill(path, 1.01)
    assert invoke(*gate, "--no-explain").exit_code == 1
    fill(path, drop=(4, *range(18, 25)))
    found = invoke(*gate)
    assert found.exit_code == 2 and "17 states are fewer than the 18 of the baseline" in found.output
    assert "give all of them, or record them with --update-baseline" in found.output
    assert invoke(*gate, "--seed", 3).exit_code == 2
    fill(written(invoke, path, "--states", 25, "--seed", 2))
    found = invoke(*gate)
    assert found.exit_code == 2 and "the states of arm.csv are not those of the baseline dalembert-baseline.json" in found.output
    assert "record other states with --update-baseline" in found.output
    assert invoke(*gate, "--update-baseline").exit_code == 0
    assert invoke(*gate).exit_code == 0


def _emptied(line: str) -> str:
    return ",".join([*line.split(",")[:-2], "", ""])


PAGE = (Path(__file__).parents[2] / "docs" / "recorded.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "commands"),
    [
        ("c", ["cc -Wall -Wextra -Werror torques.c -lm", "./a.out < pendulum.csv > torques.csv"]),
        ("matlab", ["octave --no-gui --norc --quiet torques.m"]),
    ],
)
def test_the_program_of_the_page_writes_what_agrees(invoke: Any, language: str, commands: list[str]) -> None:
    if not shutil.which(commands[0].split()[0]):
        pytest.skip(f"this machine has no {commands[0].split()[0]}")
    assert invoke("states", "pendulum", "-q", "inverse_dynamics", "-o", "pendulum.csv").exit_code == 0
    (text,) = re.findall(rf"```{language} file=\S+\n(.*?)```", PAGE, re.DOTALL)
    Path("torques.m" if language == "matlab" else "torques.c").write_text(text)
    for command in commands:
        subprocess.run(["sh", "-c", command], check=True, capture_output=True)
    found = invoke("check", "pendulum", "--recorded", "torques.csv")
    assert found.exit_code == 0 and "torques (recorded) agrees with the truth on 1 mechanism" in found.stdout
    assert "missing" not in found.stdout and "lost digits" not in found.stdout


def test_the_page_lists_the_units() -> None:
    table = PAGE[PAGE.index("| SI |") : PAGE.index("## What is missing")]
    for si in ("rad", "rad/s", "rad/s^2", "m", "N m", "N", "J", "m/s", "m/s^2"):
        for unit in choices(si):
            assert f"`{unit}`" in table or unit.startswith(("cm/", "mm/")), unit
    assert plain("N·mm") == "N mm" and plain("deg/s²") == "deg/s^2" and plain("°") == "deg"
