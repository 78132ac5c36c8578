"""Implementations made of algorithms, which are functions of a model over a field and of batch-last arrays.

What the derivations of this folder share is here and in :mod:`implementations.field`: batches, and what h, g and M are
where inverse dynamics is known. There is no dynamics in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from implementations.field import Field, Real, Tensor, constant
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

Algorithm = Callable[..., Tensor]
"""Called with the model, then with batch-last arrays; returns one."""

BLOCK = 2048
"""States per pass: the working set of a pass stays in cache."""


class Model(Protocol):
    """What a mechanism has been made into, over a field."""

    @property
    def field(self) -> Field: ...


class Algorithmic:
    """The implementation ``name``, over ``field``: ``build`` makes models, ``algorithms`` has a function for every quantity."""

    def __init__(
        self,
        name: str,
        build: Callable[[Mechanism, Field], Model],
        algorithms: Mapping[str, Algorithm],
        field: Real | None = None,
    ) -> None:
        self.name = name
        self._build = build
        self._algorithms = algorithms
        self._field = field or Real()

    @property
    def version(self) -> str:
        return version("dalembert")

    def load(self, mechanism: Mechanism) -> Any:
        return AlgorithmicDynamics(mechanism, self._build(mechanism, self._field), self._algorithms)


class AlgorithmicDynamics:
    """One mechanism, batch first: a method for each of ``algorithms``, as in :class:`implementations.protocol.Dynamics`."""

    def __init__(self, mechanism: Mechanism, model: Model, algorithms: Mapping[str, Algorithm]) -> None:
        self._mechanism = mechanism
        self._model = model
        for quantity, algorithm in algorithms.items():
            setattr(self, quantity, partial(self._answer, quantity, algorithm))

    def _answer(self, quantity: str, algorithm: Algorithm, *arguments: Tensor) -> Tensor:
        require_answer(quantity, self._mechanism)
        return in_blocks(algorithm, self._model, arguments)


def in_blocks(algorithm: Algorithm, model: Model, arguments: tuple[Tensor, ...], block: int = BLOCK) -> Tensor:
    """Run a batch-last algorithm on batch-first arguments, a block of states at a time."""
    states = len(arguments[0])
    parts = []
    for start in range(0, states, block):
        blocks = (np.moveaxis(x[start : start + block], 0, -1) for x in arguments)
        columns = (np.ascontiguousarray(x, dtype=model.field.dtype) for x in blocks)
        parts.append(np.moveaxis(algorithm(model, *columns), -1, 0))
    return np.concatenate(parts) if parts else np.moveaxis(algorithm(model, *(np.moveaxis(x, 0, -1) for x in arguments)), -1, 0)


def require_answer(quantity: str, mechanism: Mechanism) -> None:
    """Raise :class:`Unsupported` where the mechanism does not have this quantity."""
    QUANTITIES[quantity].require_defined(mechanism)
    if QUANTITIES[quantity].needs_regular_mass_matrix and (idle := mechanism.subtrees_without_inertia):
        raise Unsupported(f"nothing beyond joint {idle[0]!r} has mass or armature, so M is singular and q̈ is undefined")


def by_inverse_dynamics(inverse_dynamics: Algorithm) -> dict[str, Algorithm]:
    """What τ = M q̈ + h says of h, g and M, for models that have their ``gravity`` and ``nv``:

        h = ID(q, q̇, 0),    g = ID(q, 0, 0),    M e_j = ID(q, 0, e_j) without gravity    (Walker & Orin 1982, method 1).

    A column of M costs a pass over the bodies, so M is of order n², where composite bodies would need one pass for all.
    """

    def unit(model: Any, *ones: int) -> Tensor:
        return constant(model.field, [[int(k in ones)] for k in range(model.nv)])

    def nonlinear_effects(model: Any, q: Tensor, qd: Tensor) -> Tensor:
        return inverse_dynamics(model, q, qd, unit(model))

    def gravity(model: Any, q: Tensor) -> Tensor:
        return inverse_dynamics(model, q, unit(model), unit(model))

    def mass_matrix(model: Any, q: Tensor) -> Tensor:
        weightless = replace(model, gravity=0 * model.gravity)
        return np.stack([inverse_dynamics(weightless, q, unit(model), unit(model, j)) for j in range(model.nv)], axis=1)

    algorithms = (inverse_dynamics, mass_matrix, nonlinear_effects, gravity)
    return {algorithm.__name__: algorithm for algorithm in algorithms}
