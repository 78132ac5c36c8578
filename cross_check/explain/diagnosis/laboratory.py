"""The laboratory: one implementation under test, asked for any quantity of any mechanism at any states. Answers are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from time import monotonic
from typing import Any, cast

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.recorded_data.subject import ELSEWHERE, Recorded
from cross_check.exchange.results.objects import BAR, Item
from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.mutants import MutantDynamics, having_forces, suppose, with_forces
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.error_scale.motion_magnitudes import MotionMagnitudes
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.processes.restricted import Restricted
from implementations.processes.subject import Failure, Loaded, Subject
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.numbers.precision import FLOAT64, Precision
from mechanisms.quantities import QUANTITIES, ByCoriolis, BySolution, ByValue
from mechanisms.quantities.component_units import common, units_of

Progress = Callable[[str], None]
"""Called with what is being done."""

FOUND = "found: "
"""What is said with these words first stays on the screen: a run that goes on has found it."""


MOST_MUTANTS = 2048
"""So many wrong variants of the reference are kept."""


NEAR = 1e9
"""Answers that are off by so many times the bar may be right on a scale of larger numbers."""


MOST_ENDS = 3
"""How often code may end its process, or be ended, while it is diagnosed. Then it is given no further mechanism."""

MOST_WAITING = 180.0
"""Seconds that a diagnosis waits for the code, in all: a limit for code that hangs. Then the code is not asked any more."""

LARGER = 16
"""So many coordinates make an experiment count as one more."""

APART = 1e4
"""Another scale must show that answers are off from right ones by so many times the bar."""


LOOSE = 8.0
"""Predicted answers may be off by so many times the bar: code with a fault sums other terms than the scale is made for."""

LESS = 16.0
"""What a fault explains beyond the bar, it makes smaller by so many times."""


WITHOUT_NUMBER = (ArithmeticError, LookupError, ValueError, MechanismError, Unsupported, np.linalg.LinAlgError)
"""What code with a fault may raise instead of an answer."""


class NoAnswer(Exception):
    """The implementation gives no answer to this; one clause that says why."""


class Laboratory:
    """An implementation under test. ``name`` is what results call it."""

    def __init__(self, subject: Subject, name: str, precision: Precision = FLOAT64, bar: float = BAR) -> None:
        """``bar`` is the largest error that agrees, in ε-units."""
        self.name, self.precision, self.bar = name, precision, bar
        self._subject = subject
        self._loaded: dict[str, Loaded | str] = {}
        """By mechanism: what the code has loaded, or why it has not."""
        self._answers: dict[tuple[str | bytes, ...], Array | str] = {}
        """By question: the answer, or why there is none."""
        self._ends, self._waited = 0, 0.0
        self._mutants: dict[tuple[int, int], tuple[MutantDynamics, Fault, Mechanism]] = {}
        self.fails_far_away = False
        """Whether it gave no answer at angles that are larger than those of any run."""
        self.asked = 0
        """How many questions were put to the code."""
        self.experiments = 0.0
        """How many answers were asked for or predicted: what a search may cost, the same on every machine."""
        self.most = inf
        """So many experiments may be made."""

    @property
    def loose(self) -> float:
        """The largest error of an answer that a fault predicts."""
        return LOOSE * self.bar

    def is_over(self) -> bool:
        """Whether all experiments that may be made are made."""
        return self.experiments > self.most

    @property
    def has_other_mechanisms(self) -> bool:
        """Whether the code can be asked about other mechanisms than that of the run. Otherwise only states are experiments."""
        return not isinstance(self._subject, Restricted | Recorded)

    @property
    def knows_one_robot(self) -> bool:
        """Whether it is code for one robot."""
        return isinstance(self._subject, Restricted)

    @property
    def untried(self) -> tuple[str, ...]:
        """What cannot be tried with recorded data, and with code for one robot; nothing for other code."""
        if isinstance(self._subject, Restricted):
            return (f"experiments on other mechanisms: {self._subject.sentence}",)
        recorded = f"experiments on other mechanisms and in other states: {ELSEWHERE}"
        return (recorded,) if isinstance(self._subject, Recorded) else ()

    @property
    def declares(self) -> str:
        """The conventions that the code declares, in words."""
        return self._subject.declares

    def ask(self, mechanism: Mechanism, quantity: str, *arguments: Array) -> Array:
        """The answer (batch, …). Raises :class:`NoAnswer`."""
        key: tuple[str | bytes, ...] = (mechanism.name, mechanism.fingerprint, quantity, *(x.tobytes() for x in arguments))
        if key not in self._answers:
            self._answers[key] = self._ask(mechanism, quantity, arguments)
        answer = self._answers[key]
        if isinstance(answer, str):
            raise NoAnswer(answer)
        return answer

    def asks_for_source(self, mechanism: Mechanism) -> bool:
        """Whether the code has asked for the file of a mechanism about which it was asked."""
        loaded = self._loaded.get(mechanism.name + mechanism.fingerprint, "")
        return not isinstance(loaded, str) and loaded.asked_for_source

    def count(self, mechanism: Mechanism) -> None:
        """Count an experiment; one on a larger mechanism takes longer, and counts more."""
        self.experiments += 1 + mechanism.nv / LARGER

    def mutant(self, fault: Fault, mechanism: Mechanism) -> MutantDynamics:
        """Code with this fault, which has loaded the mechanism. The last ones are kept: symptoms share them."""
        key = (id(fault), id(mechanism))
        if key not in self._mutants:
            if len(self._mutants) >= MOST_MUTANTS:
                del self._mutants[next(iter(self._mutants))]
            # The objects are kept as well, so that no other ones get their ids.
            self._mutants[key] = (MutantDynamics(fault, mechanism), fault, mechanism)
        return self._mutants[key][0]

    def _ask(self, mechanism: Mechanism, quantity: str, arguments: tuple[Array, ...]) -> Array | str:
        """The answer, or why there is none."""
        start = monotonic()
        try:
            mechanism = mechanism.in_precision(self.precision)
            QUANTITIES[quantity].require_defined(mechanism)
            if self._waited > MOST_WAITING:
                raise Unsupported(f"it is not asked any more, because its answers took more than {MOST_WAITING:g} s in all")
            loaded = self._load(mechanism)
            if not loaded.offers(quantity):
                raise Unsupported(f"{self.name} has no {quantity}")
            self.asked += 1
            self.count(mechanism)
            return loaded.ask(quantity, *(np.ascontiguousarray(x) for x in arguments)).value
        except (Unsupported, Failure) as error:
            self._ends += isinstance(error, Failure) and error.ended
            return str(error)
        finally:
            self._waited += monotonic() - start

    def _load(self, mechanism: Mechanism) -> Loaded:
        """The mechanism in the implementation. It is loaded once. Raises :class:`Unsupported` or :class:`Failure`."""
        name = mechanism.name + mechanism.fingerprint
        if name not in self._loaded:
            if self._ends >= MOST_ENDS:
                raise Unsupported(f"it is given no further mechanism, because it ended or hung {MOST_ENDS} times")
            try:
                self._loaded[name] = self._subject.load(mechanism)
            except (Unsupported, Failure) as error:
                self._loaded[name] = str(error)
                raise
        loaded = self._loaded[name]
        if isinstance(loaded, str):
            raise Unsupported(loaded)
        return loaded


@dataclass(frozen=True)
class Run:
    """One implementation, and what it answered in a run: ``items`` about ``mechanisms``, each with its spec."""

    entry: Entry
    items: Sequence[Item]
    mechanisms: Sequence[tuple[str, Mechanism]]
    settings: Settings
    progress: Progress = lambda activity: None

    @property
    def laboratory(self) -> Laboratory:
        """A new one."""
        subject, spec = self.entry.subject, self.entry.spec
        return Laboratory(subject, self.entry.name, self.settings.precision_of(subject, spec), self.settings.bar)

    @property
    def trees(self) -> list[Mechanism]:
        return [mechanism.tree for _, mechanism in self.mechanisms]


@dataclass(frozen=True, eq=False)
class Trial:
    """A mechanism at some states, at which an implementation is compared with suppositions. The states have their τ."""

    laboratory: Laboratory
    mechanism: Mechanism
    states: States
    scale: ErrorScale
    whole: tuple[Trial, Array] | None = None
    """The trial that these states were picked from, and their numbers in it. They are asked in its batch."""

    def answer(self, quantity: str, **changed: Any) -> Array:
        """What the implementation answers (batch, …), where some columns of the states are ``changed``. Raises
        :class:`NoAnswer`."""
        if changed:
            return replace(self, states=replace(self.states, **changed), whole=None).answer(quantity)
        if QUANTITIES[quantity].needs_regular_mass_matrix and self._singular:
            raise NoAnswer(self._singular)
        if self.whole:
            trial, rows = self.whole
            return trial.answer(quantity)[rows]
        return self.laboratory.ask(self.mechanism, quantity, *self.states.arguments(QUANTITIES[quantity].arguments))

    @cached_property
    def _singular(self) -> str:
        """Why M is singular at some state; empty if it is regular."""
        try:
            self.case().mass_matrix.require_regular(self.states.q)
        except Unsupported as error:
            return str(error)
        return ""

    def case(self, fault: Fault = NO_FAULT) -> Case:
        """The case in which code with this fault is right."""
        return suppose(self.mechanism, self.states, self.dynamics(fault), self.scale)

    def dynamics(self, fault: Fault) -> Any:
        """Code with this fault, which has loaded the mechanism."""
        return self.laboratory.mutant(fault, self.mechanism)

    def residual(self, quantity: str, fault: Fault = NO_FAULT) -> Array:
        """The answers minus those of code with this fault (batch, …), in ε-units, with signs.

        Infinite where such code gives no number. Raises :class:`NoAnswer`.
        """
        if self.whole and fault.condition:
            trial, rows = self.whole
            return trial.residual(quantity, fault)[rows]
        if not self._is_as_right(quantity, fault):
            return self._residual(quantity, fault)
        if quantity not in self._residuals:
            self._residuals[quantity] = self._residual(quantity, NO_FAULT)
            self._residuals[quantity].setflags(write=False)
        return self._residuals[quantity]

    def _is_as_right(self, quantity: str, fault: Fault) -> bool:
        """Whether right code answers the same, as far as one can know without computing, and is compared in the same way."""
        if fault is NO_FAULT:
            return True
        declared = QUANTITIES[quantity]
        state = {name: self.states.columns[name] for name in declared.arguments}
        try:
            return isinstance(declared.judged, ByValue) and self.dynamics(fault).is_right(quantity, state)
        except WITHOUT_NUMBER:
            return False

    @cached_property
    def _residuals(self) -> dict[str, Array]:
        """By quantity: the residual without a fault, computed once."""
        return {}

    def _residual(self, quantity: str, fault: Fault) -> Array:
        answer = self.answer(quantity)
        self.laboratory.count(self.mechanism)
        try:
            with np.errstate(all="ignore"):
                residual = self._compared(quantity, answer, fault)
                largest = np.abs(residual).max(initial=0)
                if fault.mechanism and BAR < largest < NEAR * BAR:
                    # Larger numbers are rounded by more than those of the right mechanism. A fit keeps one scale to its end.
                    wrong = replace(self, scale=ErrorScale(MotionMagnitudes(self.dynamics(fault).wrong)))
                    other = wrong._compared(quantity, answer, fault)
                    is_near = np.abs(other).max(initial=0) <= self.laboratory.loose
                    # If right code would answer nearly so on this scale, too, that proves nothing.
                    if is_near and np.abs(wrong._compared(quantity, answer, NO_FAULT)).max(initial=0) >= APART * BAR:
                        return np.where(np.abs(other) < np.abs(residual), other, residual)
                return residual
        except WITHOUT_NUMBER:
            return np.full(answer.shape, np.inf)

    def _compared(self, quantity: str, answer: Array, fault: Fault, is_moved: bool | None = None) -> Array:
        """The residual on the trial's own scale. With ``is_moved`` right numbers may stand elsewhere; by default, where the fault
        changes the answers."""
        declared = QUANTITIES[quantity]
        is_moved = fault.answers(quantity) if is_moved is None else is_moved
        other = fault.answer or any(edit.module == "forward_derivatives" for edit in fault.edits)
        if other and isinstance(declared.judged, BySolution) and fault.changes(self.mechanism):
            # Code that answers otherwise does not solve its own equation: it is compared by value.
            error = answer - getattr(self.dynamics(fault), quantity)(*self.states.arguments(declared.arguments))
            magnitude = compare(self.case(), declared, answer).magnitude
            return np.nan_to_num(np.copysign(in_epsilons(error, magnitude), error), nan=np.inf)
        if isinstance(declared.judged, ByCoriolis) and any(edit.module == "derivatives" for edit in fault.edits):
            # The right equations hold for what such code answers, without the difference that the fault makes.
            rest = replace(fault, edits=tuple(edit for edit in fault.edits if edit.module != "derivatives"))
            arguments = self.states.arguments(declared.arguments)
            answer = answer - (self.dynamics(fault).coriolis_matrix(*arguments) - self.dynamics(rest).coriolis_matrix(*arguments))
            fault = rest
        compared = compare(self._supposed(quantity, fault), declared, answer)
        units = compared.units
        if is_moved:
            # The numbers may stand elsewhere, where the right ones are small or zero. Larger ones are rounded themselves.
            axes, magnitude = tuple(range(1, answer.ndim)), compared.magnitude
            if isinstance(declared.judged, ByValue):
                magnitude = np.maximum(magnitude, self.mechanism.precision.coarseness * np.abs(answer))
            units = in_epsilons(compared.error, magnitude.max(axis=axes, keepdims=True) + 0 * compared.magnitude)
        return np.nan_to_num(np.copysign(units, compared.error), nan=np.inf)

    def errors(self, quantity: str, fault: Fault = NO_FAULT) -> Array:
        """How far the answers are from those of code with this fault: the largest error of every state (batch,), in ε-units.

        Raises :class:`NoAnswer`.
        """
        residual = np.abs(self.residual(quantity, fault))
        return residual.reshape(len(residual), -1).max(axis=1, initial=0.0)

    def explains(self, quantity: str, fault: Fault) -> bool:
        """Whether code with this fault would answer as the code under test does, at every state.

        Answers may be off by :data:`LOOSE` times the bar, if those of right code are off by much more. Of wrong answers the fault
        must predict the error, and not only allow for it on a larger scale: see :meth:`is_nearer`. Raises :class:`NoAnswer`.
        """
        bar, off = self.laboratory.bar, float(np.abs(self.residual(quantity, fault)).max(initial=0.0))
        if fault is NO_FAULT or off > self.laboratory.loose:
            return off <= bar
        seen = float(np.abs(self.residual(quantity)).max(initial=0.0))
        if seen <= bar:
            return off <= bar
        return (off <= bar or off <= seen / LESS) and self.is_nearer(quantity, fault, NO_FAULT)

    def claims(self, quantity: str, fault: Fault) -> bool:
        """Whether the answers are wrong, and code with this fault would answer the same; False where there is no answer."""
        return self.is_wrong(quantity) and self.explains(quantity, fault)

    def is_wrong(self, quantity: str) -> bool:
        """Whether there are answers, and some are wrong."""
        try:
            return bool(self.errors(quantity).max(initial=0.0) > self.laboratory.bar)
        except NoAnswer:
            return False

    def is_nearer(self, quantity: str, fault: Fault, other: Fault) -> bool:
        """Whether code with ``fault`` answers more nearly as the code under test does than code with ``other``: on one scale, the
        largest error is less than half. Raises :class:`NoAnswer`.
        """
        answer = self.answer(quantity)
        is_moved = any(one.answers(quantity) for one in (fault, other))
        try:
            with np.errstate(all="ignore"):
                one, two = (float(np.abs(self._compared(quantity, answer, x, is_moved)).max(initial=0)) for x in (fault, other))
        except WITHOUT_NUMBER:
            return True
        return one < two / 2 or two == np.inf

    def off(self, quantity: str, fault: Fault = NO_FAULT) -> float:
        """The largest distance of an answer from that of code with this fault, in the quantity's own units.

        Raises :class:`NoAnswer`.
        """
        return float(np.abs(compare(self.case(fault), QUANTITIES[quantity], self.answer(quantity)).error).max(initial=0.0))

    def off_in_words(self, quantity: str, fault: Fault = NO_FAULT) -> str:
        """Such as "off by 0.628 N m"; without a unit where components have several, or where an equation is judged."""
        unit = common(units_of(self.mechanism, quantity)) if QUANTITIES[quantity].has_value else ""
        return f"off by {self.off(quantity, fault):.3g} {unit}".rstrip()

    def _supposed(self, quantity: str, fault: Fault) -> Case:
        """The case for this quantity, where its judgement depends on how such code takes the state.

        Derivatives of forward dynamics are taken at the acceleration that such code has for τ. A matrix that is judged by an
        equation is judged at the state that such code sees.
        """
        declared = QUANTITIES[quantity]
        trial, seen = self, fault
        if isinstance(declared.judged, ByCoriolis | BySolution) and fault.state and fault.changes(self.mechanism):
            state = fault.state(self.mechanism, {name: self.states.columns[name] for name in declared.arguments})
            trial, seen = replace(self, states=replace(self.states, **cast(Any, state))), replace(fault, state=None)
        case = trial.case(seen)
        if fault is NO_FAULT or not isinstance(declared.judged, BySolution) or "tau" not in declared.arguments:
            return case
        states = case.states
        return replace(case, states=replace(states, a=trial.dynamics(seen).forward_dynamics(states.q, states.v, states.tau)))

    def pick(self, chosen: Array) -> Trial:
        """The same trial at the states with these indices, whose answers are those in the batch of all its states."""
        trial, rows = self.whole or (self, np.arange(len(self.states)))
        return replace(self, states=self.states.pick(chosen), whole=(trial, rows[chosen]))

    def at(self, v: Array | None = None, a: Array | None = None, f: Array | None = None) -> Trial:
        """The same trial at states with other velocities, accelerations or forces on the bodies; τ is computed anew."""
        old = self.states
        states = replace(old, v=old.v if v is None else v, a=old.a if a is None else a, f=old.f if f is None else f)
        return replace(self, states=with_forces(self.mechanism, states), whole=None)


def try_states(laboratory: Laboratory, mechanism: Mechanism, states: States) -> Trial:
    """The mechanism at these states, both in the precision of the code; τ is computed unless it was given."""
    mechanism, states = mechanism.in_precision(laboratory.precision), replace(states, precision=laboratory.precision)
    return Trial(laboratory, mechanism, having_forces(mechanism, states), ErrorScale(MotionMagnitudes(mechanism)))


def try_sampled(laboratory: Laboratory, mechanism: Mechanism, seed: int, count: int) -> Trial:
    """The mechanism at the first ``count`` states of a run."""
    return try_states(laboratory, mechanism, sample(mechanism.in_precision(laboratory.precision), seed, count))
