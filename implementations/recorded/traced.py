"""The traced reference: its algorithms, recorded once per mechanism and executed as straight-line programs."""

from __future__ import annotations

from functools import cached_property, partial
from importlib.metadata import version
from math import prod
from threading import RLock
from typing import Any

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

TRACED_QUANTITIES = tuple(name for name in ALGORITHMS if QUANTITIES[name].group == "dynamics")
"""The dynamics only."""

LONG = ("derivatives", "regressors")
"""Groups of quantities with long programs. Each has a recording of its own, which is released when the program is made."""


class TracedDynamics:
    """One mechanism. It has a method for each of :data:`TRACED_QUANTITIES`, which is recorded at its first call."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._functions: dict[str, RecordedFunction] = {}
        self._lock = RLock()
        for quantity in TRACED_QUANTITIES:
            setattr(self, quantity, partial(self.values, quantity))

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

    def values(self, quantity: str, *arguments: Tensor) -> Tensor:
        """``quantity`` at batch-first arguments, in float64."""
        return self.high_low(quantity, *arguments, precision="float64")[0]

    def high_low(
        self, quantity: str, *arguments: Tensor | tuple[Tensor, Tensor], precision: Precision = "double-double"
    ) -> tuple[Tensor, Tensor]:
        """``quantity`` at batch-first arguments, as the sum of two arrays of float64. Arguments may be such pairs, too."""
        require_answer(quantity, self._mechanism)
        return self.function(quantity)(*arguments, precision=precision)

    def operations(self, quantity: str) -> int:
        """The number of operations per state, sines and cosines included."""
        return len(self.function(quantity).program.code)

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

    def load(self, mechanism: Mechanism) -> Any:
        return cached_dynamics(mechanism)


def cached_dynamics(mechanism: Mechanism) -> TracedDynamics:
    """Successive calls for the same mechanism share one recording."""
    return _KEPT.get(mechanism, lambda: TracedDynamics(mechanism))


_KEPT = Kept[TracedDynamics]()


TRACED = Traced()
