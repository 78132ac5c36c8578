"""What an implementation is, for our own code, for engines, and for users' code.

An implementation is any object with ``load(mechanism)``. What it returns offers any of the methods of
:class:`Dynamics`, on batches; what it does not offer is reported as not offered. ``name`` and ``version`` are optional.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mechanisms import Mechanism

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


@runtime_checkable
class Implementation(Protocol):
    """A source of :class:`Dynamics`."""

    def load(self, mechanism: Mechanism) -> Dynamics:
        """Build the mechanism. Raises :class:`Unsupported` for one that this implementation cannot represent."""


class Unsupported(Exception):
    """An implementation cannot represent this mechanism or quantity; the message is one sentence that says why."""


class Missing(Exception):
    """An implementation is not installed; the message says how to install it."""
