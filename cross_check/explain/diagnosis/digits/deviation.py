"""Answers that are off: what was asked and answered, the true values, and how far predicted answers are from those given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial
from cross_check.explain.faults.changes import states as wrong_states
from cross_check.explain.faults.fault import Fault
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.recorded.traced import PRECISE
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES, ByForces

THREE_DIGITS = 3e13
"""ε-units of float64: the typical error of numbers that have three digits is smaller."""

MOVED = 1e-11
"""Arguments that are changed by this part of them, or by 64 roundings, stay the same where they are rounded."""


def right_answer(mechanism: Mechanism, quantity: str, *arguments: Array) -> Array:
    """What the reference computes in double-double, rounded once."""
    return getattr(PRECISE.load(mechanism), quantity)(*arguments).astype(np.float64)


@dataclass(frozen=True)
class Arithmetic:
    """The arithmetic that makes the answers of one quantity inexact."""

    sentence: str
    """What the code does: one sentence without a full stop."""
    observations: tuple[Observation, ...]
    is_fault: bool = True
    """False for correct code: the input is rounded once, or the problem is ill-conditioned."""
    faults: tuple[Fault, ...] = ()
    """Code with one of these gives the answers that were seen, as other experiments can test; none if answers are not predicted.

    They predict the same answers about this quantity, and others about others.
    """
    tried: int = 0
    """The number of answers that were compared with predicted ones; all agreed."""
    is_exact: bool = True
    """Whether it predicts every answer; otherwise it is known by the size and the look of the errors."""


@dataclass(frozen=True)
class Loss:
    """One arithmetic that loses digits: what code with it takes the state for, and what it computes with."""

    words: str
    state: wrong_states.Wrong | None = None
    loads: Callable[[Mechanism], Any] | None = None
    """Computes with other numbers; the reference's own if it is None."""
    is_fault: bool = True
    where: tuple[str, ...] = ()
    seen: tuple[Observation, ...] = ()
    """What shows that the code has it, before any answer is predicted."""
    predicts: str = ""
    """What predicts its answers, in words; code that has it if there are none."""
    others: tuple[Loss, ...] = ()
    """Of other states, which are rounded in the same way as far as this quantity tells."""
    orders: tuple[wrong_states.Wrong, ...] = ()
    """The same, with operations in other orders, which round otherwise."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults of code that has it. All predict the same answers about this quantity."""
        if not self.state or self.loads:
            return (Fault(self.words, "arithmetic", answer=self._answer, where=self.where),)
        return tuple(Fault(one.words, "arithmetic", state=one.state, where=self.where) for one in (self, *self.others))

    def _answer(self, mechanism: Mechanism, quantity: str, state: Mapping[str, Array], right: Array) -> Array:
        return np.asarray(self.predict(mechanism, quantity, tuple(state.values())), dtype=np.float64)

    def predict(self, mechanism: Mechanism, quantity: str, arguments: tuple[Array, ...]) -> Array:
        """What code that has it answers."""
        given = dict(zip(QUANTITIES[quantity].arguments, arguments, strict=True))
        if self.state:
            given = self.state(mechanism, given)
        with np.errstate(all="ignore"):
            answer: Array = getattr(loaded(self.loads or REFERENCE.load, mechanism), quantity)(*given.values())
            return answer


@lru_cache(8)
def loaded(loads: Callable[[Mechanism], Any], mechanism: Mechanism) -> Any:
    """Most losses leave the mechanism as it is."""
    return loads(mechanism)


