"""Values of expressions while a user's Python code runs, and how its answers follow changes of them.

This runs in a worker process. The source calls a hook around each watched expression. The hook sees the value, and evaluates
names that the function has at hand there. It may also change one number of the value: the change of the answers, divided by the
change of the number, is the derivative of the answers. It is exact where answers are affine in the value, as they are in forces
and accelerations.
"""

from __future__ import annotations

import builtins
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from implementations.processes.edited import LONGEST, Edit, at_most, code_with, edited_sources, own_modules_kept
from implementations.processes.subject import InProcess
from implementations.protocol import Array
from mechanisms import Mechanism

HOOK = "__dalembert_watched__"

LARGEST = 100
"""Numbers of the largest value that is looked at."""

MOST_RUNS = 3000
"""So often the code is run with a changed number."""

SIZES = (3, 6)
"""Lengths of vectors that functions are tried with."""

CLOSE = 1e-9
"""A function is linear if it differs from its linear map by this at most, as a part of it."""


class Place(NamedTuple):
    """An expression, from byte ``start`` to byte ``end`` of a source; ``texts`` is the number of the list of names there."""

    start: int
    end: int
    texts: int


class Watching(NamedTuple):
    """What is watched: places of one file, after the edits of ``before``, and lists of names."""

    before: Sequence[Edit]
    path: str
    places: Sequence[Place]
    texts: Sequence[Sequence[str]]

    @staticmethod
    def from_message(header: Sequence[Any]) -> Watching:
        before, path, places, texts = header
        return Watching([Edit(*edit) for edit in before], path, [Place(*place) for place in places], texts)

    def sources(self) -> dict[Path, bytes]:
        """Raises :class:`OSError`."""
        path = Path(self.path).resolve()
        sources = {path: path.read_bytes()} | edited_sources(self.before)
        marks = [(place.end, 0, 0, b"))") for place in self.places]
        # Of expressions that begin together, the longest is the outer one.
        marks += [(place.start, 1, -place.end, f"{HOOK}({k}, (".encode()) for k, place in enumerate(self.places)]
        source, last, parts = sources[path], 0, list[bytes]()
        for place, _, _, text in sorted(marks):
            parts += [source[last:place], text]
            last = place
        return {**sources, path: b"".join([*parts, source[last:]])}


See = Callable[[int, Any, FrameType], None]


class Hook:
    """What the watched source calls: it counts the values of each place, shows them to ``see``, and changes one number."""

    def __init__(self) -> None:
        self.see: See | None = None
        self.change: tuple[int, int, int, float] | None = None
        """Of a place and a count: the number with this index becomes larger by so much."""
        self._counts: dict[int, int] = {}
        self._is_seeing = False

    def start(self, see: See | None = None, change: tuple[int, int, int, float] | None = None) -> None:
        self.see, self.change, self._counts = see, change, {}

    def __call__(self, place: int, value: Any) -> Any:
        if self._is_seeing:  # What is evaluated there calls watched functions, too.
            return value
        count = self._counts[place] = self._counts.get(place, -1) + 1
        if self.see:
            self._is_seeing = True
            self.see(place, value, sys._getframe(1))
            self._is_seeing = False
        if self.change and self.change[:2] == (place, count):
            return _changed(value, *self.change[2:])
        return value


@contextmanager
def _watched(watching: Watching, spec: str) -> Iterator[tuple[Hook, InProcess]]:
    hook = Hook()
    setattr(builtins, HOOK, hook)
    try:
        with own_modules_kept() as own, code_with(watching.sources(), spec, own) as code:
            yield hook, code
    finally:
        delattr(builtins, HOOK)


def _compiled(texts: Sequence[str]) -> list[CodeType]:
    return [compile(text, "name", "eval") for text in texts]


def _evaluated(code: CodeType, frame: FrameType) -> Any:
    with suppress(Exception):
        return eval(code, frame.f_globals, frame.f_locals)
    return None


def _numbers(value: Any) -> Array | None:
    """The value as an array, if it is a number, a vector or a matrix, of integers or floats."""
    with suppress(Exception):
        array = np.asarray(value)
        if array.dtype.kind in "iuf" and array.ndim <= 2 and 0 < array.size <= LARGEST:
            return array
    return None


def _changed(value: Any, index: int, step: float) -> Any:
    array = np.array(value, dtype=np.float64)
    array.flat[index] += step
    if isinstance(value, list | tuple):
        return type(value)(array.tolist())
    return array if array.ndim else float(array)


class Alike(NamedTuple):
    """What could stand for a value that was seen."""

    axes: int
    """0 for a number, 1 for a vector, 2 for a matrix, -1 for anything else."""
    names: list[int]
    """The names with other values of the same shape or type; of names with equal values the first one."""
    matrices: list[int]
    """The matrices that keep the shape in a product; of those with equal products the first one."""


