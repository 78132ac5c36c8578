"""The equations of motion as NumPy functions over batches of states, in float64 or extended precision.

In extended precision (``np.longdouble``: 64 bits of mantissa on x86-64, no more than float64 on some platforms) the results are
the truth for float64. Coefficients are rounded once, from exact fractions. M and ∂M are evaluated first and then contracted
with the velocities, so that products of velocities are never expanded. Cancellation in the polynomials of a generic 6R arm
costs three of the eleven additional bits. Compared with 300-bit arithmetic, the error is below 10⁻¹⁸ of the magnitude of the
summed terms.

Polynomials are evaluated by a few NumPy calls. The distinct monomials of all polynomials are evaluated once, each as a shorter
one times one generator. So a monomial of degree d costs one multiplication and has d − 1 roundings. A polynomial is the dot
product of its coefficients with its monomials.
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
from oracle.symbolic.ring import Poly

Array = NDArray[Any]

BLOCK = 2**21
"""How many values of monomials are in memory at a time, for large batches."""


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
        self._resistances = {
            name: array(self._field, [sum((c for c, _ in terms), Fraction(0)) for terms in diagonal])
            for name, diagonal in equations.resistances().items()
        }

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
        """h = C v + g + D v + F sign v, from d/dt ∂L/∂q̇ − ∂L/∂q: Σⱼₖ (∂ₖMᵢⱼ − ½ ∂ᵢMⱼₖ) vₖ vⱼ + gᵢ + Dᵢ vᵢ: (batch, nv)."""
        dM, v = self._derivatives(q), self._vectors(v, q)
        rate = np.einsum("bij,bj->bi", np.einsum("kijb,bk->bij", dM, v), v)
        slope = np.einsum("bij,bj->bi", np.einsum("ijkb,bk->bij", dM, v), v)
        h = rate - slope / 2 + self.gravity(q)
        for name, diagonal in self._resistances.items():
            h = h + diagonal * (v if name == "D" else self._field.sign(v))
        return h

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


class Program:
    """Compiled polynomials: a call with the generators' values (generators, batch) returns theirs (polynomials, batch).

    ``coefficients`` makes numbers of the generators' kind from fractions p/q, each given as a pair.
    """

    def __init__(
        self, polynomials: list[Poly], generators: int, coefficients: Callable[[Iterable[tuple[int, int]]], Any]
    ) -> None:
        self.count = len(polynomials)
        # A symmetric matrix contains each entry below its diagonal twice, as the same object. It is evaluated once.
        same: dict[int, list[int]] = {}
        for k, p in enumerate(polynomials):
            if p:
                same.setdefault(id(p), []).append(k)
        tables = [(positions, _table(polynomials[positions[0]])) for positions in same.values()]
        one = (0,) * generators
        needed = {one}
        for _, table in tables:
            for monomial in table:
                while monomial not in needed:
                    needed.add(monomial)
                    monomial = _shorter(monomial)[0]
        monomials = sorted(needed, key=sum)
        index = {monomial: k for k, monomial in enumerate(monomials)}
        steps = [_shorter(monomial) for monomial in monomials[1:]]
        self.parents = np.array([0, *(index[parent] for parent, _ in steps)])
        self.factors = np.array([0, *(factor for _, factor in steps)])
        self.levels = np.searchsorted([sum(monomial) for monomial in monomials], range(1, sum(monomials[-1]) + 2))
        self.rows = [
            (positions, np.array([index[m] for m in table]), coefficients(table.values())) for positions, table in tables
        ]

    def __call__(self, generators: Array) -> Array:
        batch, block = generators.shape[1], max(1, BLOCK // len(self.parents))
        out = np.empty_like(generators, shape=(self.count, batch))
        out[:] = 0
        for start in range(0, batch, block):
            part = slice(start, start + block)
            monomials = self._monomials(generators[:, part])
            for positions, indices, coefficients in self.rows:
                out[positions, part] = coefficients @ monomials[indices]
        return out

    def _monomials(self, generators: Array) -> Array:
        values = np.empty_like(generators, shape=(len(self.parents), generators.shape[1]))
        values[:1] = 1
        for start, stop in zip(self.levels, self.levels[1:], strict=False):
            level = slice(start, stop)
            values[level] = values[self.parents[level]] * generators[self.factors[level]]
        return values


def _table(p: Poly) -> dict[tuple[int, ...], tuple[int, int]]:
    return {tuple(map(int, monomial)): (int(c.p), int(c.q)) for monomial, c in p.to_dict().items()}


def _shorter(monomial: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """``monomial`` divided by its last generator, and the index of that generator."""
    k = max(k for k, power in enumerate(monomial) if power)
    return (*monomial[:k], monomial[k] - 1, *monomial[k + 1 :]), k
