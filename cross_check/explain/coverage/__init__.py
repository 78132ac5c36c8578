"""What a run can show: its mechanisms, states and compared quantities, tried on mutants of the reference.

A fault is visible if it moves a quantity that was compared, on a mechanism of the run and at its states, by more than the bar.
Errors are measured in ε-units, as a check measures an implementation; the reference in float64 serves as the truth. Faults that
show only in quantities that were not compared are left out: the results say already what was not compared.

The kill table says which textbook mechanism shows which fault, and in which quantities, at 98 states of seed 0. ``kills.json``
has it; ``python docs/write_kill_table.py`` measures it again. It says which mechanisms to propose, and what a run at these states
shows. At other states it says where to look for a fault first, and faults are tried.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.exchange.results.objects import COMPARED, Cell, Coverage
from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.mutants import MutantDynamics, having_forces, suppose
from cross_check.explain.faults.typical import FAULTS
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import States
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.protocol import Unsupported
from mechanisms import Mechanism, find_mechanism
from mechanisms.joint_kinds import MOVING
from mechanisms.library.textbook import PLAIN_TEXTBOOK
from mechanisms.quantities import QUANTITIES, USUAL


def errors_of(mutant: MutantDynamics, quantity: str, given: Sequence[Array], judge: Callable[[Array], Any]) -> Array:
    """The errors (states,) that ``judge`` finds in the mutant's answers at these arguments.

    They are zero where the fault cannot change the quantity, and infinite where the mutant fails.
    """
    try:
        state = dict(zip(QUANTITIES[quantity].arguments, given, strict=True))
        if mutant.fault is not NO_FAULT and mutant.is_right(quantity, state):
            return np.zeros(len(given[0]))
        with np.errstate(all="ignore"):
            return np.asarray(judge(np.asarray(getattr(mutant, quantity)(*given), np.float64)), np.float64)
    except (ArithmeticError, ValueError, Unsupported):
        return np.full(len(given[0]), np.inf)


class Measured:
    """The errors of mutants on one mechanism, at the states of a run. Every error is computed once, when it is asked for."""

    def __init__(self, mechanism: Mechanism, states: States) -> None:
        self.mechanism = mechanism
        self._case = suppose(mechanism, having_forces(mechanism, states))
        self._errors: dict[tuple[str, str], Array] = {}
        # The quantities of one fault are asked for one after the other.
        self._mutant = lru_cache(1)(lambda fault: MutantDynamics(fault, mechanism))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of every state."""
        return self._case.states.kinds

    def velocities(self) -> Array:
        """[ω; v] of every body in every state, of the body's point at the root's origin: (states · bodies, 6)."""
        V = self._case.truth.values("velocities_world", *self._case.states.arguments(("q", "v")))
        return V.astype(np.float64).reshape(-1, 6)

    def errors(self, fault: Fault, quantity: str) -> Array:
        """The largest error of the mutant in every state (states,), in ε-units.

        It is zero where the quantity is undefined, and infinite where the mutant fails.
        """
        key = (fault.name, quantity)
        if key not in self._errors:
            arguments = self._case.states.arguments(QUANTITIES[quantity].arguments)
            self._errors[key] = np.zeros(len(self._case.states))
            if self._is_defined(quantity):
                judge = lambda answer: self._units(quantity, answer)  # noqa: E731
                self._errors[key] = errors_of(self._mutant(fault), quantity, arguments, judge)
        return self._errors[key]

    def is_visible(self, fault: Fault, quantity: str, bar: float) -> bool:
        return bool((self.errors(fault, quantity) > bar).any())

    def _is_defined(self, quantity: str) -> bool:
        try:
            QUANTITIES[quantity].require_defined(self.mechanism)
            if QUANTITIES[quantity].needs_regular_mass_matrix:
                self._case.mass_matrix.require_regular(self._case.states.q)
        except Unsupported:
            return False
        return True

    def _units(self, quantity: str, answer: Array) -> Array:
        """The largest error of an answer in every state."""
        is_number = np.isfinite(answer).reshape(len(answer), -1).all(axis=1)
        if not is_number.all():
            return np.where(is_number, 0, np.inf)
        units = compare(self._case, QUANTITIES[quantity], answer).units
        return np.nan_to_num(units, nan=np.inf).reshape(len(answer), -1).max(axis=1)


PATH = Path(__file__).with_name("kills.json")

Kills = Mapping[str, Mapping[str, frozenset[str]]]
"""By fault and mechanism: the quantities that show the fault."""


