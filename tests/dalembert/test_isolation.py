"""Code under test that harms its process: it gets a verdict, nothing of another implementation is lost, and no process stays."""

from __future__ import annotations

import math
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hostile_code
import numpy as np
import pytest
from processes import run, started

import dalembert
from cross_check.exchange.results import read_results
from implementations.plugins.user_code import as_implementation
from implementations.processes.find import find_subject
from implementations.processes.remote import Remote, can_isolate
from implementations.processes.subject import Failure

pytestmark = pytest.mark.skipif(not can_isolate(), reason="this system cannot fork")

SMALL: dict[str, Any] = {"states": 14, "quantities": ["gravity"], "memory": 1}

HANGING: dict[str, Any] = {**SMALL, "timeout": 2}
"""For code that hangs. Other code has the usual time, because a busy machine may need seconds for a short answer."""


def everybody(word: str) -> set[int]:
    """The processes whose environment has this word: also those that left their session and their parent."""
    found = set()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if word.encode() in environment.read_bytes():
                found.add(int(environment.parent.name))
        except OSError:
            continue
    return found - {os.getpid()}


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A word in the environment of all processes that the test starts."""
    monkeypatch.setenv("DALEMBERT_TEST", f"mark-{tmp_path}")
    return f"mark-{tmp_path}"


def gone(word: str) -> bool:
    deadline = time.monotonic() + 60
    while everybody(word):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.nightly
@pytest.mark.parametrize("fault", hostile_code.FAULTS)
def test_every_fault_is_a_verdict_and_names_the_state(tmp_path: Path, marked: str, fault: str) -> None:
    body, sentence = hostile_code.FAULTS[fault]
    (tmp_path / "code.py").write_text(hostile_code.source(body))
    settings = HANGING if "within 2 s" in sentence else SMALL
    results = dalembert.check("pendulum", [str(tmp_path / "code.py"), "reference"], **settings)
    failed, innocent = results.cells
    assert (failed.verdict, innocent.verdict) == ("failed", "agrees")
    state = next(k for k, angle in enumerate(_angles()) if math.sin(angle) < 0)
    assert failed.message.startswith(sentence.format(state=state)), failed.message
    assert f"state {state}" in failed.message
    assert gone(marked)


def _angles() -> list[float]:
    from cross_check.judge.comparison.sampling import sample

    return sample(dalembert.find_mechanism("pendulum"), 0, 14).q[:, 0].tolist()


@pytest.mark.slow
def test_what_harms_no_number_is_no_fault_and_leaves_nothing(tmp_path: Path, marked: str) -> None:
    paths = {deed: tmp_path / f"{deed.replace(' ', '_')}.py" for deed in hostile_code.HARMLESS}
    for deed, path in paths.items():
        path.write_text(hostile_code.source(hostile_code.HARMLESS[deed]))
    results = dalembert.check("pendulum", [*map(str, paths.values())], **SMALL)
    assert {cell.implementation: cell.message for cell in results.cells if cell.verdict != "agrees"} == {}
    output = results.cells[[*paths].index("text on stdout")].output
    assert output.startswith("hello hello")
    assert "from C" in output[-40:]
    assert "[...]" in output
    assert len(output) < 2100
    assert gone(marked)


class Code:
    """An implementation that is an object: what it is given are its attributes and methods."""

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    def load(self, mechanism: Any) -> Any:
        return self


def zeros(q: Any) -> Any:
    return 0 * q


@pytest.mark.nightly
def test_an_object_runs_in_a_fork() -> None:
    calls = []
    ends = Code(name="ends", load=lambda mechanism: os._exit(0))
    notes = Code(name="notes", gravity=lambda q: calls.append(1) or 0 * q)
    results = dalembert.check("pendulum", [ends, notes], **SMALL)
    assert [cell.verdict for cell in results.cells] == ["failed", "discrepancy"]
    assert results.cells[0].message.startswith("load ended the process (exit status 0)")
    assert calls == []
    dalembert.check("pendulum", notes, in_process=True, **SMALL)
    assert calls


@pytest.mark.nightly
def test_the_memory_of_the_test_run_does_not_count_for_an_object() -> None:
    held = np.ones(1 << 26)  # Half a GiB, twice as much as the code may have.
    results = dalembert.check("pendulum", Code(name="right", gravity=zeros), **{**SMALL, "memory": 0.25})
    assert [cell.verdict for cell in results.cells] == ["discrepancy"]
    assert held.all()


@pytest.mark.slow
def test_what_an_adapter_computes_itself_travels_bounded_to_the_results() -> None:
    adapter = Code(name="adapter", workarounds=("damping is added", "x" * 5000, *map(str, range(5000))))
    with closing(Remote("adapter", implementation=adapter)) as subject:
        assert subject.workarounds == ("damping is added", "x" * 300, *map(str, range(18)))
    (summary,) = dalembert.check("pendulum", adapter, **SMALL).implementations
    assert len(summary.workarounds) == 20
    for others in ("text", [1, 2], 3, lambda: None, None):
        assert as_implementation(Code(workarounds=others), "adapter", "adapter").workarounds == ()


def of_all_quantities(body: str) -> str:
    lines = [f"def {name}(mechanism, *state): {body}" for name in dalembert.Settings().quantities]
    return "\n".join(["import os, time", *lines])


@pytest.mark.slow
def test_code_that_ends_its_process_or_hangs_often_is_not_asked_for_ever(tmp_path: Path) -> None:
    for name, body in (("ends", "os._exit(0)"), ("hangs", "time.sleep(99)")):
        (tmp_path / f"{name}.py").write_text(of_all_quantities(body))
    results = dalembert.check("pendulum", str(tmp_path / "ends.py"), states=2)
    messages = [cell.message for cell in results.cells]
    assert sum("ended the process" in message for message in messages) < 4
    assert messages[-1] == "not asked, because it ended or hung 3 times before with this mechanism"
    results = dalembert.check(["pendulum", "cart-pole"], str(tmp_path / "hangs.py"), states=2, timeout=0.5)
    assert {cell.verdict for cell in results.cells} == {"failed"}
    assert results.cells[-1].message == "not asked, because 3 calls of this implementation ran out of time"


def test_a_process_drops_a_mechanism_of_which_nobody_asks_any_more(tmp_path: Path) -> None:
    class Loaded:
        def __del__(self) -> None:
            (tmp_path / "dropped").touch()

    code = as_implementation(SimpleNamespace(load=lambda mechanism: Loaded()), "code", "code")
    with closing(Remote("code", implementation=code)) as remote:
        loaded = remote.load(dalembert.find_mechanism("pendulum"))
        del loaded
        assert not (tmp_path / "dropped").exists()
        remote.load(dalembert.find_mechanism("cart-pole"))
        assert (tmp_path / "dropped").exists()


@pytest.mark.slow
def test_a_fork_that_hangs_is_ended_while_another_one_lives() -> None:
    """The second fork has copies of all that the harness holds of the first one."""
    begin = time.monotonic()
    codes = [Code(name="first", gravity=lambda q: time.sleep(60)), Code(name="second", gravity=zeros)]
    results = dalembert.check("pendulum", codes, states=2, quantities=["gravity"], timeout=2, explain=False)
    assert [cell.verdict for cell in results.cells] == ["failed", "discrepancy"]
    assert time.monotonic() - begin < 50


ELSEWHERE = """
import os, pathlib, time
from implementations.spatial_algebra.reference import REFERENCE

