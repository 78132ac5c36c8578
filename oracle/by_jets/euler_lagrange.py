"""The quantities of a mechanism of any size, from L by :mod:`oracle.by_jets.variation`, as functions of batches of states.

    EulerLagrange(mechanism).inverse_dynamics(q, v, a)                  float64
    EulerLagrange(mechanism, Rational()).inverse_dynamics(q, v, a)      ℚ: no rounding

The fields are those of :mod:`oracle.fields`. Where bodies are and how they move is in :mod:`oracle.by_jets.motions`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property, partial
from typing import Any

import numpy as np

from machine.recording.values import Values
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_DERIVATIVES, by_quantity
from oracle.by_jets import motions, variation
from oracle.by_jets.constraints import OF_CONSTRAINTS
from oracle.by_jets.differentiation import Derivatives
from oracle.by_jets.system import build
from oracle.errors import require_rotations, require_shapes
from oracle.fields import Array, Field, Real, array

BLOCK = 256
"""States per pass: bounds the memory of large batches, and lets the arrays of one body stay in the processor's cache."""


OF_STATES: dict[str, Callable[..., Array]] = OF_CONSTRAINTS | by_quantity(
    {
        **{name: value for module in (variation, motions) for name, value in vars(module).items()},
        **motions.OF_MOTIONS,
        "inverse_dynamics": variation.euler_lagrange,
    }
)
"""Quantities that are functions of the system and of the state alone: of q; of q, v; of q, v, a; or of q, v, a, f. A function of
these modules that has the name of a family of quantities is this family."""


def _differentiated(by: str, base: str) -> tuple[str, Callable[..., Array]]:
    """The argument ``by`` which a quantity is differentiated, and the function. One of q, v and a is linear in a."""
    function = OF_STATES[base]
    takes_a = by == "v" and "a" in ALL_QUANTITIES[base].arguments
    return by, (lambda system, q, v: function(system, q, v, 0 * v)) if takes_a else function


DERIVED = {
    "mass_matrix_rate": _differentiated("", "mass_matrix"),
    "centroidal_momentum_matrix_rate": _differentiated("", "centroidal_momentum_matrix"),
    "static_forces_dq": ("q", motions.static_forces),
    **{
        name: _differentiated(quantity.by, quantity.base)
        for name, quantity in {**ALL_QUANTITIES, **CONSTRAINT_DERIVATIVES}.items()
        if quantity.by in ("q", "v") and quantity.base in OF_STATES and name not in OF_STATES
    },
}
"""Rates along v, derivatives by q along the components of v, and derivatives by v: what they are derivatives by, and of."""


QUANTITIES = frozenset((*OF_STATES, *DERIVED))
"""The names of all quantities."""


class EulerLagrange:
    """The quantities of one mechanism over ``field``, by default float64; the work grows linearly with the bodies.

    Arrays are batch-first: q is (batch, nq); v and a are (batch, nv); SI units, the conventions of :mod:`mechanisms.joint`,
    but over exact fields a revolute joint's position is t = tan(q/2). A quaternion may have any length but zero.
    Everything in :data:`QUANTITIES` is a method; forces f on the bodies are (batch, bodies, 6). A derivative has the answer's
    axes, and after these axes the directions: [:, i, k] = ∂τᵢ/∂qₖ.
    Raises :class:`OracleError` for mechanisms with symbols, arrays of the wrong shape, and quaternions of length zero.
    """

    def __init__(self, mechanism: Mechanism, field: Field | None = None) -> None:
        self.mechanism, self.field = mechanism, field or Real()
        self._system = build(mechanism, self.field)
        self._arguments: dict[bytes, Array] = {}

    def keeping(self) -> EulerLagrange:
        """The same quantities, in float64 or recorded, which share what they have in common: it is computed once for equal
        arguments.

        What is kept, up to 300 numbers per body and state, is released with the object that this returns.
        """
        shared = copy(self)
        shared._system, shared._arguments = self._system._replace(kept={}), {}
        return shared

    @cached_property
    def _derivatives(self) -> Derivatives:
        return Derivatives(self.mechanism, self.field)

    def __getattr__(self, name: str) -> Callable[..., Array]:
        if name in OF_STATES:
            return partial(self._run, partial(OF_STATES[name], self._system))
        if name in DERIVED:
            by, function = DERIVED[name]
            return partial(self._run, partial(self._derivatives.of, function, by), directions=self.mechanism.nv if by else 1)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _run(self, quantity: Callable[..., Array], *states: Any, directions: int = 1) -> Array:
        """A quantity of batch-last arrays on batch-first ones, block by block; each state counts for its ``directions``."""
        given = [array(self.field, x) for x in states]
        require_shapes(self.mechanism, given)
        require_rotations(self.mechanism, given[0])
        block = max(1, BLOCK // directions)
        starts = range(0, max(1, len(given[0])), block)
        parts = [quantity(*(self._column(x[k : k + block]) for x in given)) for k in starts]
        return self.field.plain(np.concatenate([np.moveaxis(part, -1, 0) for part in parts]))

    def _column(self, x: Array) -> Array:
        """Batch-first states as batch-last ones; the same object for equal states if results are kept."""
        column = np.moveaxis(x, 0, -1).copy()
        if self._system.kept is None:
            return column
        same = x.references if isinstance(x, Values) else x
        return self._arguments.setdefault(same.tobytes(), column)
