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

Extended = np.ndarray[Any, np.dtype[np.longdouble]]


class Truth:
    """The truth about one mechanism. ``name`` is "oracle" or "reference"."""

    def __init__(self, mechanism: Mechanism, use_oracle: bool = True) -> None:
        self.mechanism = mechanism
        self.equations = oracle.derive(mechanism) if use_oracle and oracle.is_small(mechanism) else None
        self.name = "oracle" if self.equations else "reference"
        self._reference = TRACED.load(mechanism)

    def values(self, quantity: str, *arguments: np.ndarray[Any, Any]) -> Extended:
        """``quantity``, batch first, in extended precision. Forward dynamics has no truth but its residual."""
        if self.equations is None:
            return self._reference.values(quantity, *arguments, dtype=np.longdouble)
        function: Callable[..., Extended] = self.equations.function(quantity, np.longdouble)
        return function(*arguments)

    def magnitudes(self, quantity: str, *arguments: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The size of what is summed in every component of ``quantity``."""
        return self._reference.magnitudes(quantity, *arguments)

    def distance_to_reference(self, states: States) -> dict[str, float]:
        """Oracle against reference, both in extended precision: the largest difference per quantity in ε-units."""
        return {
            name: float(self._apart(name, states.arguments(quantity.arguments)))
            for name, quantity in QUANTITIES.items()
            if name != "forward_dynamics"
        }

    def _apart(self, quantity: str, arguments: tuple[np.ndarray[Any, Any], ...]) -> float:
        other = self._reference.values(quantity, *arguments, dtype=np.longdouble)
        return in_epsilons(self.values(quantity, *arguments) - other, self.magnitudes(quantity, *arguments)).max(initial=0.0)


def in_epsilons(error: np.ndarray[Any, Any], magnitude: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """|error| / (ε · magnitude), float64; an error where nothing was summed is infinite, no error is zero."""
    size = np.abs(error).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        units = size / (EPSILON * magnitude)
    return np.where(size == 0, 0.0, units)
