"""Motion under constraints by Gauss's principle: of all accelerations that the constraints allow, the nearest to the free one.

With M = L Lᵀ and the coordinates y = Lᵀ q̈, in which the kinetic energy is ½ |y|², let W = J L⁻ᵀ and W⁺ be its pseudo-inverse:

    y = y₀ + W⁺ (c − W y₀),        M q̈₀ = b,        Jᵀ μ = L W⁺ (c − W y₀),        μ = (Wᵀ)⁺ W⁺ (c − W y₀)

solves M q̈ = b + Jᵀ μ, J q̈ = c (F. Udwadia, R. Kalaba, "A new perspective on constrained motion", 1992). W⁺ comes from the
singular value decomposition; singular values below 10⁻⁹ of the largest belong to rows that follow from others. μ is then the
shortest one. The velocity after an impact solves the same equations, and so do the derivatives by q and v
(:mod:`implementations.spatial_algebra.constrained_derivatives`). float64 only, because NumPy's decompositions are.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from implementations.algorithms import Algorithm
from implementations.field import Tensor
from implementations.spatial_algebra.constrained_derivatives import UNCHANGED, Changes, derivatives
from implementations.spatial_algebra.model import Model
from mechanisms.quantities import RESTITUTIONS

RANK = 1e-9
"""The smallest singular value of W that counts, relative to the largest."""


class Solution(NamedTuple):
    """q̈ (batch, nv, columns), Jᵀ μ (batch, nv, columns) and the shortest μ (batch, directions, columns)."""

    motion: Tensor
    forces: Tensor
    multipliers: Tensor


class Bound(NamedTuple):
    """L (batch, nv, nv), J (batch, directions, nv), W, and W = U diag(σ) Vᵀ; 1/σ is zero for the values that do not count."""

    L: Tensor
    J: Tensor
    W: Tensor
    U: Tensor
    inverse: Tensor
    VT: Tensor

    def solve(self, b: Tensor, c: Tensor) -> Solution:
        """Of M q̈ = b + Jᵀ μ, J q̈ = c, for b (batch, nv, columns) and c (batch, directions, columns)."""
        y0, inverse = np.linalg.solve(self.L, b), self.inverse[..., None]
        # Factor by factor: a product W⁺, once rounded, would not solve equations well where σ differ much. W⁺ W is V Vᵀ.
        along = inverse * (self.U.swapaxes(1, 2) @ c) - np.where(inverse, self.VT @ y0, 0)
        pull = self.VT.swapaxes(1, 2) @ along
        return Solution(np.linalg.solve(self.L.swapaxes(1, 2), y0 + pull), self.L @ pull, self.U @ (inverse * along))


def bound(M: Tensor, J: Tensor) -> Bound:
    """The factors of M (batch, nv, nv) and J (batch, directions, nv)."""
    L = np.linalg.cholesky(M)
    W = np.linalg.solve(L, J.swapaxes(1, 2)).swapaxes(1, 2)
    U, σ, VT = np.linalg.svd(W, full_matrices=False)
    counts = σ > RANK * σ[:, :1]
    return Bound(L, J, W, U, np.divide(1, σ, out=np.zeros_like(σ), where=counts), VT)


def algorithms(
    of_tree: Mapping[str, Algorithm],
    jacobian: Algorithm,
    drift: Algorithm,
    by_parts: Mapping[str, Algorithm],
    restitutions: Mapping[str, Fraction] = RESTITUTIONS,
    changes: Changes = UNCHANGED,
) -> dict[str, Algorithm]:
    """The quantities of constrained motion, from M, h and ∂ID of the tree, from J and the drift, and from ``by_parts``, the
    derivatives of these two."""

    def at(model: Model, q: Tensor) -> Bound:
        return bound(_first(of_tree["mass_matrix"](model, q)), _first(jacobian(model, q)))

    def accelerated(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Solution:
        b = _first(tau - of_tree["nonlinear_effects"](model, q, qd))[..., None]
        return at(model, q).solve(b, -_first(drift(model, q, qd))[..., None])

    def constrained_acceleration(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
        return _last(accelerated(model, q, qd, tau).motion[..., 0])

    def constraint_multipliers(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
        return _last(accelerated(model, q, qd, tau).multipliers[..., 0])

    def constraint_forces(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
        return _last(accelerated(model, q, qd, tau).forces[..., 0])

    def constrained_acceleration_dtau(model: Model, q: Tensor) -> Tensor:
        way = at(model, q)
        one = np.broadcast_to(np.eye(model.nv), way.L.shape)
        return _last(way.solve(one, 0 * way.J).motion)

    def constraint_multipliers_dtau(model: Model, q: Tensor) -> Tensor:
        way = at(model, q)
        one = np.broadcast_to(np.eye(model.nv), way.L.shape)
        return _last(way.solve(one, 0 * way.J).multipliers)

    def solve(model: Model, q: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x, forces, μ = at(model, q).solve(_first(b), _first(c))
        return _last(x), _last(forces), _last(μ)

    def delassus_matrix(model: Model, q: Tensor) -> Tensor:
        W = at(model, q).W
        return _last(W @ W.swapaxes(1, 2))

    def impacts(word: str, r: float) -> dict[str, Algorithm]:
        def after(model: Model, q: Tensor, before: Tensor) -> Solution:
            way, v = at(model, q), _first(before)[..., None]
            M = way.L @ way.L.swapaxes(1, 2)
            return way.solve(M @ v, -r * way.J @ v)

        def velocity(model: Model, q: Tensor, before: Tensor) -> Tensor:
            return _last(after(model, q, before).motion[..., 0])

        def forces(model: Model, q: Tensor, before: Tensor) -> Tensor:
            return _last(after(model, q, before).forces[..., 0])

        return {f"impact_velocity_{word}": velocity, f"impact_forces_{word}": forces}

    own: dict[str, Any] = {
        function.__name__: function
        for function in (
            constrained_acceleration,
            constraint_forces,
            constraint_multipliers,
            constrained_acceleration_dtau,
            constraint_multipliers_dtau,
            delassus_matrix,
        )
    }
    own |= derivatives(of_tree, {**by_parts, **own}, solve, changes)
    for word, r in restitutions.items():
        own |= impacts(word, float(r))
    return {"constraint_jacobian": jacobian, "constraint_drift": drift, **own}


def _first(x: Tensor) -> Tensor:
    """Batch first, as NumPy's linear algebra wants it."""
    return np.moveaxis(x, -1, 0)


def _last(x: Tensor) -> Tensor:
    return np.moveaxis(x, 0, -1)