def gravity(mechanism, q):
    if mechanism.name != "stanford-arm":
        with pathlib.Path("elsewhere").open("a") as file:
            print(mechanism.name, file=file)
        {deed}
    return -REFERENCE.load(mechanism).gravity(q[None])[0]
"""


@pytest.mark.usefixtures("with_lines")
@pytest.mark.parametrize("deed", [pytest.param("time.sleep(60)", marks=pytest.mark.nightly), "os._exit(0)"])
def test_code_that_hangs_or_ends_on_other_mechanisms_is_diagnosed_in_a_bounded_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    """A diagnosis asks about mechanisms that the run does not have: once for the line, and three times for the fault."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code.py").write_text(ELSEWHERE.format(deed=deed))
    results = dalembert.check("stanford-arm", "code.py", **HANGING)
    assert [cause.sentence for cause in results.causes] == ["In code, gravity has the wrong sign"]
    # Edits of the code may ask for another name.
    asked = [name for name in (tmp_path / "elsewhere").read_text().splitlines() if name != "stanford-arm"]
    assert 1 <= len(asked) <= 4, asked


@pytest.mark.nightly
def test_an_interrupted_diagnosis_keeps_what_was_compared(tmp_path: Path, marked: str) -> None:
    (tmp_path / "code.py").write_text(ELSEWHERE.format(deed="time.sleep(60)"))
    words = ("check", "stanford-arm", "-i", "code.py", "-q", "gravity", "-o", "results.json")
    process = started(tmp_path, *words, until=(tmp_path / "elsewhere").exists)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 1
    results = read_results(tmp_path / "results.json")
    assert [cell.verdict for cell in results.cells] == ["discrepancy"]
    assert "the rest of the diagnosis" in [skipped.what for skipped in results.skipped]
    assert gone(marked)


