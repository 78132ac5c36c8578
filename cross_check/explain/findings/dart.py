"""What DART makes of small turns, small screws, and of M⁻¹ beyond welds.

The matrix that DART takes for a turn by θ < :data:`SHORT` about u is I + [uθ] + [uθ]²/2. In the plane across u this is the
complex number 1 − θ²/2 + iθ: a turn by φ = atan2(θ, 1 − θ²/2), which is θ³/6 too far, and a stretch by 1 + η, η = √(1 + θ⁴/4) −
1. The turn is predicted, as the right answers at another position; the stretch is bounded
(docs/findings/dart-small-rotation-vectors.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from cross_check.explain.findings.finding import Functions
from cross_check.judge.error_scale.sizes import ErrorScale
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.motions import exp_rotation
from mechanisms.quantities import POSITIONS, QUANTITIES, ByForces, BySolution, Quantity

SHORT = 1e-3
"""Angles (rad) below which DART takes three terms of the exponential's series."""

TINY = 1e-6
"""Angles (rad) up to which DART takes two terms of the series of a twist's exponential."""

FACTORS = 4.0
"""How often a turn is a factor of one term of an answer, at most."""


ANSWERED = [
    quantity
    for quantity in QUANTITIES.values()
    if not {"nq", "state", "parameters"} & {*quantity.axes} and not quantity.is_by_angles
]
"""The quantities that DART may have, but for positions."""


class Turn(NamedTuple):
    """The turns of one joint: its quaternion's place in q, its part of v, and whether it is a free joint's."""

    at: slice
    own: slice
    is_free: bool


