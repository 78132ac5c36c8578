"""Placements, motions and external forces of bodies, from their homogeneous transforms alone, over any field.

T = [R p] takes a body's points to the root. Its rate, or its derivative by a coordinate, gives a velocity [ω; v] in one of three
frames: [ω]× is the skew part of the first three columns of N, and v is its last column (text 003, §§9, 10, 12, 13, 24, 25).

    local      N = Rᵀ Ṫ              the body's origin, along the body's axes
    world      N = Ṫ T⁻¹             the body's point that is at the root's origin, along the root's axes
    aligned    N = [Ṙ Rᵀ, ṗ]         the body's origin, along the root's axes

In the local and in the world frame, the spatial acceleration is the rate of the numbers in V. In the aligned frame that rate is
the classical acceleration [ω̇; p̈]; the spatial acceleration there is the local one, rotated to the root's axes. J̇ v is the
rate of V = J v at constant v. A force [n; f] on a body, along its own axes
and about its own origin, does the work tr([½ [n]×, f]ᵀ Rᵀ ∂ᵢT) for a unit step of coordinate i. This work is subtracted from τᵢ.
"""

from __future__ import annotations

import numpy as np

from oracle.by_jets.jets import Jet, mul
from oracle.by_jets.motion import transforms
from oracle.by_jets.system import System, rest
from oracle.by_jets.transforms import compose
from oracle.by_jets.variation import euler_lagrange, gravity
from oracle.fields import Array


def placements(system: System, q: Array) -> Array:
    """T = [R p] of every body (bodies, 3, 4, batch)."""
    return np.stack([T.now for T in transforms(system, q)[0]])


def jacobians(system: System, q: Array, frame: str) -> Array:
    """J with V = J v, for every body (bodies, 6, nv, batch)."""
    pairs = zip(*derivatives(system, q), strict=True)
    return np.stack([velocity(Jet(T), Jet(dT), frame).now for T, dT in pairs])


def velocities(system: System, q: Array, v: Array, frame: str) -> Array:
    """V of every body (bodies, 6, batch)."""
    return np.stack([velocity(T, T.rate, frame).now for T in transforms(system, q, v)[0]])


def accelerations(system: System, q: Array, v: Array, a: Array, frame: str) -> Array:
    """The spatial acceleration of every body (bodies, 6, batch)."""
    return np.stack([acceleration(T, frame) for T in transforms(system, q, v, a)[0]])


def classical_accelerations(system: System, q: Array, v: Array, a: Array) -> Array:
    """[ω̇; p̈] of every body, along the root's axes (bodies, 6, batch)."""
    return _rates(system, q, v, a, "aligned")


def drifts(system: System, q: Array, v: Array, frame: str) -> Array:
    """J̇ v of every body (bodies, 6, batch)."""
    return _rates(system, q, v, rest(system, q), frame)


def inverse_dynamics_with_forces(system: System, q: Array, v: Array, a: Array, f: Array) -> Array:
    """τ (nv, batch) where forces f = [n; f] (bodies, 6, batch) act on the bodies, each in its body's local frame."""
    return _less_work(system, euler_lagrange(system, q, v, a), q, f)


def static_forces(system: System, q: Array, f: Array) -> Array:
    """g − Σ JᵀF (nv, batch): the forces that hold the mechanism still under the forces f (bodies, 6, batch)."""
    return _less_work(system, gravity(system, q), q, f)


def _less_work(system: System, τ: Array, q: Array, f: Array) -> Array:
    """τ − Σ JᵀF (nv, batch)."""
    for T, dT, force in zip(*derivatives(system, q), f, strict=True):
        τ = τ - work(T, dT, force)
    return τ


def work(T: Array, dT: Array, f: Array) -> Array:
    """The work (nv, batch) of the force f (6, batch) on one body for unit steps dT (3, 4, nv, batch)."""
    nx, ny, nz, *force = f / 2
    o = 0 * nx
    rows = ((o, -nz, ny, 2 * force[0]), (nz, o, -nx, 2 * force[1]), (-ny, nx, o, 2 * force[2]))
    F = np.stack([np.stack(row) for row in rows])
    return (mul(T[:, :3], F)[:, :, None] * dT).sum((0, 1))


def derivatives(system: System, q: Array) -> tuple[list[Array], list[Array]]:
    """T (3, 4, batch) and its derivatives ∂ᵢT along every coordinate (3, 4, nv, batch), of every body."""
    zero = rest(system, q)
    T, A, Q = transforms(system, q)
    dT: list[Array] = []
    for i, link in enumerate(system.links):
        partials = zero * T[i].now[:, :, None] if link.parent < 0 else compose(dT[link.parent], A[i].now)
        partials[:, :, link.v] = partials[:, :, link.v] + Q[i].now
        dT.append(partials)
    return [x.now for x in T], dT


def velocity(T: Jet, dT: Jet, frame: str) -> Jet:
    """[ω; v] (6, …, batch) from T (3, 4, batch) and its rate, or its derivatives, dT (3, 4, …, batch)."""
    R_transposed = T.each(lambda x: x[:, :3].swapaxes(0, 1))
    if frame == "local":
        N = R_transposed @ dT
    else:
        turn, slide = dT.each(lambda x: x[:, :3]) @ R_transposed, dT.each(lambda x: x[:, 3:])
        if frame == "world":
            slide = slide + turn @ T.each(lambda x: -x[:, 3:])
        N = Jet(*(np.concatenate(terms, 1) for terms in zip(turn.terms, slide.terms, strict=False)))
    return N.each(lambda x: np.concatenate([axial(x) / 2, x[:, 3]]))


def acceleration(T: Jet, frame: str) -> Array:
    """The spatial acceleration (6, batch) from T (3, 4, batch) as a series of second order."""
    if frame != "aligned":
        return velocity(T, T.rate, frame).rate.now
    R, local = T.now[:, :3], velocity(T, T.rate, "local").rate.now
    return np.concatenate([np.einsum("ij...,j...->i...", R, part) for part in (local[:3], local[3:])])


def _rates(system: System, q: Array, v: Array, a: Array, frame: str) -> Array:
    return np.stack([velocity(T, T.rate, frame).rate.now for T in transforms(system, q, v, a)[0]])


def axial(N: Array) -> Array:
    """Twice the vector ω (3, …) for which [ω]× is the skew part of N (3, 3 or more, …)."""
    return np.stack([N[2, 1] - N[1, 2], N[0, 2] - N[2, 0], N[1, 0] - N[0, 1]])
