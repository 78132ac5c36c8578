"""The traced reference: its algorithms, recorded once per mechanism and executed as straight-line programs."""

from __future__ import annotations

import math
from functools import cache, lru_cache, partial
from importlib.metadata import version
from typing import Any

import numpy as np

from implementations.algorithms import require_answer
from implementations.field import Tensor
from implementations.recorded.program import Program
from implementations.recorded.tape import Recorded
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

TRACED_QUANTITIES = tuple(name for name in ALGORITHMS if QUANTITIES[name].group == "dynamics")
"""The dynamics only. Jacobians and derivatives have so many components that recording them does not pay."""


class TracedDynamics:
    """One mechanism. It has a method for each of :data:`TRACED_QUANTITIES`, which is recorded at its first call."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._program = cache(self._record)
        for quantity in TRACED_QUANTITIES:
            setattr(self, quantity, partial(self.values, quantity))

    def values(self, quantity: str, *arguments: Tensor, dtype: type[np.floating[Any]] = np.float64) -> Tensor:
        """``quantity`` at batch-first arguments, computed in ``dtype``."""
        require_answer(quantity, self._mechanism)
        program, shape = self._program(quantity)
        flat = [x.reshape(len(x), math.prod(x.shape[1:])) for x in arguments]
        return np.moveaxis(program.values(flat, dtype).reshape(*shape, -1), -1, 0)

    def operations(self, quantity: str) -> int:
        """The number of operations per state, sines and cosines included."""
        return len(self._program(quantity)[0].instructions)

    def _record(self, quantity: str) -> tuple[Program, tuple[int, ...]]:
        field = Recorded()
        shapes = {"q": (self._mechanism.nq,), "v": (self._mechanism.nv,), "f": (len(self._mechanism.bodies), 6)}
        inputs = [shapes[kind] for kind in QUANTITIES[quantity].inputs]
        arguments = [field.inputs(math.prod(shape)).reshape(*shape, 1) for shape in inputs]
        output = ALGORITHMS[quantity](build(self._mechanism, field), *arguments)
        shape = output.shape[:-1]
        return Program.compile(sum(map(math.prod, inputs)), output.reshape(math.prod(shape)).tolist()), shape


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
