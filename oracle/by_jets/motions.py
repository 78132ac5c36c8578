"""Placements, motions and momentum of bodies and of fixed frames, and external forces, from homogeneous transforms alone.

T = [R p] takes a body's points to the root. Its rate, or its derivative by a coordinate, gives a velocity [ω; v] in one of three
frames: [ω]× is the skew part of the first three columns of N, and v is its last column (text 003, §§9, 10, 12, 13, 24, 25).

    local      N = Rᵀ Ṫ              the body's origin, along the body's axes
    world      N = Ṫ T⁻¹             the body's point that is at the root's origin, along the root's axes
    aligned    N = [Ṙ Rᵀ, ṗ]         the body's origin, along the root's axes

In the local and in the world frame, the spatial acceleration is the rate of the numbers in V. In the aligned frame that rate is
the classical acceleration [ω̇; p̈]; the spatial acceleration there is the local one, rotated to the root's axes. J̇ v is the
rate of V = J v at constant v.

A frame that is fixed to a body or to the root has T_F = T F, where F is the constant transform from the frame to the body. Its
motion follows from T_F as that of a body follows from T. Local is then along the axes of F, at its origin.

A force [n; f] on a body, along its own axes and about its own origin, does the work tr([½ [n]×, f]ᵀ Rᵀ ∂ᵢT) for a unit step of
coordinate i. This work is subtracted from τᵢ.

The centre of mass c and the momentum about it follow from T and the pseudo-inertia J = ∫ x xᵀ dm
(:mod:`oracle.symbolic.energies`),

    m c = Σ T J e₄,      ∫ ẋ (x − c)ᵀ dm = Σ Ṫ J Tᵀ − l cᵀ,      l = ∫ ẋ dm = Σ Ṫ J e₄,

and the angular momentum k about c is twice the axial vector of the second. Rates are read from the series of T in time.
Derivatives by q and v are in :mod:`oracle.by_jets.differentiation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from oracle.by_jets.jets import Jet, compose, mul
from oracle.by_jets.system import FixedFrame, System
from oracle.by_jets.transforms import along_coordinates, at_constant_velocity, in_time
from oracle.by_jets.variation import euler_lagrange, gravity
from oracle.fields import Array


def motion(T: Jet, frame: str) -> Jet:
    """[ω; v] (6, …, batch) from T (3, 4, …, batch), of one order less."""
    R_transposed, dT = T.shorter.each(lambda x: x[:, :3].swapaxes(0, 1)), T.rate
    if frame == "local":
        N = R_transposed @ dT
    else:
        turn, slide = dT.each(lambda x: x[:, :3]) @ R_transposed, dT.each(lambda x: x[:, 3:])
        if frame == "world":
            slide = slide + turn @ T.shorter.each(lambda x: -x[:, 3:])
        N = Jet(*(np.concatenate(terms, 1) for terms in zip(turn.terms, slide.terms, strict=False)))
    return N.each(lambda x: np.concatenate([axial(x) / 2, x[:, 3]]))


def placement(T: Jet) -> Array:
    """[R p] (3, 4, batch)."""
    return T.now


def velocity(T: Jet, frame: str) -> Array:
    """V (6, batch). Of T along coordinates it is J (6, nv, batch), with V = J v."""
    return motion(T, frame).now


def rate_of_velocity(T: Jet, frame: str) -> Array:
    """V̇ (6, batch). At constant v it is J̇ v; in the aligned frame it is [ω̇; p̈], along the root's axes."""
    return motion(T, frame).rate.now


def acceleration(T: Jet, frame: str) -> Array:
    """The spatial acceleration (6, batch)."""
    if frame != "aligned":
        return rate_of_velocity(T, frame)
    R, local = T.now[:, :3], rate_of_velocity(T, "local")
    return np.concatenate([np.einsum("ij...,j...->i...", R, part) for part in (local[:3], local[3:])])


def placed(bodies: list[Jet], of: FixedFrame) -> Jet:
    """T F of a frame, from T of all bodies."""
    like = bodies[max(of.body, 0)]
    F = of.F[(..., *(None,) * (like.now.ndim - 3), slice(None))]
    if of.body < 0:
        return Jet(*(F + 0 * x if k == 0 else 0 * x for k, x in enumerate(like.terms)))
    return like.each(lambda x: compose(x, F))


def of_bodies(moving: Callable[..., list[Jet]], of_one: Callable[..., Array], system: System, *state: Array, **how: str) -> Array:
    """``of_one`` of every body (bodies, …, batch), where bodies move as ``moving`` says."""
    return np.stack([of_one(T, **how) for T in moving(system, *state)])


def of_frames(moving: Callable[..., list[Jet]], of_one: Callable[..., Array], system: System, *state: Array, **how: str) -> Array:
    """``of_one`` of every fixed frame (frames, …, batch)."""
    bodies = moving(system, *state)
    return np.stack([of_one(placed(bodies, frame), **how) for frame in system.frames])


