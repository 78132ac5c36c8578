"""q ⊕ dv and to ⊖ q, and their derivatives along motions of the bodies, in closed form.

For a joint whose velocity is the body's own, with x = dv or x = to ⊖ q, and A and E of
:mod:`implementations.spatial_algebra.rigid_motions`,

    ∂(q ⊕ dv)/∂q = A(−x)       ∂(q ⊕ dv)/∂dv = E(−x)       ∂(to ⊖ q)/∂q = −E(x)⁻¹       ∂(to ⊖ q)/∂to = E(−x)⁻¹

(G. Chirikjian, "Stochastic Models, Information Theory, and Lie Groups", vol. 2, 2012, §10.7). A spherical or planar joint is
computed in space. The slots of other joints are added and subtracted; circles are turned. A quaternion keeps its length.

Floating-point numbers only, because of norms and atan2. q and ``to`` are (nq, batch), dv is (nv, batch); derivatives are
(nv, nv, batch).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from implementations.algorithms import Algorithm
from implementations.field import Tensor
from implementations.spatial_algebra.model import Link, Model
from implementations.spatial_algebra.rigid_motions import (
    Coefficients,
    adjoint,
    coefficients,
    exponential,
    inverse_left_jacobian,
    inverse_trivialised,
    one,
    skew,
    trivialised,
)
from implementations.spatial_algebra.spatial import cross, mul

PLANE = [2, 3, 4]
"""ω₃, v₁ and v₂ among the components of [ω; v]."""


def integrate(model: Model, q: Tensor, dv: Tensor) -> Tensor:
    """q ⊕ dv (nq, batch)."""
    moved = np.empty_like(q)
    for link in _independent(model):
        moved[link.q] = _integrated(link, q[link.q], dv[link.v])
    return moved


def difference(model: Model, q: Tensor, to: Tensor) -> Tensor:
    """to ⊖ q (nv, batch)."""
    step = np.empty((model.nv, *q.shape[1:]), q.dtype)
    for link in _independent(model):
        here, there = q[link.q], to[link.q]
        if link.joint.velocity_is_body_twist:
            step[link.v] = _between(link, here, there)[_rows(link)]
        else:
            step[link.v] = np.concatenate([_subtracted(slot.form, here[slot.q], there[slot.q]) for slot in link.joint.slots])
    return step


def _derivative(
    of_motion: Callable[[Tensor, Coefficients], Tensor],
    otherwise: int,
    motion: Callable[[Link, Tensor, Tensor], Tensor],
    to: bool,
) -> Algorithm:
    """A derivative: ``of_motion`` of a body's ``motion``, or ``otherwise`` times one for other velocities."""

    def derivative(model: Model, q: Tensor, other: Tensor) -> Tensor:
        D = np.zeros((model.nv, model.nv, *q.shape[1:]), q.dtype)
        for link in _independent(model):
            own, rows = (link.v, link.v), _rows(link)
            if link.joint.velocity_is_body_twist:
                x = motion(link, q[link.q], other[link.q if to else link.v])
                D[own] = of_motion(x, coefficients(x[:3]))[np.ix_(rows, rows)]
            else:
                D[own] = otherwise * np.eye(link.joint.nv, dtype=q.dtype)[:, :, None]
        return D

    return derivative


def _integrated(link: Link, q: Tensor, dv: Tensor) -> Tensor:
    """One joint's q ⊕ dv."""
    if not link.joint.velocity_is_body_twist:
        return np.concatenate([_added(slot.form, q[slot.q], dv[slot.v]) for slot in link.joint.slots])
    distances, orientation = _pose(link, q)
    x = _in_space(link, q, dv)
    moved = distances + mul(_rotation(orientation), exponential(x, coefficients(x[:3]))[1])
    turned = orientation + dv[:1] if len(orientation) == 1 else _product(orientation, _unit_quaternion(x[:3]))
    return np.concatenate([moved[: link.joint.description.distances], turned])


