"""The reference: the recursive algorithms of this folder over float64 batches, or over any other real type."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from implementations.aba import aba
from implementations.bias import gravity, nonlinear_effects
from implementations.crba import crba
from implementations.energy import kinetic_energy, potential_energy
from implementations.field import Real, Tensor
from implementations.model import Model, build
from implementations.protocol import Unsupported
from implementations.rnea import rnea
from mechanisms import Mechanism

BLOCK = 2048
"""States per pass: the working set of a pass stays in cache."""

ALGORITHMS: dict[str, Callable[..., Tensor]] = {
    "inverse_dynamics": rnea,
    "mass_matrix": crba,
    "forward_dynamics": aba,
    "nonlinear_effects": nonlinear_effects,
    "gravity": gravity,
    "kinetic_energy": kinetic_energy,
    "potential_energy": potential_energy,
}
"""The algorithm behind every quantity: called with the model and batch-last arrays."""


class ReferenceDynamics:
    """One mechanism, batch first; see :class:`implementations.protocol.Dynamics`."""

    def __init__(self, mechanism: Mechanism, field: Real) -> None:
        self._mechanism = mechanism
        self._model = build(mechanism, field)

    def inverse_dynamics(self, q: Tensor, v: Tensor, a: Tensor) -> Tensor:
        return self._run("inverse_dynamics", q, v, a)

    def mass_matrix(self, q: Tensor) -> Tensor:
        return self._run("mass_matrix", q)

    def forward_dynamics(self, q: Tensor, v: Tensor, tau: Tensor) -> Tensor:
        require_regular(self._mechanism)
        return self._run("forward_dynamics", q, v, tau)

    def nonlinear_effects(self, q: Tensor, v: Tensor) -> Tensor:
        return self._run("nonlinear_effects", q, v)

    def gravity(self, q: Tensor) -> Tensor:
        return self._run("gravity", q)

    def kinetic_energy(self, q: Tensor, v: Tensor) -> Tensor:
        return self._run("kinetic_energy", q, v)

    def potential_energy(self, q: Tensor) -> Tensor:
        return self._run("potential_energy", q)

    def _run(self, quantity: str, *arguments: Tensor) -> Tensor:
        return in_blocks(ALGORITHMS[quantity], self._model, arguments)


def in_blocks(algorithm: Callable[..., Tensor], model: Model, arguments: tuple[Tensor, ...], block: int = BLOCK) -> Tensor:
    """Run a batch-last algorithm on batch-first arguments, a block of states at a time."""
    states = len(arguments[0])
    parts = []
    for start in range(0, states, block):
        columns = (np.ascontiguousarray(x[start : start + block].T, dtype=model.field.dtype) for x in arguments)
        parts.append(np.moveaxis(algorithm(model, *columns), -1, 0))
    return np.concatenate(parts) if parts else np.moveaxis(algorithm(model, *(x.T for x in arguments)), -1, 0)


def require_regular(mechanism: Mechanism) -> None:
    """Raise :class:`Unsupported` where forward dynamics has no answer."""
    if idle := mechanism.subtrees_without_inertia:
        raise Unsupported(f"nothing beyond joint {idle[0]!r} has mass or armature, so M is singular and q̈ is undefined")


class Reference:
    """Builds the reference over ``field``."""

    name = "reference"

    def __init__(self, field: Real | None = None) -> None:
        self._field = field or Real()

    @property
    def version(self) -> str:
        return version("dalembert")

    def load(self, mechanism: Mechanism) -> Any:
        return ReferenceDynamics(mechanism, self._field)


REFERENCE = Reference()
