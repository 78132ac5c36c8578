"""Code that ends the process in the middle: an incomplete run never ends with status 0."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cross_check.results import read_results
from dalembert import guard

# Each run would import it anew: pytester forgets what a run has imported.
import dalembert.gatekeeper  # noqa: F401 isort: skip

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the guard forks")

NATIVE = "import ctypes; ctypes.CDLL(None).exit({code})"
ENDS = {
    "os._exit(0)": "import os; os._exit(0)",
    "native exit(0)": NATIVE.format(code=0),
    "native exit(1)": NATIVE.format(code=1),
    "a signal": "import os; os.kill(os.getpid(), 11)",
}
COMMAND = [sys.executable, "-m", "dalembert"]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
def test_code_that_ends_the_process_is_status_3_and_one_sentence(tmp_path: Path, end: str) -> None:
    (tmp_path / "code.py").write_text(f"def gravity(mechanism, q):\n    {ENDS[end]}\n")
    found = run(tmp_path, "gate", "code.py", "pendulum", "--states", "3", "--update-baseline", "-o", "results.json")
    assert (found.returncode, found.stdout) == (3, "")
    sentence = found.stderr.splitlines()[-1]
    assert sentence.startswith("Error: the process ended before the verdict while checking code on pendulum (")
    results = read_results(tmp_path / "results.json")
    assert (results.cells, f"Error: {results.ended}") == ((), sentence)
    assert not (tmp_path / "dalembert-baseline.json").exists()
    assert run(tmp_path, "report", "results.json", "--junit", "j.xml").returncode == 0
    assert 'errors="1"' in (tmp_path / "j.xml").read_text()


def test_no_file_of_an_earlier_run_stays(tmp_path: Path) -> None:
    words = ("check", "pendulum", "-i", "code.py", "-q", "gravity", "--states", "3", "--bar", "1e30", "--junit", "j.xml")
    (tmp_path / "code.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    assert run(tmp_path, *words).returncode == 0
    assert 'errors="0"' in (tmp_path / "j.xml").read_text()
    (tmp_path / "code.py").write_text(ENDS["os._exit(0)"])
    assert run(tmp_path, *words).returncode == 3
    assert 'errors="1"' in (tmp_path / "j.xml").read_text()


def test_code_that_ends_the_process_when_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(ENDS["os._exit(0)"])
    found = run(tmp_path, "check", "pendulum", "-i", "code.py")
    assert found.returncode == 3
    assert "while loading code.py (exit status 0)" in found.stderr


@pytest.mark.slow
def test_exit_codes_and_output_pass_through(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    assert run(tmp_path, "check", "pendulum", "-i", "reference", "--states", "3").returncode == 0
    wrong = run(tmp_path, "check", "pendulum", "-i", "code.py", "--states", "7")
    assert wrong.returncode == 1
    assert wrong.stdout.splitlines()[-1].startswith("✗ code disagrees with the truth")
    assert run(tmp_path, "check", "nowhere").returncode == 2
    assert run(tmp_path, "--help").stdout.startswith("Usage: ")


SLEEPS = """
import pathlib, time

def gravity(mechanism, q):
    pathlib.Path("pid").write_text(str(__import__("os").getpid()))
    time.sleep(60)
"""


def started(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """A run in the middle of the user's code, and the process that runs it."""
    (folder / "code.py").write_text(SLEEPS)
    words = [*COMMAND, "check", "pendulum", "-i", "code.py", "-q", "gravity"]
    process = subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 30
    while not ((folder / "pid").exists() and (folder / "pid").read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process, int((folder / "pid").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("to_all", [True, False], ids=["as from a terminal", "to the parent alone"])
def test_an_interrupt_keeps_what_is_finished(tmp_path: Path, to_all: bool) -> None:
    process, _ = started(tmp_path)
    (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Error: interrupted; what was finished is kept" in err
    assert out.splitlines()[-1] == "· Interrupted before the end; until then: Nothing was compared."


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path("/proc").exists() else True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_killed_leaves_no_process_behind(tmp_path: Path, number: int) -> None:
    process, child = started(tmp_path)
    os.kill(process.pid, number)
    process.communicate(timeout=30)
    assert process.returncode == -number
    deadline = time.monotonic() + 10
    while is_alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_result_comes_back_and_nests() -> None:
    assert guard.run_guarded(lambda: guard.run_guarded(lambda: "ü" * 100_000)) == "ü" * 100_000
    with pytest.raises(guard.EndedEarly, match=r"before the verdict while counting \(exit status 7\); the run is incomplete"):
        guard.run_guarded(lambda: [guard.note("counting"), os._exit(7)])  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("end", ENDS)
def test_pytest_fails_when_code_given_as_a_word_ends_the_process(pytester: pytest.Pytester, end: str) -> None:
    pytester.makepyfile(code=f"def gravity(mechanism, q):\n    {ENDS[end]}\n")
    pytester.makepyfile(
        test_mine="def test_it(dalembert_gate):\n    dalembert_gate('code.py', 'pendulum', states=3)\ndef test_next(): pass\n"
    )
    found = pytester.runpytest("-p", "no:cacheprovider")
    found.assert_outcomes(failed=1, passed=1)
    found.stdout.fnmatch_lines(
        ["the process ended before the verdict while checking code on pendulum (*); the run is incomplete*"]
    )


def test_parametrised_tests_share_a_baseline_in_several_processes(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    names = ["pendulum", "cart-pole", "double-pendulum", "scara", "planar-pendulum:3", "spatial-3r"]
    body = f"""
        import pytest

        @pytest.mark.parametrize("name", {names})
        @pytest.mark.parametrize("engine", ["reference", "traced"])
        def test_it(dalembert_gate, engine, name):
            dalembert_gate(engine, name, states=3, quantities=["gravity", "mass_matrix"], baseline="b.json")
    """
    pytester.makepyfile(test_mine=body)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "3", "-p", "no:cacheprovider"]

    def tests(*options: str) -> Any:
        return subprocess.run([*command, *options], cwd=pytester.path, capture_output=True, text=True, check=False)

    assert "12 passed" in tests("--dalembert-update-baseline").stdout
    from cross_check.gate import read_baseline

    records = read_baseline(pytester.path / "b.json").implementations
    assert {name: len(mechanisms) for name, mechanisms in records.items()} == {"reference": 6, "traced": 6}
    assert {len(record.cells) for mechanisms in records.values() for record in mechanisms.values()} == {2}
    assert "12 passed" in tests().stdout
