"""The smallest pair of calls that shows how an answer depends on what was called before, found by replay on fresh loads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from cross_check.exchange.results import INFINITE
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import Comparison, compare, largest
from cross_check.judge.error_scale.sizes import in_epsilons
from cross_check.judge.history.calls import Call, Session, Step
from cross_check.memory import Array
from implementations.processes.subject import Failure, Subject
from implementations.protocol import Unsupported
from mechanisms.quantities import QUANTITIES

TRIED = 12
"""How many earlier calls are tried, each alone; in a fresh process a third of them."""

BY_HISTORY = "it depends on what was called before"
"""The end of the sentence about a call that is answered otherwise after another one."""

BY_BATCH = "it depends on the batch that it is asked in"
"""The end of the sentence about a state that has one answer alone, and always the same other one in a batch."""

BY_PROCESS = (
    "depends on the process: the same first question is answered differently by two processes; "
    "the order of a set or random numbers may be the cause"
)
"""The end of the sentence about a call that is answered in two ways though nothing was called before."""

SUSPECTS = 3
"""Answers of a batch that are judged, of each of two orders."""

LUCK = 4.0
"""Where digits are lost, an answer is as right as another if its error is at most so many times as large."""


@dataclass(frozen=True)
class Judge:
    """Decides whether two answers to one question differ. ``answers`` are those at all states of ``case``, by quantity."""

    case: Case
    answers: Mapping[str, Array]
    bar: float
    lost: Mapping[str, float] = field(default_factory=dict)
    """By quantity that has lost digits: its largest error in ε-units."""

    def difference(self, call: Call, one: Array, other: Array) -> float:
        """In ε-units: 0 for the same bits, at most the bar if both answers are right. Answers are those of one state (1, …)."""
        if one.tobytes() == other.tobytes():
            return 0.0
        if (near := self._by_size(call, one, other)) <= self.bar:
            return near
        left, right = self._compared(call, one), self._compared(call, other)
        difference = _distance(left.value, right.value, np.minimum(left.magnitude, right.magnitude))
        right_up_to = max(self.bar, LUCK * self.lost.get(call.quantity, 0.0))
        return min(difference, self.bar) if max(largest(left.units), largest(right.units)) <= right_up_to else difference

    def error(self, call: Call, answer: Array) -> float:
        """The error of an answer (1, …) in ε-units."""
        return largest(self._compared(call, answer).units)

    def ordinary(self, call: Call) -> Array:
        """The answer (1, …) that a state of the case had in the batch of all states."""
        assert call.index is not None
        return self.answers[call.quantity][call.index][None]

    def suspects(self, quantity: str, chosen: Array, answers: Array) -> list[int]:
        """The places in a batch of these states of the case whose answers are furthest from the ordinary ones; of none the same.

        Furthest by themselves, and relative to the ordinary answer, as nothing else is known of all quantities without the truth.
        """
        usual = self.answers[quantity][chosen].reshape(len(chosen), -1)
        with np.errstate(all="ignore"):
            apart = np.nan_to_num(np.abs(answers.reshape(usual.shape) - usual), nan=INFINITE).max(axis=1, initial=0.0)
            relative = np.nan_to_num(apart / np.abs(usual).max(axis=1, initial=0.0), nan=0.0)
        furthest = dict.fromkeys(int(k) for by in (relative, apart) for k in np.argsort(-by, kind="stable")[:SUSPECTS])
        return [k for k in furthest if apart[k] > 0]

    def _by_size(self, call: Call, one: Array, other: Array) -> float:
        """The difference of answers that are judged by value: without the truth, which costs more."""
        quantity = QUANTITIES[call.quantity]
        if call.index is None or not quantity.has_value:
            return INFINITE
        size = self.case.scale.size(call.quantity, *self.case.states.arguments(quantity.arguments))
        return _distance(one, other, size[call.index])

    def _compared(self, call: Call, answer: Array) -> Comparison:
        quantity = QUANTITIES[call.quantity]
        if call.index is None:
            return compare(replace(self.case, states=call.states), quantity, answer)
        # In its place among all states, where the truth is known already.
        whole = self.answers[call.quantity].copy()
        whole[call.index] = answer[0]
        return Comparison(*(part[[call.index]] for part in compare(self.case, quantity, whole)))


@dataclass(frozen=True)
class Pair:
    """Two calls: ``target``, asked first, has another answer than after ``before``. ``units`` is the difference, in ε-units.

    Without ``before`` the second call is the batch of all states, in which ``target`` has another answer.
    """

    before: Step | None
    target: Call
    units: float
    is_by_batch: bool = False
    """Whether the batch of all states, asked first, is answered as it was: nothing was kept from an earlier call."""

    @property
    def sentence(self) -> str:
        differs = f"differs by {in_units(self.units)}"
        if self.before is None:
            asked = f"{self.target.text}, asked alone, {differs} from its answer in the batch of all states"
            return f"{asked}; {BY_BATCH if self.is_by_batch else 'it depends on what is asked with it or before it'}"
        before = "the same call" if self.before.text == self.target.text else self.before.text
        return f"{self.target.text} {differs} after {before} from its answer when asked first; {BY_HISTORY}"


class Replay:
    """Repeats calls of an implementation in other circumstances; ``seconds`` is what the implementation took."""

    def __init__(self, subject: Subject, judge: Judge, fresh: Callable[..., Subject] | None) -> None:
        self._subject, self.judge, self._fresh = subject, judge, fresh
        # Code that remembers mechanisms loads one of another name anew.
        self._names = (f"{judge.case.mechanism.name} (again {n})" for n in count(1))
        self.seconds = 0.0

    @property
    def has_fresh(self) -> bool:
        """Whether there are fresh processes."""
        return self._fresh is not None

    def smallest_pair(self, target: Call, before: Sequence[Step]) -> Pair | None:
        """``target``, and the first of the steps ``before`` after which it is answered otherwise than when it is asked first."""
        steps = before[:TRIED]
        pair = self._pair(target, steps, self._on_fresh_load)
        if self._fresh:
            # What a process remembers for ever hides the pair, or shows a wrong one.
            confirmed = self._pair(target, [pair.before], self._in_fresh_process) if pair and pair.before else None
            pair = confirmed or self._pair(target, steps[: TRIED // 3], self._in_fresh_process)
        return pair or self._against_batch(target)

    def first_answer(self, target: Call) -> Array | None:
        """What ``target`` is answered when it is asked first, in a fresh process if there is one; None if that fails."""
        return (self._in_fresh_process if self._fresh else self._on_fresh_load)([target])

    def by_process(self, target: Call, others: Iterable[int]) -> float:
        """By how much the answers to ``target`` differ, in ε-units, when fresh processes are asked it first; 0 if they fail.

        A process with the usual hash seed is compared with one whose hash seed is larger by each of ``others``.
        """
        first = self._in_fresh_process([target])
        answers = [self._in_fresh_process([target], other) for other in others] if first is not None else []
        pairs = [(first, answer) for answer in answers if first is not None and answer is not None]
        return max((self.judge.difference(target, *pair) for pair in pairs), default=0.0)

    def _against_batch(self, target: Call) -> Pair | None:
        # The batch of all states was asked about the mechanism, not about a sibling.
        if target.index is None or target.of_sibling or (first := self.first_answer(target)) is None:
            return None
        ordinary, states = self.judge.ordinary(target), self.judge.case.states
        if (units := self.judge.difference(target, first, ordinary)) <= self.judge.bar:
            return None
        again = self.first_answer(Call(target.quantity, states, f"all {len(states)} states"))
        is_same = again is not None and self.judge.difference(target, again[target.index][None], ordinary) <= self.judge.bar
        return Pair(None, target, units, is_same)

    def _pair(self, target: Call, steps: Sequence[Step], ask: Callable[[list[Step]], Array | None]) -> Pair | None:
        first = ask([target])
        for step in steps if first is not None else ():
            after = ask([step, target])
            if after is not None and first is not None:
                units = self.judge.difference(target, first, after)
                if units > self.judge.bar:
                    return Pair(step, target, units)
        return None

    def _on_fresh_load(self, steps: Sequence[Step]) -> Array | None:
        return self._answer(self._subject, next(self._names), steps)

    def _in_fresh_process(self, steps: Sequence[Step], other: int = 0) -> Array | None:
        assert self._fresh
        with closing(self._fresh(other)) as subject:
            return self._answer(subject, self.judge.case.mechanism.name, steps)

    def _answer(self, subject: Subject, name: str, steps: Sequence[Step]) -> Array | None:
        try:
            of_siblings = all(isinstance(step, Call) and step.of_sibling for step in steps)
            session = Session(subject, replace(self.judge.case.mechanism, name=name), is_late=of_siblings)
            answers = [session.do(step) for step in steps]
        except (Failure, Unsupported):
            return None
        self.seconds += session.seconds
        return answers[-1].value if answers[-1] else None


def _distance(one: Array, other: Array, magnitude: Array) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return largest(in_epsilons(one - other, np.broadcast_to(magnitude, one.shape)))


def in_units(error: float) -> str:
    """An error in words; :data:`INFINITE` is no number that anybody measured."""
    return f"{error:.2g} ε-units" if error < INFINITE else "infinitely many ε-units"
