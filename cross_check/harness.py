"""The harness: every mechanism × implementation × quantity, one after the other, each finished before the next."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from numbers import Integral, Real
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from cross_check.comparison.case import Case, prepare
from cross_check.comparison.invariants import check_invariants
from cross_check.comparison.measure import BAR, measure
from cross_check.findings.known import Finding, findings_of
from cross_check.results import Cell, ImplementationSummary, Invariant, MechanismSummary, Results, Skipped
from implementations.plugins.user_code import described
from implementations.protocol import Dynamics, Implementation, Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import GROUPS, QUANTITIES

EQUATION_TERMS = 120
"""Equations of motion with more terms than this are not worth typesetting."""


class SettingsError(ValueError):
    """A run cannot be made as it is asked for; one sentence."""


@dataclass(frozen=True)
class Settings:
    """What a run's numbers depend on, beside the code and the mechanisms."""

    seed: int = 0
    states: int = 98
    bar: float = BAR
    quantities: tuple[str, ...] = tuple(QUANTITIES)
    invariants: bool = True
    certified: bool = False
    """Whether the truth is correctly rounded, with proof; :mod:`cross_check.comparison.certified`."""

    def __post_init__(self) -> None:
        """Raises :class:`SettingsError`."""
        kinds: dict[str, Any] = {"seed": Integral, "states": Integral, "bar": Real, "invariants": bool, "certified": bool}
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                wanted = "a number" if name == "bar" else "a whole number" if kind is Integral else "True or False"
                raise SettingsError(f"the setting {name} is {getattr(self, name)!r}; give {wanted}")
        if unknown := [name for name in self.quantities if name not in QUANTITIES]:
            raise SettingsError(f"there is no quantity {unknown[0]!r}; use all, {', '.join((*GROUPS, *QUANTITIES))}")
        if not (self.quantities and self.seed >= 0 and self.states >= 1 and self.bar > 0):
            given = f"seed {self.seed}, {self.states} states, bar {self.bar} and {len(self.quantities)} quantities"
            raise SettingsError(f"{given} cannot be run; give a seed of zero or more, a state, a positive bar and a quantity")


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

Progress = Callable[[str, int, int], None]
"""Told what is being done, and how many steps of how many are done."""


@dataclass
class Step:
    """Tells what is being done with one mechanism."""

    progress: Progress
    mechanism: str
    done: int
    steps: int

    def __call__(self, doing: str) -> None:
        self.progress(f"{self.mechanism}: {doing}", self.done, self.steps)


def check(
    mechanisms: Sequence[tuple[str, Mechanism]],
    entries: Sequence[Entry],
    settings: Settings,
    results: Results | None = None,
    progress: Progress = lambda doing, done, steps: None,
) -> Results:
    """Hold every entry against the truth about every mechanism.

    ``mechanisms`` are pairs of a spec (what to type to get it again) and a mechanism. ``results`` is filled as the run
    goes, so that the caller still has what was finished when the run is interrupted.
    """
    results = new_results(settings) if results is None else results
    results.implementations += [ImplementationSummary(entry.name, entry.spec, entry.version) for entry in entries]
    steps = len(mechanisms) * (1 + len(entries))
    start = perf_counter()
    for m, (spec, mechanism) in enumerate(mechanisms):
        at = Step(progress, mechanism.name, m * (1 + len(entries)), steps)
        at("deriving")
        case = prepare(mechanism, settings.seed, settings.states, settings.certified, at)
        results.mechanisms.append(_summary(spec, case, settings))
        for entry in entries:
            at.done += 1
            at(entry.name)
            _check_one(case, entry, settings, results)
            results.mechanisms[-1] = replace(results.mechanisms[-1], certified=case.truth.certificate)
        results.times["total"] = perf_counter() - start
    progress("done", steps, steps)
    return results


def new_results(settings: Settings) -> Results:
    """Results with nothing in them yet."""
    about: dict[str, Any] = {name: getattr(settings, name) for name in ("seed", "states", "bar", "certified")}
    machine = {
        "platform": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "extended precision": f"{np.finfo(np.longdouble).nmant + 1} bits",
    }
    return Results({"version": version("dalembert"), **about}, machine=machine, times={"total": 0.0, "implementations": {}})


def look_at(state: int, mechanism: Mechanism, entry: Entry, settings: Settings) -> list[Cell]:
    """The cells of one implementation and mechanism with the details of this state in place of the worst one's.

    Raises what loading the mechanism raises.
    """
    case = prepare(mechanism, settings.seed, settings.states, settings.certified)
    dynamics = entry.implementation.load(mechanism)
    return [
        measure(case, dynamics, entry.name, QUANTITIES[name], settings.bar, state)[0] for name in settings.quantities
    ]


def _check_one(case: Case, entry: Entry, settings: Settings, results: Results) -> None:
    """All cells and invariants of one implementation and one mechanism."""
    spent = results.times["implementations"]
    spent.setdefault(entry.name, 0.0)
    try:
        start = perf_counter()
        dynamics = entry.implementation.load(case.mechanism)
        spent[entry.name] += perf_counter() - start
    except Unsupported as reason:
        results.skipped.append(Skipped(f"{case.mechanism.name}/{entry.name}", str(reason)))
        return
    except (Exception, SystemExit) as error:
        message = f"load raised {described(error)}"
        results.cells += [
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

            # What agrees needs no second look.
            cells = [_explained(cell, again(cell), finding) if cell.verdict == "discrepancy" else cell for cell in cells]
            if broken:
                mended, _ = check_invariants(case, repaired, entry.name, settings.bar)
                invariants = [_explained(*pair, finding) for pair in zip(invariants, mended, strict=True)]
    results.cells += cells
    results.invariants += invariants


def _evaluate(
    case: Case, name: str, dynamics: Dynamics, settings: Settings
) -> tuple[list[Cell], list[Invariant], float]:
    """All cells and invariants of one implementation and mechanism, and the seconds the implementation took."""
    measured = [measure(case, dynamics, name, QUANTITIES[quantity], settings.bar) for quantity in settings.quantities]
    seconds = sum(spent for _, spent in measured)
    invariants: list[Invariant] = []
    if settings.invariants:
        invariants, spent = check_invariants(case, dynamics, name, settings.bar)
        seconds += spent
    return [cell for cell, _ in measured], invariants, seconds


def _explained(item: Item, repaired: Item, finding: Finding) -> Item:
    """The item, its discrepancy called known where it vanishes once the finding's fault is undone."""
    if item.verdict == "discrepancy" and repaired.verdict == "agrees":
        return replace(item, verdict="known", message=f"a known fault of this version, see {finding.page}")
    return item


def _summary(spec: str, case: Case, settings: Settings) -> MechanismSummary:
    mechanism, truth = case.mechanism, case.truth
    equations = truth.equations
    terms: dict[str, Any] | None = equations.terms() if equations and equations.size <= EQUATION_TERMS else None
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
        truth.certificate,
        list(mechanism.positions),
    )
