"""The correctly rounded values of test vectors, and the sizes that errors are divided by.

Values are certified (:mod:`cross_check.judge.comparison.certified`), so they are the same on every machine. q̈ of forward
dynamics is the solution of M q̈ = τ − h in balls. Rounding at one joint moves all, so that the size of q̈ is

    |M⁻¹| F        F: what rounding adds to τ, shared among the joints (:meth:`ErrorScale.shared_force`)

Sizes are computed in float64, and their last bits depend on the machine. So each is enlarged by 2⁻³⁰ of itself and rounded up
to eight significant bits. A size is a sum of products of numbers above zero, so that its float64 value is wrong by less than 2⁻⁴⁰
of itself. Two machines write different sizes only if this value, enlarged, is as near as that to a number of eight bits. Simple
numbers are not, because they are enlarged. :func:`rounded_up` refuses all others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import arb, arb_mat

import oracle
from cross_check.judge.comparison.certified import PRECISIONS, Certified, nearest
from cross_check.judge.comparison.sampling import States
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.errors import Unsupported
from mechanisms.numbers.rounded import precision
from mechanisms.quantities import Quantity

BITS = 8
"""The significant bits of a size."""

MOST_SOLVED = 300
"""The most coordinates for which M is solved; the work grows with their cube."""

MOST_CONDITION = 2.0**40
"""Where M is more ill-conditioned, q̈ has fewer than four digits. Some states of gimbal lock are, by far."""

ENLARGED, UNSURE = 2.0**-30, 2.0**-40
"""How much a size is enlarged, and how far its float64 value may be from the exact one, relative to it."""


class Values:
    """Expected values and sizes of one mechanism's quantities, at states whose ``tau`` is set by :meth:`with_forces`.

    ``progress`` is called with what is being done. Methods raise :class:`Unsupported` for what the mechanism does not have, and
    :class:`oracle.OracleError` for values that stay undecided.
    """

    def __init__(self, mechanism: Mechanism, progress: Callable[[str], None] = lambda doing: None) -> None:
        self._progress = progress
        self._mechanism, self._certified, self._scale = mechanism, Certified(mechanism, progress), ErrorScale(mechanism)

    def require_regular(self) -> None:
        """Raise :class:`Unsupported` where forward dynamics has no vectors at any state."""
        if self._mechanism.nv > MOST_SOLVED:
            raise Unsupported(f"it has {self._mechanism.nv} coordinates, and M is solved exactly for {MOST_SOLVED} at most")
        if without := self._mechanism.subtrees_without_inertia:
            raise Unsupported(f"M is singular, for nothing that {without[0]!r} moves has inertia, so q̈ is undefined")

    def with_forces(self, states: States) -> States:
        """The states with τ = M a + h, correctly rounded."""
        return states.with_forces(self._certified.high_low("inverse_dynamics", states.q, states.v, states.a)[0])

    def regular(self, q: Array) -> Array:
        """Where (batch,) M is regular enough for q̈ to mean something: of (M⁻¹)ᵢᵢ Jᵢ, the largest is below :data:`MOST_CONDITION`.

        J is the inertia of a coordinate's subtree. The product is one if the coordinate moves as if it were alone, and larger the
        more of that inertia other coordinates can take away, up to infinity where M is singular.
        """
        return np.array([self._condition(q[k : k + 1]) < MOST_CONDITION for k in range(len(q))])

    def _condition(self, q: Array) -> float:
        M, n = self._certified.enclosures("mass_matrix", PRECISIONS[0], q)[0], self._mechanism.nv
        with precision(PRECISIONS[0]):
            try:
                inverse = arb_mat(n, n, list(M.flat)).inv()
            except ZeroDivisionError:
                return np.inf
        diagonal = np.array([float(inverse[i, i].mid()) for i in range(n)])
        return float((diagonal * self._scale.subtree_inertias(q)[0]).max())

    def expected(self, quantity: Quantity, states: States) -> tuple[Array, Array]:
        """Values and sizes (batch, …): float64, exact zeros are +0."""
        quantity.require_defined(self._mechanism)
        with np.errstate(over="ignore", invalid="ignore"):
            if quantity.name == "forward_dynamics":
                value, size = self._accelerations(states)
            else:
                arguments = states.arguments(quantity.arguments)
                value = self._certified.high_low(quantity.name, *arguments)[0]
                size = self._scale.size(quantity.name, *arguments)
        if not (np.isfinite(value).all() and np.isfinite(size).all()):
            raise Unsupported("its values, or their sizes, are too large for float64")
        return value, rounded_up(size)

    def _accelerations(self, states: States) -> tuple[Array, Array]:
        """q̈ and its size (batch, nv)."""
        solved = []
        for k in range(len(states)):
            self._progress(f"solving for accelerations, {k} of {len(states)} states done")
            solved.append(self._solved(*(x[k : k + 1] for x in states.arguments(("q", "v", "tau")))))
        a, inverse = (np.array(part) for part in zip(*solved, strict=True))
        return a, (inverse * self._scale.shared_force(states.q, states.v, a)[:, None, :]).sum(axis=2)

    def _solved(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """q̈ (nv,) of one state, correctly rounded, and |M⁻¹| (nv, nv)."""
        n = self._mechanism.nv
        decided = np.full(n, np.nan)
        for bits in PRECISIONS:
            M = self._certified.enclosures("mass_matrix", bits, q)[0]
            h = self._certified.enclosures("nonlinear_effects", bits, q, v)[0]
            with precision(bits):
                try:
                    inverse = arb_mat(n, n, list(M.flat)).inv()
                except ZeroDivisionError:
                    continue
                right = arb_mat(n, 1, [arb(float(t)) - x for t, x in zip(tau[0], h, strict=True)])
                solution = inverse * right
            for i in np.flatnonzero(np.isnan(decided)):
                if found := nearest(solution[int(i), 0]):
                    decided[i] = found.value
            if not np.isnan(decided).any():
                return decided, np.abs([[float(inverse[i, j].mid()) for j in range(n)] for i in range(n)])
        raise oracle.OracleError(f"{bits} bits decide no q̈ of {self._mechanism.name!r}; M is singular or nearly so")


def rounded_up(size: Array) -> Array:
    """Sizes with :data:`BITS` significant bits, the next larger ones; zero stays zero.

    Raises :class:`oracle.OracleError` for a size that another machine might round to another number.
    """
    low, high = (_ceiling(size * (1 + ENLARGED) * factor) for factor in (1 - UNSURE, 1 + UNSURE))
    if not np.array_equal(low, high):
        near = float(size[low != high].flat[0])
        raise oracle.OracleError(f"a size of {near!r} is too near to a number of {BITS} bits to be the same on every machine")
    return low


def _ceiling(x: Array) -> Array:
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.ceil(np.ldexp(mantissa, BITS)), exponent - BITS)
