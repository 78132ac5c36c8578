"""The motion of a tree of bodies, the forces on it, and the sums of both over everything outboard of each body.

Motions are [ω; v] and forces [n; f], along the root's axes and about one point of space near the mechanism: the first body's
origin, at every state anew, so that a mechanism that stands far from the root's origin loses no digits. The last axis has the six
components. × and ×* are 6×6 matrices, (V×) m and (V×*) f.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cross_check.memory import Array
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism


@dataclass(frozen=True)
class Motion:
    """A tree without mimic joints at some states, in float64."""

    mechanism: Mechanism
    R: Array
    """(batch, bodies, 3, 3): from the body's axes to the root's."""
    p: Array
    """(batch, bodies, 3): the body's origin, from the point."""
    root: Array
    """(batch, 3): the root's origin, from the point."""
    S: Array
    """(batch, nv, 6): the motion of a coordinate's own body where its rate is one."""
    V: Array
    """(batch, bodies, 6)."""
    A: Array
    """(batch, bodies, 6): acceleration less that of free fall."""
    fall: Array
    """(batch, 6): minus the acceleration of free fall."""
    v: Array
    """(batch, nv)."""
    a: Array
    q: Array
    """(batch, nq)."""
    weight: Array
    """(batch, 1): what forces of position, weights and springs, are multiplied by."""

    @staticmethod
    def of(mechanism: Mechanism, q: Array, v: Array, a: Array, weight: Array) -> Motion:
        """The motion at q (batch, nq), v and a (batch, nv), with ``weight`` (batch,) times the gravity of the mechanism."""
        reference = REFERENCE.load(mechanism)
        places = reference.placements(q)
        point = places[:, :1, :, 3].copy()
        owners = np.repeat(np.arange(len(mechanism.bodies)), [body.joint.nv for body in mechanism.bodies])
        S = np.moveaxis(reference.jacobians_world(q), -1, 1)[:, np.arange(mechanism.nv), owners]
        S, V, A = (about(point, x) for x in (S, reference.velocities_world(q, v), reference.accelerations_world(q, v, a)))
        fall = np.zeros((len(q), 6))
        fall[:, 3:] = -weight[:, None] * mechanism.arrays.gravity
        own = (places[..., :3], places[..., 3] - point, -point[:, 0], S, V, A + fall[:, None], fall)
        return Motion(mechanism, *own, v, a, q, weight[:, None])

    @cached_property
    def center(self) -> Array:
        """(batch, bodies, 3): the centre of mass, from the point."""
        return self.p + np.einsum("nbij,bj->nbi", self.R, self.mechanism.arrays.coms)

    @cached_property
    def own_inertia(self) -> Array:
        """I of every body (batch, bodies, 6, 6)."""
        data, cx = self.mechanism.arrays, skew(self.center)
        m = data.masses[:, None, None]
        about_com = self.R @ data.inertias @ self.R.swapaxes(-1, -2)
        above = np.concatenate((about_com - m * cx @ cx, m * cx), axis=-1)
        below = np.concatenate((-m * cx, np.broadcast_to(m * np.eye(3), cx.shape)), axis=-1)
        return np.concatenate((above, below), axis=-2)

    @cached_property
    def inertia(self) -> Array:
        """Σ I (batch, bodies, 6, 6)."""
        return self._outboard(self.own_inertia)

    @cached_property
    def momentum(self) -> Array:
        """Σ I V (batch, bodies, 6)."""
        return self._outboard(times(self.own_inertia, self.V))

    @cached_property
    def force(self) -> Array:
        """Σ f (batch, bodies, 6), f = I A + V ×* I V."""
        h = times(self.own_inertia, self.V)
        return self._outboard(times(self.own_inertia, self.A) + times(crf(self.V), h))

    @cached_property
    def turning(self) -> Array:
        """Σ B (batch, bodies, 6, 6), B y = V ×* I y − I (V × y) + y ×* I V."""
        I, V = self.own_inertia, self.V
        return self._outboard(crf(V) @ I - I @ crm(V) + acting_on(times(I, V)))

    def _outboard(self, x: Array) -> Array:
        """The sum over every body and all bodies outboard of it."""
        total = x.copy()
        for b in reversed(range(len(self.mechanism.bodies))):
            if self.mechanism.parents[b] >= 0:
                total[:, self.mechanism.parents[b]] += total[:, b]
        return total


def times(matrix: Array, x: Array) -> Array:
    """The products (…, m) of matrices (…, m, n) and vectors (…, n)."""
    return (matrix @ x[..., None])[..., 0]


def about(point: Array, motion: Array) -> Array:
    """Motions (…, 6) about the origin, as motions about a point (…, 3)."""
    return np.concatenate((motion[..., :3], motion[..., 3:] + times(skew(motion[..., :3]), point)), axis=-1)


def skew(x: Array) -> Array:
    """x× (…, 3, 3)."""
    return (x @ _SKEW).reshape(*x.shape, 3)


def crm(V: Array) -> Array:
    """V× (…, 6, 6)."""
    return (V @ _CRM).reshape(*V.shape, 6)


def crf(V: Array) -> Array:
    """V×* (…, 6, 6)."""
    return -crm(V).swapaxes(-1, -2)


def acting_on(f: Array) -> Array:
    """The matrix (…, 6, 6) that takes y to y ×* f."""
    return (f @ _ACTING).reshape(*f.shape, 6)


# The entries of these matrices are components with a sign: a product with a constant is faster than putting them together.
_CROSS = np.stack([np.cross(np.eye(3)[k], np.eye(3)).T for k in range(3)])
_SPIN = np.kron(np.eye(2), _CROSS)
_SHIFT = np.kron([[0, 0], [1, 0]], _CROSS)
_LINEAR = np.kron([[0, 1], [1, 0]], _CROSS)
_SKEW = _CROSS.reshape(3, 9)
_CRM = np.concatenate((_SPIN, _SHIFT)).reshape(6, 36)
_ACTING = -np.concatenate((np.kron([[1, 0], [0, 0]], _CROSS), _LINEAR)).reshape(6, 36)
