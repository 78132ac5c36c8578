"""The quantities of a mechanism as recorded programs, which :mod:`machine` executes in double-double."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import prod
from threading import RLock
from typing import Any

from machine.recorded_function import RecordedFunction, function_of
from machine.recording import Recording
from machine.values import Values, new_inputs
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES
from oracle.fields import Array, Recorded
from oracle.rotations import require_rotations

LONG = ("inverse_dynamics_dq", "inverse_dynamics_dv", "mass_matrix_rate", "joint_torque_regressor")
"""Quantities with long programs. Each has a recording of its own, which is released when the program is made."""

OWN_INPUTS = {"mass_matrix_rate": "qv"}
"""The inputs of quantities that no implementation offers, as :attr:`mechanisms.quantities.Quantity.inputs` names them."""


class RecordedQuantities:
    """What ``source`` derives for one mechanism, each quantity recorded at its first call.

    ``source`` gives an object over a field, with a method for every quantity that it has:

        RecordedQuantities(mechanism, lambda field: EulerLagrange(mechanism, field).keeping())
        RecordedQuantities(mechanism, lambda field: Evaluator(equations, field))

    The short ones share one recording. So an object that keeps what its methods have in common records it once.
    """

    def __init__(self, mechanism: Mechanism, source: Callable[[Recorded], Any]) -> None:
        self.mechanism, self._source = mechanism, source
        self._functions: dict[str, RecordedFunction] = {}
        self._lock = RLock()

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

    def has(self, quantity: str) -> bool:
        return hasattr(self._shared[0], quantity)

    def high_low(self, quantity: str, *arguments: Array, **options: Any) -> tuple[Array, Array]:
        """``quantity`` at batch-first arguments, as the sum of two float64 arrays.

        The ``options`` are those of :func:`machine.run.run`. Raises :class:`~oracle.errors.OracleError` for quaternions of length
        zero.
        """
        require_rotations(self.mechanism, arguments[0])
        return self.function(quantity)(*arguments, **options)

    def _record(self, quantity: str) -> RecordedFunction:
        source, inputs = self._new() if quantity in LONG else self._shared
        count = len(OWN_INPUTS.get(quantity) or QUANTITIES[quantity].inputs)
        result = getattr(source, quantity)(*(x[None] for x in inputs[:count]))[0]
        return function_of(result, sum(prod(x.shape) for x in inputs[:count]))

    @cached_property
    def _shared(self) -> tuple[Any, list[Values]]:
        return self._new()

    def _new(self) -> tuple[Any, list[Values]]:
        """The source over a new recording, and its inputs: q, v, then a or τ, then f. Arguments are the first of these."""
        field, m = Recorded(Recording()), self.mechanism
        shapes = ((m.nq,), (m.nv,), (m.nv,), (len(m.bodies), 6))
        return self._source(field), [new_inputs(field.recording, *shape) for shape in shapes]
