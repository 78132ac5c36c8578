"""The true values of a mechanism's quantities: the Lagrangian oracle, in more precision than the code under test has.

The oracle is symbolic where a mechanism is small enough, and works by jets elsewhere. It is evaluated in extended precision, so
that what remains of an error belongs to the code under test. A certified truth is the oracle by jets over balls, correctly
rounded (:mod:`cross_check.comparison.certified`).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np

import oracle
from cross_check.comparison.certified import Certified
from cross_check.memory import Array, forget, remembered
from mechanisms import Mechanism

Extended = np.ndarray[Any, np.dtype[np.longdouble]]


def name_of_truth(mechanism: Mechanism, certified: bool) -> str:
    """Where the true values come from, known without deriving anything: "symbolic", "jets", or "certified"."""
    return "certified" if certified else "symbolic" if oracle.is_small(mechanism) else "jets"


class Truth:
    """The true values for one mechanism. ``name`` says where they come from: "symbolic", "jets", or "certified".

    Arguments are batch-first float64 arrays, as :class:`mechanisms.quantities.Quantity` names them. :meth:`values` returns
    extended precision; :meth:`high_low` and :meth:`forces` return pairs of float64 arrays.
    """

    reference_precision: type[np.floating[Any]] = np.longdouble
    """The precision of the reference that the truth is compared with."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.equations = oracle.derive(mechanism) if oracle.is_small(mechanism) else None
        self.name = name_of_truth(mechanism, certified=False)
        # By jets also for the quantities of small mechanisms that symbolic equations do not contain.
        self._by_jets = oracle.EulerLagrange(self.mechanism, oracle.Real(np.longdouble))
        self._symbolic = oracle.Evaluator(self.equations, np.longdouble) if self.equations else None

    def afresh(self) -> Self:
        """The same truth, which remembers no values yet. What it remembers later is released with it."""
        other = copy(self)
        other._by_jets = self._by_jets.keeping()
        forget(other)
        return other

    @property
    def certificate(self) -> dict[str, int] | None:
        """Of a certified truth: the largest precision needed so far, in ``bits``, and how many results were ``ties``."""
        return None

    @remembered
    def values(self, quantity: str, *arguments: Array) -> Extended:
        """``quantity``, batch first, in extended precision. Forward dynamics has no true value, only an equation."""
        if quantity == "inverse_dynamics":
            return self._forces(*arguments)
        source: Any = self._symbolic if hasattr(self._symbolic, quantity) else self._by_jets
        return getattr(source, quantity)(*arguments)

    def high_low(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        """``quantity`` as the sum of two float64 arrays: a difference from it loses nothing and needs no extended precision."""
        high, low = self._high_low(quantity, *arguments)
        return high, low

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """τ (batch, nv) as :meth:`high_low` gives it, for accelerations that occur only once: the result is not kept."""
        return split(self._forces(q, v, a))

    @remembered
    def _high_low(self, quantity: str, *arguments: Array) -> Array:
        return np.stack(self._split(quantity, *arguments))

    def _split(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        return split(self.values(quantity, *arguments))

    def _forces(self, q: Array, v: Array, a: Array) -> Extended:
        """M a + h; M and h are kept."""
        return np.einsum("bij,bj->bi", self.values("mass_matrix", q), a) + self.values("nonlinear_effects", q, v)


class CertifiedTruth(Truth):
    """The float64 values nearest to the exact ones, and the remainders.

    ``progress`` is called with a sentence on what is being done. Raises :class:`oracle.OracleError` for values
    that stay undecided at the highest precision.
    """

    reference_precision = np.float64

    def __init__(self, mechanism: Mechanism, progress: Callable[[str], None] = lambda activity: None) -> None:
        super().__init__(mechanism)
        self.name = name_of_truth(mechanism, certified=True)
        self._certified = Certified(mechanism, progress)

    @property
    def certificate(self) -> dict[str, int]:
        return {"bits": self._certified.bits, "ties": self._certified.ties}

    def values(self, quantity: str, *arguments: Array) -> Extended:
        high, low = self.high_low(quantity, *arguments)
        return high.astype(np.longdouble) + low

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        return self._split("inverse_dynamics", q, v, a)

    def _split(self, quantity: str, *arguments: Array) -> tuple[Array, Array]:
        return self._certified.high_low(quantity, *arguments)


def split(values: Extended) -> tuple[Array, Array]:
    """``values`` as the sum of two float64 arrays."""
    high = values.astype(np.float64)
    return high, (values - high).astype(np.float64)