MOTIONS: dict[str, tuple[Any, Any]] = {
    "placements": (in_time, placement),
    "jacobians": (along_coordinates, velocity),
    "velocities": (in_time, velocity),
    "accelerations": (in_time, acceleration),
    "classical_accelerations": (in_time, partial(rate_of_velocity, frame="aligned")),
    "drifts": (at_constant_velocity, rate_of_velocity),
}
"""How T moves, and the function of T: families of quantities of every body, and with "frame_" in front of every fixed frame."""

OF_MOTIONS: dict[str, Callable[..., Array]] = {
    prefix + name: partial(of_all, *how)
    for prefix, of_all in (("", of_bodies), ("frame_", of_frames))
    for name, how in MOTIONS.items()
}


def inverse_dynamics_with_forces(system: System, q: Array, v: Array, a: Array, f: Array) -> Array:
    """τ (nv, batch) where forces f = [n; f] (bodies, 6, batch) act on the bodies, each in its body's local frame."""
    return _less_work(system, euler_lagrange(system, q, v, a), q, f)


def static_forces(system: System, q: Array, f: Array) -> Array:
    """g − Σ JᵀF (nv, batch): the forces that hold the mechanism still under the forces f (bodies, 6, batch)."""
    return _less_work(system, gravity(system, q), q, f)


def _less_work(system: System, τ: Array, q: Array, f: Array) -> Array:
    """τ − Σ JᵀF (nv, batch)."""
    for T, force in zip(along_coordinates(system, q), f, strict=True):
        τ = τ - work(T.now[:, :, 0], T.rate.now, force)
    return τ


def work(T: Array, dT: Array, f: Array) -> Array:
    """The work (nv, batch) of the force f (6, batch) on one body for unit steps dT (3, 4, nv, batch)."""
    nx, ny, nz, *force = f / 2
    o = 0 * nx
    rows = ((o, -nz, ny, 2 * force[0]), (nz, o, -nx, 2 * force[1]), (-ny, nx, o, 2 * force[2]))
    F = np.stack([np.stack(row) for row in rows])
    return (mul(T[:, :3], F)[:, :, None] * dT).sum((0, 1))


def axial(N: Array) -> Array:
    """Twice the vector ω (3, …) for which [ω]× is the skew part of N (3, 3 or more, …)."""
    return np.stack([N[2, 1] - N[1, 2], N[0, 2] - N[2, 0], N[1, 0] - N[0, 1]])


def center_of_mass(system: System, q: Array) -> Array:
    """c (3, batch) of all bodies, in the root's frame."""
    return center(system, in_time(system, q)).now[:, 0]


def center_of_mass_velocity(system: System, q: Array, v: Array) -> Array:
    """ċ (3, batch)."""
    return center(system, in_time(system, q, v)).rate.now[:, 0]


def center_of_mass_acceleration(system: System, q: Array, v: Array, a: Array) -> Array:
    """c̈ (3, batch)."""
    return center(system, in_time(system, q, v, a)).rate.rate.now[:, 0]


def center_of_mass_jacobian(system: System, q: Array) -> Array:
    """J with ċ = J v (3, nv, batch)."""
    return center(system, [T.rate for T in along_coordinates(system, q)]).now[:, 0]


def centroidal_momentum(system: System, q: Array, v: Array) -> Array:
    """Angular momentum about the centre of mass, and momentum (6, batch), along the root's axes. Rotors are left out."""
    return momentum(system, in_time(system, q, v)).now


def centroidal_momentum_rate(system: System, q: Array, v: Array, a: Array) -> Array:
    """The rate of :func:`centroidal_momentum` (6, batch)."""
    return momentum(system, in_time(system, q, v, a)).rate.now


def centroidal_momentum_matrix(system: System, q: Array) -> Array:
    """The matrix A with A v = :func:`centroidal_momentum` (6, nv, batch)."""
    return momentum(system, along_coordinates(system, q)).now


def center(system: System, T: Sequence[Jet]) -> Jet:
    """c (3, 1, …, batch), or its derivatives, from the transforms of all bodies, or from theirs."""
    first = reduce(add, (x.each(partial(mul, b=link.J[:, 3:])) for x, link in zip(T, system.links, strict=True)))
    mass: Any = sum(link.J[3, 3] for link in system.links)
    return first.each(lambda x: x / mass)


def momentum(system: System, T: Sequence[Jet]) -> Jet:
    """The momentum (6, …, batch) of bodies with the transforms T (3, 4, …, batch), of one order less."""
    weighted = [x.rate.each(partial(mul, b=link.J)) for x, link in zip(T, system.links, strict=True)]
    whole = reduce(add, (x @ place.each(_transposed) for x, place in zip(weighted, T, strict=True)))
    l = reduce(add, (x.each(lambda x: x[:, 3:]) for x in weighted))
    about_origin = l @ center(system, [x.shorter for x in T]).each(_transposed)
    N = whole + about_origin.each(np.negative)
    return Jet(*(np.concatenate([axial(turning), x[:, 0]]) for turning, x in zip(N.terms, l.terms, strict=False)))


def _transposed(x: Array) -> Array:
    return x.swapaxes(0, 1)
