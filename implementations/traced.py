"""The reference, traced: the same algorithms, recorded once for a mechanism and executed as straight-line programs."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from implementations.field import Tensor
from implementations.model import build
from implementations.program import Program
from implementations.protocol import Array
from implementations.reference import ALGORITHMS, require_regular
from implementations.trace import Recorded
from mechanisms import Mechanism

INPUTS = {
    "inverse_dynamics": "qvv",
    "mass_matrix": "q",
    "forward_dynamics": "qvv",
    "nonlinear_effects": "qv",
    "gravity": "q",
    "kinetic_energy": "qv",
    "potential_energy": "q",
}
"""The arguments of every quantity: q is (batch, nq), v stands for any array (batch, nv)."""


class TracedDynamics:
    """One mechanism; a quantity is recorded when it is first asked for."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._program = cache(self._record)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.values("inverse_dynamics", q, v, a)

    def mass_matrix(self, q: Array) -> Array:
        return self.values("mass_matrix", q)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        require_regular(self._mechanism)
        return self.values("forward_dynamics", q, v, tau)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self.values("nonlinear_effects", q, v)

    def gravity(self, q: Array) -> Array:
        return self.values("gravity", q)

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        return self.values("kinetic_energy", q, v)

    def potential_energy(self, q: Array) -> Array:
        return self.values("potential_energy", q)

    def values(self, quantity: str, *arguments: Tensor, dtype: type[np.floating[Any]] = np.float64) -> Tensor:
        """``quantity`` at batch-first arguments, computed in ``dtype``."""
        program, shape = self._program(quantity)
        return np.moveaxis(program.values(arguments, dtype).reshape(*shape, -1), -1, 0)

    def operations(self, quantity: str) -> int:
        """How many operations one state takes, sines and cosines included."""
        return len(self._program(quantity)[0].instructions)

    def _record(self, quantity: str) -> tuple[Program, tuple[int, ...]]:
        field = Recorded()
        widths = {"q": self._mechanism.nq, "v": self._mechanism.nv}
        arguments = [field.inputs(widths[kind]) for kind in INPUTS[quantity]]
        output = ALGORITHMS[quantity](build(self._mechanism, field), *arguments)
        shape = output.shape[:-1]
        return Program.compile(sum(map(len, arguments)), output.reshape(math.prod(shape)).tolist()), shape


class Traced:
    """Builds the traced reference."""

    name = "traced"

    @property
    def version(self) -> str:
        return version("dalembert")

    def load(self, mechanism: Mechanism) -> TracedDynamics:
        return _recorded(mechanism)


@lru_cache(maxsize=2)
def _recorded(mechanism: Mechanism) -> TracedDynamics:
    """One recording serves everyone who asks for the same mechanism in a row."""
    return TracedDynamics(mechanism)


TRACED = Traced()
