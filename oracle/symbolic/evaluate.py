"""The equations of motion as NumPy functions over batches of states, in float64 or extended precision.

In extended precision (``np.longdouble``: 64 bits of mantissa on x86-64, no more than float64 on some platforms) the results are
the truth for float64. Coefficients are rounded once, from exact fractions. M and ∂M are evaluated first and then contracted
with the velocities, so that products of velocities are never expanded. Cancellation in the polynomials of a generic 6R arm
costs three of the eleven additional bits. Compared with 300-bit arithmetic, the error is below 10⁻¹⁸ of the magnitude of the
summed terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from machine.recording.values import Values
from oracle.errors import OracleError, require_rotations
from oracle.fields import Real, Recorded, array, rounded
from oracle.symbolic.equations_of_motion import Equations
from oracle.symbolic.polynomials import Program

Array = NDArray[Any]


class Evaluator:
    """The quantities of one mechanism as functions of states, in ``np.float64`` or ``np.longdouble``, or as recorded values.

    Arrays are batch-first: q is (batch, nq); v and a are (batch, nv); SI units. A quaternion may have any length but zero.
    Raises :class:`OracleError` for equations with symbols, arrays of the wrong shape, and quaternions of length zero.
    """

    def __init__(self, equations: Equations, numbers: type[np.floating[Any]] | Recorded = np.float64) -> None:
        if equations.ring.parameters:
            names = ", ".join(map(str, equations.ring.parameters))
            raise OracleError(f"the equations hold the symbols {names}; give numbers in the mechanism to evaluate them")
        self.equations = equations
        self._field = numbers if isinstance(numbers, Recorded) else Real(numbers)
        self._n = equations.nv
        self._entries = {
            "M": [entry for row in equations.M for entry in row],
            "dM": [entry for matrix in equations.dM for row in matrix for entry in row],
            "g": list(equations.g),
            "V": [equations.V],
        }
        self._programs: dict[str, Program] = {}
        self._damping = array(self._field, [sum((c for c, _ in equations.damping_terms(i)), Fraction(0)) for i in range(self._n)])

    def mass_matrix(self, q: Array) -> Array:
        """M: (batch, nv, nv)."""
        return np.moveaxis(self._values("M", q).reshape(self._n, self._n, -1), -1, 0)

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        """C, Cᵢⱼ = Σₖ Γᵢⱼₖ vₖ: (batch, nv, nv). For body velocities, in the coordinates δ of :mod:`oracle.symbolic.energies`."""
        dM, v = self._derivatives(q), self._vectors(v, q)
        symmetric = np.einsum("kijb,bk->bij", dM, v)
        skew = np.einsum("jikb,bk->bij", dM, v) - np.einsum("ijkb,bk->bij", dM, v)
        return (symmetric + skew) / 2

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        """h = C v + g + D v, from d/dt ∂L/∂q̇ − ∂L/∂q: Σⱼₖ (∂ₖMᵢⱼ − ½ ∂ᵢMⱼₖ) vₖ vⱼ + gᵢ + Dᵢ vᵢ: (batch, nv)."""
        dM, v = self._derivatives(q), self._vectors(v, q)
        rate = np.einsum("bij,bj->bi", np.einsum("kijb,bk->bij", dM, v), v)
        slope = np.einsum("bij,bj->bi", np.einsum("ijkb,bk->bij", dM, v), v)
        return rate - slope / 2 + self.gravity(q) + self._damping * v

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """τ = M a + h: (batch, nv)."""
        return np.einsum("bij,bj->bi", self.mass_matrix(q), self._vectors(a, q)) + self.nonlinear_effects(q, v)

    def gravity(self, q: Array) -> Array:
        """g = ∂V/∂q: (batch, nv)."""
        return self._values("g", q).T

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        """T = ½ vᵀ M v, armature included: (batch,)."""
        v = self._vectors(v, q)
        return (v * np.einsum("bij,bj->bi", self.mass_matrix(q), v)).sum(1) / 2

    def potential_energy(self, q: Array) -> Array:
        """V, zero at the root's origin: (batch,)."""
        return self._values("V", q)[0]

    def _derivatives(self, q: Array) -> Array:
        """∂ₖMᵢⱼ: (k, i, j, batch)."""
        return self._values("dM", q).reshape(self._n, self._n, self._n, -1)

    def _values(self, quantity: Literal["M", "dM", "g", "V"], q: Array) -> Array:
        """Every entry of ``quantity``: (entries, batch)."""
        generators = self._generators(q)
        if quantity not in self._programs:
            self._programs[quantity] = Program(self._entries[quantity], len(generators), self._coefficients)
        return self._programs[quantity](generators)

    def _generators(self, q: Array) -> Array:
        """The generators' values (generators, batch). Displacements are zero; no polynomial contains them any more."""
        mechanism = self.equations.mechanism
        q = array(self._field, q).copy()
        if q.ndim != 2 or q.shape[1] != mechanism.nq:
            raise OracleError(f"q has shape {q.shape}; give (batch, {mechanism.nq})")
        require_rotations(mechanism, q)
        for _, slot in mechanism.slots("quaternion"):
            quaternion = q[:, slot]
            quaternion /= np.sqrt((quaternion * quaternion).sum(1))[:, None]
        value: dict[str, Callable[[Array], Array]] = {"sin": np.sin, "cos": np.cos, "position": lambda x: x}
        values = np.empty_like(q, shape=(len(self.equations.ring.generators), len(q)))
        values[:] = 0
        for row, generator in zip(values, self.equations.ring.generators, strict=True):
            if generator.kind in value:
                argument = q[:, generator.index]
                if generator.of_mimic:
                    k, c = array(self._field, [generator.multiplier, generator.offset])
                    argument = k * argument + c
                row[:] = value[generator.kind](argument)
        return values

    def _coefficients(self, fractions: Iterable[tuple[int, int]]) -> Any:
        if isinstance(self._field, Recorded):
            recording = self._field.recording
            return Values(recording, np.array([recording.quotient(p, q) for p, q in fractions], np.int32))
        return rounded(fractions, self._field.dtype)

    def _vectors(self, x: Array, q: Array) -> Array:
        x = array(self._field, x)
        if x.shape != (len(q), self._n):
            raise OracleError(f"a velocity or acceleration has shape {x.shape}; give ({len(q)}, {self._n})")
        return x
