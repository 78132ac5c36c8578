"""The harness checks every mechanism × implementation × quantity, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TypeVar

from cross_check.comparison.case import Case, prepare
from cross_check.comparison.invariants import check_invariants
from cross_check.comparison.measure import measure
from cross_check.comparison.truth import Truth
from cross_check.findings.known import Finding, findings_of
from cross_check.results.document import equations_from
from cross_check.results.objects import (
    Cell,
    ImplementationSummary,
    Invariant,
    MechanismSummary,
    Results,
    Rounding,
    Skipped,
)
from cross_check.results.recorder import Recorder, new_recorder
from cross_check.settings import Settings
from implementations.plugins.user_code import described
from implementations.protocol import Dynamics, Implementation, Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

EQUATION_TERMS = 120
"""Equations of motion with more terms than this are not typeset."""


@dataclass(frozen=True)
class Entry:
    """An implementation under test."""

    name: str
    spec: str
    implementation: Implementation

    @property
    def version(self) -> str:
        return str(getattr(self.implementation, "version", "unknown"))


Item = TypeVar("Item", Cell, Invariant)


@dataclass(frozen=True)
class Progress:
    """What a run is doing: ``done`` of ``total`` steps are done."""

    mechanism: str
    """Empty if the activity is not about one mechanism."""
    activity: str
    done: int
    total: int
    is_new_mechanism: bool = False
    implementation: str = ""
    """Empty if the activity is not about one implementation."""

    @property
    def text(self) -> str:
        """The mechanism, and the implementation or the activity."""
        return ": ".join(part for part in (self.mechanism, self.implementation or self.activity) if part)


ShowProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Shows nothing."""


def check(
    mechanisms: Sequence[tuple[str, Mechanism]],
    entries: Sequence[Entry],
    settings: Settings,
    recorder: Recorder | None = None,
    progress: ShowProgress = ignore,
) -> Results:
    """Compare every entry with the truth about every mechanism.

    ``mechanisms`` are pairs of a spec (what to type to get it again) and a mechanism. ``recorder`` is filled as the run
    goes, so the caller still has what was finished if the run is interrupted.
    """
    recorder = new_recorder(settings.recorded) if recorder is None else recorder
    recorder.implementations += [ImplementationSummary(entry.name, entry.spec, entry.version) for entry in entries]
    per_mechanism = 1 + len(entries)
    total = len(mechanisms) * per_mechanism
    start = perf_counter()
    for m, (spec, mechanism) in enumerate(mechanisms):
        done = m * per_mechanism
        progress(Progress(mechanism.name, "deriving", done, total, is_new_mechanism=True))
        activities = _activities(progress, mechanism.name, done, total)
        case = prepare(mechanism, settings.seed, settings.states, settings.certified, activities)
        recorder.mechanisms.append(_summary(spec, case, settings))
        for e, entry in enumerate(entries, 1):
            progress(Progress(mechanism.name, "checking", done + e, total, implementation=entry.name))
            _check_one(case, entry, settings, recorder)
            recorder.mechanisms[-1] = replace(recorder.mechanisms[-1], certified=_rounding(case.truth))
        recorder.seconds = perf_counter() - start
    progress(Progress("", "done", total, total))
    return recorder.snapshot()


def _activities(progress: ShowProgress, mechanism: str, done: int, total: int) -> Callable[[str], None]:
    """Shows what is being done with one mechanism, within one step."""
    return lambda activity: progress(Progress(mechanism, activity, done, total))


def measure_state(state: int, mechanism: Mechanism, entry: Entry, settings: Settings) -> list[Cell]:
    """The cells of one implementation and mechanism, with the details of this state instead of the worst one.

    Raises what loading the mechanism raises.
    """
    case = prepare(mechanism, settings.seed, settings.states, settings.certified)
    dynamics = entry.implementation.load(mechanism)
    return [measure(case, dynamics, entry.name, QUANTITIES[name], settings.bar, state)[0] for name in settings.quantities]


def _check_one(case: Case, entry: Entry, settings: Settings, recorder: Recorder) -> None:
    """All cells and invariants of one implementation and one mechanism."""
    spent = recorder.seconds_of
    spent.setdefault(entry.name, 0.0)
    try:
        start = perf_counter()
        dynamics = entry.implementation.load(case.mechanism)
        spent[entry.name] += perf_counter() - start
    except Unsupported as reason:
        recorder.skipped.append(Skipped(f"{case.mechanism.name}/{entry.name}", str(reason)))
        return
    except (Exception, SystemExit) as error:
        message = f"load raised {described(error)}"
        recorder.cells += [
            Cell(f"{case.mechanism.name}/{entry.name}/{name}", case.mechanism.name, entry.name, name, "failed", message)
            for name in settings.quantities
        ]
        return
    cells, invariants, seconds = _evaluate(case, entry.name, dynamics, settings)
    spent[entry.name] += seconds
    for finding in findings_of(entry.name, entry.version):
        wrong, broken = (any(item.verdict == "discrepancy" for item in items) for items in (cells, invariants))
        if wrong or broken:
            repaired = finding.repair(case.mechanism, dynamics)

            def again(cell: Cell, repaired: Dynamics = repaired) -> Cell:
                return measure(case, repaired, entry.name, QUANTITIES[cell.quantity], settings.bar)[0]

            # Cells that agree need no second measurement.
            cells = [_explained(cell, again(cell), finding) if cell.verdict == "discrepancy" else cell for cell in cells]
            if broken:
                repeated, _ = check_invariants(case, repaired, entry.name, settings.bar)
                invariants = [_explained(*pair, finding) for pair in zip(invariants, repeated, strict=True)]
    recorder.cells += cells
    recorder.invariants += invariants


def _evaluate(case: Case, name: str, dynamics: Dynamics, settings: Settings) -> tuple[list[Cell], list[Invariant], float]:
    """All cells and invariants of one implementation and mechanism, and the seconds the implementation took."""
    measured = [measure(case, dynamics, name, QUANTITIES[quantity], settings.bar) for quantity in settings.quantities]
    seconds = sum(spent for _, spent in measured)
    invariants: list[Invariant] = []
    if settings.invariants:
        invariants, spent = check_invariants(case, dynamics, name, settings.bar)
        seconds += spent
    return [cell for cell, _ in measured], invariants, seconds


def _explained(item: Item, repaired: Item, finding: Finding) -> Item:
    """The item; its discrepancy is called known if it vanishes when the finding's fault is undone."""
    if item.verdict == "discrepancy" and repaired.verdict == "agrees":
        return replace(item, verdict="known", message=f"a known fault of this version, see {finding.page}")
    return item


def _rounding(truth: Truth) -> Rounding | None:
    return Rounding(**truth.certificate) if truth.certificate else None


def _summary(spec: str, case: Case, settings: Settings) -> MechanismSummary:
    mechanism, truth = case.mechanism, case.truth
    equations = truth.equations
    terms = equations_from(equations.terms()) if equations and equations.size <= EQUATION_TERMS else None
    bridge = case.distance_to_reference(settings.quantities)
    return MechanismSummary(
        mechanism.name,
        spec,
        len(mechanism.bodies),
        mechanism.nq,
        mechanism.nv,
        mechanism.fingerprint,
        list(mechanism.coordinates),
        truth.name,
        {name: float(f"{units:.3g}") for name, units in bridge.items()},
        list(case.states.kinds),
        dict(mechanism.faults),
        terms,
        _rounding(truth),
        list(mechanism.positions),
    )
