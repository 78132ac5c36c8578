"""The traced reference: its algorithms, recorded once per mechanism and executed as straight-line programs."""

from __future__ import annotations

from functools import cache, lru_cache, partial
from importlib.metadata import version
from typing import Any

from implementations.algorithms import require_answer
from implementations.field import Recorded, Tensor
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.instructions import Precision
from machine.recorded_function import RecordedFunction, record
from machine.recording import Recording
from machine.values import Values
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

TRACED_QUANTITIES = tuple(name for name in ALGORITHMS if QUANTITIES[name].group == "dynamics")
"""The dynamics only."""


class TracedDynamics:
    """One mechanism. It has a method for each of :data:`TRACED_QUANTITIES`, which is recorded at its first call."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self.function = cache(self._record)
        for quantity in TRACED_QUANTITIES:
            setattr(self, quantity, partial(self.values, quantity))

    def values(self, quantity: str, *arguments: Tensor) -> Tensor:
        """``quantity`` at batch-first arguments, in float64."""
        return self.high_low(quantity, *arguments, precision="float64")[0]

    def high_low(self, quantity: str, *arguments: Tensor, precision: Precision = "double-double") -> tuple[Tensor, Tensor]:
        """``quantity`` at batch-first arguments, as the sum of two arrays of float64."""
        require_answer(quantity, self._mechanism)
        return self.function(quantity)(*arguments, precision=precision)

    def operations(self, quantity: str) -> int:
        """The number of operations per state, sines and cosines included."""
        return len(self.function(quantity).program.code)

    def _record(self, quantity: str) -> RecordedFunction:
        shapes = {"q": (self._mechanism.nq,), "v": (self._mechanism.nv,), "f": (len(self._mechanism.bodies), 6)}

        def algorithm(recording: Recording, *arguments: Values) -> Values:
            columns = (x[..., None] for x in arguments)
            return ALGORITHMS[quantity](build(self._mechanism, Recorded(recording)), *columns)[..., 0]  # type: ignore[return-value]

        return record(algorithm, [shapes[kind] for kind in QUANTITIES[quantity].inputs])


class Traced:
    """The implementation "traced"."""

    name = "traced"
    mimic_joints = True

    @property
    def version(self) -> str:
        return version("dalembert")

    def load(self, mechanism: Mechanism) -> Any:
        return _cached_dynamics(mechanism)


@lru_cache(maxsize=2)
def _cached_dynamics(mechanism: Mechanism) -> TracedDynamics:
    """Successive calls for the same mechanism share one recording."""
    return TracedDynamics(mechanism)


TRACED = Traced()
