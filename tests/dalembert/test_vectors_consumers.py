"""Those who read test vectors without this project: the judge of the documentation in Python, and the one in C."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism

DOCS = Path(__file__).parents[2] / "docs"
VECTORS = DOCS / "vectors"

COMPILER = next((path for name in ("gcc", "cc", "clang") if (path := shutil.which(name))), None)

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler on this machine")

ONE_COORDINATE_EACH = ("puma560", "stanford-arm", "branched-tree", "lead-screw", "screw-jack", "scara", "cart-pole")
"""Mechanisms for the judge in C."""


def compiled(folder: Path, *flags: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The judge, with the code that it judges."""
    assert COMPILER
    program = folder / "judge"
    sources = (VECTORS / "judge.c", VECTORS / "inverse_dynamics.c")
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2")
    subprocess.run([COMPILER, *strict, *flags, *sources, "-lm", "-o", program], check=True)
    return lambda *files: subprocess.run([program, *files], cwd=VECTORS, capture_output=True, text=True, check=False)


@pytest.mark.slow
@needs_compiler
def test_the_code_in_c_passes_and_with_a_wrong_sign_it_fails(tmp_path: Path) -> None:
    files = [f"{name}/inverse_dynamics.json" for name in ONE_COORDINATE_EACH]
    right = compiled(tmp_path)(*files)
    assert right.returncode == 0, right.stdout
    assert [line.partition(": ")[2] for line in right.stdout.splitlines()] == [
        *["16 of 16 vectors pass"] * 3,
        "14 of 14 vectors pass",
        *["16 of 16 vectors pass"] * 2,
        "15 of 15 vectors pass",
    ]
    wrong = compiled(tmp_path, "-DSIGN=-1")("puma560/inverse_dynamics.json")
    assert wrong.returncode == 1
    said = ["puma560/inverse_dynamics.json: vector 4 fails", "puma560/inverse_dynamics.json: 4 of 16 vectors pass"]
    assert wrong.stdout.splitlines() == said
    page = (DOCS / "vectors.md").read_text("utf-8")
    assert all(line in page for line in (*said, *right.stdout.splitlines()[:2]))


@pytest.mark.slow
@needs_compiler
def test_the_judge_in_c_refuses_what_it_cannot_judge(tmp_path: Path) -> None:
    judge = compiled(tmp_path)
    whole = (VECTORS / "puma560/inverse_dynamics.json").read_text("utf-8")
    for name, text in {
        "cut": whole[: len(whole) * 9 // 10],
        "other": whole.replace("dalembert-vectors-1", "dalembert-vectors-2"),
        "short": whole.replace('"screws": [[', '"screws": ["0x1p+0",['),
        "empty": "",
        "noise": "[" * 10_000,
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
        result = judge(tmp_path / name)
        assert result.returncode == 1, name
    several = judge("gyroscope/inverse_dynamics.json", "puma560/forward_dynamics.json", "gone.json")
    assert several.stdout.count("not for this judge") == 3
    assert judge().returncode == 1


def test_the_consumer_has_at_most_sixty_lines() -> None:
    assert len((VECTORS / "judge.c").read_text("utf-8").splitlines()) <= 60


def python_judge() -> Any:
    """The function of the documentation."""
    page = (DOCS / "vectors.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 10
    names: dict[str, Any] = {}
    exec(code, names)
    return names["failures"]


def test_the_ten_lines_of_python_judge() -> None:
    dynamics = REFERENCE.load(find_mechanism("puma560"))

    def right(*arguments: list[float]) -> list[float]:
        return dynamics.inverse_dynamics(*(np.array([x]) for x in arguments))[0].tolist()

    document = json.loads((VECTORS / "puma560" / "inverse_dynamics.json").read_text("utf-8"))
    failures = python_judge()
    assert list(failures(document, right)) == []
    without = list(failures(document, lambda q, v, a: right(q, [0] * 6, a)))
    assert all("at-rest" not in flags and "acceleration-alone" not in flags for _, flags in without)
    assert len(without) == 13
    assert len(list(failures(document, lambda q, v, a: [float("nan")] * 6))) == 16
