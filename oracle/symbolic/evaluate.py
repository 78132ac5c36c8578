"""The equations of motion as NumPy functions over batches of states, in float64 or extended precision.

In extended precision (``np.longdouble``: 64 bits of mantissa on x86-64, no more than float64 on some platforms) the results are
the truth for float64. Coefficients are rounded once, from exact fractions. M and ∂M are evaluated first and then contracted
with the velocities, so that products of velocities are never expanded. Cancellation in the polynomials of a generic 6R arm
costs three of the eleven additional bits. Compared with 300-bit arithmetic, the error is below 10⁻¹⁸ of the magnitude of the
summed terms.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from oracle.errors import OracleError
from oracle.fields import rounded
from oracle.rotations import require_rotations
from oracle.symbolic.equations_of_motion import Equations
from oracle.symbolic.polynomials import Program

Array = NDArray[Any]


class Evaluator:
    """The quantities of one mechanism as functions of states, computed in ``dtype`` (``np.float64`` or ``np.longdouble``).

    Arrays are batch-first: q is (batch, nq); v and a are (batch, nv); SI units. A quaternion may have any length but zero.
    Raises :class:`OracleError` for equations with symbols, arrays of the wrong shape, and quaternions of length zero.
    """

    def __init__(self, equations: Equations, dtype: Any = np.float64) -> None:
        if equations.ring.parameters:
            names = ", ".join(map(str, equations.ring.parameters))
            raise OracleError(f"the equations hold the symbols {names}; give numbers in the mechanism to evaluate them")
        self.equations, self.dtype = equations, np.dtype(dtype)
        self._n = equations.nv
        self._entries = {
            "M": [entry for row in equations.M for entry in row],
            "dM": [entry for matrix in equations.dM for row in matrix for entry in row],
            "g": list(equations.g),
            "V": [equations.V],
        }
        self._programs: dict[str, Program] = {}
        damping = (sum((c for c, _ in equations.damping_terms(i)), Fraction(0)) for i in range(self._n))
        self._damping = rounded(((d.numerator, d.denominator) for d in damping), self.dtype)

    def mass_matrix(self, q: Array) -> Array:
        """M: (batch, nv, nv)."""
        return self._values("M", q).reshape(self._n, self._n, -1).transpose(2, 0, 1)

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        """C, Cᵢⱼ = Σₖ Γᵢⱼₖ vₖ: (batch, nv, nv). For body velocities, in the coordinates δ of :mod:`oracle.symbolic.energies`."""
        dM, v = self._derivatives(q), self._vectors(v, q)
        symmetric = np.einsum("kijb,bk->bij", dM, v)
        skew = np.einsum("jikb,bk->bij", dM, v) - np.einsum("ijkb,bk->bij", dM, v)
        return (symmetric + skew) / 2

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        """h = C v + g + D v, from d/dt ∂L/∂q̇ − ∂L/∂q: Σⱼₖ (∂ₖMᵢⱼ − ½ ∂ᵢMⱼₖ) vₖ vⱼ + gᵢ + Dᵢ vᵢ: (batch, nv)."""
        dM, v = self._derivatives(q), self._vectors(v, q)
        rate = np.einsum("kijb,bk,bj->bi", dM, v, v)
        return rate - np.einsum("ijkb,bj,bk->bi", dM, v, v) / 2 + self.gravity(q) + self._damping * v

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """τ = M a + h: (batch, nv)."""
        return np.einsum("bij,bj->bi", self.mass_matrix(q), self._vectors(a, q)) + self.nonlinear_effects(q, v)

    def gravity(self, q: Array) -> Array:
        """g = ∂V/∂q: (batch, nv)."""
        return self._values("g", q).T

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        """T = ½ vᵀ M v, armature included: (batch,)."""
        v = self._vectors(v, q)
        return np.einsum("bi,bij,bj->b", v, self.mass_matrix(q), v) / 2

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
            self._programs[quantity] = Program(self._entries[quantity], len(generators), self.dtype)
        return self._programs[quantity](generators)

    def _generators(self, q: Array) -> Array:
        """The generators' values (generators, batch). Displacements are zero; no polynomial contains them any more."""
        mechanism = self.equations.mechanism
        q = np.array(q, self.dtype)
        if q.ndim != 2 or q.shape[1] != mechanism.nq:
            raise OracleError(f"q has shape {q.shape}; give (batch, {mechanism.nq})")
        require_rotations(mechanism, q)
        for _, slot in mechanism.slots("quaternion"):
            quaternion = q[:, slot]
            quaternion /= np.sqrt((quaternion * quaternion).sum(1, keepdims=True))
        value: dict[str, Callable[[Array], Array]] = {"sin": np.sin, "cos": np.cos, "position": np.copy}
        values = np.zeros((len(self.equations.ring.generators), len(q)), self.dtype)
        for row, generator in zip(values, self.equations.ring.generators, strict=True):
            if generator.kind in value:
                argument = q[:, generator.index]
                if generator.of_mimic:
                    k, c = rounded([(x.numerator, x.denominator) for x in (generator.multiplier, generator.offset)], self.dtype)
                    argument = k * argument + c
                row[:] = value[generator.kind](argument)
        return values

    def _vectors(self, x: Array, q: Array) -> Array:
        x = np.asarray(x, self.dtype)
        if x.shape != (len(q), self._n):
            raise OracleError(f"a velocity or acceleration has shape {x.shape}; give ({len(q)}, {self._n})")
        return x
