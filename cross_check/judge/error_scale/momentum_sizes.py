"""The sizes of the centre of mass, of the momentum about it, of their rates and derivatives.

docs/notes/error-scale.md derives the equations and numbers them. F and N bound the force on a body, without gravity, and its
moment about the root's origin, l and k its momentum and angular momentum. C and Ċ bound the centre of mass and its velocity. The
sums ᶜ are over the bodies that coordinate k moves. ∂ and ∂' are the steps of :meth:`MotionMagnitudes.stepped`:

    c                  Σ m (c + R) / Σ m                                                              eq. 21
    h_G                Σ k + C Σ l                               Σ l, l = m (V + W (c + R))           eq. 22
    A_G                h_G with W = t and V = t R_j + d, over the bodies that coordinate k moves      eq. 23
    J_c, ċ, c̈          the linear size of A_G, of h_G and of ḣ_G, divided by Σ m                      eq. 45
    ḣ_G                Σ N + C Σ F + Ċ l                         Σ F                                 eq. 46
    Ȧ_G, ∂ḣ_G/∂v       ∂'Nᶜ + C ∂'Fᶜ + Ċ A_k                     ∂'Fᶜ                                eq. 47
    ∂h_G/∂q            turned(l, k) + C (t lᶜ + ∂lᶜ) + |J_c| l   t lᶜ + ∂lᶜ                          eq. 48
    ∂ḣ_G/∂q            turned(F, N) + C (t Fᶜ + ∂Fᶜ) + |J_c| F   t Fᶜ + ∂Fᶜ                          eq. 49
                       turned(F, N) = t (Nᶜ + R_j Fᶜ) + ∂Nᶜ
"""

from __future__ import annotations

import numpy as np

from cross_check.judge.error_scale.motion_magnitudes import STEP, Array, MotionMagnitudes

Wrenches = tuple[Array, Array]
"""The linear and the angular parts (…, bodies, batch) of forces on bodies, or of their momenta, about the root's origin."""


def center_of_mass(bounds: MotionMagnitudes, q: Array) -> Array:
    return np.stack([_center(bounds, q, bounds.m)] * 3, axis=1)


def centroidal_momentum(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 22."""
    l, k = (part.sum(axis=0) for part in _momenta(bounds, q, *bounds.velocities(q, v)))
    return _six(k + _center(bounds, q, bounds.masses) * l, l)


def centroidal_momentum_matrix(bounds: MotionMagnitudes, q: Array) -> Array:
    """Eq. 23."""
    R = bounds.distances(q)
    V = bounds.t * R[bounds.joint] + bounds.d
    of_bodies = _momenta(bounds, q, bounds.t[:, None], V[:, None])
    l, k = (np.where(bounds.moves, part, 0.0).sum(axis=1) for part in of_bodies)
    return _six(k + _center(bounds, q, bounds.masses) * l, l)


def center_of_mass_velocity(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return _of_mass(bounds, centroidal_momentum(bounds, q, v))


def center_of_mass_acceleration(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    return _of_mass(bounds, centroidal_momentum_rate(bounds, q, v, a))


def center_of_mass_jacobian(bounds: MotionMagnitudes, q: Array) -> Array:
    return _of_mass(bounds, centroidal_momentum_matrix(bounds, q))


def centroidal_momentum_rate(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eq. 46."""
    F, N = (part.sum(axis=0) for part in bounds.weightless().forces(q, v, a))
    C, dC, l = _center(bounds, q, bounds.m), center_of_mass_velocity(bounds, q, v)[:, 0], centroidal_momentum(bounds, q, v)[:, 3]
    return _six(N + C * F + dC * l, F)


def centroidal_momentum_matrix_rate(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 47."""
    F, N = (part.sum(axis=1).imag / STEP for part in bounds.weightless().stepped("v").forces(q, v, 0 * v))
    C, dC = _center(bounds, q, bounds.m), center_of_mass_velocity(bounds, q, v)[:, 0]
    return _six(N + C * F + dC * centroidal_momentum_matrix(bounds, q)[:, 3].T, F)


centroidal_momentum_rate_dv = centroidal_momentum_matrix_rate


def centroidal_momentum_dq(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 48."""
    now, stepped = (_momenta(one, q, *one.velocities(q, v)) for one in (bounds, bounds.stepped("q")))
    return _by_position(bounds, q, now, stepped)


def centroidal_momentum_rate_dq(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eq. 49."""
    still = bounds.weightless()
    return _by_position(bounds, q, still.forces(q, v, a), still.stepped("q").forces(q, v, a))


def _by_position(bounds: MotionMagnitudes, q: Array, now: Wrenches, stepped: Wrenches) -> Array:
    """Eqs. 48, 49: the sizes of the derivatives of a sum of wrenches, from the wrenches ``now`` and with a step of every row."""
    force, moment = (bounds.outboard(part)[bounds.joint] for part in now)
    dF, dN = (part.sum(axis=1).imag / STEP for part in stepped)
    F = bounds.t * force + dF
    N = bounds.t * (moment + bounds.distances(q)[bounds.joint] * force) + dN
    J = center_of_mass_jacobian(bounds, q)[:, 0].T
    return _six(N + _center(bounds, q, bounds.m) * F + J * now[0].sum(axis=0), F)


def _momenta(bounds: MotionMagnitudes, q: Array, W: Array, V: Array) -> Wrenches:
    """l and k of bodies that move with W and V."""
    lever = bounds.c + bounds.distances(q)
    l = bounds.m * (V + W * lever)
    return l, bounds.I * W + lever * l


def _center(bounds: MotionMagnitudes, q: Array, masses: Array) -> Array:
    """C (batch,), with these masses of the bodies."""
    return (masses * (bounds.distances(q) + bounds.c)).sum(axis=0) / bounds.mass


def _of_mass(bounds: MotionMagnitudes, momentum: Array) -> Array:
    """The linear size of a momentum (batch, 6, …), divided by the mass."""
    return momentum[:, 3:] / bounds.mass


def _six(angular: Array, linear: Array) -> Array:
    """The size (batch, 6, …) from the angular and the linear ones (…, batch)."""
    return np.moveaxis(np.stack([angular] * 3 + [linear] * 3), (0, -1), (1, 0))
