"""The quantities of a mechanism as recorded programs, which :mod:`machine` executes in double-double."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from machine.recorded_function import RecordedFunction, record
from machine.recording import Recording
from machine.values import Values
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES
from oracle.fields import Array, Recorded
from oracle.rotations import require_rotations


class RecordedQuantities:
    """What ``source`` derives for one mechanism, each quantity recorded at its first call.

    ``source`` gives an object over a field, with a method for every quantity that it has:

        RecordedQuantities(mechanism, lambda field: EulerLagrange(mechanism, field))
        RecordedQuantities(mechanism, lambda field: Evaluator(equations, field))
    """

    def __init__(self, mechanism: Mechanism, source: Callable[[Recorded], Any]) -> None:
        self.mechanism, self._source = mechanism, source
        self.function = cache(self._record)

    def has(self, quantity: str) -> bool:
        return hasattr(self._source(Recorded()), quantity)

    def high_low(self, quantity: str, *arguments: Array, **options: Any) -> tuple[Array, Array]:
        """``quantity`` at batch-first arguments, as the sum of two float64 arrays.

        The ``options`` are those of :func:`machine.run.run`. Raises :class:`~oracle.errors.OracleError` for quaternions of length
        zero.
        """
        require_rotations(self.mechanism, arguments[0])
        return self.function(quantity)(*arguments, **options)

    def _record(self, quantity: str) -> RecordedFunction:
        """The program of one quantity; all of its arguments are inputs."""
        shapes = {"q": (self.mechanism.nq,), "v": (self.mechanism.nv,), "f": (len(self.mechanism.bodies), 6)}

        def derivation(recording: Recording, *arguments: Values) -> Any:
            return getattr(self._source(Recorded(recording)), quantity)(*(x[None] for x in arguments))[0]

        return record(derivation, [shapes[kind] for kind in QUANTITIES[quantity].inputs])
