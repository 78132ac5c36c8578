"""Every quantity is asked again at few states, in other circumstances.

The mechanism is loaded again, and then a :func:`cross_check.judge.history.sibling.sibling` of it. The quantities are asked in
reverse order, at one state at a time: last at a state of the case, whose answer in the batch of all states is known, and before
it at states that have the same rates at another position or in another order, and other rates at the same position (or a position
that nearly agrees). If the answer to a state of that batch was wrong, it is asked alone, too. At the end, some quantities are
asked of what was loaded first.

======================================= ======================================================================================
what was called before                  what this shows
======================================= ======================================================================================
states that resemble it                 caches that look at the position or the rates alone, at the first coordinate, at a sum,
                                        or round; the answer of the previous call; scratch arrays that keep values
no batch, or a larger one; other        what depends on the size or the order of a batch, on the quantity asked before, on the
quantities                              number of calls
another mechanism of the same name      what depends on the mechanism, or gravity, that was loaded or asked last; caches by name
inverse dynamics with external forces   external forces that stay on bodies; every quantity is asked right after them
one call                                an array that was returned earlier and is used again
nothing, in batches of other sizes      code for blocks of states, and for the rest of a batch that fills no block or register
many calls                              what depends on the number of calls, as where a store of answers is full
======================================= ======================================================================================

Nobody is accused unless two answers to one question differ, with three exceptions: an answer that is wrong and repeats the bits
of a right answer to another question, an answer that is the same for a sibling, and an array that is used again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from cross_check.exchange.results import INFINITE, Cell
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare, largest
from cross_check.judge.history.calls import Call, LoadSibling, Probes, Session, Step
from cross_check.judge.history.replay import BY_HISTORY, Replay, in_units
from cross_check.judge.history.sibling import sibling
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded, Subject
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.quantities import QUANTITIES

FORCES = "inverse_dynamics_with_forces"
"""The quantity that is given external forces."""

IN_ORDER = 5
"""How many of the table's first quantities are asked, in the table's order, of what was loaded first and has answered all states:
code may use what another quantity, or a larger batch, leaves behind."""


BATCHES = (1, 7, 12, 13, 128, 130, 131, 134, 1025)
"""Sizes of batches: a multiple of usual blocks and sizes just beyond one, with every remainder by eight, the numbers of the
widest register."""

MOST = 2**20
"""Numbers that the answer to a batch of :data:`BATCHES` has at most, so that a run costs little more than its answers."""


OFTEN = 100
"""So many calls of one state are made."""

DOUBTS = 2
"""How often a fresh process is asked about a sibling of which the code gives wrong answers."""


@dataclass(frozen=True)
class Suspicion:
    """A call that was answered in two ways, or by another call's answer; ``sentence`` says what is known of it."""

    target: Call
    units: float
    """The difference in ε-units."""
    sentence: str
    before: Sequence[Step] = ()
    """What may have brought it about, the likeliest first. Empty if the sentence says it already."""


