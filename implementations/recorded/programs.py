"""The reference's algorithms as recorded programs of one mechanism."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from math import prod
from threading import RLock
from typing import Any

import numpy as np

import machine
import mechanisms
from implementations.field import Recorded
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.caching.cached_programs import CachedPrograms
from machine.caching.loaded_code import LoadedCode
from machine.recording.recorded_function import RecordedFunction, function_of
from machine.recording.recording import Recording
from machine.recording.values import Values, new_inputs
from mechanisms import Mechanism
from mechanisms.files.document import described
from mechanisms.quantities import BY_NAME, QUANTITIES

LONG = ("derivatives", "regressors", *BY_NAME)
"""Groups of quantities with long programs. Each has a recording of its own, which is released when the program is made."""


class Programs:
    """The programs of one mechanism. Each is recorded when it is first asked for, or read where it was kept."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._functions: dict[tuple[str, ...], RecordedFunction] = {}
        self._lock = RLock()
        self.instructions = 0
        """The length of all programs that were recorded so far."""

    def one(self, quantity: str) -> RecordedFunction:
        """The program of one quantity; all of its arguments are inputs."""
        return self._kept((quantity,), lambda: self._record(quantity))

    def several(self, quantities: tuple[str, ...]) -> RecordedFunction:
        """One program for several quantities, whose numbers follow one another. Its inputs are :func:`arguments_of` them."""
        return self._kept(("together", *quantities), lambda: self._record_together(quantities))

    def size(self, argument: str) -> tuple[int, ...]:
        """The shape of an argument for one state."""
        m = self._mechanism
        return {"q": (m.nq,), "f": (len(m.bodies), 6)}.get(argument, (m.nv,))

    def _kept(self, key: tuple[str, ...], record: Callable[[], RecordedFunction]) -> RecordedFunction:
        with self._lock:
            if key not in self._functions:
                self._functions[key] = self._on_disk.get(" ".join(key), record)
                self.instructions += len(self._functions[key].program.code)
            return self._functions[key]

    @cached_property
    def _on_disk(self) -> CachedPrograms:
        return CachedPrograms(_code(), described(self._mechanism))

    def _record(self, quantity: str) -> RecordedFunction:
        arguments = QUANTITIES[quantity].arguments
        model, given = self._new(arguments) if QUANTITIES[quantity].group in LONG else self._shared
        given = given[: len(arguments)]
        result: Any = ALGORITHMS[quantity](model, *(x[..., None] for x in given))[..., 0]
        return function_of(result, sum(prod(x.shape) for x in given))

    def _record_together(self, quantities: tuple[str, ...]) -> RecordedFunction:
        field = Recorded(Recording())
        model = build(self._mechanism, field)
        inputs = {x: new_inputs(field.recording, *self.size(x))[..., None] for x in arguments_of(quantities)}
        answers = [ALGORITHMS[name](model, *(inputs[x] for x in QUANTITIES[name].arguments)) for name in quantities]
        numbers: Any = np.concatenate([x[..., 0].reshape(-1) for x in answers])
        return function_of(numbers, field.recording.inputs)

    @cached_property
    def _shared(self) -> tuple[Any, list[Values]]:
        """q, v, then a or τ, then f: the arguments of a quantity that is not long are the first of these."""
        return self._new(("q", "v", "a", "f"))

    def _new(self, arguments: Sequence[str]) -> tuple[Any, list[Values]]:
        """The model over a new recording, and its inputs."""
        field = Recorded(Recording())
        inputs = [new_inputs(field.recording, *self.size(argument)) for argument in arguments]
        return build(self._mechanism, field), inputs


@cache
def _code() -> LoadedCode:
    """The code of this module, and of all that it imports."""
    return LoadedCode(Programs, (machine.__name__, mechanisms.__name__, str(__package__).rpartition(".")[0]))


def arguments_of(quantities: Sequence[str]) -> tuple[str, ...]:
    """The arguments that any of the quantities takes, each once."""
    return tuple(dict.fromkeys(x for name in quantities for x in QUANTITIES[name].arguments))
