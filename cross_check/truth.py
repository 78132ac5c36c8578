"""What results are held against.

Where a mechanism is small enough the truth is the symbolic Lagrangian oracle; elsewhere it is the reference, which
the oracle has been held against where both apply. Both are evaluated in extended precision, so that what is left of
an error belongs to the code under test. The size of what is summed in each component comes from the reference in
either case: it scales the error and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import oracle
from cross_check.quantities import QUANTITIES
from cross_check.states import States
from implementations.traced import TRACED
from mechanisms import Mechanism

EPSILON = float(np.finfo(np.float64).eps)

Array = np.ndarray[Any, Any]
Extended = np.ndarray[Any, np.dtype[np.longdouble]]


class Truth:
    """The truth about one mechanism. ``name`` is "oracle" or "reference"."""

    def __init__(self, mechanism: Mechanism, use_oracle: bool = True) -> None:
        self.mechanism = mechanism
        self.equations = oracle.derive(mechanism) if use_oracle and oracle.is_small(mechanism) else None
        self.name = "oracle" if self.equations else "reference"
        self._oracle = oracle.Evaluator(self.equations, np.longdouble) if self.equations else None
        self._reference = TRACED.load(mechanism)

    def values(self, quantity: str, *arguments: Array) -> Extended:
        """``quantity``, batch first, in extended precision. Forward dynamics has no truth but its residual."""
        if self._oracle is None:
            return self._reference.values(quantity, *arguments, dtype=np.longdouble)
        function: Callable[..., Extended] = getattr(self._oracle, quantity)
        return function(*arguments)

    def magnitudes(self, quantity: str, *arguments: Array) -> Array:
        """The size of what is summed in every component of ``quantity``.

        An entry Mᵢⱼ counts as no smaller than √(Mᵢᵢ Mⱼⱼ), which bounds it in every choice of coordinates: an engine whose
        free joint is expressed in another frame rounds by as much.
        """
        sizes = self._reference.magnitudes(quantity, *arguments)
        if quantity != "mass_matrix":
            return sizes
        own = np.sqrt(np.diagonal(sizes, axis1=1, axis2=2))
        return np.maximum(sizes, own[:, :, None] * own[:, None, :])

    def shared_magnitudes(self, q: Array, v: Array, a: Array) -> Array:
        """The size of what is summed in τ, shared among the joints: for errors of an equation solved for all at once.

        Forward dynamics couples the joints, so that rounding at one moves all. Sizes are compared in units in which every
        joint's own inertia Mᵢᵢ is one, radians and metres alike.
        """
        inertia = np.sqrt(np.diagonal(self._reference.magnitudes("mass_matrix", q), axis1=1, axis2=2))
        sizes = self._reference.magnitudes("inverse_dynamics", q, v, a)
        return inertia * (sizes / inertia).max(axis=1, keepdims=True)

    def distance_to_reference(self, states: States) -> dict[str, float]:
        """Oracle against reference, both in extended precision: the largest difference per quantity in ε-units."""
        return {
            name: float(self._apart(name, states.arguments(quantity.arguments)))
            for name, quantity in QUANTITIES.items()
            if name != "forward_dynamics"
        }

    def _apart(self, quantity: str, arguments: tuple[Array, ...]) -> float:
        other = self._reference.values(quantity, *arguments, dtype=np.longdouble)
        return in_epsilons(self.values(quantity, *arguments) - other, self.magnitudes(quantity, *arguments)).max(initial=0.0)


def in_epsilons(error: Array, magnitude: Array) -> Array:
    """|error| / (ε · magnitude), float64; an error where nothing was summed is infinite, no error is zero."""
    size = np.abs(error).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        units = size / (EPSILON * magnitude)
    return np.where(size == 0, 0.0, units)
