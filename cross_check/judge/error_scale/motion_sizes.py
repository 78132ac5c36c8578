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

A frame is one body more, at the distance r from the body that carries it, with one rotation more on its path and no motion of its
own (docs/notes/error-scale.md, eq. 44):

    D + 1,    R + r,    W,    V + W r,    A,    a + (A + W²) r

D, R, W, V, A and a are those of the body, and zero for the root. What moves with W, V, A and a at the distance R has the sizes

    velocity            W               V + W R                         eq. 19
    acceleration        A + W²          a + W V + (A + W²) R            eq. 20

The end of a constraint moves with its body, at the distance R + |p| from the root's origin, where p is its place on the body
(eqs. 53, 54). An end on the root does not move. For the derivatives of a constraint the sizes of its two ends are added before
they are multiplied, because what moves either end moves the frame of the answer as well (eqs. 61–63).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from cross_check.judge.error_scale.motion_magnitudes import Array, MotionMagnitudes, growth
from cross_check.judge.error_scale.standing import norm
from mechanisms.quantities import Quantity

Pair = tuple[Array, Array]
"""The angular and the linear size of a motion."""


class Places(NamedTuple):
    """D, G and R of every place, and the sizes of its motion without growth (places, 1, batch) and of the screws (places, nv, …).

    A screw has the angular part t and the linear part σ. Both are zero where a coordinate does not move the place.
    """

    D: Array
    G: Array
    R: Array
    velocity: Pair
    acceleration: Pair
    screws: Pair


def bodies(bounds: MotionMagnitudes, q: Array, v: Array | None = None, a: Array | None = None) -> Places:
    """Every body; v and a are zero unless they are given."""
    return _places(bounds, range(len(bounds.mechanism.bodies)), q, v, a)


def frames(bounds: MotionMagnitudes, q: Array, v: Array | None = None, a: Array | None = None) -> Places:
    """Every frame of the mechanism; v and a are zero unless they are given."""
    of = bounds.mechanism.frames
    offsets = [norm(frame.placement.translation) for frame in of]
    return _places(bounds, [frame.body for frame in of], q, v, a, offsets=offsets, rotations=1)


def ends(bounds: MotionMagnitudes, q: Array, v: Array | None = None) -> tuple[Places, list[list[int]]]:
    """Every end of a constraint that moves, and the indices of the ends of every constraint. v is zero unless it is given."""
    index = {body.name: b for b, body in enumerate(bounds.mechanism.bodies)}
    both = [
        (k, index[name], norm(placement.translation))
        for k, one in enumerate(bounds.mechanism.constraints)
        for name, placement in ((one.first, one.first_placement), (one.second, one.second_placement))
        if name in index
    ]
    of_constraints = [[i for i, (of, *_) in enumerate(both) if of == k] for k in range(len(bounds.mechanism.constraints))]
    places = _places(bounds, [body for _, body, _ in both], q, v, None, levers=[lever for *_, lever in both])
    return places, of_constraints


def _places(
    bounds: MotionMagnitudes,
    on: Sequence[int],
    q: Array,
    v: Array | None,
    a: Array | None,
    *,
    offsets: Sequence[float] = (0.0,),
    levers: Sequence[float] = (0.0,),
    rotations: int = 0,
) -> Places:
    """Places on these bodies (-1 for the root). ``offsets`` are distances of frames from them, and ``levers`` those of ends."""
    still = np.zeros((len(q), bounds.mechanism.nv))
    v, a = still if v is None else v, still if a is None else a
    motion = (*bounds.velocities(q, v), *bounds.accelerations(q, v, a, 0), bounds.rotations, bounds.distances(q))
    W, V, A, linear, D, R = (np.concatenate((x, np.zeros_like(x[:1])))[list(on), None] for x in motion)
    own, lever = (np.array(lengths)[:, None, None] for lengths in (offsets, levers))
    D, R, V, linear = D + rotations, R + own + lever, V + W * own, linear + (A + W**2) * own
    acceleration = (A + W**2, linear + W * V + (A + W**2) * R)
    moved = np.concatenate((bounds.moves, np.zeros_like(bounds.moves[:, :1])), axis=1)[:, list(on)].swapaxes(0, 1)
    σ = bounds.t * bounds.distances(q)[bounds.joint] + bounds.d
    screws = np.where(moved, bounds.t, 0.0), np.where(moved, σ, 0.0)
    return Places(D, growth(D), R, (W, V + W * R), acceleration, screws)


def summed(places: Places, of: list[list[int]]) -> Places:
    """One place for every constraint, from its ends: sums of screws and motions, and the largest D and G."""

    def total(x: Array) -> Array:
        return np.stack([x[own].sum(axis=0) for own in of])

    def largest(x: Array) -> Array:
        return np.stack([x[own].max(axis=0, initial=1.0) for own in of])

    t, σ = places.screws
    pairs = (places.velocity, places.acceleration, (t, t * places.R + σ))
    velocity, acceleration, screws = ((total(angular), total(linear)) for angular, linear in pairs)
    return Places(largest(places.D), largest(places.G), 0 * largest(places.R), velocity, acceleration, screws)


def crossed(x: Pair, y: Pair) -> Pair:
    """The size of x × y."""
    return x[0] * y[0], x[0] * y[1] + x[1] * y[0]


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
