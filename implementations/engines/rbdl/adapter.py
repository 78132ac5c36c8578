"""RBDL (Felis, Autonomous Robots 2017), through its own Python binding or through the librbdl inside ``biorbd``.

PyPI has no ``rbdl``: users build that binding from RBDL's sources, and where it is present it is preferred. ``biorbd``
is on PyPI, bundles librbdl, and hands every call used here straight to it.

How RBDL differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
joint axes           about or along x, y or z                   other axes: the body's frame is turned, exactly, until
                                                                they are its own; q and v do not change
several coordinates  a chain of bodies without mass             built so, but for joints that the binding has a name
                                                                for: :mod:`implementations.engines.rbdl.segments`
helical              the official binding alone has it          none; :class:`Unsupported` through ``biorbd``
continuous: q        the angle                                  worked out from its cosine and sine
quaternion           x y z, and w at the end of q               permuted; it does not normalise, so the length must
                                                                be 1
free, planar: v      v′ = [ṗ; ω], ṗ in the joint's frame        v′ = T v with T = [0 R; 1 0], which is orthogonal
free, planar: a      v̇′                                         a′ = T a + Ṫ v, Ṫ v = [R (ω × v); 0]
free, planar:        conjugate to v′                            τ = Tᵀ τ′, M = Tᵀ M′ T, h = Tᵀ (h′ + M′ Ṫ v)
τ, M, h
damping              none; an applied force                     damping · v added to τ and h, taken from τ before
                                                                ``ForwardDynamics``
armature             none                                       added to τ, M and T; :class:`Unsupported` in
                                                                forward dynamics, which cannot have it added
==================== ========================================== ======================================================
"""

from __future__ import annotations

import numpy as np

from implementations.batches import each
from implementations.engines.rbdl.bindings import Biorbd, binding
from implementations.engines.rbdl.coordinates import Change, Coordinates
from implementations.engines.rbdl.motions_of_segments import BiorbdKinematics
from implementations.engines.rbdl.segments import segments
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism


class RBDL:
    """The implementation "rbdl". Raises :class:`Missing` where neither ``rbdl`` nor ``biorbd`` is installed."""

    name = "rbdl"

    @property
    def version(self) -> str:
        kind, engine = binding()
        return kind.version(engine)

    def load(self, mechanism: Mechanism) -> RBDLDynamics:
        kind, _ = binding()
        return (BiorbdDynamics if kind is Biorbd else RBDLDynamics)(mechanism)


class RBDLDynamics:
    """One mechanism in RBDL; see :class:`implementations.protocol.Dynamics`. Not for use by two threads at once."""

    def __init__(self, mechanism: Mechanism) -> None:
        kind, engine = binding()
        self._rbdl = kind(engine, np.array(mechanism.gravity, dtype=float), segments(mechanism, kind.whole))
        self._coordinates = Coordinates(mechanism)
        self._nv = mechanism.nv
        data = mechanism.arrays
        self._armature, self._damping = data.per_coordinate(data.armature), data.per_coordinate(data.damping)
        self._armed = next((body.joint.name for body in mechanism.bodies if body.joint.armature != 0), None)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        T = self._coordinates.change_at(q)
        tau = each(self._rbdl.inverse_dynamics, (self._nv,), T.q, T.to_engine(v), T.to_engine(a) + T.bias(v))
        return T.from_engine(tau) + self._armature * a + self._damping * v

    def mass_matrix(self, q: Array) -> Array:
        T = self._coordinates.change_at(q)
        M = T.from_engine(T.from_engine(self._mass_matrix(T)).swapaxes(1, 2))
        return M + np.diag(self._armature)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        if self._armed is not None:
            raise Unsupported(
                f"RBDL's forward dynamics knows no armature, which joint {self._armed!r} has; compare inverse dynamics instead"
            )
        T = self._coordinates.change_at(q)
        a = each(self._rbdl.forward_dynamics, (self._nv,), T.q, T.to_engine(v), T.to_engine(tau - self._damping * v))
        return T.from_engine(a - T.bias(v))

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        T = self._coordinates.change_at(q)
        h = each(self._rbdl.nonlinear_effects, (self._nv,), T.q, T.to_engine(v))
        if self._coordinates.velocities_differ:
            h += np.einsum("bij,bj->bi", self._mass_matrix(T), T.bias(v))
        return T.from_engine(h) + self._damping * v

    def gravity(self, q: Array) -> Array:
        T = self._coordinates.change_at(q)
        return T.from_engine(each(self._rbdl.nonlinear_effects, (self._nv,), T.q, np.zeros((len(q), self._nv))))

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        T = self._coordinates.change_at(q)
        return each(self._rbdl.kinetic_energy, (), T.q, T.to_engine(v)) + (self._armature * v * v).sum(1) / 2

    def potential_energy(self, q: Array) -> Array:
        return each(self._rbdl.potential_energy, (), self._coordinates.change_at(q).q)

    def _mass_matrix(self, T: Change) -> Array:
        return each(self._rbdl.mass_matrix, (self._nv, self._nv), T.q)


class BiorbdDynamics(RBDLDynamics, BiorbdKinematics):
    """One mechanism in the RBDL of ``biorbd``, which offers kinematics too."""

    _rbdl: Biorbd

    def __init__(self, mechanism: Mechanism) -> None:
        RBDLDynamics.__init__(self, mechanism)
        BiorbdKinematics.__init__(self, binding()[1], mechanism, self._rbdl, self._coordinates)
