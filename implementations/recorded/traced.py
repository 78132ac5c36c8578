"""The traced reference: its algorithms, recorded once per mechanism and executed as straight-line programs.

It has every quantity of the reference. docs/fast.md says how to call it, and what it costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial
from importlib.metadata import version
from math import prod
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from implementations.algorithms import require_answer
from implementations.field import Recorded, Tensor
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.instructions import Precision
from machine.kept import Kept
from machine.recorded_function import RecordedFunction, function_of
from machine.recording import Recording
from machine.values import Values, new_inputs
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

LONG = ("derivatives", "regressors")
"""Groups of quantities with long programs. Each has a recording of its own, which is released when the program is made."""

MANY_STATES = 2**20
"""From so many states on, in all calls together, a program gets code of its own: then compiling has taken no longer than what the
states took before."""

FEW_STATES = 2**6
"""Calls with fewer states do not count, because code of its own would not make them faster."""

COMPILED = 2**15
"""The longest program that gets code of its own. It compiles in three seconds."""


class TracedDynamics:
    """One mechanism. It has a method for every quantity of the reference, which is recorded at its first call.

    Arguments are batch-first: q (states, nq), v, a and tau (states, nv), forces f (states, bodies, 6). Answers are float64
    (states, …), contiguous. ``threads=2`` shares the states between two threads; the bits do not depend on it. ``out`` is an
    array for the answer: memory that is new takes longer to write.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._functions: dict[str, RecordedFunction] = {}
        self._states: Counter[str] = Counter()
        self._lock = RLock()
        for quantity in ALGORITHMS:
            setattr(self, quantity, partial(self.values, quantity))

    if TYPE_CHECKING:

        def __getattr__(self, quantity: str) -> Callable[..., Tensor]: ...

    @property
    def instructions(self) -> int:
        """The length of all programs that were recorded so far."""
        return sum(len(function.program.code) for function in self._functions.values())

    def function(self, quantity: str) -> RecordedFunction:
        """The program of one quantity; all of its arguments are inputs."""
        if quantity not in self._functions:
            with self._lock:
                self._functions[quantity] = self._functions.get(quantity) or self._record(quantity)
        return self._functions[quantity]

    def values(self, quantity: str, *arguments: Any, threads: int = 1, out: Tensor | None = None) -> Tensor:
        """``quantity`` at batch-first arguments, in float64; in ``out`` if it is given.

        Raises :class:`ValueError` for arrays of other shapes, and :class:`~mechanisms.errors.Unsupported` where the mechanism
        does not have the quantity.
        """
        require_answer(quantity, self._mechanism)
        arrays = self._checked(quantity, arguments)
        function = self.function(quantity)
        compiled = self._pays(quantity, len(arrays[0]), len(function.program.code))
        if out is not None and np.shape(out) != (len(arrays[0]), *function.shape):
            raise ValueError(f"out must have the shape {(len(arrays[0]), *function.shape)}, not {np.shape(out)}")
        return function(*arrays, precision="float64", threads=threads, compiled=compiled, out=out)[0]

    def high_low(
        self, quantity: str, *arguments: Tensor | tuple[Tensor, Tensor], precision: Precision = "double-double"
    ) -> tuple[Tensor, Tensor]:
        """``quantity`` at batch-first arguments, as the sum of two arrays of float64. Arguments may be such pairs, too."""
        require_answer(quantity, self._mechanism)
        return self.function(quantity)(*arguments, precision=precision)

    def operations(self, quantity: str) -> int:
        """The number of operations per state, sines and cosines included."""
        return len(self.function(quantity).program.code)

    def _pays(self, quantity: str, states: int, instructions: int) -> bool:
        """Whether code of its own pays for the program of this quantity, which is called with so many states."""
        if states >= FEW_STATES:
            self._states[quantity] += states
        return states >= FEW_STATES and self._states[quantity] >= MANY_STATES and instructions <= COMPILED

    def _checked(self, quantity: str, arguments: tuple[Any, ...]) -> list[Tensor]:
        m, wanted = self._mechanism, QUANTITIES[quantity]
        sizes = {"q": (m.nq,), "v": (m.nv,), "f": (len(m.bodies), 6)}
        arrays = [np.asarray(x) for x in arguments]
        shapes = [sizes[kind] for kind in wanted.inputs]
        if [x.shape[1:] for x in arrays] != shapes or len({len(x) for x in arrays}) > 1:
            takes = ", ".join(
                f"{name} (states{''.join(f', {n}' for n in shape)})" for name, shape in zip(wanted.arguments, shapes, strict=True)
            )
            given = ", ".join(str(x.shape) for x in arrays) or "nothing"
            raise ValueError(f"{quantity} of {m.name!r} takes arrays {takes}, not {given}; one state x is the batch x[None]")
        return arrays

    def _record(self, quantity: str) -> RecordedFunction:
        model, inputs = self._new() if QUANTITIES[quantity].group in LONG else self._shared
        given = inputs[: len(QUANTITIES[quantity].inputs)]
        result: Any = ALGORITHMS[quantity](model, *(x[..., None] for x in given))[..., 0]
        return function_of(result, sum(prod(x.shape) for x in given))

    @cached_property
    def _shared(self) -> tuple[Any, list[Values]]:
        return self._new()

    def _new(self) -> tuple[Any, list[Values]]:
        """The model over a new recording, and its inputs: q, v, then a or τ, then f. Arguments are the first of these."""
        field, m = Recorded(Recording()), self._mechanism
        shapes = ((m.nq,), (m.nv,), (m.nv,), (len(m.bodies), 6))
        return build(m, field), [new_inputs(field.recording, *shape) for shape in shapes]


class Traced:
    """The implementation "traced"."""

    name = "traced"
    mimic_joints = True

    @property
    def version(self) -> str:
        return version("dalembert")

    def load(self, mechanism: Mechanism) -> TracedDynamics:
        return cached_dynamics(mechanism)


def cached_dynamics(mechanism: Mechanism) -> TracedDynamics:
    """Successive calls for the same mechanism share one recording."""
    return _KEPT.get(mechanism, lambda: TracedDynamics(mechanism))


_KEPT = Kept[TracedDynamics]()


TRACED = Traced()
