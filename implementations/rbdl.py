"""RBDL (Felis, Autonomous Robots 2017), through its own Python binding or through the librbdl inside ``biorbd``.

PyPI has no ``rbdl``: users build that binding from RBDL's sources, and where it is present it is preferred. ``biorbd``
is on PyPI, bundles librbdl, and hands every call used here straight to it.

How RBDL differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
joint axis           about or along x, y or z (biorbd)          any other axis: the body's frame is turned, exactly,
                                                                until its z is the axis; q and v do not change
free joint: q        x y z, quaternion x y z, and w at the      permuted; it does not normalise, so the length must
                     end of q                                   be 1
free joint: v        [ṗ; ω], ṗ in the joint's frame             v′ = T v with T = [0 R; 1 0], which is orthogonal
free joint: a        v̇′                                         a′ = T a + Ṫ v, Ṫ v = [R (ω × v); 0]
free joint: τ, M, h  conjugate to v′                            τ = Tᵀ τ′, M = Tᵀ M′ T, h = Tᵀ (h′ + M′ Ṫ v)
damping              none; an applied force                     damping · v added to τ and h, taken from τ before
                                                                ``ForwardDynamics``
armature             none                                       added to τ, M and T; :class:`Unsupported` in
                                                                forward dynamics, which cannot have it added
==================== ========================================== ======================================================
"""

from __future__ import annotations

import numpy as np

from implementations.batch import each
from implementations.protocol import Array, Unsupported
from implementations.rbdl_bindings import binding, segments
from mechanisms import Mechanism


class RBDL:
    """The implementation "rbdl". Raises :class:`Missing` where neither ``rbdl`` nor ``biorbd`` is installed."""

    name = "rbdl"

    @property
    def version(self) -> str:
        kind, engine = binding()
        return kind.version(engine)

    def load(self, mechanism: Mechanism) -> RBDLDynamics:
        return RBDLDynamics(mechanism)


class RBDLDynamics:
    """One mechanism in RBDL; see :class:`implementations.protocol.Dynamics`. Not for use by two threads at once."""

    def __init__(self, mechanism: Mechanism) -> None:
        kind, engine = binding()
        self._rbdl = kind(engine, np.array(mechanism.gravity, dtype=float), segments(mechanism))
        self._coordinates = Coordinates(mechanism)
        self._nv = mechanism.nv
        data = mechanism.arrays
        self._armature, self._damping = data.per_coordinate(data.armature), data.per_coordinate(data.damping)
        self._armed = next((body.joint.name for body in mechanism.bodies if body.joint.armature != 0), None)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        T = self._coordinates.at(q)
        tau = each(self._rbdl.inverse_dynamics, (self._nv,), T.q, T.there(v), T.there(a) + T.bias(v))
        return T.back(tau) + self._armature * a + self._damping * v

    def mass_matrix(self, q: Array) -> Array:
        T = self._coordinates.at(q)
        M = T.back(T.back(self._mass_matrix(T)).swapaxes(1, 2))
        return M + np.diag(self._armature)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        if self._armed is not None:
            raise Unsupported(
                f"RBDL's forward dynamics knows no armature, which joint {self._armed!r} has; compare inverse dynamics instead"
            )
        T = self._coordinates.at(q)
        a = each(self._rbdl.forward_dynamics, (self._nv,), T.q, T.there(v), T.there(tau - self._damping * v))
        return T.back(a - T.bias(v))

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        T = self._coordinates.at(q)
        h = each(self._rbdl.nonlinear_effects, (self._nv,), T.q, T.there(v))
        if self._coordinates.free:
            h += np.einsum("bij,bj->bi", self._mass_matrix(T), T.bias(v))
        return T.back(h) + self._damping * v

    def gravity(self, q: Array) -> Array:
        T = self._coordinates.at(q)
        return T.back(each(self._rbdl.nonlinear_effects, (self._nv,), T.q, np.zeros((len(q), self._nv))))

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        T = self._coordinates.at(q)
        return each(self._rbdl.kinetic_energy, (), T.q, T.there(v)) + (self._armature * v * v).sum(1) / 2

    def potential_energy(self, q: Array) -> Array:
        return each(self._rbdl.potential_energy, (), self._coordinates.at(q).q)

    def _mass_matrix(self, T: Change) -> Array:
        return each(self._rbdl.mass_matrix, (self._nv, self._nv), T.q)


class Coordinates:
    """Where RBDL keeps our q, and which joints are free."""

    def __init__(self, mechanism: Mechanism) -> None:
        slices = list(zip(mechanism.q_slices, mechanism.v_slices, strict=True))
        self.free = [(q, v) for q, v in slices if q.stop - q.start == 7]
        in_order = [k for q, v in slices for k in range(q.start, q.start + v.stop - v.start)]
        self._q = np.array(in_order + [q.stop - 1 for q, _ in self.free])

    def at(self, q: Array) -> Change:
        return Change(q[:, self._q], [(v, _rotation(q[:, at.start + 3 : at.stop])) for at, v in self.free])


class Change:
    """The change of coordinates at a batch of positions: T, T⁻¹ = Tᵀ, and Ṫ v, for the free joints; else the identity."""

    def __init__(self, q: Array, free: list[tuple[slice, Array]]) -> None:
        self.q = q
        self._free = [(slice(v.start, v.start + 3), slice(v.start + 3, v.stop), R) for v, R in free]

    def there(self, ours: Array) -> Array:
        """T x, for x (batch, nv): ours to RBDL's."""
        rbdl = np.array(ours)
        for first, second, R in self._free:
            rbdl[:, first] = np.einsum("bij,bj->bi", R, ours[:, second])
            rbdl[:, second] = ours[:, first]
        return rbdl

    def back(self, rbdl: Array) -> Array:
        """Tᵀ x along the last axis of x (batch, ..., nv): RBDL's to ours."""
        ours = np.array(rbdl)
        for first, second, R in self._free:
            ours[..., first] = rbdl[..., second]
            ours[..., second] = np.einsum("bij,b...i->b...j", R, rbdl[..., first])
        return ours

    def bias(self, v: Array) -> Array:
        """Ṫ v, for our v (batch, nv)."""
        rbdl = np.zeros_like(v)
        for first, second, R in self._free:
            rbdl[:, first] = np.einsum("bij,bj->bi", R, np.cross(v[:, first], v[:, second]))
        return rbdl


def _rotation(quaternion: Array) -> Array:
    """R of unit quaternions x y z w, (batch, 4): (w² − uᵀu) 1 + 2 u uᵀ + 2 w [u]×, (batch, 3, 3)."""
    u, w = quaternion[:, None, :3], quaternion[:, 3, None, None]
    ut = u.swapaxes(1, 2)
    return (w * w - u @ ut) * np.eye(3) + 2 * (ut @ u) + 2 * w * np.cross(np.eye(3), u)
