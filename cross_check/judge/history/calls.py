"""Calls of an implementation that starts from a fresh load, one after the other, and the states that they are made at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from cross_check.judge.comparison.sampling import States
from cross_check.judge.history.sibling import sibling
from cross_check.memory import Array
from implementations.processes.subject import Answer, Loaded, Subject
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES
from mechanisms.states import integrate

NEAR = 1e-9
"""How far a near position is moved (rad or m), all joints but the first: a cache that rounds positions, or looks at the first
coordinate only, takes it for the same."""


@dataclass(frozen=True, eq=False)
class Call:
    """A question: ``quantity`` at a batch of ``states``, which ``where`` describes."""

    quantity: str
    states: States
    where: str
    index: int | None = None
    """The state's number in the case, if it is one state of the case."""
    of_sibling: bool = False
    """Whether it is asked of the mechanism's :func:`cross_check.judge.history.sibling.sibling`."""

    @property
    def text(self) -> str:
        return f"{self.quantity}{' of another mechanism' if self.of_sibling else ''} at {self.where}"


class LoadSibling:
    """The mechanism's :func:`cross_check.judge.history.sibling.sibling` is loaded."""

    text = "loading a mechanism of the same name with other numbers"


Step = Call | LoadSibling


class Session:
    """An implementation that has just loaded a mechanism, or has ``loaded`` it before.

    With ``is_late`` it loads the mechanism when it is asked about it, and a sibling may come first. Methods raise what
    :class:`Subject` and :class:`Loaded` raise.
    """

    def __init__(self, subject: Subject, mechanism: Mechanism, loaded: Loaded | None = None, is_late: bool = False) -> None:
        self._subject, self._mechanism = subject, mechanism
        self._sibling: Loaded | None = None
        self.steps: list[Step] = []
        """What was done so far."""
        self.seconds = 0.0
        """What the implementation took."""
        self._loaded = loaded if loaded or is_late else self._load(mechanism)

    @property
    def by_state(self) -> bool:
        """Whether the implementation is asked about one state at a time."""
        return self._subject.by_state

    def do(self, step: Step) -> Answer | None:
        """The answer, if it is a call. A sibling is loaded before it is asked."""
        if isinstance(step, Call):
            return self.ask(step)
        self._load_sibling()
        return None

    def ask(self, call: Call) -> Answer:
        answer = self._asked(call).ask(call.quantity, *call.states.arguments(QUANTITIES[call.quantity].arguments))
        self.steps.append(call)
        self.seconds += answer.seconds
        return answer

    def _asked(self, call: Call) -> Loaded:
        if call.of_sibling:
            return self._sibling or self._load_sibling()
        if self._loaded is None:
            self._loaded = self._load(self._mechanism)
        return self._loaded

    def _load_sibling(self) -> Loaded:
        self._sibling = self._load(sibling(self._mechanism))
        self.steps.append(LoadSibling())
        return self._sibling

    def _load(self, mechanism: Mechanism) -> Loaded:
        start = perf_counter()
        loaded = self._subject.load(mechanism)
        self.seconds += perf_counter() - start
        return loaded


class Probes:
    """Two states of a case that move, at different positions, and states that a cache may mistake for them."""

    def __init__(self, mechanism: Mechanism, states: States) -> None:
        self._mechanism, self._states = mechanism, states
        moving = np.flatnonzero((states.v != 0).all(axis=1)).tolist() or [0]
        first = moving[0]
        elsewhere = [k for k in moving if np.abs(states.q[k] - states.q[first]).max() > 100 * NEAR]
        alike = [k for k in elsewhere if states.kinds[k] == states.kinds[first]]
        self.pair = (first, [*alike, *elsewhere, len(states) - 1][0])
        """The numbers of the two states."""

    def call(self, quantity: str, index: int) -> Call:
        """The quantity at one state of the case."""
        return Call(quantity, self._states.pick(np.array([index])), f"state {index}", index)

    def resembling(self, call: Call) -> list[Call]:
        """Another position with the same rates or forces, the same position with others, and with the same in another order; of
        quantities of the position alone a position that nearly agrees."""
        _, *rates = QUANTITIES[call.quantity].arguments
        if rates:
            other = self.pair[call.index == self.pair[0]]
            state, named = self._states.pick(np.array([other])), ", ".join(rates)
            moved, faster = replace(call.states, q=state.q), replace(state, q=call.states.q)
            exchanged: dict[str, Any] = {name: _first_two_exchanged(getattr(call.states, name)) for name in rates}
            turned = replace(call.states, **exchanged)
            return [
                Call(call.quantity, moved, f"{call.where} with q of state {other}"),
                Call(call.quantity, turned, f"{call.where} with the first two numbers of {named} exchanged"),
                Call(call.quantity, faster, f"{call.where} with {named} of state {other}"),
            ]
        step = np.full((1, self._mechanism.nv), NEAR)
        if len(self._mechanism.bodies) > 1:
            step[:, self._mechanism.v_slices[0]] = 0
        near = replace(call.states, q=integrate(self._mechanism, call.states.q, step))
        return [Call(call.quantity, near, f"{call.where} with q moved by {NEAR:g}")]

    def neighbours(self, call: Call) -> list[Call]:
        """The quantity at the states of the case that a cache is likeliest to mistake for this one; repeated; at all states."""
        k, q = call.index, self._states.q
        by_distance = np.argsort(np.abs(q - call.states.q).max(axis=1), kind="stable").tolist()
        same_first = np.flatnonzero(q[:, 0] == call.states.q[0, 0]).tolist()
        others = dict.fromkeys(j for j in [*by_distance[:2], (k or 1) - 1, *same_first[:2]] if j != k)
        everywhere = Call(call.quantity, self._states, f"all {len(self._states)} states")
        return [*(self.call(call.quantity, j) for j in others), call, everywhere]


def _first_two_exchanged(x: Array) -> Array:
    """The sum is the same to the last bit."""
    return np.concatenate([x[:, 1::-1], x[:, 2:]], axis=1)