@cache
def kill_table() -> Kills:
    """The table of the file."""
    document = json.loads(PATH.read_text("utf-8"))
    names = document["quantities"]
    return {
        fault: {mechanism: _unpacked(names, mask) for mechanism, mask in row.items()} for fault, row in document["faults"].items()
    }


def _unpacked(names: list[str], mask: str) -> frozenset[str]:
    bits = int(mask, 16)
    return frozenset(name for k, name in enumerate(names) if bits >> k & 1)


ENOUGH = 98
"""More states than these are not tried: every kind of state occurs among them several times."""

LARGEST = 128
"""Mechanisms with more coordinates are not tried, because every fault would take seconds."""

STATED = tuple(fault for fault in FAULTS if fault.group != "each quantity")
"""The faults that coverage is about."""

Compared = Mapping[str, Set[str]]
"""By the name of a mechanism: the quantities that were compared."""


class Trials:
    """The mechanisms of a run, on which faults are tried. What is measured is kept."""

    def __init__(self, mechanisms: Iterable[tuple[str, Mechanism]], settings: Settings) -> None:
        self.bar = settings.bar
        small = [(spec, mechanism) for spec, mechanism in mechanisms if mechanism.nv <= LARGEST]
        self.mechanisms = {mechanism.name: mechanism for _, mechanism in sorted(small, key=lambda pair: pair[1].nv)}
        self.specs = {mechanism.name: spec for spec, mechanism in small}
        self._textbook = {mechanism.name: spec for spec, mechanism in small if _is_of_textbook(spec, mechanism)}
        self._settings = settings
        self._measured: dict[tuple[str, int], Measured] = {}

    def is_visible(self, fault: Fault, compared: Compared, states: int) -> bool:
        """Whether a quantity of ``compared`` shows the fault at so many states."""
        return self._is_known(fault, compared, states) or any(
            self._of(name, states).is_visible(fault, quantity, self.bar) for name, quantity in self._order(fault, compared)
        )

    def _is_known(self, fault: Fault, compared: Compared, states: int) -> bool:
        """Whether the kill table says so, which was measured at the states of a default run."""
        usual, settings = Settings(), self._settings
        if settings.given is not None or (settings.seed, states) != (usual.seed, ENOUGH) or self.bar > usual.bar:
            return False
        row = kill_table().get(fault.name, {})
        return any(row.get(spec, frozenset()) & compared.get(name, frozenset()) for name, spec in self._textbook.items())

    def motion(self, compared: Compared) -> str:
        """What the mechanisms' motion is restricted to, in words; empty if to nothing that has a name."""
        turns, slides = [], []
        for name in compared.keys() & self.mechanisms.keys():
            V = self._of(name, min(self._settings.states, ENOUGH)).velocities()
            size = np.abs(V).max(initial=1e-300)
            axis = np.linalg.svd(V[:, :3] / size, full_matrices=False)
            if axis.S[1:].max(initial=0) > 1e-9:
                return ""
            turning = axis.S[0] > 1e-9
            turns.append(turning)
            slides.append(not turning or np.abs(V[:, 3:] @ axis.Vh[0]).max() < 1e-9 * size)
        if not turns or not all(slides):
            return ""
        return "planar motion" if any(turns) else "motion without turning"

    def _of(self, name: str, states: int) -> Measured:
        key = (name, states)
        if key not in self._measured:
            self._measured[key] = Measured(self.mechanisms[name], self._settings.sample(self.mechanisms[name], states))
        return self._measured[key]

    def _order(self, fault: Fault, compared: Compared) -> Iterator[tuple[str, str]]:
        """Where to look for the fault: first where the kill table shows it."""
        known = kill_table().get(fault.name, {})
        showing = frozenset().union(*known.values()) if known else frozenset(USUAL)
        names = [name for name in self.mechanisms if name in compared and fault.changes(self.mechanisms[name])]
        names.sort(key=lambda name: self.specs[name] not in known)
        for name in names:
            there = known.get(self.specs[name], frozenset())
            wanted = [quantity for quantity in USUAL if quantity in compared[name] and quantity in showing]
            yield from ((name, quantity) for quantity in sorted(wanted, key=lambda quantity: quantity not in there))


def _is_of_textbook(spec: str, mechanism: Mechanism) -> bool:
    """Whether it is the mechanism of the kill table; callers may give any mechanism such a name."""
    if spec not in PLAIN_TEXTBOOK:
        return False
    right = find_mechanism(spec)
    return (mechanism.bodies, mechanism.gravity) == (right.bodies, right.gravity)


