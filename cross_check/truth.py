"""What results are held against.

The truth is the Lagrangian oracle: symbolic where a mechanism is small enough, by jets elsewhere. It is evaluated in
extended precision, so that what is left of an error belongs to the code under test, and held against the reference in
the same precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import oracle
from cross_check.quantities import QUANTITIES
from cross_check.sizes import Sizes
from cross_check.states import States
from implementations.field import Real
from implementations.protocol import Unsupported
from implementations.reference import Reference
from mechanisms import Mechanism

EPSILON = float(np.finfo(np.float64).eps)

BRIDGE = 98
"""States on which oracle and reference are held against each other."""

Array = np.ndarray[Any, Any]
Extended = np.ndarray[Any, np.dtype[np.longdouble]]


class Truth:
    """The truth about one mechanism, worked out once for all who are held against it. ``name`` is "symbolic" or "jets"."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.equations = oracle.derive(mechanism) if oracle.is_small(mechanism) else None
        self.name = "symbolic" if self.equations else "jets"
        self._oracle: Any
        if self.equations:
            self._oracle = oracle.Evaluator(self.equations, np.longdouble)
        else:
            self._oracle = oracle.EulerLagrange(mechanism, oracle.Real(np.longdouble))
        self._sizes = Sizes(mechanism)
        self._known: dict[tuple[Any, ...], Array] = {}

    def values(self, quantity: str, *arguments: Array) -> Extended:
        """``quantity``, batch first, in extended precision. Forward dynamics has no truth but its residual."""
        return self._once(self._evaluate, "values", quantity, *arguments)

    def _evaluate(self, quantity: str, *arguments: Array) -> Extended:
        return self.forces(*arguments) if quantity == "inverse_dynamics" else getattr(self._oracle, quantity)(*arguments)

    def halves(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        """``quantity`` as the sum of two float64 arrays: a difference from it loses nothing and takes no extended precision."""
        high = self._once(lambda name, *at: self.values(name, *at).astype(np.float64), "high", quantity, *arguments)
        low = self._once(lambda name, *at: (self.values(name, *at) - high).astype(np.float64), "low", quantity, *arguments)
        return high, low

    def forces(self, q: Array, v: Array, a: Array) -> Extended:
        """τ = M a + h (batch, nv) in extended precision, for accelerations that are asked about once; M and h are kept."""
        return np.einsum("bij,bj->bi", self.values("mass_matrix", q), a) + self.values("nonlinear_effects", q, v)

    def magnitudes(self, quantity: str, *arguments: Array) -> Array:
        """The size of what is summed in every component of ``quantity``, whatever the frames (:mod:`cross_check.sizes`)."""
        return self._once(self._sizes.of, "magnitudes", quantity, *arguments)

    def shared_magnitudes(self, q: Array, v: Array, a: Array) -> Array:
        """The size of what is summed in τ, shared among the joints: for errors of an equation solved for all at once.

        Forward dynamics couples the joints, so that rounding at one moves all. Sizes are compared in units in which every
        joint carries the inertia one, radians and metres alike.
        """
        inertia = np.sqrt(self._sizes.carried(q))
        return inertia * (self._sizes.of("inverse_dynamics", q, v, a) / inertia).max(axis=1, keepdims=True)

    def require_regular(self, q: Array) -> None:
        """Raise :class:`Unsupported` where M is singular to working precision, so that q̈ is undefined."""
        singular = self._once(self._singular, "singular", "mass_matrix", q)
        if singular.size:
            state, joint = singular
            found = f"nothing that {self.mechanism.coordinates[joint]!r} moves has inertia" if joint >= 0 else f"in state {state}"
            raise Unsupported(f"M is singular, {found}, so q̈ is undefined")

    def _singular(self, quantity: str, q: Array) -> Array:
        """Nothing, or a state and, where there is one to blame, a coordinate (else −1)."""
        M, _ = self.halves(quantity, q)
        n = M.shape[1]
        own = np.sqrt(np.diagonal(M, axis1=1, axis2=2))
        if (own == 0).any():
            return np.argwhere(own == 0)[0]
        scaled = M / own[:, :, None] / own[:, None, :]
        try:
            np.linalg.cholesky(scaled - n * EPSILON * np.eye(n))
        except np.linalg.LinAlgError:
            return np.array([int(np.linalg.eigvalsh(scaled)[:, 0].argmin()), -1])
        return np.array([], dtype=int)

    def distance_to_reference(self, states: States) -> dict[str, float]:
        """Oracle against reference, both in extended precision: the largest difference per quantity in ε-units.

        On the first hundred states or so: they are enough for functions that are either equal or wrong everywhere.
        """
        reference = Reference(Real(np.longdouble)).load(self.mechanism)
        few = states.pick(np.arange(len(states))[:BRIDGE])
        apart = {}
        for name, quantity in QUANTITIES.items():
            if name != "forward_dynamics":
                arguments = few.arguments(quantity.arguments)
                difference = self.values(name, *arguments) - getattr(reference, name)(*arguments)
                apart[name] = float(in_epsilons(difference, self.magnitudes(name, *arguments)).max(initial=0.0))
        return apart

    def _once(self, function: Callable[..., Array], kind: str, quantity: str, *arguments: Array) -> Array:
        key = (kind, quantity, *(x.tobytes() for x in arguments))
        if key not in self._known:
            # Batch first in memory too, as the answers are that this is held against.
            self._known[key] = np.ascontiguousarray(function(quantity, *arguments))
            self._known[key].setflags(write=False)
        return self._known[key]


def in_epsilons(error: Array, magnitude: Array) -> Array:
    """|error| / (ε · magnitude), float64; an error where nothing was summed is infinite, no error is zero."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(error).astype(np.float64)
        units = np.divide(size, EPSILON * magnitude, out=np.zeros_like(size), where=size != 0)
    units[np.isinf(magnitude) & (size != 0)] = np.inf
    return units
