"""Values of expressions while a user's Python code runs, and what could stand for them.

This runs in a worker process. The source calls a hook around each watched expression. The hook sees the value, and evaluates
names that the function has at hand there. It may also change one number of the value.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Literal, NamedTuple

import numpy as np

from implementations.processes.edited import EDIT_SECONDS, Edit, at_most, edited_sources, loaded_anew, spliced
from implementations.processes.subject import InProcess
from implementations.protocol import Array
from mechanisms import Mechanism

HOOK = "__dalembert_watched__"

LONGEST_WATCHED = 10 * EDIT_SECONDS
"""Seconds of CPU that a watched code may take."""

LARGEST = 100
"""Numbers of the largest value that is looked at."""


class Span(NamedTuple):
    """An expression, from byte ``start`` to byte ``end`` of a source; ``texts`` is the number of the list of names there."""

    start: int
    end: int
    texts: int


class Watching(NamedTuple):
    """What is watched: places of one file, after the edits of ``before``, and lists of names."""

    before: Sequence[Edit]
    path: str
    places: Sequence[Span]
    texts: Sequence[Sequence[str]]

    @staticmethod
    def from_message(header: Sequence[Any]) -> Watching:
        before, path, places, texts = header
        return Watching([Edit(*edit) for edit in before], path, [Span(*place) for place in places], texts)

    def sources(self) -> dict[Path, bytes]:
        """Raises :class:`OSError`."""
        path = Path(self.path).resolve()
        sources = {path: path.read_bytes()} | edited_sources(self.before)
        marks = [(place.end, 0, 0, b"))") for place in self.places]
        # Of expressions that begin together, the longest is the outer one.
        marks += [(place.start, 1, -place.end, f"{HOOK}({k}, (".encode()) for k, place in enumerate(self.places)]
        return {**sources, path: spliced(sources[path], marks)}


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
def watched(watching: Watching, spec: str) -> Iterator[tuple[Hook, Callable[[], InProcess]]]:
    """The hook, and a function that loads the code that ``spec`` names anew, with a source that calls the hook."""
    hook = Hook()
    setattr(builtins, HOOK, hook)
    try:
        with loaded_anew(watching.sources(), spec) as load:
            yield hook, load
    finally:
        delattr(builtins, HOOK)


def compiled(texts: Sequence[str]) -> list[CodeType]:
    """What :func:`evaluated` takes."""
    return [compile(text, "name", "eval") for text in texts]


def evaluated(code: CodeType, frame: FrameType) -> Any:
    """The value in a frame; None if there is none."""
    with suppress(Exception):
        return eval(code, frame.f_globals, frame.f_locals)
    return None


def numbers_of(value: Any) -> Array | None:
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


Use = Literal["name", "matrix", "number"]
"""What a name can be: one in the place of the value, a matrix before it, or a factor of it."""


class Alike(NamedTuple):
    """What could stand for a value that was seen."""

    axes: int
    """0 for a number, 1 for a vector, 2 for a matrix, -1 for anything else."""
    names: list[int]
    """The names with other values of the same shape or type; of names with equal values the first one."""
    matrices: list[int]
    """The matrices that keep the shape in a product; of those with equal products the first one."""
    numbers: list[int]
    """The names of numbers, neither zero nor one; of names with equal values the first one."""


def alike(watching: Watching, spec: str, mechanism: Mechanism, quantity: str, arguments: Sequence[Array]) -> list[Alike | None]:
    """What could stand for the value of each place; None for a place that is not executed."""
    codes = [compiled(texts) for texts in watching.texts]
    axes = dict[int, int]()
    seen: dict[int, dict[tuple[int, Use], list[bytes]]] = {}

    def see(k: int, value: Any, frame: FrameType) -> None:
        own = numbers_of(value)
        axes[k] = -1 if own is None else own.ndim
        found: dict[tuple[int, Use], bytes] = {(-1, "name"): _identity(value, own)}
        for t, code in enumerate(codes[watching.places[k].texts]):
            named = evaluated(code, frame)
            other = numbers_of(named)
            if own is None or other is None:
                if own is other and type(named) is type(value):
                    found[t, "name"] = _identity(named, None)
                continue
            if other.shape == own.shape and not (own.dtype.kind in "iu" and other.dtype.kind == "f"):
                found[t, "name"] = other.tobytes()
            if own.ndim and other.ndim == 2 and other.shape == (len(own), len(own)):
                found[t, "matrix"] = (other @ own).tobytes()
            if own.dtype.kind == other.dtype.kind == "f" and not other.ndim and other not in (0, 1):
                found[t, "number"] = other.tobytes()
        before = seen.setdefault(k, {one: [] for one in found})
        # What is not at hand once is not at hand.
        seen[k] = {one: [*before[one], data] for one, data in found.items() if one in before}

    with watched(watching, spec) as (hook, load), at_most(LONGEST_WATCHED):
        hook.start(see)
        load().load(mechanism).ask(quantity, *arguments)
    return [Alike(axes[k], *_distinct(seen[k])) if k in seen else None for k in range(len(watching.places))]


def _identity(value: Any, numbers: Array | None) -> bytes:
    """Equal for equal numbers and texts, and else for the same object."""
    if numbers is not None:
        return numbers.tobytes()
    return value.encode("utf-8", "replace") if isinstance(value, str) else str(id(value)).encode()


def _distinct(found: dict[tuple[int, Use], list[bytes]]) -> tuple[list[int], list[int], list[int]]:
    """The texts for each use."""
    own = found.pop((-1, "name"))
    kept: set[tuple[Use, bytes]] = {("name", b"".join(own)), ("matrix", b"".join(own))}
    chosen: dict[Use, list[int]] = {"name": [], "matrix": [], "number": []}
    for (text, use), value in found.items():
        key = use, b"".join(value)
        if key not in kept:
            kept.add(key)
            chosen[use].append(text)
    return chosen["name"], chosen["matrix"], chosen["number"]