def _between(link: Link, q: Tensor, to: Tensor) -> Tensor:
    """x (6, batch), the motion in the body's frame from one position to another."""
    (here, orientation), (there, other) = _pose(link, q), _pose(link, to)
    if len(orientation) == 1:
        angle = other - orientation
        ω = np.concatenate([0 * angle, 0 * angle, angle - 2 * np.pi * np.round(angle / (2 * np.pi))])
    else:
        ω = _rotation_vector(_product(_conjugate(orientation), other))
    apart = mul(_rotation(orientation).swapaxes(0, 1), there - here)
    return np.concatenate([ω, mul(inverse_left_jacobian(ω, coefficients(ω)), apart)])


def _rotation_vector(e: Tensor) -> Tensor:
    """ω (3, batch) of quaternions, at most π long."""
    x, w = np.where(e[3] < 0, -e[:3], e[:3]), np.abs(e[3])
    sine = np.sqrt((x * x).sum(0))
    # 2 atan(s/w)/s tends to 2/w; no s whose square underflows is divided by.
    return x * np.where(sine < 1e-100, 2 / np.where(w == 0, 1, w), 2 * np.arctan2(sine, w) / np.where(sine == 0, 1, sine))


def _unit_quaternion(ω: Tensor) -> Tensor:
    half = ω / 2
    return np.concatenate([coefficients(half).a1 * half, np.cos(np.sqrt((half * half).sum(0, keepdims=True)))])


def _rotation(orientation: Tensor) -> Tensor:
    """R (3, 3, batch) from the body's axes to the joint's, of an angle or of a quaternion of any length."""
    if len(orientation) == 1:
        zero = 0 * orientation[0]
        c, s = np.cos(orientation[0]), np.sin(orientation[0])
        return np.array([[c, -s, zero], [s, c, zero], [zero, zero, zero + 1]])
    turn = skew(orientation[:3])
    return one(turn) + 2 * (orientation[3] * turn + mul(turn, turn)) / (orientation * orientation).sum(0)


def _product(a: Tensor, b: Tensor) -> Tensor:
    x, w, y, u = a[:3], a[3:], b[:3], b[3:]
    return np.concatenate([w * y + u * x + cross(x, y), w * u - (x * y).sum(0, keepdims=True)])


def _conjugate(e: Tensor) -> Tensor:
    return np.concatenate([-e[:3], e[3:]])


def _pose(link: Link, q: Tensor) -> tuple[Tensor, Tensor]:
    """The distances (3, batch) of a position, zero where the joint has none, and its angle or quaternion."""
    n = link.joint.description.distances
    return np.concatenate([q[:n], np.zeros((3 - n, *q.shape[1:]), q.dtype)]), q[n:]


def _in_space(link: Link, q: Tensor, dv: Tensor) -> Tensor:
    """The motion [ω; v] (6, batch) of a velocity; it does not depend on q."""
    x = np.zeros((6, *dv.shape[1:]), dv.dtype)
    x[_rows(link)] = dv
    return x


def _rows(link: Link) -> list[int]:
    """The joint's components among those of [ω; v]."""
    return PLANE if link.joint.description.distances == 2 else list(range(link.joint.nv))


def _added(form: str, q: Tensor, step: Tensor) -> Tensor:
    if form != "circle":
        return q + step
    c, s = np.cos(step), np.sin(step)
    return np.concatenate([c * q[:1] - s * q[1:], s * q[:1] + c * q[1:]])


def _subtracted(form: str, q: Tensor, to: Tensor) -> Tensor:
    return np.arctan2(q[:1] * to[1:] - q[1:] * to[:1], (q * to).sum(0, keepdims=True)) if form == "circle" else to - q


def _independent(model: Model) -> list[Link]:
    """The links whose joints have coordinates of their own."""
    return [link for link in model.links if link.joint.mimic is None]


INTEGRATION: dict[str, Algorithm] = {
    "integrate": integrate,
    "integrate_dq": _derivative(lambda x, a: adjoint(-x, a), 1, _in_space, to=False),
    "integrate_dv": _derivative(lambda x, a: trivialised(-x, a), 1, _in_space, to=False),
    "difference": difference,
    "difference_dq": _derivative(lambda x, a: -inverse_trivialised(x, a), -1, _between, to=True),
    "difference_dto": _derivative(lambda x, a: inverse_trivialised(-x, a), 1, _between, to=True),
}
"""The algorithms by name."""