class Experiment:
    """Asks again, and collects what is suspicious. ``largest`` is the largest difference that was seen, in ε-units."""

    def __init__(self, replay: Replay, cells: Sequence[Cell], in_batches: bool = False, is_users: bool = False) -> None:
        self._in_batches, self._is_users = in_batches, is_users
        self._replay, self._judge = replay, replay.judge
        self._errors = {cell.quantity: cell.errors for cell in cells}
        self._known = [cell.quantity for cell in cells if cell.verdict == "known"]
        self._probes = Probes(self._judge.case.mechanism, self._judge.case.states)
        self._quantities = tuple(self._judge.answers)
        self._doing = "loading the mechanism"
        self._doubts = DOUBTS
        self.suspicions: list[Suspicion] = []
        self.largest = 0.0
        self.seconds = 0.0

    def run(self, subject: Subject, loaded: Loaded) -> str:
        """A sentence if the implementation fails where it did not fail before; otherwise nothing."""
        try:
            session = Session(subject, self._judge.case.mechanism)
            with suppress(Failure, Unsupported):
                session.do(LoadSibling())
            for k, quantity in enumerate(reversed(self._quantities)):
                self._ask_again(session, self._probes.call(quantity, self._probes.pair[k % 2]))
            if not self.suspicions:
                self._ask_after_forces(session)
            used = Session(subject, self._judge.case.mechanism, loaded)
            for k, quantity in enumerate(self._quantities[:IN_ORDER]):
                self._ask_once(used, self._probes.call(quantity, self._probes.pair[k % 2]))
            for quantity in self._quantities if self._in_batches and not self.suspicions else ():
                self._ask_in_batches(used, quantity)
            if self._in_batches and not (self.suspicions or used.by_state):
                self._ask_often(used)
        except (Failure, Unsupported) as failure:
            return f"{self._doing} again fails: {failure}"
        self.seconds += session.seconds + used.seconds
        if not self.suspicions:
            self._ask_in_fresh_process()
        return ""

    def _ask_again(self, session: Session, target: Call) -> None:
        quantity = target.quantity
        resembling = [(call, self._ask(session, call)) for call in self._probes.resembling(target)]
        if quantity == self._must_differ or (self._is_users and self._doubts):
            with suppress(Failure, Unsupported):
                self._judge_sibling(session, target)
        self._ask_once(session, target)
        for call, repeated in resembling if self._error(target) <= self._judge.bar else ():
            is_same = np.array_equal(repeated, self._judge.ordinary(target))
            if is_same and (error := self._judge.error(call, repeated)) > self._judge.bar:
                sentence = f"{call.text} is wrong by {in_units(error)}: it has the bits of {target.text}"
                self.suspicions.append(
                    Suspicion(call, error, f"{sentence}, as if an earlier answer were returned again", [target])
                )
        worst = self._probes.call(quantity, int(np.argmax(self._errors[quantity])))
        if self._error(worst) > self._judge.bar and worst.index != target.index:
            self._compare(worst, self._ask(session, worst), partial(self._probes.neighbours, worst))

    def _ask_after_forces(self, session: Session) -> None:
        """Every quantity right after the one with external forces: many engines keep forces on bodies until they are cleared."""
        if FORCES not in self._quantities:
            return
        for quantity in self._quantities:
            target, forces = (self._probes.call(name, self._probes.pair[0]) for name in (quantity, FORCES))
            if quantity != FORCES:
                self._ask(session, forces)
                self._compare(target, self._ask(session, target), partial(list, [forces]))

    def _ask_once(self, session: Session, target: Call) -> None:
        steps = session.steps.copy()

        def before() -> list[Step]:
            earlier = [step for step in reversed(steps) if isinstance(step, Call)]
            own = [call for call in earlier if call.quantity == target.quantity]
            others = [call for call in earlier if call.quantity != target.quantity]
            return [*own, LoadSibling(), *self._probes.neighbours(target)[-2:], *others]

        self._compare(target, self._ask(session, target), before)

    def _ask_in_batches(self, session: Session, quantity: str) -> None:
        """The states of the case again and again, in batches of other sizes. The last state of each is one that moves.

        Code for one state has no batches: it is called about a thousand times in all.
        """
        states, last = self._judge.case.states, self._probes.pair[0]
        numbers, batch = self._judge.answers[quantity][0].size, "states in turn" if session.by_state else "states in a batch"
        sizes = (max(len(states), BATCHES[-1] // len(self._quantities)),) if session.by_state else BATCHES
        for size in (size for size in sizes if size * numbers <= MOST):
            chosen = np.arange(last + 1 - size, last + 1) % len(states)
            asked = Call(quantity, states.pick(chosen), f"{size} states" if size > 1 else "one state")
            answers = self._ask(session, asked)
            for k in self._judge.suspects(quantity, chosen, answers):
                call = self._probes.call(quantity, int(chosen[k]))
                if difference := self._beyond(call, answers[k][None]):
                    where = f"as number {k + 1} of {size} {batch}, where it differs by {in_units(difference)}"
                    usual = f"from its answer as one of {len(states)}"
                    self.suspicions.append(Suspicion(call, difference, f"{call.text} is asked {where} {usual}"))
                    return

    def _ask_often(self, session: Session) -> None:
        """Quantities and states of the case in turn, one at a time."""
        states = len(self._judge.case.states)
        for k in range(OFTEN):
            turn, n = divmod(k, len(self._quantities))
            call = self._probes.call(self._quantities[n], turn % states)
            if difference := self._beyond(call, self._ask(session, call)):
                sentence = f"{call.text} differs by {in_units(difference)} after {k} calls of one state"
                self.suspicions.append(Suspicion(call, difference, f"{sentence} from its first answer; {BY_HISTORY}"))
                return

    @property
    def _must_differ(self) -> str:
        """One quantity is enough: what is global is the mechanism. And ``traced`` records every quantity that it is asked for."""
        return "inverse_dynamics" if "inverse_dynamics" in self._quantities else self._quantities[0]

    def _ask(self, session: Session, call: Call) -> Array:
        self._doing = f"asking {call.text}"
        answer = session.ask(call)
        if answer.overwritten:
            earlier = [step for step in session.steps[:-1] if isinstance(step, Call) and not step.of_sibling]
            returned = next((step.text for step in reversed(earlier) if step.quantity == answer.overwritten), answer.overwritten)
            sentence = f"the array returned for {returned} changes when {call.text} is asked; return a new array"
            self.suspicions.append(Suspicion(call, INFINITE, sentence))
        return answer.value

    def _error(self, call: Call) -> float:
        """The error of the answer in the batch of all states."""
        assert call.index is not None
        return self._errors[call.quantity][call.index]

    def _beyond(self, call: Call, answer: Array) -> float:
        """By how much an answer differs from the ordinary one, in ε-units; zero if that is within the bar."""
        difference = self._judge.difference(call, answer, self._judge.ordinary(call))
        self.largest = max(self.largest, difference)
        return difference if difference > self._judge.bar else 0.0

    def _compare(self, call: Call, answer: Array, before: Callable[[], Sequence[Step]]) -> None:
        if difference := self._beyond(call, answer):
            sentence = f"{call.text} differs by {in_units(difference)} when it is asked again"
            self.suspicions.append(Suspicion(call, difference, f"{sentence}; no single earlier call explains it", before()))

    def _judge_sibling(self, session: Session, target: Call) -> None:
        """Code may keep what it made of a mechanism, and find it again by the name or by the state.

        Code that is wrong about the sibling need not know such mechanisms. It is accused if it is right when asked first.
        """
        of_sibling = replace(target, of_sibling=True)
        steps = [step for step in reversed(session.steps) if isinstance(step, Call) and step.quantity == target.quantity]
        answer = session.ask(of_sibling).value
        bar, ordinary = self._judge.bar, self._judge.ordinary(target)
        if self._error(target) > bar:
            return
        if target.quantity == self._must_differ and self._judge.difference(target, answer, ordinary) <= bar:
            mechanism, arguments = self._judge.case.mechanism, target.states.arguments(QUANTITIES[target.quantity].arguments)
            there, here = (getattr(REFERENCE.load(m), target.quantity)(*arguments) for m in (sibling(mechanism), mechanism))
            if self._judge.difference(target, there, here) > bar:
                same = f"{target.text} is the same for another mechanism of the same name, with other numbers"
                self.suspicions.append(Suspicion(of_sibling, INFINITE, f"{same}; tell mechanisms apart by all their data"))
        elif self._is_users and self._replay.has_fresh and (error := self._error_of_sibling(target, answer)) > bar:
            self._doubts -= 1
            first = self._replay.first_answer(of_sibling)
            if first is not None and self._error_of_sibling(target, first) <= bar:
                sentence = f"{of_sibling.text} is wrong by {in_units(error)}, and right when it is asked first; {BY_HISTORY}"
                self.suspicions.append(Suspicion(of_sibling, error, sentence, [*steps, target]))

    def _error_of_sibling(self, call: Call, answer: Array) -> float:
        """The error of an answer (1, …) about the sibling in ε-units, with the reference as the truth."""
        case = Case.by_reference(sibling(self._judge.case.mechanism), call.states)
        return largest(compare(case, QUANTITIES[call.quantity], answer).units)

    def _ask_in_fresh_process(self) -> None:
        """What was wrong and stays wrong in this process, but not everywhere: one state, of one quantity.

        Errors that findings predict from the state alone do not depend on earlier calls.
        """
        for quantity in self._quantities:
            errors = np.array(self._errors[quantity])
            is_suspect = quantity not in self._known and errors.min() <= self._judge.bar < errors.max()
            if self._replay.has_fresh and is_suspect:
                self.ask_first(self._probes.call(quantity, int(errors.argmax())))
                return

    def ask_first(self, target: Call) -> None:
        """Compare the answer to a state of the case with the answer when it is asked first, in a fresh process."""
        first = self._replay.first_answer(target)
        if first is not None:
            self._compare(target, first, partial(self._probes.neighbours, target))

    @property
    def targets(self) -> list[Call]:
        """Every quantity at one state of the case: the worst one if that is wrong, else one that moves."""
        worst = (int(np.argmax(self._errors[quantity])) for quantity in self._quantities)
        calls = [self._probes.call(quantity, k) for quantity, k in zip(self._quantities, worst, strict=True)]
        moving = self._probes.pair
        return [
            call if self._error(call) > self._judge.bar else self._probes.call(call.quantity, moving[k % 2])
            for k, call in enumerate(calls)
        ]