def with_short_series(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Right answers at the positions that DART's matrices stand for. A free joint's velocities keep the parent body's axes."""
    turns = list(_turns(mechanism))
    if not turns:
        return {}

    def answer(quantity: Quantity, *state: Array) -> Array:
        given = dict(zip(quantity.arguments, state, strict=True))
        q, Δ = given["q"], np.zeros((len(given["q"]), mechanism.nv, mechanism.nv)) + np.eye(mechanism.nv)
        for turn in turns:
            if turn.is_free:
                e = q[:, turn.at]
                back = np.where(_is_short(e), _angle(e) - _further(_angle(e)), 0)
                less = _rotation(_axis(e) * back[:, None])
                for part in (turn.own.start, turn.own.start + 3):
                    Δ[:, part : part + 3, part : part + 3] = less
        for name, x in given.items():
            if name in POSITIONS:
                given[name] = _elsewhere(turns, x)
            elif x.shape[1:] == (mechanism.nv,) and name != "f":
                given[name] = (Δ @ x[..., None])[..., 0]
        x = np.asarray(getattr(right, quantity.name)(*given.values()))
        for axis, entries in enumerate(quantity.axes, 1):
            if entries == "nv":
                moved = np.moveaxis(x, axis, -1)
                back = np.einsum("b...k,bki->b...i", moved, Δ)
                x = np.moveaxis(back, -1, axis)
        return x

    def integrate(q: Array, dv: Array) -> Array:
        moved, origins = right.integrate(_elsewhere(turns, q), _further_along(turns, dv)), right.integrate(q, dv)
        for _, at in mechanism.slots("distance"):
            moved[:, at] = origins[:, at]
        return moved

    def difference(q: Array, to: Array) -> Array:
        return right.difference(_elsewhere(turns, q), _elsewhere(turns, to))

    moved: dict[str, Callable[..., Array]] = {quantity.name: partial(answer, quantity) for quantity in ANSWERED}
    return moved | {"integrate": integrate, "difference": difference}


def of_short_series(mechanism: Mechanism) -> Functions:
    """The stretch by 1 + η in every term of an answer."""
    turns = list(_turns(mechanism))
    if not turns:
        return {}

    size = partial(_size, ErrorScale(mechanism), REFERENCE.load(mechanism))

    def bound(quantity: Quantity, *state: Array) -> Array:
        own, given = size(quantity, *state), zip(quantity.arguments, state, strict=True)
        angles = [_angle(x[:, turn.at]) for name, x in given if name in POSITIONS for turn in turns]
        if quantity.name == "integrate":
            angles += [np.linalg.norm(state[1][:, turn.own][:, :3], axis=1) for turn in turns]
        η = FACTORS * np.sum([np.where(θ < SHORT, θ**4 / 8, 0.0) for θ in angles], axis=0)
        return η.reshape(-1, *[1] * (own.ndim - 1)) * own

    return {
        quantity.name: partial(bound, quantity) for quantity in (*ANSWERED, QUANTITIES["integrate"], QUANTITIES["difference"])
    }


def _size(scale: ErrorScale, right: Dynamics, quantity: Quantity, *state: Array) -> Array:
    """The size of a quantity, also of those that solve an equation: by |M⁻¹| times the size of what is wrong in it."""
    if not isinstance(quantity.judged, ByForces | BySolution):
        return scale.size(quantity.name, *state)
    inverse = np.abs(right.forward_dynamics_dtau(state[0]))
    if isinstance(quantity.judged, BySolution):
        return np.asarray(inverse @ scale.size("mass_matrix", state[0]) @ inverse)
    return (inverse @ scale.shared_force(state[0], state[1], right.forward_dynamics(*state))[..., None])[..., 0]


def advancing_too_little(mechanism: Mechanism, right: Dynamics) -> Functions:
    """With the distance −θ³/120 by which helical joints that turn by at most :data:`TINY` slide in addition."""
    helical = [j for j, body in enumerate(mechanism.bodies) if body.joint.kind == "helical"]
    masses, gravity = mechanism.arrays.masses, mechanism.arrays.gravity
    if not helical:
        return {}

    def slides(q: Array) -> Array:
        """By how much every body is too far, along the root's axes: (batch, bodies, 3)."""
        far = np.zeros((len(q), len(mechanism.bodies), 3))
        R = right.placements(q)[..., :3]
        for j in helical:
            θ = q[:, mechanism.q_slices[j].start]
            axis = R[:, j] @ np.array([float(x) for x in mechanism.bodies[j].joint.axis])
            far[:, j] -= np.where(np.abs(θ) <= TINY, θ**3 / 120, 0.0)[:, None] * axis
        for i, λ in enumerate(mechanism.parents):
            if λ >= 0:
                far[:, i] += far[:, λ]
        return far

    def placements(q: Array) -> Array:
        T = np.array(right.placements(q))
        T[..., 3] += slides(q)
        return T

    return {
        "placements": placements,
        "center_of_mass": lambda q: right.center_of_mass(q) + masses @ slides(q) / masses.sum(),
        "potential_energy": lambda q: right.potential_energy(q) - masses @ slides(q) @ gravity,
    }


def without_welded_forces(mechanism: Mechanism, right: Dynamics) -> Functions:
    """M⁻¹ if a force beyond a weld does not reach the joints before it.

    Column j is that of the part beyond the last weld before joint j, with everything before it at rest. DART computes the entries
    of a column up to the diagonal, in its own order, and those below are copies.
    """
    beyond = _beyond_last_weld(mechanism)
    if all(len(part) == len(mechanism.bodies) for part in beyond):
        return {}
    order = _darts_order(mechanism)

    def inverse(q: Array) -> Array:
        M, X = right.mass_matrix(q), np.zeros((len(q), mechanism.nv, mechanism.nv))
        for part in set(beyond):
            rows = [k for i in sorted(part) for k in range(*mechanism.v_slices[i].indices(mechanism.nv))]
            solved = np.zeros_like(X)
            solved[:, np.array(rows)[:, None], rows] = np.linalg.inv(M[:, np.array(rows)[:, None], rows])
            for j, own in enumerate(mechanism.v_slices):
                if beyond[j] == part:
                    for i, other in enumerate(mechanism.v_slices):
                        if order[i] <= order[j]:
                            X[:, other, own] = solved[:, other, own]
                            X[:, own, other] = solved[:, other, own].swapaxes(1, 2)
        return X

    return {"forward_dynamics_dtau": inverse}


def _beyond_last_weld(mechanism: Mechanism) -> list[frozenset[int]]:
    """By joint: the joints beyond the last weld before it that follows a joint that moves; all without such a weld."""
    moves: dict[str, bool] = {mechanism.root: False}
    welds: dict[str, tuple[str, ...]] = {mechanism.root: ()}
    """By body: the welds on the way to the root, the last one first."""
    for body in mechanism.unwelded:
        is_welded = body.joint.kind == "fixed"
        welds[body.name] = (body.name,) * (is_welded and moves[body.parent]) + welds[body.parent]
        moves[body.name] = moves[body.parent] or not is_welded
    before = [welds[body.name] for body in mechanism.bodies]
    return [frozenset(i for i, other in enumerate(before) if {*own[:1]} <= {*other}) for own in before]


def _darts_order(mechanism: Mechanism) -> list[int]:
    """By joint: its number in DART, depth first, the children of a link by the names of their joints."""
    children: dict[str, list[str]] = {}
    for body in sorted(mechanism.unwelded, key=lambda body: body.joint.name):
        children.setdefault(body.parent, []).append(body.name)
    visited, waiting = [], [mechanism.root]
    while waiting:
        visited.append(waiting.pop())
        waiting += reversed(children.get(visited[-1], []))
    return [visited.index(body.name) for body in mechanism.bodies]


def _turns(mechanism: Mechanism) -> Iterator[Turn]:
    for joint, at in mechanism.slots("quaternion"):
        own = next(v for body, v in zip(mechanism.bodies, mechanism.v_slices, strict=True) if body.joint is joint)
        yield Turn(at, own, joint.kind == "free")


def _angle(e: Array) -> Array:
    """θ (batch,) of quaternions (batch, 4), from 0 to 2π."""
    return 2 * np.arctan2(np.linalg.norm(e[:, :3], axis=1), e[:, 3])


def _axis(e: Array) -> Array:
    """u (batch, 3), zero where there is no turn."""
    sine = np.linalg.norm(e[:, :3], axis=1, keepdims=True)
    return np.divide(e[:, :3], sine, out=np.zeros_like(e[:, :3]), where=sine > 0)


def _is_short(e: Array) -> Array:
    return np.asarray(_angle(e) < SHORT)


def _further(θ: Array) -> Array:
    """φ of θ (batch,)."""
    return np.arctan2(θ, 1 - θ * θ / 2)


def _elsewhere(turns: list[Turn], q: Array) -> Array:
    q = q.copy()
    for turn in turns:
        e = q[:, turn.at]
        q[:, turn.at] = np.where(_is_short(e)[:, None], exp_rotation(_axis(e) * _further(_angle(e))[:, None]), e)
    return q


def _further_along(turns: list[Turn], dv: Array) -> Array:
    """The velocities (batch, nv) whose right exponentials are DART's of dv."""
    dv = dv.copy()
    for turn in turns:
        own = slice(turn.own.start, turn.own.start + 3)
        θ = np.linalg.norm(dv[:, own], axis=1)
        is_short = (θ > 0) & (θ < SHORT)
        dv[:, own] *= np.where(is_short, _further(θ) / np.where(is_short, θ, 1), 1)[:, None]
    return dv


def _rotation(x: Array) -> Array:
    """I + [x] (batch, 3, 3) of tiny vectors x (batch, 3)."""
    return np.eye(3) + np.cross(x[:, None], np.eye(3)).swapaxes(1, 2)
