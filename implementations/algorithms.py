"""Implementations built from algorithms. An algorithm is a function of a model over a field and of batch-last arrays.

The derivations of this folder share this module and :mod:`implementations.field`: the handling of batches, and h, g and M as
values of inverse dynamics. Neither module contains dynamics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Protocol

import numpy as np

from implementations.field import Field, Real, Tensor, constant
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES

Algorithm = Callable[..., Tensor]
"""Takes the model, then batch-last arrays; returns one batch-last array."""


def by_name(*algorithms: Algorithm) -> dict[str, Algorithm]:
    """Algorithms by the names of their functions, which are names of quantities or of families of quantities."""
    return {algorithm.__name__: algorithm for algorithm in algorithms}


BLOCK = 2048
"""States per pass. The working set of one pass then fits in the cache."""


class Model(Protocol):
    """A mechanism prepared for an algorithm, over a field."""

    @property
    def field(self) -> Field: ...


@lru_cache(maxsize=8)
def model_of(build: Callable[[Mechanism, Field], Model], mechanism: Mechanism, field: Real) -> Model:
    """The model that ``build`` makes of a mechanism. Callers that load the mechanism one after the other share it."""
    return build(mechanism, field)


class Algorithmic:
    """The implementation ``name`` over ``field``: ``build`` makes models, ``algorithms`` maps quantities to functions.

    ``mimic_joints`` says that it knows mimic joints, or why it does not.
    """

    def __init__(
        self,
        name: str,
        build: Callable[[Mechanism, Field], Model],
        algorithms: Mapping[str, Algorithm],
        field: Real | None = None,
        mimic_joints: bool | str = "this derivation has no mimic joints",
    ) -> None:
        self.name = name
        self.mimic_joints = mimic_joints
        self._build = build
        self._algorithms = algorithms
        self._field = field or Real()

    @property
    def version(self) -> str:
        from importlib.metadata import version  # Slow to import, and most worker processes never ask.

        return version("dalembert")

    def load(self, mechanism: Mechanism) -> Any:
        return AlgorithmicDynamics(mechanism, model_of(self._build, mechanism, self._field), self._algorithms)


class AlgorithmicDynamics:
    """One mechanism, batch first. Has one method per entry of ``algorithms``; see :class:`implementations.protocol.Dynamics`."""

    def __init__(self, mechanism: Mechanism, model: Model, algorithms: Mapping[str, Algorithm]) -> None:
        self._mechanism = mechanism
        self._model = model
        self._algorithms = algorithms

    def __getattr__(self, quantity: str) -> Callable[..., Tensor]:
        # Made when it is asked for: most objects are asked for few of the many quantities.
        algorithms = self.__dict__.get("_algorithms", {})
        if quantity not in algorithms:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {quantity!r}")
        return partial(self._evaluate, quantity, algorithms[quantity])

    def _evaluate(self, quantity: str, algorithm: Algorithm, *arguments: Tensor) -> Tensor:
        require_answer(quantity, self._mechanism)
        return evaluate_in_blocks(algorithm, self._model, arguments)


def evaluate_in_blocks(algorithm: Algorithm, model: Model, arguments: tuple[Tensor, ...], block: int = BLOCK) -> Tensor:
    """Evaluate a batch-last algorithm on batch-first arguments, ``block`` states at a time."""
    states = len(arguments[0])
    parts = []
    for start in range(0, states, block):
        blocks = (np.moveaxis(x[start : start + block], 0, -1) for x in arguments)
        columns = (np.ascontiguousarray(x, dtype=model.field.dtype) for x in blocks)
        parts.append(np.moveaxis(algorithm(model, *columns), -1, 0))
    return np.concatenate(parts) if parts else np.moveaxis(algorithm(model, *(np.moveaxis(x, 0, -1) for x in arguments)), -1, 0)


def require_answer(quantity: str, mechanism: Mechanism) -> None:
    """Raise :class:`Unsupported` if the mechanism does not have this quantity, or if it needs M⁻¹ and M is always singular."""
    ALL_QUANTITIES[quantity].require_defined(mechanism)
    if ALL_QUANTITIES[quantity].needs_regular_mass_matrix and (joints := mechanism.subtrees_without_inertia):
        raise Unsupported(f"joint {joints[0]!r} moves nothing that has mass or armature, so M is singular and q̈ is undefined")


def from_inverse_dynamics(inverse_dynamics: Algorithm) -> dict[str, Algorithm]:
    """h, g and M as values of inverse dynamics, since τ = M q̈ + h (Walker & Orin 1982, method 1):

        h = ID(q, q̇, 0),    g = ID(q, 0, 0),    M e_j = ID(q, 0, e_j) without gravity and springs

    Models must have ``gravity`` and ``nv``, and may have ``springs``. Each column of M takes one evaluation; the composite-
    rigid-body algorithm would take one for all columns.
    """

    def zero(model: Any) -> Tensor:
        return constant(model.field, [[0]] * model.nv)

    def nonlinear_effects(model: Any, q: Tensor, qd: Tensor) -> Tensor:
        return inverse_dynamics(model, q, qd, zero(model))

    def gravity(model: Any, q: Tensor) -> Tensor:
        return inverse_dynamics(model, q, zero(model), zero(model))

    def mass_matrix(model: Any, q: Tensor) -> Tensor:
        relaxed = {"springs": ()} if hasattr(model, "springs") else {}
        weightless = replace(model, gravity=0 * model.gravity, **relaxed)
        states = q.shape[1]
        # Columns of small batches share a pass, which costs as much as one of them.
        width = 1 if model.field.dtype == object else max(1, BLOCK // max(1, states))
        parts = []
        for first in range(0, model.nv, width):
            columns = range(first, min(first + width, model.nv))
            ones = constant(model.field, [[int(k == j) for j in columns] for k in range(model.nv)])
            passed = inverse_dynamics(weightless, np.tile(q, len(columns)), zero(model), np.repeat(ones, states, axis=1))
            parts.append(passed.reshape(model.nv, len(columns), states))
        return np.concatenate(parts, axis=1)

    return by_name(inverse_dynamics, mass_matrix, nonlinear_effects, gravity)
