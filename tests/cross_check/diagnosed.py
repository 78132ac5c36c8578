"""Runs a check of an implementation and gives its causes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results import Results
from cross_check.exchange.results.causes import Cause
from cross_check.explain.diagnosis.causes.of_diagnosis import AsCauses
from cross_check.explain.diagnosis.diagnose import Diagnosis
from cross_check.explain.diagnosis.laboratory import Run
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.typical import FAULTS
from cross_check.harness import check
from cross_check.judge.settings import Settings
from implementations.processes.subject import InProcess
from mechanisms import Mechanism, find_mechanism

DYNAMICS = ("inverse_dynamics", "mass_matrix", "nonlinear_effects", "gravity", "kinetic_energy")


def fault_called(name: str) -> Fault:
    """The typical fault of this name."""
    return next(fault for fault in FAULTS if fault.name == name)


def diagnosed(implementation: Any, *specs: str, quantities: Iterable[str] = DYNAMICS) -> tuple[Results, tuple[Cause, ...]]:
    """The results of a check of the mechanisms with these specs, and their causes."""
    mechanisms = [(spec, find_mechanism(spec)) for spec in specs]
    settings = Settings(invariants=False, quantities=tuple(quantities))
    results = check(mechanisms, [Entry("code", "code", InProcess(implementation))], settings)
    return results, results.causes


def wrong_cells(results: Results) -> set[str]:
    """The ids of the cells that disagree."""
    return {cell.id for cell in results.cells if cell.verdict == "discrepancy"}


def explained(implementation: Any, name: str, mechanism: Mechanism, *quantities: str) -> dict[str, tuple[str, ...]]:
    """The sentence of every cause, and the quantities that it explains: all that disagree, known or not. No example is made."""
    entry = Entry(name, name, InProcess(implementation))
    settings = Settings(states=36, invariants=False, quantities=quantities)
    results = check([(mechanism.name, mechanism)], [entry], settings, explain=False)
    wrong = {cell.id for cell in results.cells if cell.verdict in ("known", "discrepancy")}
    diagnosis = Diagnosis(Run(entry, results.items, (), settings), verdicts=("discrepancy", "known"))
    with np.errstate(all="ignore"):
        diagnosis.run([mechanism])
        causes = list(AsCauses(diagnosis, with_examples=False).all())
    assert wrong
    assert {cell for cause in causes for cell in cause.cells} == wrong
    return {cause.sentence: tuple(sorted(cell.rpartition("/")[2] for cell in cause.cells)) for cause in causes}
