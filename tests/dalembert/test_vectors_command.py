"""The command vectors: what it writes, refuses, and leaves if it is interrupted; and judges that know only its files."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from processes import run, started

from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism

Invoke = Callable[..., Result]


def test_what_is_written_is_made_again_and_the_first_difference_is_named(invoke: Invoke, tmp_path: Path) -> None:
    written = invoke("vectors", "pendulum", "cart-pole", "-o", "out")
    assert written.exit_code == 0
    assert "wrote 14 files with 152 vectors" in written.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["cart-pole", "pendulum"]
    again = invoke("vectors", "pendulum", "cart-pole", "--check", "out")
    assert (again.exit_code, again.stdout) == (0, "14 files are the same, bit for bit\n")
    path = tmp_path / "out/pendulum/gravity.json"
    good = path.read_text("utf-8")
    path.write_text(good.replace('"bar": 16', '"bar": 17'), "utf-8")
    found = invoke("vectors", "pendulum", "--check", "out")
    assert (found.exit_code, found.stdout) == (1, "out/pendulum/gravity.json differs at $.judge.bar: 17 in the file, 16 now\n")
    path.unlink()
    found = invoke("vectors", "pendulum", "--check", "out")
    assert (found.exit_code, found.stdout) == (1, "out/pendulum/gravity.json is missing; write it with -o\n")
    for text, message in (("{}", "is damaged at $: "), ('{"schema": ', "is no JSON"), ("[" * 3000, "is no JSON")):
        path.write_text(text, "utf-8")
        result = invoke("vectors", "pendulum", "-q", "gravity", "--check", "out")
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1 and message in result.stderr


def test_what_has_no_vectors_is_said(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("vectors", "pendulum", "-q", "derivatives", "-o", "out")
    assert result.exit_code == 0
    assert {path.stem for path in (tmp_path / "out/pendulum").iterdir()} == {"inverse_dynamics_dq", "inverse_dynamics_dv"}
    assert "pendulum has no vectors of coriolis_matrix: many matrices C are right" in result.stderr


@pytest.mark.slow
def test_other_processes_and_processors_make_the_same_bits(invoke: Invoke, tmp_path: Path) -> None:
    """Without newer instructions of the processor, NumPy and OpenBLAS sum in another order and use other cosines."""
    plain = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3", "OPENBLAS_NUM_THREADS": "1"}
    words = ("vectors", "wall-arms", "-q", "inverse_dynamics", "-q", "forward_dynamics", "-q", "mass_matrix", "-o")
    assert invoke(*words, "one").exit_code == 0
    made = run(tmp_path, *words, "other", env={**os.environ, **plain})
    assert made.returncode == 0, made.stderr
    one, other = ({path.name: path.read_bytes() for path in Path(name).rglob("*.json")} for name in ("one", "other"))
    assert one == other and len(one) == 3


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

    def paths() -> list[Path]:
        return list((tmp_path / "out").rglob("*.json"))

    process = started(tmp_path, "vectors", *words, "-o", "out", until=lambda: len(paths()) >= 3)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in said) == (code, False)
    for path in paths():
        assert json.loads(path.read_text("utf-8"))["vectors"]
    assert not (tmp_path / "out/SHA256SUMS").exists()


DOCS = Path(__file__).parents[2] / "docs"
VECTORS = DOCS / "vectors"

ONE_COORDINATE_EACH = {
    "puma560": 16,
    "stanford-arm": 16,
    "branched-tree": 16,
    "lead-screw": 14,
    "screw-jack": 16,
    "scara": 16,
    "cart-pole": 15,
}
"""Mechanisms for the judge in C, and their numbers of vectors."""


@pytest.mark.slow
def test_the_judge_in_c_passes_right_code_fails_a_wrong_sign_and_refuses_what_it_cannot_judge(tmp_path: Path) -> None:
    compiler = next((path for name in ("gcc", "cc", "clang") if (path := shutil.which(name))), None)
    if not compiler:
        pytest.skip("there is no C compiler on this machine")

    def judged(name: str, *files: object) -> tuple[int, str]:
        done = subprocess.run([tmp_path / name, *files], cwd=VECTORS, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    sources = (VECTORS / "judge.c", VECTORS / "inverse_dynamics.c")
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2")
    for name, *flags in (("right",), ("wrong", "-DSIGN=-1")):
        subprocess.run([compiler, *strict, *flags, *sources, "-lm", "-o", tmp_path / name], check=True)

    code, right = judged("right", *(f"{name}/inverse_dynamics.json" for name in ONE_COORDINATE_EACH))
    assert code == 0, right
    passed = [f"{name}/inverse_dynamics.json: {n} of {n} vectors pass" for name, n in ONE_COORDINATE_EACH.items()]
    assert right.splitlines() == passed
    said = ["puma560/inverse_dynamics.json: vector 4 fails", "puma560/inverse_dynamics.json: 4 of 16 vectors pass"]
    assert judged("wrong", "puma560/inverse_dynamics.json") == (1, "\n".join([*said, ""]))
    page = (DOCS / "vectors.md").read_text("utf-8")
    assert all(line in page for line in (*said, *passed[:2]))

    whole = (VECTORS / "puma560/inverse_dynamics.json").read_text("utf-8")
    for name, text in {
        "cut": whole[: len(whole) * 9 // 10],
        "other": whole.replace("dalembert-vectors-1", "dalembert-vectors-2"),
        "short": whole.replace('"screws": [[', '"screws": ["0x1p+0",['),
        "empty": "",
        "noise": "[" * 10_000,
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
        assert judged("right", tmp_path / name)[0] == 1, name
    _, several = judged("right", "gyroscope/inverse_dynamics.json", "puma560/forward_dynamics.json", "gone.json")
    assert several.count("not for this judge") == 3
    assert judged("right")[0] == 1


def test_the_consumer_has_at_most_sixty_lines() -> None:
    assert len((VECTORS / "judge.c").read_text("utf-8").splitlines()) <= 60


def test_the_ten_lines_of_python_judge() -> None:
    page = (DOCS / "vectors.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 10
    names: dict[str, Any] = {}
    exec(code, names)
    failures = names["failures"]
    dynamics = REFERENCE.load(find_mechanism("puma560"))

    def right(*arguments: list[float]) -> list[float]:
        return dynamics.inverse_dynamics(*(np.array([x]) for x in arguments))[0].tolist()

    document = json.loads((VECTORS / "puma560" / "inverse_dynamics.json").read_text("utf-8"))
    assert list(failures(document, right)) == []
    without = list(failures(document, lambda q, v, a: right(q, [0] * 6, a)))
    assert all("at-rest" not in flags and "acceleration-alone" not in flags for _, flags in without)
    assert len(without) == 13
    assert len(list(failures(document, lambda q, v, a: [float("nan")] * 6))) == 16
