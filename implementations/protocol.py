"""The interface of an implementation: our own algorithms, engines, and users' code.

An implementation is any object with ``load(mechanism)``. The object that ``load`` returns has any of the methods of
:class:`Dynamics`, :class:`Kinematics` and :class:`Derivatives`, on batches. A method that is absent is reported as not offered.
``name`` and ``version`` are optional.
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
    """One mechanism, ready to be evaluated. All arrays are float64, batch first, in SI units.

    q is (batch, nq); v, a and tau are (batch, nv). docs/conventions.md has all conventions; :mod:`mechanisms.joint` has those of
    joints too.
    """

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """τ = M a + h, with armature and damping: (batch, nv)."""

    def mass_matrix(self, q: Array) -> Array:
        """M, armature included, both triangles filled: (batch, nv, nv)."""

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """a such that M a + h = τ: (batch, nv)."""

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        """h = C v + g + damping · v: (batch, nv)."""

    def gravity(self, q: Array) -> Array:
        """g: (batch, nv)."""

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        """T = ½ vᵀ M v, armature included: (batch,)."""

    def potential_energy(self, q: Array) -> Array:
        """V = −Σ m gᵀ c over the moving bodies, zero at the root's origin: (batch,)."""


class Kinematics(Protocol):
    """Kinematics and momentum. The object of :class:`Dynamics` may offer any subset of these methods too.

    Each method whose name ends in ``_local`` has two variants, with ``_world`` and ``_aligned`` instead. docs/conventions.md,
    "Bodies, frames, forces", defines the frames and the quantities. Entry i belongs to ``mechanism.bodies[i]``. Forces f are
    (batch, bodies, 6), [n; f].
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
        """[ω̇; p̈], in the aligned frame only: (batch, bodies, 6)."""

    def drifts_local(self, q: Array, v: Array) -> Array:
        """J̇ v: (batch, bodies, 6)."""

    def center_of_mass(self, q: Array) -> Array:
        """c, in the root's frame: (batch, 3)."""

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        """[k; l], the angular momentum about c and the linear momentum, along the root's axes: (batch, 6)."""

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        """A with [k; l] = A v: (batch, 6, nv)."""

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        """τ = M a + h − Σ JᵀF under external forces F on the bodies, each in its body's local frame: (batch, nv)."""


class Derivatives(Protocol):
    """Derivatives. The object of :class:`Dynamics` may offer any subset of these methods too; each returns (batch, nv, nv).

    docs/conventions.md, "Derivatives", has the conventions.
    """

    def inverse_dynamics_dq(self, q: Array, v: Array, a: Array) -> Array:
        """∂τ/∂q along the components of v; the components of v and a are held fixed. [:, i, k] = ∂τᵢ/∂qₖ."""

    def inverse_dynamics_dv(self, q: Array, v: Array) -> Array:
        """∂τ/∂v, damping included."""

    def forward_dynamics_dq(self, q: Array, v: Array, tau: Array) -> Array:
        """∂q̈/∂q along the components of v; the components of v and τ are held fixed."""

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
        """Prepare the mechanism. Raises :class:`Unsupported` if this implementation cannot represent it."""


class Missing(Exception):
    """An implementation is not installed; the message says how to install it."""
