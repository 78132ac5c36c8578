"""The true values of a mechanism's quantities: the Lagrangian oracle, in more precision than the code under test has.

The oracle is symbolic where a mechanism is small enough, and works by jets elsewhere. It is recorded once, and executed in
double-double (:mod:`oracle.recorded`), so that what remains of an error belongs to the code under test. A certified truth is the
oracle by jets over balls, correctly rounded (:mod:`cross_check.judge.comparison.certified`). Integrated positions, differences
and their derivatives come from balls in either case (:mod:`cross_check.judge.comparison.integration_truth`).

The mass matrix has to be regular where forward dynamics is asked for. Its inverse is as precise as the condition of M allows.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np

import oracle
from cross_check.judge.comparison import integration_truth
from cross_check.judge.comparison.certified import Certified
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.memory import Array, forget, remembered
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from machine.caching.recently_used import RecentlyUsed
from machine.double_doubles import DoubleDoubles
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64
from mechanisms.quantities import INTEGRATION
from oracle.recorded import BY_JETS, SYMBOLIC, RecordedQuantities


def name_of_truth(mechanism: Mechanism, certified: bool) -> str:
    """Where the true values come from, known without deriving anything: "symbolic", "jets", or "certified"."""
    return "certified" if certified else "symbolic" if oracle.is_small(mechanism) else "jets"


class Truth:
    """The true values for one mechanism. ``name`` says where they come from: "symbolic", "jets", or "certified".

    Arguments are batch-first float64 arrays, as :class:`mechanisms.quantities.Quantity` names them.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        # The truth does not depend on the precision of code, so that what is derived is shared.
        self.mechanism = mechanism.in_precision(FLOAT64)
        self.name = name_of_truth(mechanism, certified=False)

    def equations_of_at_most(self, terms: int) -> oracle.Equations | None:
        """The symbolic equations; None for mechanisms that are too large to derive them, and if all have more terms."""
        if not oracle.is_small(self.mechanism):
            return None
        return RecordedQuantities(self.mechanism, SYMBOLIC).equations_of_at_most(terms)

    def afresh(self) -> Self:
        """The same truth, which remembers no values yet. What it remembers later is released with it."""
        other = copy(self)
        forget(other)
        return other

    @property
    def certificate(self) -> dict[str, int] | None:
        """Of a certified truth: the largest precision needed so far, in ``bits``, and how many are ``ties`` or ``undecided``."""
        return None

    def values(self, quantity: str, *arguments: Array) -> Any:
        """``quantity``, batch first, as an array of double-doubles. Forward dynamics has no true value, only an equation."""
        return DoubleDoubles(*self._high_low(quantity, *arguments))

    def high_low(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        """``quantity`` as the sum of two float64 arrays, from which a difference loses nothing."""
        high, low = self._high_low(quantity, *arguments)
        return high, low

    def precisely(self, quantity: str, *arguments: Any) -> Any:
        """``quantity`` at arguments that may be arrays of double-doubles: the result is not kept. Not of a certified truth."""
        words: Any = ((x.high, x.low) if isinstance(x, DoubleDoubles) else x for x in arguments)
        return DoubleDoubles(*self._evaluate(quantity, *words))

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """τ (batch, nv) as :meth:`high_low` gives it, for accelerations that occur only once: the result is not kept."""
        return self._evaluate("inverse_dynamics", q, v, a)

    @remembered
    def _high_low(self, quantity: str, *arguments: Array) -> Array:
        return np.stack(self._evaluate(quantity, *arguments))

    def _evaluate(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        if quantity in INTEGRATION:
            return integration_truth.high_low(self.mechanism, quantity, *arguments)
        programs = _KEPT.get(self.mechanism, lambda: Programs(self.mechanism))
        return programs.high_low(quantity, *arguments)


class Programs:
    """The truth of one mechanism as recorded programs."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._by_jets = RecordedQuantities(mechanism, BY_JETS)
        self._symbolic = RecordedQuantities(mechanism, SYMBOLIC) if oracle.is_small(mechanism) else None

    @property
    def instructions(self) -> int:
        return self._by_jets.instructions + (self._symbolic.instructions if self._symbolic else 0)

    def high_low(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        """By jets also for the quantities of small mechanisms that symbolic equations do not contain."""
        source = self._symbolic if self._symbolic and self._symbolic.has(quantity) else self._by_jets
        return source.high_low(quantity, *arguments)


_KEPT = RecentlyUsed[Programs]()


class CertifiedTruth(Truth):
    """The float64 values nearest to the exact ones, and the remainders.

    ``progress`` is called with a sentence on what is being done. Raises :class:`oracle.OracleError` for values
    that stay undecided at the highest precision.
    """

    def __init__(self, mechanism: Mechanism, progress: Callable[[str], None] = lambda activity: None) -> None:
        super().__init__(mechanism)
        self.name = name_of_truth(mechanism, certified=True)
        self._certified = Certified(mechanism, progress)

    @property
    def certificate(self) -> dict[str, int]:
        return {"bits": self._certified.bits, "ties": self._certified.ties, "undecided": self._certified.undecided}

    def _evaluate(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        return self._certified.high_low(quantity, *arguments)


class ReferenceTruth(Truth):
    """The reference in float64, in the place of the truth, so that no oracle is needed: of ``dynamics``, or our own."""

    def __init__(self, mechanism: Mechanism, dynamics: Any = None) -> None:
        self.mechanism, self.name = mechanism, "reference"
        self.dynamics = dynamics or REFERENCE.load(mechanism)

    @remembered
    def values(self, quantity: str, *arguments: Array) -> Array:
        if quantity == "mass_matrix_rate":
            C = self.dynamics.coriolis_matrix(*arguments)
            return C + C.swapaxes(1, 2)
        return getattr(self.dynamics, quantity)(*arguments)

    def high_low(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        high = self.values(quantity, *arguments)
        return high, np.zeros_like(high)

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        reached = self.dynamics.inverse_dynamics(q, v, a)
        return reached, np.zeros_like(reached)


class MassMatrix:
    """M of one mechanism in float64; positions q are (batch, nq). ``first`` is the number of the first state in the run."""

    def __init__(self, truth: Truth, scale: ErrorScale, first: int = 0) -> None:
        self._truth, self._scale, self._first = truth, scale, first

    def require_regular(self, q: Array) -> None:
        """Raise :class:`Unsupported` where M is singular to the precision of the code, so that q̈ is undefined."""
        singular = self._first_singular(q)
        if singular.size:
            state, joint = singular
            names, precision = self._truth.mechanism.coordinates, self._scale.precision
            reason = f"nothing that {names[joint]!r} moves has inertia" if joint >= 0 else f"in state {self._first + state}"
            to = "" if precision == FLOAT64 else f" to {precision.name} numbers"
            raise Unsupported(f"M is singular{to}, {reason}, so q̈ is undefined")

    @remembered
    def inverse(self, q: Array) -> Array:
        """M⁻¹ (batch, nv, nv), as precise as the condition of M allows."""
        # Scaled to a unit diagonal: radians and metres may differ by many orders of magnitude.
        inertia = np.sqrt(self._scale.subtree_inertias(q))
        scale = inertia[:, :, None] * inertia[:, None, :]
        return np.linalg.inv(self._truth.high_low("mass_matrix", q)[0] / scale) / scale

    @remembered
    def _first_singular(self, q: Array) -> Array:
        """Nothing, or the first singular state and the coordinate without inertia (−1 where it is no single one)."""
        M, _ = self._truth.high_low("mass_matrix", q)
        n, precision = M.shape[1], self._scale.precision
        own = np.diagonal(M, axis1=1, axis2=2)
        if (own == 0).any():
            return np.argwhere(own == 0)[0]
        scaled = with_unit_diagonal(M, precision.whole)
        try:
            np.linalg.cholesky(scaled - n * precision.epsilon * np.eye(n))
        except np.linalg.LinAlgError:
            return np.array([int(np.linalg.eigvalsh(scaled)[:, 0].argmin()), -1])
        return np.array([], dtype=int)


def with_unit_diagonal(M: Array, least: float = 0.0) -> Array:
    """M (batch, n, n), scaled to a unit diagonal: radians and metres may differ by many orders of magnitude.

    Numbers on the diagonal below ``least`` count as this. It has numbers that are not finite where M has a zero or a negative
    number on its diagonal.
    """
    own = np.diagonal(M, axis1=1, axis2=2)
    own = np.sqrt(np.maximum(own, least) if least else own)
    with np.errstate(all="ignore"):
        return np.asarray(M / own[:, :, None] / own[:, None, :])


def condition(M: Array) -> Array:
    """κ (batch,) of M, scaled to a unit diagonal."""
    return np.linalg.cond(np.nan_to_num(with_unit_diagonal(M), nan=0.0, posinf=0.0))
