"""What results are held against.

The truth is the Lagrangian oracle: symbolic where a mechanism is small enough, by jets elsewhere. It is evaluated in
extended precision, so that what is left of an error belongs to the code under test, and held against the reference in
the same precision. A certified truth is the oracle by jets over balls, correctly rounded (:mod:`cross_check.comparison.certified`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

import oracle
from cross_check.comparison.certified import Certified
from cross_check.comparison.sampling import States
from cross_check.error_scale.sizes import Sizes
from implementations.field import Real
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import Reference
from mechanisms import Mechanism
from mechanisms.quantities import IMPLICIT, QUANTITIES

EPSILON = float(np.finfo(np.float64).eps)

BRIDGE = 98
"""States on which oracle and reference are held against each other."""

Array = np.ndarray[Any, Any]
Extended = np.ndarray[Any, np.dtype[np.longdouble]]


class Truth:
    """The truth about one mechanism, worked out once for all who are held against it.

    ``name`` says where it comes from: "symbolic", "jets", or "certified".
    """

    reference: type[np.floating[Any]] = np.longdouble
    """The precision of the reference that it is held against."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.equations = oracle.derive(mechanism) if oracle.is_small(mechanism) else None
        self.name = "symbolic" if self.equations else "jets"
        self._sizes = Sizes(mechanism)
        self._known: dict[tuple[Any, ...], Array] = {}

    @cached_property
    def _oracle(self) -> Any:
        if self.equations:
            return oracle.Evaluator(self.equations, np.longdouble)
        return oracle.EulerLagrange(self.mechanism, oracle.Real(np.longdouble))

    @cached_property
    def _jets(self) -> Any:
        """What has the quantities that symbolic equations say nothing of."""
        return oracle.EulerLagrange(self.mechanism, oracle.Real(np.longdouble)) if self.equations else self._oracle

    @property
    def certificate(self) -> dict[str, int] | None:
        """Of a certified truth, the largest precision that was needed so far, in ``bits``, and how many results were ``ties``."""
        return None

    def values(self, quantity: str, *arguments: Array) -> Extended:
        """``quantity``, batch first, in extended precision. Forward dynamics has no truth but its residual."""
        return self._once(self._evaluate, "values", quantity, *arguments)

    def _evaluate(self, quantity: str, *arguments: Array) -> Extended:
        if quantity == "inverse_dynamics":
            return self._forces(*arguments)
        return getattr(self._oracle if hasattr(self._oracle, quantity) else self._jets, quantity)(*arguments)

    def halves(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        """``quantity`` as the sum of two float64 arrays: a difference from it loses nothing and takes no extended precision."""
        high, low = self._once(lambda name, *at: np.stack(self._halves(name, *at)), "halves", quantity, *arguments)
        return high, low

    def _halves(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        return in_halves(self.values(quantity, *arguments))

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """The halves of τ (batch, nv) for accelerations that are asked about once."""
        return in_halves(self._forces(q, v, a))

    def _forces(self, q: Array, v: Array, a: Array) -> Extended:
        """M a + h; M and h are kept."""
        return np.einsum("bij,bj->bi", self.values("mass_matrix", q), a) + self.values("nonlinear_effects", q, v)

    def magnitudes(self, quantity: str, *arguments: Array) -> Array:
        """The size of what is summed in every component of ``quantity``, whatever the frames (:mod:`cross_check.error_scale.sizes`)."""
        return self._once(self._sizes.of, "magnitudes", quantity, *arguments)

    def shared_magnitudes(self, q: Array, v: Array, a: Array) -> Array:
        """The size of what is summed in τ, shared among the joints: for errors of an equation solved for all at once.

        Forward dynamics couples the joints, so that rounding at one moves all. Sizes are compared in units in which every
        joint carries the inertia one, radians and metres alike.
        """
        inertia = np.sqrt(self.inertias(q))
        return inertia * (self._sizes.of("inverse_dynamics", q, v, a) / inertia).max(axis=1, keepdims=True)

    def inertias(self, q: Array) -> Array:
        """For every coordinate the mass, or the moment of inertia, that the joint carries at most (batch, nv)."""
        return self._once(lambda _, q: self._sizes.carried(q), "inertias", "mass_matrix", q)

    def inverse_mass_matrix(self, q: Array) -> Array:
        """M⁻¹ (batch, nv, nv) in float64, as good as its condition lets it be."""

        def inverse(quantity: str, q: Array) -> Array:
            inertia = np.sqrt(self.inertias(q))
            scale = inertia[:, :, None] * inertia[:, None, :]
            return np.linalg.inv(self.halves(quantity, q)[0] / scale) / scale

        return self._once(inverse, "inverse", "mass_matrix", q)

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

    def distance_to_reference(self, states: States, quantities: Iterable[str] = tuple(QUANTITIES)) -> dict[str, float]:
        """Oracle against reference, both in extended precision: the largest difference per quantity in ε-units.

        On the first hundred states or so: they are enough for functions that are either equal or wrong everywhere.
        """
        reference = Reference(Real(self.reference)).load(self.mechanism)
        few = states.pick(np.arange(len(states))[:BRIDGE])
        apart = {}
        for name in quantities:
            if name not in IMPLICIT and QUANTITIES[name].is_defined(self.mechanism):
                arguments = few.arguments(QUANTITIES[name].arguments)
                high, low = self.halves(name, *arguments)
                difference = getattr(reference, name)(*arguments) - high - low
                apart[name] = float(in_epsilons(difference, self.magnitudes(name, *arguments)).max(initial=0.0))
        return apart

    def _once(self, function: Callable[..., Array], kind: str, quantity: str, *arguments: Array) -> Array:
        key = (kind, quantity, *(x.tobytes() for x in arguments))
        if key not in self._known:
            # Batch first in memory too, as the answers are that this is held against.
            self._known[key] = np.ascontiguousarray(function(quantity, *arguments))
            self._known[key].setflags(write=False)
        return self._known[key]


class CertifiedTruth(Truth):
    """The float64 values nearest to the exact ones, and what is left of them; ``told`` hears what is being done.

    ``distance_to_reference`` is that of the reference in float64, as it stands: how far this truth says that it is off.
    Raises :class:`oracle.OracleError` for values that no precision decides.
    """

    reference = np.float64

    def __init__(self, mechanism: Mechanism, told: Callable[[str], None] = lambda doing: None) -> None:
        super().__init__(mechanism)
        self.name = "certified"
        self._certified = Certified(mechanism, told)

    @property
    def certificate(self) -> dict[str, int]:
        return {"bits": self._certified.bits, "ties": self._certified.ties}

    def values(self, quantity: str, *arguments: Array) -> Extended:
        high, low = self.halves(quantity, *arguments)
        return high.astype(np.longdouble) + low

    def _halves(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        return self._certified.high_low(quantity, *arguments)

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        return self._halves("inverse_dynamics", q, v, a)


def in_halves(values: Extended) -> tuple[Array, Array]:
    """``values`` as the sum of two float64 arrays."""
    high = values.astype(np.float64)
    return high, (values - high).astype(np.float64)


def in_epsilons(error: Array, magnitude: Array) -> Array:
    """|error| / (ε · magnitude), float64; an error where nothing was summed is infinite, no error is zero."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(error).astype(np.float64)
        units = np.divide(size, EPSILON * magnitude, out=np.zeros_like(size), where=size != 0)
    units[np.isinf(magnitude) & (size != 0)] = np.inf
    return units