def coverages(
    mechanisms: Sequence[tuple[str, Mechanism]], cells: Sequence[Cell], settings: Settings, of_one_robot: Collection[str] = ()
) -> tuple[Coverage, ...]:
    """What the compared cells of every implementation can show; those that compared the same share one :class:`Coverage`.

    ``mechanisms`` are pairs of a spec and a mechanism, as :func:`cross_check.harness.check` takes them. Of implementations
    ``of_one_robot`` only those faults count that show on their robot, so that no further mechanism is proposed.
    """
    compared: dict[str, dict[str, set[str]]] = {}
    missing: dict[str, frozenset[int]] = {}
    for cell in cells:
        if cell.verdict in COMPARED:
            compared.setdefault(cell.implementation, {}).setdefault(cell.mechanism, set()).add(cell.quantity)
            if cell.missing and settings.given:
                without = frozenset(settings.given.numbers) - frozenset(cell.states)
                missing[cell.implementation] = missing.get(cell.implementation, frozenset()) | without
    groups: dict[tuple[frozenset[tuple[str, frozenset[str]]], frozenset[int], bool], list[str]] = {}
    for name, own in compared.items():
        alike = frozenset((mechanism, frozenset(quantities)) for mechanism, quantities in own.items())
        groups.setdefault((alike, missing.get(name, frozenset()), name in of_one_robot), []).append(name)
    trials = {lost: Trials(mechanisms, settings.without(lost)) for _, lost, _ in groups}
    return tuple(
        coverage_of(trials[lost], compared[names[0]], settings, names, is_alone) for (_, lost, is_alone), names in groups.items()
    )


def coverage_of(
    trials: Trials, compared: Compared, settings: Settings, implementations: Sequence[str] = (), is_of_one_robot: bool = False
) -> Coverage:
    """What ``compared`` can show, of the mechanisms of ``trials``, at the states of ``settings``."""
    table, states = kill_table(), min(settings.states, ENOUGH)
    quantities = frozenset().union(*compared.values())
    concerned = [fault for fault in STATED if _shows(table.get(fault.name), quantities)]
    hidden = [fault for fault in concerned if not trials.is_visible(fault, compared, states)]
    more = [
        fault for fault in hidden if settings.given is None and states < ENOUGH and trials.is_visible(fault, compared, ENOUGH)
    ]
    untried = tuple(name for name in compared if name not in trials.mechanisms)
    if is_of_one_robot and len(hidden) < len(concerned):
        # What shows in no state of the robot is no fault of code that knows no other. If nothing shows, nothing was compared.
        concerned, hidden = [fault for fault in concerned if fault not in hidden or fault in more], more
    lacking = {fault.name for fault in hidden} - {fault.name for fault in more}
    groups: dict[str, list[str]] = {}
    for fault in hidden:
        groups.setdefault(fault.group, []).append(fault.name)
    return Coverage(
        tuple(implementations),
        len(concerned),
        tuple(dict.fromkeys(fault.group for fault in concerned if fault.group not in groups)),
        {group: tuple(names) for group, names in groups.items()},
        tuple(dict.fromkeys(fault.group for fault in concerned if all(f in hidden for f in concerned if f.group == fault.group))),
        tuple(kind for kind in MOVING if any(f.group == f"{kind} joints" for f in concerned) and f"{kind} joints" not in groups),
        "" if untried else trials.motion(compared),
        ENOUGH if more else 0,
        proposed(lacking, quantities, set(trials.specs.values())),
        untried,
    )


def proposed(faults: Set[str], quantities: Set[str], present: Set[str]) -> tuple[str, ...]:
    """The smallest set of textbook mechanisms, beside those ``present``, that shows as many of ``faults`` as any does.

    Greedy: the mechanism that shows the most comes next; of several, the first of the table.
    """
    shows: dict[str, set[str]] = {}
    for fault in faults:
        for mechanism, shown in kill_table().get(fault, {}).items():
            if mechanism not in present and shown & quantities:
                shows.setdefault(mechanism, set()).add(fault)
    chosen, missing = list[str](), set[str]().union(*shows.values())
    while missing:
        best = max(sorted(shows), key=lambda mechanism: len(shows[mechanism] & missing))
        chosen.append(best)
        missing -= shows[best]
    for one in tuple(chosen):
        # What came later may show all that an earlier one shows.
        rest = [other for other in chosen if other != one]
        if shows[one] <= set[str]().union(*(shows[other] for other in rest)):
            chosen = rest
    return tuple(chosen)


def _shows(row: Mapping[str, frozenset[str]] | None, quantities: Set[str]) -> bool:
    """Whether some mechanism of the table shows a fault in one of these quantities; also if the table lacks the fault."""
    return row is None or any(shown & quantities for shown in row.values())
