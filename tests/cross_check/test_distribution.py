"""Tasks that other processes compute: what is lost has failed, and the results stay whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from cross_check.distribution import LocalProcesses
from cross_check.entry import Entry
from cross_check.exchange.results import read_results, verdict_of, write_json
from cross_check.exchange.results.parts import Part
from cross_check.harness import check
from cross_check.judge.estimate import blocks_of
from cross_check.judge.history.sibling import sibling
from cross_check.judge.settings import Settings
from cross_check.part import Task, compute, lost
from cross_check.prove.proof_files import read_proofs
from implementations.processes.find import find_subject
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from reports import html, junit, markdown


class LosesCartPole:
    """The process that computes the cart-pole ends, each time."""

    def compute(self, tasks: Sequence[Task]) -> Iterator[list[Part]]:
        for task in tasks:
            yield lost(task) if task.mechanism.name == "cart-pole" else compute(task)


def test_threads_of_one_process_call_code_under_test_one_after_the_other() -> None:
    """Dask's workers have several threads."""
    running: list[str] = []
    together: list[list[str]] = []
    loaded: list[str] = []

    class Slow:
        def load(self, mechanism: Mechanism) -> Any:
            running.append(mechanism.name)
            loaded.append(mechanism.fingerprint)
            sleep(0.05)
            together.append([*running])
            running.remove(mechanism.name)
            return REFERENCE.load(mechanism)

    entries, settings = (Entry("slow", "slow", InProcess(Slow())),), Settings(states=3, quantities=("gravity",), invariants=False)
    chosen = [find_mechanism(name) for name in ("pendulum", "cart-pole", "double-pendulum")]
    tasks = [Task(m.name, m, entries, settings, tuple(blocks_of(m, settings))) for m in chosen]
    with ThreadPoolExecutor(len(tasks)) as pool:
        cells = [cell for parts in pool.map(compute, tasks) for part in parts for cell in part.cells]
    assert [cell.verdict for cell in cells] == ["agrees"] * 3
    # Every mechanism is loaded once, and once the sibling of its name, which shows code for one robot.
    assert sorted(loaded) == sorted(one.fingerprint for m in chosen for one in (m, sibling(m, keeps_gravity=True)))
    assert sorted(together) == sorted([m.name] for m in chosen * 2)


def test_a_task_that_is_lost_has_failed_and_is_in_every_output(tmp_path: Path) -> None:
    chosen = [(name, find_mechanism(name)) for name in ("pendulum", "cart-pole")]
    entries = [Entry("mine", "mine", InProcess(REFERENCE))]
    settings = Settings(states=3, quantities=("gravity",), invariants=False)
    results = check(chosen, entries, settings, distribution=LosesCartPole())
    assert [(cell.mechanism, cell.verdict) for cell in results.cells] == [("pendulum", "agrees"), ("cart-pole", "failed")]
    assert verdict_of(results).exit_code == 3
    write_json(results.document(), tmp_path / "results.json")
    assert read_results(tmp_path / "results.json").mechanism("cart-pole").fingerprint == chosen[1][1].fingerprint
    for text in (html.render(results, read_proofs(())), junit.render(results), markdown.render(results)):
        assert "the process that compared it ended" in text


THREADS_SEEN = """import os
from pathlib import Path

from implementations.spatial_algebra.reference import REFERENCE


def gravity(mechanism, q):
    if os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") != "3":
        raise RuntimeError(f"{os.environ.get('OPENBLAS_NUM_THREADS')} and {os.environ.get('OMP_NUM_THREADS')} threads")
    process, began_with = os.getppid(), []
    while process != int(os.environ["TEST_PROCESS"]):
        began_with += Path(f"/proc/{process}/environ").read_bytes().split(bytes(1))
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    if b"OPENBLAS_NUM_THREADS=1" not in began_with:
        raise RuntimeError("the harness's process did not begin with one thread")
    return REFERENCE.load(mechanism).gravity(q[None])[0]
"""


def test_code_under_test_gets_the_users_own_number_of_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness's processes have one thread each; the code of the user has what the user says, and nothing else."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("TEST_PROCESS", str(os.getpid()))
    (tmp_path / "mine.py").write_text(THREADS_SEEN)
    chosen = [(name, find_mechanism(name)) for name in ("pendulum", "cart-pole")]
    entries = [Entry("mine", "mine", find_subject(str(tmp_path / "mine.py")))]
    settings = Settings(states=3, quantities=("gravity",), invariants=False)
    results = check(chosen, entries, settings, distribution=LocalProcesses(2))
    assert [(cell.verdict, cell.message) for cell in results.cells] == [("agrees", "")] * 2
    assert "OPENBLAS_NUM_THREADS" not in os.environ
