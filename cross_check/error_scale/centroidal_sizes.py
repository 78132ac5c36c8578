"""The sizes of the motion of the centre of mass, and of rates and derivatives of the momentum about it.

docs/notes/error-scale.md derives the equations and numbers them. F and N bound the force on a body, without gravity, and its
moment about the root's origin, l and k its momentum and angular momentum. C and Ċ bound the centre of mass and its velocity. The
sums ᶜ are over the bodies that coordinate k moves. ∂ and ∂' are the steps of :mod:`cross_check.error_scale.derivative_sizes`:

    J_c, ċ, c̈          the linear size of A_G, of h_G and of ḣ_G, divided by Σ m                      eq. 45
    ḣ_G                Σ N + C Σ F + Ċ l                         Σ F                                 eq. 46
    Ȧ_G, ∂ḣ_G/∂v       ∂'Nᶜ + C ∂'Fᶜ + Ċ A_k                     ∂'Fᶜ                                eq. 47
    ∂h_G/∂q            turned(l, k) + C (t lᶜ + ∂lᶜ) + |J_c| l   t lᶜ + ∂lᶜ                          eq. 48
    ∂ḣ_G/∂q            turned(F, N) + C (t Fᶜ + ∂Fᶜ) + |J_c| F   t Fᶜ + ∂Fᶜ                          eq. 49
                       turned(F, N) = t (Nᶜ + R_j Fᶜ) + ∂Nᶜ
"""

from __future__ import annotations

from copy import copy

import numpy as np

from cross_check.error_scale.derivative_sizes import STEP, ComplexStepMagnitudes
from cross_check.error_scale.kinematic_sizes import center_of_mass, centroidal_momentum, centroidal_momentum_matrix
from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes, summed
from cross_check.error_scale.places import six

Wrenches = tuple[list[Array], list[Array]]
"""The linear and the angular parts of forces on bodies, or of their momenta, about the root's origin."""


def center_of_mass_velocity(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return centroidal_momentum(bounds, q, v)[:, 3:] / sum(bounds.masses)


def center_of_mass_acceleration(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    return centroidal_momentum_rate(bounds, q, v, a)[:, 3:] / sum(bounds.masses)


def center_of_mass_jacobian(bounds: MotionMagnitudes, q: Array) -> Array:
    return centroidal_momentum_matrix(bounds, q)[:, 3:] / sum(bounds.masses)


def centroidal_momentum_rate(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eq. 46."""
    F, N = map(summed, _weightless(bounds).forces(q, v, a))
    C, dC, l = (x[:, 0] for x in (center_of_mass(bounds, q), center_of_mass_velocity(bounds, q, v), _momentum(bounds, q, v)))
    return six(N + C * F + dC * l, F)


def centroidal_momentum_matrix_rate(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 47."""
    stepped = _weightless(ComplexStepMagnitudes(bounds, by_position=False))
    F, N = (summed(part).imag / STEP for part in stepped.forces(q, v, 0 * v))
    C, dC = center_of_mass(bounds, q)[:, 0], center_of_mass_velocity(bounds, q, v)[:, 0]
    A = centroidal_momentum_matrix(bounds, q)[:, 3].T
    return _columns(N + C * F + dC * A, F)


def centroidal_momentum_rate_dv(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return centroidal_momentum_matrix_rate(bounds, q, v)


def centroidal_momentum_dq(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 48."""
    return _by_position(bounds, q, _momenta(bounds, q, v), _momenta(ComplexStepMagnitudes(bounds, by_position=True), q, v))


def centroidal_momentum_rate_dq(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eq. 49."""
    still, stepped = (_weightless(x) for x in (bounds, ComplexStepMagnitudes(bounds, by_position=True)))
    return _by_position(bounds, q, still.forces(q, v, a), stepped.forces(q, v, a))


def _by_position(bounds: MotionMagnitudes, q: Array, now: Wrenches, stepped: Wrenches) -> Array:
    """Eqs. 48, 49: the sizes of the derivatives of a sum of wrenches, from the wrenches ``now`` and with a step of every row."""
    R, C = bounds.distances(q), center_of_mass(bounds, q)[:, 0]
    F, N = np.empty((2, bounds.mechanism.nv, len(q)))
    dF, dN = (summed(part).imag / STEP for part in stepped)
    for j, (screws, subtree, own) in enumerate(zip(bounds.screws, bounds.subtrees, bounds.mechanism.v_slices, strict=True)):
        force, moment = (summed(part[b] for b in subtree) for part in now)
        for k, (t, _) in enumerate(screws, own.start):
            F[k], N[k] = t * force, t * (moment + R[j] * force)
    J = center_of_mass_jacobian(bounds, q)[:, 0].T
    return _columns(N + dN + C * (F + dF) + J * summed(now[0]), F + dF)


def _momenta(bounds: MotionMagnitudes, q: Array, v: Array) -> Wrenches:
    """l and k of every body (eq. 22, about the root's origin)."""
    l: list[Array] = []
    k: list[Array] = []
    bodies = zip(bounds.m, bounds.c, bounds.I, bounds.distances(q), *bounds.velocities(q, v), strict=True)
    for m, c, I, R, W, V in bodies:
        l.append(m * (V + W * (c + R)))
        k.append(I * W + (c + R) * l[-1])
    return l, k


def _momentum(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return centroidal_momentum(bounds, q, v)[:, 3:]


def _weightless(bounds: MotionMagnitudes) -> MotionMagnitudes:
    """The same bounds without gravity."""
    without = copy(bounds)
    without.g = 0.0
    return without


def _columns(angular: Array, linear: Array) -> Array:
    """The size (batch, 6, nv) from the angular and the linear ones (nv, batch)."""
    return six(angular, linear).transpose(2, 1, 0)
