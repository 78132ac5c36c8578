"""What an implementation is, for our own code, for engines, and for users' code.

An implementation is any object with ``load(mechanism)``. What it returns offers any of the methods of
:class:`Dynamics` and :class:`Kinematics`, on batches; what it does not offer is reported as not offered. ``name`` and
``version`` are optional.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mechanisms import Mechanism
from mechanisms.errors import Unsupported

__all__ = ["Array", "Derivatives", "Dynamics", "Implementation", "Kinematics", "Missing", "Unsupported"]

Array = NDArray[np.float64]


class Dynamics(Protocol):
    """One mechanism, ready to be evaluated. Every array is batch-first, float64, SI units; the conventions are the tables of
    docs/conventions.md, those of joints also in :mod:`mechanisms.joint`. q is (batch, nq); v, a, tau are (batch, nv).
    """

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """τ = M a + h, with armature and damping: (batch, nv)."""

    def mass_matrix(self, q: Array) -> Array:
        """M, with armature on its diagonal, both triangles filled: (batch, nv, nv)."""

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """a such that M a + h = τ: (batch, nv)."""

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        """h = C v + g + damping · v: (batch, nv)."""

    def gravity(self, q: Array) -> Array:
        """g: (batch, nv)."""

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        """T = ½ vᵀ M v, armature included: (batch,)."""

    def potential_energy(self, q: Array) -> Array:
        """V = −Σ m gᵀ c over the bodies that move, zero at the root's origin: (batch,)."""


class Kinematics(Protocol):
    """What the same object may offer beside :class:`Dynamics`: any subset. Forces f are (batch, bodies, 6), [n; f].

    Where a name ends in ``_local`` there are two more, that end in ``_world`` and ``_aligned``; what the frames are and what
    else these quantities are is in docs/conventions.md, "Bodies, frames, forces". Entry i is that of ``mechanism.bodies[i]``.
    """

    def placements(self, q: Array) -> Array:
        """[R p], from each body's frame to the root's: (batch, bodies, 3, 4)."""

    def jacobians_local(self, q: Array) -> Array:
        """J: (batch, bodies, 6, nv)."""

    def velocities_local(self, q: Array, v: Array) -> Array:
        """V = J v, [ω; v]: (batch, bodies, 6)."""

    def accelerations_local(self, q: Array, v: Array, a: Array) -> Array:
        """The spatial acceleration, without gravity: (batch, bodies, 6)."""

    def classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        """[ω̇; p̈], in the aligned frame alone: (batch, bodies, 6)."""

    def drifts_local(self, q: Array, v: Array) -> Array:
        """J̇ v: (batch, bodies, 6)."""

    def center_of_mass(self, q: Array) -> Array:
        """c, in the root's frame: (batch, 3)."""

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        """[k; l], the angular momentum about c and the momentum, along the root's axes: (batch, 6)."""

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        """A with [k; l] = A v: (batch, 6, nv)."""

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        """τ = M a + h − Σ JᵀF, of forces from outside on every body, each in its local frame: (batch, nv)."""


class Derivatives(Protocol):
    """What the same object may offer beside :class:`Dynamics`: any subset, each (batch, nv, nv).

    docs/conventions.md, "Derivatives", has the conventions.
    """

    def inverse_dynamics_dq(self, q: Array, v: Array, a: Array) -> Array:
        """∂τ/∂q along the components of v, those of v and a held fixed: [:, i, k] = ∂τᵢ/∂qₖ."""

    def inverse_dynamics_dv(self, q: Array, v: Array) -> Array:
        """∂τ/∂v, damping included."""

    def forward_dynamics_dq(self, q: Array, v: Array, tau: Array) -> Array:
        """∂q̈/∂q along the components of v, those of v and τ held fixed."""

    def forward_dynamics_dv(self, q: Array, v: Array) -> Array:
        """∂q̈/∂v, damping included."""

    def forward_dynamics_dtau(self, q: Array) -> Array:
        """∂q̈/∂τ = M⁻¹."""

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        """C with C v = h − g − damping · v and C + Cᵀ = Ṁ."""


@runtime_checkable
class Implementation(Protocol):
    """A source of :class:`Dynamics`."""

    def load(self, mechanism: Mechanism) -> Dynamics:
        """Build the mechanism. Raises :class:`Unsupported` for one that this implementation cannot represent."""


class Missing(Exception):
    """An implementation is not installed; the message says how to install it."""
