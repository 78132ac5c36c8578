"""The sizes of motions and of their derivatives: of bodies, of frames and of constraints.

docs/notes/error-scale.md derives the equations and numbers them. R, (W, ν) and (α, β) are the distance of a place and the angular
and linear sizes of its velocity and of its acceleration. D is the number of rotations on the path to it. A coordinate k has the
angular part t, and σ = t R_k + d:

    [R p]       D                         R                                        eq. 17
    J           t D                       t R + σ                                  eq. 18
    V           W                         ν                                        eq. 19
    V̇, J̇v       α                         β                                        eq. 20
    ∂V/∂q_k     t W                       t ν + σ W                                eq. 39
    ∂V̇/∂q_k     t (α + W²)                t (β + 2 W ν) + σ (α + W²)               eq. 40
    ∂V̇/∂v_k     3 t W                     3 (t ν + σ W)                            eq. 41
    ∂p̈/∂q_k     as ∂V̇/∂q_k, and           2 t W ν + σ W²                           eq. 42
    ∂p̈/∂v_k     as ∂V̇/∂v_k, and           t ν + (σ + t R) W                        eq. 42
    ∂J_j/∂q_k   t_j t_k D                 t_k σ_j + t_j σ_k + t_j t_k R            eq. 43

Constraints have the sums of both ends: of J and of the drift J̇ v (eqs. 53, 54), and for derivatives of t, of t R + σ in the place
of σ, and of the motions:

    ∂J_j/∂q_k          as ∂J_j/∂q_k, with R = 0                                    eq. 61
    ∂(J̇ v)/∂q_k        as ∂V̇/∂q_k                                                  eq. 62
    ∂(J̇ v)/∂v_k        5 t W              5 (t ν + σ W)                            eq. 63

A size is the same in every frame, as code may compute a motion about the body's origin from that about the root's origin, and the
other way round. It is zero where k does not move the place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes
from cross_check.error_scale.places import Pair, Places, bodies, crossed, ends, frames, summed
from mechanisms.quantities import Quantity

Formula = Callable[[Places], Pair]
"""The angular and the linear size (places, …, batch)."""


def _placements(at: Places) -> Pair:
    return at.D, at.G * at.R


def _jacobians(at: Places) -> Pair:
    t, σ = at.screws
    return t * at.D, at.G * (t * at.R + σ)


def _velocities(at: Places) -> Pair:
    return _grown(at, at.velocity)


def _accelerations(at: Places) -> Pair:
    return _grown(at, at.acceleration)


def _velocities_dq(at: Places) -> Pair:
    return _grown(at, crossed(at.screws, at.velocity))


def _accelerations_dq(at: Places) -> Pair:
    """s × (V̇ − V̇_λ) and Ψ̇ × (V − V_λ)."""
    once, twice = crossed(at.screws, at.acceleration), crossed(crossed(at.screws, at.velocity), at.velocity)
    return _grown(at, (once[0] + twice[0], once[1] + twice[1]))


def _accelerations_dv(at: Places) -> Pair:
    """The three products of eq. 32 of docs/notes/derivatives.md."""
    angular, linear = _velocities_dq(at)
    return 3 * angular, 3 * linear


def _classical_accelerations_dq(at: Places) -> Pair:
    """Also ∂(ω × ṗ)."""
    (angular, linear), (W, ν), (t, σ) = _accelerations_dq(at), at.velocity, at.screws
    return angular, linear + at.G * (2 * t * W * ν + σ * W**2)


def _classical_accelerations_dv(at: Places) -> Pair:
    """Also ∂(ω × ṗ)."""
    (angular, linear), (W, ν), (t, σ) = _accelerations_dv(at), at.velocity, at.screws
    return angular, linear + at.G * (t * ν + (σ + t * at.R) * W)


def _jacobians_dq(at: Places) -> Pair:
    t, σ = at.screws
    both, D, G, R = t[:, :, None] * t[:, None], at.D[:, None], at.G[:, None], at.R[:, None]
    return both * D, G * (t[:, :, None] * σ[:, None] + t[:, None] * σ[:, :, None] + both * R)


def _drifts_dv(at: Places) -> Pair:
    angular, linear = _velocities_dq(at)
    return 5 * angular, 5 * linear


def _grown(at: Places, size: Pair) -> Pair:
    return at.G * size[0], at.G * size[1]


FORMULAS: dict[str, Formula] = {
    "placements": _placements,
    "jacobians": _jacobians,
    "velocities": _velocities,
    "accelerations": _accelerations,
    "classical_accelerations": _accelerations,
    "drifts": _accelerations,
    "velocities_dq": _velocities_dq,
    "accelerations_dq": _accelerations_dq,
    "accelerations_dv": _accelerations_dv,
    "classical_accelerations_dq": _classical_accelerations_dq,
    "classical_accelerations_dv": _classical_accelerations_dv,
    "jacobians_dq": _jacobians_dq,
}
"""By family: of bodies and of frames."""

OF_ENDS: dict[str, Formula] = {"constraint_jacobian": _jacobians, "constraint_drift": _accelerations}
"""Of constraints, from the sizes of both ends."""

OF_CONSTRAINTS: dict[str, Formula] = {
    "constraint_jacobian_dq": _jacobians_dq,
    "constraint_drift_dq": _accelerations_dq,
    "constraint_drift_dv": _drifts_dv,
}
"""Of constraints, from the sums over both ends."""


def size_of_motion(quantity: Quantity, bounds: MotionMagnitudes, *arguments: Array) -> Array:
    """The size of a quantity of every body, of every frame or of every constrained direction."""
    if quantity.axes[0] == "directions":
        return _size_of_constraints(quantity, bounds, *arguments)
    places = frames if quantity.axes[0] == "frames" else bodies
    family = quantity.family.removeprefix("frame_")
    angular, linear = np.broadcast_arrays(*FORMULAS[family](places(bounds, *arguments)))
    if family == "placements":
        return np.stack([np.moveaxis(np.concatenate([angular] * 3 + [linear], axis=1), -1, 0)] * 3, axis=2)
    return _by_state(np.stack([angular] * 3 + [linear] * 3, axis=1), quantity)


def _size_of_constraints(quantity: Quantity, bounds: MotionMagnitudes, *arguments: Array) -> Array:
    moving, of = ends(bounds, *arguments)
    if quantity.name in OF_CONSTRAINTS:
        pair = OF_CONSTRAINTS[quantity.name](summed(moving, of))
    else:
        sizes = np.broadcast_arrays(*OF_ENDS[quantity.name](moving))
        angular, linear = (np.stack([size[own].sum(axis=0) for own in of]) for size in sizes)
        pair = angular, linear
    angular, linear = np.broadcast_arrays(*pair)
    rows = [(angular if row < 3 else linear)[k] for k, one in enumerate(bounds.mechanism.constraints) for row in one.rows]
    return _by_state(np.stack(rows), quantity)


def _by_state(size: Array, quantity: Quantity) -> Array:
    """The size, batch first. The motion of a place has one column where its derivatives have nv."""
    if "nv" not in quantity.axes:
        size = size[..., 0, :]
    return np.moveaxis(size, -1, 0)