SLEEPS = """
import pathlib, time

def gravity(mechanism, q):
    if mechanism.name == "pendulum":
        return 0 * q
    pathlib.Path("asleep").touch()
    time.sleep(60)
"""


@pytest.fixture
def process(tmp_path: Path, marked: str) -> Iterator[subprocess.Popen[str]]:
    """A run in the middle of the user's code, with the first mechanism done; after the test no process is left."""
    (tmp_path / "code.py").write_text(SLEEPS)
    words = ("check", "pendulum", "cart-pole", "-i", "code.py", "-q", "gravity", "--states", 3, "-j", 1, "-o", "r.json")
    yield (made := started(tmp_path, *words, until=(tmp_path / "asleep").exists, start_new_session=True))
    made.communicate(timeout=30)
    assert gone(marked)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("number", "to_all"),
    [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGHUP, True)],
    ids=["as from a terminal", "to the parent alone", "a supervisor", "a terminal that is closed"],
)
def test_an_interrupt_keeps_what_is_finished(tmp_path: Path, process: subprocess.Popen[str], number: int, to_all: bool) -> None:
    (os.killpg if to_all else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number, err
    assert "Error: interrupted; what was finished is kept" in err
    assert out.splitlines()[-1].startswith("· Interrupted before the end; until then: ")
    results = read_results(tmp_path / "r.json")
    assert (results.interrupted, [cell.id for cell in results.cells]) == (True, ["pendulum/code/gravity"])


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_no_process_behind(process: subprocess.Popen[str], marked: str) -> None:
    assert len(everybody(marked)) > 1
    process.kill()


@pytest.mark.nightly
@pytest.mark.engines
def test_the_harness_loads_no_foreign_code(tmp_path: Path) -> None:
    (tmp_path / "arm.py").write_text("from dalembert import find_mechanism\narm = find_mechanism('scara')\n")
    (tmp_path / "code.py").write_text("def gravity(mechanism, q): return 0 * q\n")
    (tmp_path / "run.py").write_text(
        "import sys, dalembert\n"
        "results = dalembert.check(['arm.py:arm'], ['pinocchio', 'rbdl', 'code.py'], states=2, quantities=['gravity'])\n"
        "assert len(results.cells) == 3\n"
        "foreign = [n for n in sys.modules if n.split('.')[0] in ('pinocchio', 'biorbd') or '_user_' in n or 'engines.' in n]\n"
        "foreign = [n for n in foreign if not n.endswith(('engines.declared', 'engines.as_read'))]  # They import no engine.\n"
        "sys.exit(', '.join(foreign) or 0)\n"
    )
    done = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_loads_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("code.py").write_text(
        "import os, pathlib\n"
        "if not pathlib.Path('killed').exists():\n    pathlib.Path('killed').touch()\n    os.kill(os.getpid(), 9)\n"
        "def gravity(mechanism, q): return 0 * q\n"
    )
    results = dalembert.check("pendulum", "code.py", quantities=["gravity"], states=2, explain=False)
    assert [cell.verdict for cell in results.cells] == ["discrepancy"]
    assert Path("killed").exists()


ONCE = "import pathlib\nif pathlib.Path('loaded').exists(): raise ValueError('again')\npathlib.Path('loaded').touch()\n"


def test_code_that_loads_once_says_elsewhere_what_it_has_said_and_fails_where_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("code.py").write_text(ONCE + "precision = 'float32'\ndef gravity(mechanism, q): return 0 * q\n")
    with closing(find_subject("code.py")) as code:
        assert code.precision == "float32"
        with closing(pickle.loads(pickle.dumps(code))) as again:
            assert (again.name, again.precision) == (code.name, "float32")
            for _ in range(2):  # A process that has loaded nothing is not asked.
                with pytest.raises(Failure, match="again"):
                    again.load(dalembert.find_mechanism("pendulum")).ask("gravity", np.zeros((1, 1)))


@pytest.mark.nightly
def test_code_that_loads_no_second_time_fails_its_own_cells(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(ONCE + "def gravity(mechanism, q): return 0 * q\n")
    words = ("check", "pendulum", "cart-pole", "-i", "code.py", "-i", "reference", "-q", "gravity", "--states", "2", "-j", "2")
    found = run(tmp_path, *words, "-o", "results.json")
    assert found.returncode == 3, found.stderr
    cells = {cell.implementation: cell for cell in read_results(tmp_path / "results.json").cells}
    assert (cells["reference"].verdict, cells["code"].verdict) == ("agrees", "failed")
    assert "raised ValueError: again" in cells["code"].message
