"""The command vectors: what it writes, refuses, and leaves if it is interrupted; and judges that know only its files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism

Invoke = Callable[..., Result]

COMMAND = (sys.executable, "-m", "dalembert", "vectors")


def test_what_is_written_is_made_again(invoke: Invoke, tmp_path: Path) -> None:
    written = invoke("vectors", "pendulum", "cart-pole", "-o", "out")
    assert written.exit_code == 0
    assert "wrote 14 files with 152 vectors" in written.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["cart-pole", "pendulum"]
    again = invoke("vectors", "pendulum", "cart-pole", "--check", "out")
    assert (again.exit_code, again.stdout) == (0, "14 files are the same, bit for bit\n")


def test_the_first_difference_is_named(invoke: Invoke, tmp_path: Path) -> None:
    invoke("vectors", "pendulum", "-o", "out")
    path = tmp_path / "out/pendulum/gravity.json"
    good = path.read_text("utf-8")
    path.write_text(good.replace('"bar": 16', '"bar": 17'), "utf-8")
    found = invoke("vectors", "pendulum", "--check", "out")
    assert (found.exit_code, found.stdout) == (1, "out/pendulum/gravity.json differs at $.judge.bar: 17 in the file, 16 now\n")
    path.unlink()
    found = invoke("vectors", "pendulum", "--check", "out")
    assert (found.exit_code, found.stdout) == (1, "out/pendulum/gravity.json is missing; write it with -o\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "is damaged at $: "),
        ('{"schema": ', "is no JSON"),
        ("[" * 3000, "is no JSON"),
        ("\x00" * 10, "is no JSON"),
    ],
)
def test_a_damaged_file_is_answered_in_one_sentence(invoke: Invoke, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "out/pendulum").mkdir(parents=True)
    (tmp_path / "out/pendulum/gravity.json").write_text(text, "utf-8")
    result = invoke("vectors", "pendulum", "-q", "gravity", "--check", "out")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and message in result.stderr


def test_what_has_no_vectors_is_said(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("vectors", "pendulum", "-q", "derivatives", "-o", "out")
    assert result.exit_code == 0
    assert {path.stem for path in (tmp_path / "out/pendulum").iterdir()} == {"inverse_dynamics_dq", "inverse_dynamics_dv"}
    assert "pendulum has no vectors of coriolis_matrix: many matrices C are right" in result.stderr


@pytest.mark.slow
def test_other_processes_and_processors_make_the_same_bits(tmp_path: Path) -> None:
    """Without newer instructions of the processor, NumPy and OpenBLAS sum in another order and use other cosines."""
    plain = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3", "OPENBLAS_NUM_THREADS": "1"}
    digests = []
    for folder, more in (("one", {}), ("other", plain)):
        words = ("wall-arms", "-q", "inverse_dynamics", "-q", "forward_dynamics", "-q", "mass_matrix", "-o", folder)
        made = subprocess.run([*COMMAND, *words], cwd=tmp_path, env={**os.environ, **more}, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        paths = sorted((tmp_path / folder).rglob("*.json"))
        digests.append([(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths])
    assert digests[0] == digests[1] and len(digests[0]) == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        pytest.param(signal.SIGINT, 130, ["--corpus"], marks=pytest.mark.nightly),
        (signal.SIGKILL, -9, ["pendulum", "satellite", "free:scara", "-q", "all"]),
    ],
)
def test_an_interrupted_run_keeps_whole_files_and_no_digests(tmp_path: Path, number: int, code: int, words: list[str]) -> None:
    (tmp_path / "out").mkdir()
    if "--corpus" in words:
        (tmp_path / "out/SHA256SUMS").write_text("", "utf-8")
    with subprocess.Popen([*COMMAND, *words, "-o", "out"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        deadline = time.monotonic() + 60
        while len(list((tmp_path / "out").rglob("*.json"))) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        run.send_signal(number)
        _, said = run.communicate(timeout=60)
    assert run.returncode == code
    assert "Traceback" not in said
    paths = list((tmp_path / "out").rglob("*.json"))
    assert len(paths) >= 3
    for path in paths:
        assert json.loads(path.read_text("utf-8"))["vectors"]
    assert not (tmp_path / "out/SHA256SUMS").exists()


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
