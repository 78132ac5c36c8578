"""How the answers of a user's Python code follow the values of expressions. This runs in a worker process.

One number of a value is changed while the code runs. The change of the answers, divided by the change of the number, is the
derivative of the answers. It is exact where answers are affine in the value, as they are in forces and accelerations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import FrameType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from implementations.processes.edited import EDIT_SECONDS, at_most
from implementations.processes.watched import Watching, compiled, evaluated, numbers_of, watched
from implementations.protocol import Array
from mechanisms import Mechanism

MOST_RUNS = 3000
"""So often the code is run with a changed number."""

SIZES = (3, 6)
"""Lengths of vectors that functions are tried with."""

BEFORE = -1
"""The number of a state for what is computed while the code is imported, loads the mechanism, and answers for the first time."""

CLOSE = 1e-9
"""A function is linear if it differs from its linear map by this at most, as a part of it."""


class Step(NamedTuple):
    """The values of a place at all states, with what is at hand there."""

    place: int
    states: list[int]
    """Of each value, the number of the state."""
    derivatives: Array
    """Of the answers, by the value: (values, answers, numbers)."""
    values: dict[str, Array]
    """By name: what is at hand at each value (values, …); under "" the values themselves."""


class Linear(NamedTuple):
    """A function that is linear in one vector, or in each of two with equally many numbers."""

    function: str
    vectors: int
    array: Any
    """(n, …) or (n, n, …)."""


class Responses(NamedTuple):
    """How answers follow watched values."""

    answers: Array
    """(states, answers)."""
    steps: list[Step]
    linear: list[Linear]

    def to_message(self) -> tuple[dict[str, Any], list[Array]]:
        steps = [[step.place, step.states, [*step.values]] for step in self.steps]
        arrays = [array for step in self.steps for array in (step.derivatives, *step.values.values())]
        return {"steps": steps, "linear": [one[:2] for one in self.linear]}, [
            self.answers,
            *(one.array for one in self.linear),
            *arrays,
        ]

    @staticmethod
    def from_message(header: Mapping[str, Any], arrays: Sequence[Array]) -> Responses:
        """Raises :class:`ValueError` for what is no such message."""
        try:
            rest = iter(arrays)
            answers, linear = next(rest), [Linear(str(name), int(count), next(rest)) for name, count in header["linear"]]
            steps = [
                Step(int(k), [int(state) for state in states], next(rest), {str(name): next(rest) for name in names})
                for k, states, names in header["steps"]
            ]
        except (KeyError, TypeError, StopIteration, RuntimeError) as error:
            raise ValueError("no responses") from error
        return Responses(answers, steps, linear)


def responses(
    watching: Watching, spec: str, functions: Sequence[str], mechanism: Mechanism, quantity: str, arguments: Sequence[Array]
) -> Responses:
    """How the answers follow the watched values. Places with many numbers are left out where there are too many.

    Of the ``functions`` there are those that are linear in one vector, or in each of two.
    """
    codes = [compiled(texts) for texts in watching.texts]
    seen: dict[int, list[tuple[int, dict[str, Array]]]] = {}
    linear: list[Linear] = []
    untried, close = dict(zip(functions, compiled(functions), strict=True)), mechanism.precision.near(CLOSE)

    def see(state: int, k: int, value: Any, frame: FrameType) -> None:
        texts = watching.places[k].texts
        given = {text: evaluated(code, frame) for text, code in zip(watching.texts[texts], codes[texts], strict=True)}
        arrays = {text: numbers_of(one) for text, one in {**given, "": value}.items()}
        if arrays[""] is not None and arrays[""].dtype.kind != "f":
            del arrays[""]  # An index, perhaps.
        kept = {text: np.array(array, dtype=np.float64) for text, array in arrays.items() if array is not None}
        seen.setdefault(k, []).append((state, kept))
        for text, code in [*untried.items()]:
            if (function := evaluated(code, frame)) is not None:
                del untried[text]
                linear.extend(Linear(text, *found) for n in SIZES if (found := _linear(function, n, close)))

    def asked(loaded: Any, state: int) -> Array:
        with at_most(EDIT_SECONDS):
            return loaded.ask(quantity, *(np.ascontiguousarray(x[state : state + 1]) for x in arguments)).value.reshape(-1)

    with watched(watching, spec) as (hook, load):
        # What is kept is computed before the states are asked.
        hook.start(partial(see, BEFORE))
        loaded, answers = load().load(mechanism), list[Array]()
        asked(loaded, 0)
        for state in range(len(arguments[0])):
            hook.start(partial(see, state))
            answers.append(asked(loaded, state))

        def changed(k: int, count: int, state: int, index: int, size: float) -> Array:
            """The answers (states, …) that depend on this number of a value, if it is larger by so much."""
            if state != BEFORE:
                hook.start(change=(k, count, index, size))
                return asked(loaded, state)[None]
            with at_most(EDIT_SECONDS):
                hook.start(change=(k, count, index, size))
                again = load().load(mechanism)
            asked(again, 0)
            return np.array([asked(again, one) for one in range(len(answers))])

        steps, left = [], MOST_RUNS
        entries_of = {k: [one for one in every if one[0] != BEFORE] or every for k, every in seen.items()}
        at_hand = {k: _common([given for _, given in entries]) for k, entries in entries_of.items()}
        for k in sorted((k for k in at_hand if "" in at_hand[k]), key=lambda k: at_hand[k][""].size):
            entries, common = entries_of[k], at_hand[k]
            left -= common[""].size
            if left < 0:
                break
            # Code may fail, or never end, with another value: then nothing is known of this place.
            with suppress(Exception):
                counts, states, rows, rates = Counter[int](), list[int](), list[int](), list[Array]()
                for row, ((state, _), value) in enumerate(zip(entries, common[""], strict=True)):
                    size, columns = max(1.0, float(np.abs(value).max())), []
                    own = [*range(len(answers))] if state == BEFORE else [state]
                    for index in range(value.size):
                        other = changed(k, counts[state], state, index, size)
                        columns.append((other - np.array([answers[one] for one in own])) / size)
                    counts[state] += 1
                    # A value that is kept stands for one at every state.
                    states, rows = [*states, *own], [*rows, *[row] * len(own)]
                    rates += [*np.moveaxis(np.array(columns), 0, -1)]
                steps.append(Step(k, states, np.array(rates), {text: one[rows] for text, one in common.items()}))
    return Responses(np.array(answers), steps, linear)


def _common(given: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """What is at hand at every value, with one shape."""
    texts = [text for text in given[0] if all(text in one and one[text].shape == given[0][text].shape for one in given)]
    return {text: np.array([one[text] for one in given]) for text in texts}


def _linear(function: Any, n: int, close: float) -> tuple[int, Array] | None:
    """How many vectors of n numbers the function takes, and its array, if it is linear in each; no other function is tried.

    Methods are not called, because they may change their object.
    """
    if not (isinstance(function, FunctionType) or type(function).__module__ == "numpy"):
        return None
    unit, vectors = np.eye(n), np.random.default_rng(0).normal(size=(2, n))
    for count, letters in ((1, "i"), (2, "ij")):
        with suppress(Exception):
            if count == 1:
                array = np.array([function(e) for e in unit], dtype=np.float64)
            else:
                array = np.array([[function(e, d) for d in unit] for e in unit], dtype=np.float64)
            expected = np.einsum(f"{letters}...,{','.join(letters)}->...", array, *vectors[:count])
            answer = np.asarray(function(*vectors[:count]), dtype=np.float64)
            if answer.shape == expected.shape and expected.any() and np.allclose(answer, expected, close, close):
                return count, array
    return None