def alike(watching: Watching, spec: str, mechanism: Mechanism, quantity: str, arguments: Sequence[Array]) -> list[Alike | None]:
    """What could stand for the value of each place; None for a place that is not executed."""
    codes = [_compiled(texts) for texts in watching.texts]
    axes = dict[int, int]()
    seen: dict[int, dict[tuple[int, bool], list[bytes]]] = {}

    def see(k: int, value: Any, frame: FrameType) -> None:
        own = _numbers(value)
        axes[k] = -1 if own is None else own.ndim
        found = {(-1, False): _identity(value, own)}
        for t, code in enumerate(codes[watching.places[k].texts]):
            named = _evaluated(code, frame)
            other = _numbers(named)
            if own is None or other is None:
                if own is other and type(named) is type(value):
                    found[t, False] = _identity(named, None)
                continue
            if other.shape == own.shape and not (own.dtype.kind in "iu" and other.dtype.kind == "f"):
                found[t, False] = other.tobytes()
            if own.ndim and other.ndim == 2 and other.shape == (len(own), len(own)):
                found[t, True] = (other @ own).tobytes()
        before = seen.setdefault(k, {one: [] for one in found})
        # What is not at hand once is not at hand.
        seen[k] = {one: [*before[one], data] for one, data in found.items() if one in before}

    with _watched(watching, spec) as (hook, code):
        loaded = code.load(mechanism)
        with at_most(LONGEST):
            hook.start(see)
            loaded.ask(quantity, *arguments)
    return [Alike(axes[k], *_distinct(seen[k])) if k in seen else None for k in range(len(watching.places))]


def _identity(value: Any, numbers: Array | None) -> bytes:
    """Equal for equal numbers and texts, and else for the same object."""
    if numbers is not None:
        return numbers.tobytes()
    return value.encode("utf-8", "replace") if isinstance(value, str) else str(id(value)).encode()


def _distinct(found: dict[tuple[int, bool], list[bytes]]) -> tuple[list[int], list[int]]:
    values, chosen = [found.pop((-1, False))], ([], [])
    for (text, is_product), value in found.items():
        if value not in values:
            values.append(value)
            chosen[is_product].append(text)
    return chosen


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
    array: Array
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
    codes = [_compiled(texts) for texts in watching.texts]
    seen: dict[int, list[tuple[int, dict[str, Array]]]] = {}
    linear: list[Linear] = []
    untried = dict(zip(functions, _compiled(functions), strict=True))

    def see(state: int, k: int, value: Any, frame: FrameType) -> None:
        texts = watching.places[k].texts
        given = {text: _evaluated(code, frame) for text, code in zip(watching.texts[texts], codes[texts], strict=True)}
        arrays = {text: _numbers(one) for text, one in {**given, "": value}.items()}
        if arrays[""] is not None and arrays[""].dtype.kind != "f":
            del arrays[""]  # An index, perhaps.
        kept = {text: np.array(array, dtype=np.float64) for text, array in arrays.items() if array is not None}
        seen.setdefault(k, []).append((state, kept))
        for text, code in [*untried.items()]:
            if (function := _evaluated(code, frame)) is not None:
                del untried[text]
                linear.extend(Linear(text, *found) for n in SIZES if (found := _linear(function, n)))

    def asked(loaded: Any, state: int) -> Array:
        with at_most(LONGEST):
            return loaded.ask(quantity, *(np.ascontiguousarray(x[state : state + 1]) for x in arguments)).value.reshape(-1)

    with _watched(watching, spec) as (hook, code):
        loaded, answers = code.load(mechanism), []
        for state in range(len(arguments[0])):
            hook.start(partial(see, state))
            answers.append(asked(loaded, state))

        def rate(state: int, change: tuple[int, int, int, float]) -> Array:
            hook.start(change=change)
            try:
                return (asked(loaded, state) - answers[state]) / change[3]
            except Exception:
                return np.full_like(answers[state], np.nan)

        steps, left = [], MOST_RUNS
        common = {k: _common([given for _, given in values]) for k, values in seen.items()}
        for k in sorted((k for k in common if "" in common[k]), key=lambda k: common[k][""].size):
            left -= common[k][""].size
            if left < 0:
                break
            states, counts, rates = [state for state, _ in seen[k]], Counter[int](), []
            for state, value in zip(states, common[k][""], strict=True):
                size = max(1.0, float(np.abs(value).max()))
                rates.append(np.array([rate(state, (k, counts[state], index, size)) for index in range(value.size)]).T)
                counts[state] += 1
            steps.append(Step(k, states, np.array(rates), common[k]))
    return Responses(np.array(answers), steps, linear)


def _common(given: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """What is at hand at every value, with one shape."""
    texts = [text for text in given[0] if all(text in one and one[text].shape == given[0][text].shape for one in given)]
    return {text: np.array([one[text] for one in given]) for text in texts}


def _linear(function: Any, n: int) -> tuple[int, Array] | None:
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
            if answer.shape == expected.shape and expected.any() and np.allclose(answer, expected, CLOSE, CLOSE):
                return count, array
    return None
