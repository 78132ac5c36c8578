"""One run on one robot, in a process that has kept nothing, and where its time goes; or the first answers about a new mechanism.

python benchmarks/run_once.py talos 4096 dynamics 1 pinocchio rbdl
python benchmarks/run_once.py random:1:30

The words are the robot, the number of states, a group of quantities, "usual" or "all", the number of processes, and
implementations.

It prints seconds as JSON: ``total``, ``engines`` (their own calls), ``parts``; and ``peak``, the largest memory in MiB.

Of a mechanism alone, it prints the seconds of every first answer, in a process that has imported everything and knows no
mechanism yet. An answer is computed from the description on: it is recorded, and executed for the states of a default run.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from cross_check import harness, part
from cross_check.distribution import LocalProcesses
from cross_check.judge.comparison import sampling
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.judge.settings import Settings
from implementations.processes.find import find_subject
from implementations.processes.subject import LoadedInProcess
from implementations.recorded.traced import TracedDynamics
from machine import advice
from mechanisms import find_mechanism
from mechanisms.library.robots import robot
from mechanisms.quantities import expand_groups
from oracle.recorded import RecordedQuantities

PARTS = {
    "engines": ((LoadedInProcess, "ask"),),
    "recording": ((RecordedQuantities, "function"), (TracedDynamics, "function")),
    "truth": ((RecordedQuantities, "high_low"),),
    "reference": ((TracedDynamics, "high_low"),),
    "sizes": ((ErrorScale, "size"), (ErrorScale, "shared_force"), (ErrorScale, "subtree_inertias")),
    "states": ((sampling, "sample"),),
    "comparing": ((part, "measure"), (part, "_described")),
    "history": ((part, "ask_again"),),
    "coverage": ((harness, "coverages"),),
}
"""The functions that a run's time is spent in; time in one that another calls counts for the inner one alone."""

running: list[float] = []
"""For every function under a stopwatch that is running now, the seconds that those it called took."""


def stopwatch(function: Callable[..., Any], name: str, spent: Counter[str]) -> Callable[..., Any]:
    """The function, with the seconds that are its own added to ``spent[name]``."""

    @wraps(function)
    def timed(*args: Any, **kwargs: Any) -> Any:
        running.append(0.0)
        start = perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            seconds = perf_counter() - start
            spent[name] += seconds - running.pop()
            if running:
                running[-1] += seconds

    return timed


def first_answers(spec: str) -> None:
    advice()  # loads the machine
    mechanism = find_mechanism(spec)
    states = sampling.sample(mechanism, 0, Settings().states)
    arguments = (states.q, states.v, states.a)
    start = perf_counter()
    Truth(mechanism).forces(*arguments)
    truth = perf_counter()
    TracedDynamics(mechanism).values("inverse_dynamics", *arguments)
    print(json.dumps({"truth": truth - start, "traced": perf_counter() - truth}))


def main(name: str, states: str, quantities: str, jobs: str, *implementations: str) -> None:
    spent: Counter[str] = Counter()
    for part_of_run, functions in PARTS.items():
        for owner, function in functions:
            setattr(owner, function, stopwatch(getattr(owner, function), part_of_run, spent))
    entries = [harness.Entry(spec, spec, find_subject(spec, in_process=True)) for spec in implementations]
    mechanisms = [(name, robot(name))]
    chosen = expand_groups([quantities])
    distribution = LocalProcesses(int(jobs)) if int(jobs) > 1 else None
    start = perf_counter()
    results = harness.check(mechanisms, entries, Settings(states=int(states), quantities=chosen), distribution=distribution)
    total = perf_counter() - start
    assert results.cells and all(cell.verdict != "failed" for cell in results.cells)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    engines = sum(results.times.implementations.values())
    print(json.dumps({"total": total, "engines": engines, "parts": spent, "peak": peak}))


if __name__ == "__main__":
    (main if len(sys.argv) > 2 else first_answers)(*sys.argv[1:])
