"""The command vectors: what it writes, what it refuses, and what an interrupted run leaves."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

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