class Deviation:
    """The answers of one quantity of ``trial``, beside the true values. Raises :class:`NoAnswer`."""

    def __init__(self, trial: Trial, quantity: str, answer: Array | None = None, **known: Array) -> None:
        """``answer`` stands for the answer of the code; ``known`` are values of the properties below."""
        self.trial, self.name, self.quantity = trial, quantity, QUANTITIES[quantity]
        self.mechanism, self.states = trial.mechanism, trial.states
        self.arguments = self.states.arguments(self.quantity.arguments)
        self.answer: Array = trial.answer(quantity) if answer is None else answer
        self.__dict__.update(known)

    @cached_property
    def true(self) -> Array:
        """The right answers, rounded once. Of the matrices C that are right it is the reference's."""
        return right_answer(self.mechanism, self.name, *self.arguments)

    @cached_property
    def unit(self) -> Array:
        """One ε-unit of every number of the answers."""
        with np.errstate(all="ignore"):
            magnitude = compare(self.trial.case(), self.quantity, self.answer).magnitude
        return np.broadcast_to(EPSILON * magnitude, self.answer.shape).copy()

    @cached_property
    def mass_matrix(self) -> Array:
        """M, rounded once."""
        return right_answer(self.mechanism, "mass_matrix", self.states.q)

    @cached_property
    def units(self) -> Array:
        """How far the answers are from the true ones: the largest error of every state (batch,), in ε-units."""
        if self.name == "coriolis_matrix":
            return self.trial.errors(self.name)
        return self.distance(self.true)

    @property
    def is_off(self) -> bool:
        return bool(self.units.max(initial=0.0) > BAR)

    @cached_property
    def typical(self) -> float:
        """The median of the states that are off, in ε-units."""
        return float(np.median(self.units[self.units > BAR])) if self.is_off else 0.0

    @property
    def has_three_digits(self) -> bool:
        return self.typical * self.mechanism.precision.coarseness < THREE_DIGITS

    def in_units(self, difference: Array, part: Callable[[Array], Array] = lambda M: M) -> Array:
        """A difference of answers in ε-units; of accelerations M times that, in those of forces. ``part`` is applied to M."""
        if isinstance(self.quantity.judged, ByForces):
            difference = np.einsum("bij,bj->bi", part(self.mass_matrix), difference)
        with np.errstate(all="ignore"):
            units = np.where(difference != 0, difference / self.unit, 0)
        return np.nan_to_num(units.astype(np.float64), nan=np.inf)

    def differences(self, predicted: Array, slack: Array | float = 0.0) -> Array:
        """|answer − predicted| of every number, in ε-units, less ``slack``, which has the answer's unit."""
        difference = np.asarray(self.answer - predicted)
        if not np.any(slack):
            return np.abs(self.in_units(difference))
        return np.abs(self.in_units(np.maximum(np.abs(difference) - slack, 0), np.abs))

    def distance(self, predicted: Array, slack: Array | float = 0.0) -> Array:
        """The largest of :meth:`differences` of every state (batch,)."""
        if not np.isfinite(predicted).all():
            return np.full(len(self.answer), np.inf)
        return self.differences(predicted, slack).reshape(len(self.answer), -1).max(axis=1, initial=0.0)

    def with_loss(self, loss: Loss) -> Array:
        """What code answers that has the loss."""
        return loss.predict(self.mechanism, self.name, self.arguments)

    def is_explained(self, predicted: Array, slack: Array | float = 0.0) -> bool:
        """Whether every answer is the predicted one within the bar, and the true ones are at least four times as far."""
        furthest = self.distance(predicted, slack).max(initial=0.0)
        return bool(furthest <= BAR and 4 * furthest < self.units.max(initial=0.0))

    @cached_property
    def few(self) -> Deviation:
        """At most eight states, the worst ones first: enough to reject most predictions."""
        chosen: Array = np.argsort(-self.units, kind="stable")[:8]
        known = {name: getattr(self, name)[chosen] for name in ("true", "unit", "units")}
        return Deviation(self.trial.pick(chosen), self.name, self.answer[chosen], **known)

    def stays(self, size: float, column: str = "", part: slice = slice(None)) -> float:
        """Which part of the answers at few states stays as it is where the arguments become larger by ``size`` of them.

        With ``column``, that part of one argument does. Answers that are zero do not count. Zero if the code gives no answer.
        """
        given = dict(zip(self.quantity.arguments, self.few.arguments, strict=True))
        moved = {name: x.copy() for name, x in given.items()}
        for name in [column] if column else given:
            moved[name][:, part] *= 1 + size
        one, other = self.ask(self.name, *given.values()), self.ask(self.name, *moved.values())
        return 0.0 if one is None or other is None or not one.any() else float((one == other)[one != 0].mean())

    @cached_property
    def is_stepped(self) -> bool:
        """Whether the arguments were rounded: most answers stay where they change by :data:`MOVED`."""
        return self.stays(self.mechanism.precision.near(MOVED)) > 0.5

    def ask(self, quantity: str, *arguments: Array, mechanism: Mechanism | None = None) -> Array | None:
        """What the code answers; None if it gives no answer."""
        try:
            return self.trial.laboratory.ask(mechanism or self.mechanism, quantity, *arguments)
        except NoAnswer:
            return None

    @property
    def seen(self) -> Observation:
        """How far the right answers are."""
        asked = f"{self.name} at {len(self.answer)} states, compared with right code"
        return Observation(asked, f"off by up to {self.units.max():.2g} ε-units")

    def explained(self, sentence: str, predicted: Array, asked: str, slack: Array | float = 0.0) -> Arithmetic | None:
        """The arithmetic that predicts these answers, if every answer is the predicted one; ``asked`` says what predicts them."""
        if not self.is_explained(predicted, slack):
            return None
        met = f"{self.name} at {len(self.answer)} states, compared with {asked}"
        seen = Observation(met, f"within {self.distance(predicted, slack).max(initial=0.0):.2g} ε-units")
        return Arithmetic(sentence, (self.seen, seen), tried=self.answer.size)


def short_number(low: float, high: float) -> float:
    """A number of one digit in between, or the lower one."""
    return next((t for t in (m * 10.0**-k for k in range(16) for m in (1, 5, 2)) if low <= t <= high), low)
