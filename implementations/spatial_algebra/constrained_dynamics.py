"""Motion under constraints by Gauss's principle: of all accelerations that the constraints allow, the nearest to the free one.

With M = L Lᵀ and the coordinates y = Lᵀ q̈, in which the kinetic energy is ½ |y|², let W = J L⁻ᵀ and W⁺ be its pseudo-inverse:

    y = y₀ + W⁺ (c − W y₀),        M q̈₀ = b,        Jᵀ μ = L W⁺ (c − W y₀),        μ = (Wᵀ)⁺ W⁺ (c − W y₀)

solves M q̈ = b + Jᵀ μ, J q̈ = c (F. Udwadia, R. Kalaba, "A new perspective on constrained motion", 1992). W⁺ comes from the
singular value decomposition; singular values below 10⁻⁹ of the largest belong to rows that follow from others. μ is then the
shortest one. The velocity after an impact solves the same equations. float64 only, because NumPy's decompositions are.

M a + h = τ + Jᵀ λ and J a + J̇ v = 0 are differentiated along q and v with τ fixed (R. Budhiraja, J. Carpentier, C. Mastalli,
N. Mansard, "Differential dynamic programming for multi-phase rigid contact dynamics", Humanoids 2018). With
ID(q, v, a) = M a + h:

    M ∂a = −∂ID + ∂(Jᵀ)λ + Jᵀ ∂λ,        J ∂a = −∂(J) a − ∂(J̇ v)            docs/notes/constraints.md, eq. 13

These are the equations of constrained motion with other right sides; Gauss's principle solves them too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from implementations.algorithms import Algorithm
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model
from mechanisms.quantities import ALL_QUANTITIES, RESTITUTIONS

RANK, ROUNDED = 1e-9, 2**8
"""The smallest singular value of W that counts, relative to the largest: this part, or so many roundings if that is more."""


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
    counts = σ > max(RANK, ROUNDED * np.finfo(M.dtype).eps) * σ[:, :1]
    return Bound(L, J, W, U, np.divide(1, σ, out=np.zeros_like(σ), where=counts), VT)


class ByPosition(NamedTuple):
    """The terms of the derivatives by q: ∂ID/∂q and ∂(Jᵀ)λ/∂q (nv, nv, batch), ∂(J)a/∂q and ∂(J̇ v)/∂q (directions, nv, batch)."""

    forces: Tensor
    pull: Tensor
    motion: Tensor
    drift: Tensor


class ByVelocity(NamedTuple):
    """The terms of the derivatives by v: ∂ID/∂v (nv, nv, batch) and ∂(J̇ v)/∂v (directions, nv, batch)."""

    forces: Tensor
    drift: Tensor


def by_position(
    of_tree: Mapping[str, Algorithm], by_parts: Mapping[str, Algorithm], a: Tensor, λ: Tensor, model: Model, *state: Tensor
) -> ByPosition:
    """The terms at q and v, where constrained motion has the acceleration a (nv, batch) and the multipliers λ."""
    q, qd = state
    dJ = by_parts["constraint_jacobian_dq"](model, q)
    return ByPosition(
        forces=of_tree["inverse_dynamics_dq"](model, q, qd, a),
        pull=np.einsum("ijk...,i...->jk...", dJ, λ),
        motion=np.einsum("ijk...,j...->ik...", dJ, a),
        drift=by_parts["constraint_drift_dq"](model, q, qd),
    )


def by_velocity(
    of_tree: Mapping[str, Algorithm], by_parts: Mapping[str, Algorithm], model: Model, q: Tensor, qd: Tensor
) -> ByVelocity:
    """The terms at q and v."""
    return ByVelocity(of_tree["inverse_dynamics_dv"](model, q, qd), by_parts["constraint_drift_dv"](model, q, qd))


PARTS = {"constrained_acceleration": "motion", "constraint_forces": "forces", "constraint_multipliers": "multipliers"}
"""The parts of a solution that are quantities. Derivatives have the same names with an ending."""


def algorithms(
    of_tree: Mapping[str, Algorithm],
    jacobian: Algorithm,
    drift: Algorithm,
    by_parts: Mapping[str, Algorithm],
) -> dict[str, Algorithm]:
    """The quantities of constrained motion, from M, h and ∂ID of the tree, from J and the drift, and from ``by_parts``, the
    derivatives of these two."""

    def at(model: Model, q: Tensor) -> Bound:
        return bound(_first(of_tree["mass_matrix"](model, q)), _first(jacobian(model, q)))

    def accelerated(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Solution:
        b = _first(tau - of_tree["nonlinear_effects"](model, q, qd))[..., None]
        return at(model, q).solve(b, -_first(drift(model, q, qd))[..., None])

    def of_forces(model: Model, q: Tensor) -> Solution:
        way = at(model, q)
        return way.solve(np.broadcast_to(np.eye(model.nv), way.L.shape), 0 * way.J)

    def of_state(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Solution:
        now = accelerated(model, q, qd, tau)
        a, λ = _last(now.motion[..., 0]), _last(now.multipliers[..., 0])
        by_q = by_position(of_tree, by_parts, a, λ, model, q, qd)
        by_v = by_velocity(of_tree, by_parts, model, q, qd)
        b = np.concatenate((by_q.pull - by_q.forces, -by_v.forces), 1)
        c = -np.concatenate((by_q.motion + by_q.drift, by_v.drift), 1)
        solution = at(model, q).solve(_first(b), _first(c))
        return solution._replace(forces=solution.forces + _first(np.concatenate((by_q.pull, 0 * by_q.pull), 1)))

    def of_velocity(model: Model, q: Tensor, qd: Tensor) -> Solution:
        forces, change = by_velocity(of_tree, by_parts, model, q, qd)
        return at(model, q).solve(-_first(forces), -_first(change))

    def after_impact(r: float, model: Model, q: Tensor, before: Tensor) -> Solution:
        way, v = at(model, q), _first(before)[..., None]
        M = way.L @ way.L.swapaxes(1, 2)
        return way.solve(M @ v, -r * way.J @ v)

    def delassus_matrix(model: Model, q: Tensor) -> Tensor:
        W = at(model, q).W
        return _last(W @ W.swapaxes(1, 2))

    own: dict[str, Algorithm] = {"constraint_jacobian": jacobian, "constraint_drift": drift, "delassus_matrix": delassus_matrix}
    for ending, solved in (("", accelerated), ("_dtau", of_forces), ("_dx", of_state), ("_dv", of_velocity)):
        own |= {quantity + ending: partial(_part, solved, name, not ending) for quantity, name in PARTS.items()}
    for word, r in RESTITUTIONS.items():
        after = partial(after_impact, float(r))
        own |= {f"impact_velocity_{word}": partial(_part, after, "motion", True)}
        own |= {f"impact_forces_{word}": partial(_part, after, "forces", True)}
    return {name: algorithm for name, algorithm in own.items() if name in ALL_QUANTITIES}


def _part(solved: Callable[..., Solution], name: str, is_vector: bool, model: Model, *state: Tensor) -> Tensor:
    """A part of a solution, batch last; of a vector, the only column."""
    part = getattr(solved(model, *state), name)
    return _last(part[..., 0] if is_vector else part)


def _first(x: Tensor) -> Tensor:
    """Batch first, as NumPy's linear algebra wants it."""
    return np.moveaxis(x, -1, 0)


def _last(x: Tensor) -> Tensor:
    return np.moveaxis(x, 0, -1)
