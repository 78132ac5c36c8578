"""RBDL (Felis, Autonomous Robots 2017), through its own Python binding or through the librbdl inside ``biorbd``.

RBDL's own binding is not on PyPI; users build it from RBDL's sources. The adapter prefers it if it is installed. ``biorbd`` is
on PyPI, contains librbdl, and passes every call used here directly to it.

How RBDL differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
joint axes           about or along x, y or z                   other axes: the body's frame is rotated, exactly, until
                                                                its x, y or z is the axis; q and v do not change
several coordinates  a chain of bodies without mass             built in this way, except joints that the binding has a
                                                                name for: :mod:`implementations.engines.rbdl.segments`
helical              only in the official binding               none; :class:`Unsupported` through ``biorbd``
continuous: q        the angle                                  computed from its cosine and sine
quaternion           x y z, and w at the end of q               permuted; RBDL does not normalise, so the length must
                                                                be 1
free, planar: v      v′ = [ṗ; ω], ṗ in the joint's frame        v′ = T v with T = [0 R; 1 0], which is orthogonal
free, planar: a      v̇′                                         a′ = T a + Ṫ v, Ṫ v = [R (ω × v); 0]
free, planar:        conjugate to v′                            τ = Tᵀ τ′, M = Tᵀ M′ T, h = Tᵀ (h′ + M′ Ṫ v)
τ, M, h
damping              none; an applied force                     damping · v added to τ and h, subtracted from τ before
                                                                ``ForwardDynamics``
armature             none                                       added to τ, M and T; :class:`Unsupported` in
                                                                forward dynamics, where it cannot be added
==================== ========================================== ======================================================
"""

from __future__ import annotations

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.rbdl.bindings import Biorbd, binding
from implementations.engines.rbdl.coordinates import Change, Coordinates
from implementations.engines.rbdl.motions_of_segments import BiorbdKinematics
from implementations.engines.rbdl.segments import segments
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism


class RBDL:
    """The implementation "rbdl".

    Raises :class:`implementations.protocol.Missing` if neither ``rbdl`` nor ``biorbd`` is installed.
    """

    name = "rbdl"
    workarounds = (
        "damping, which RBDL's bindings do not pass on, is added to forces and subtracted before ForwardDynamics",
        "armature, which RBDL does not have, is added to forces, the mass matrix and the kinetic energy",
    )

    @property
    def version(self) -> str:
        kind, engine = binding()
        return kind.version(engine)

    def load(self, mechanism: Mechanism) -> RBDLDynamics:
        kind, _ = binding()
        return (BiorbdDynamics if kind is Biorbd else RBDLDynamics)(mechanism)


class RBDLDynamics:
    """One mechanism in RBDL; see :class:`implementations.protocol.Dynamics`. Not thread-safe."""

    def __init__(self, mechanism: Mechanism) -> None:
        kind, engine = binding()
        self._rbdl = kind(engine, np.array(mechanism.gravity, dtype=float), segments(mechanism, kind.native))
        self._coordinates = Coordinates(mechanism)
        self._nv = mechanism.nv
        data = mechanism.arrays
        self._armature, self._damping = data.per_coordinate(data.armature), data.per_coordinate(data.damping)
        self._joint_with_armature = next((body.joint.name for body in mechanism.bodies if body.joint.armature != 0), None)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        T = self._coordinates.change_at(q)
        tau = for_each_state(self._rbdl.inverse_dynamics, (self._nv,), T.q, T.to_rbdl(v), T.to_rbdl(a) + T.bias(v))
        return T.to_ours(tau) + self._armature * a + self._damping * v

    def mass_matrix(self, q: Array) -> Array:
        T = self._coordinates.change_at(q)
        M = T.to_ours(T.to_ours(self._mass_matrix(T)).swapaxes(1, 2))
        return M + np.diag(self._armature)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        if self._joint_with_armature is not None:
            joint = self._joint_with_armature
            raise Unsupported(
                f"RBDL's forward dynamics has no armature, joint {joint!r} has one; compare inverse dynamics instead"
            )
        T = self._coordinates.change_at(q)
        a = for_each_state(self._rbdl.forward_dynamics, (self._nv,), T.q, T.to_rbdl(v), T.to_rbdl(tau - self._damping * v))
        return T.to_ours(a - T.bias(v))

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        T = self._coordinates.change_at(q)
        h = for_each_state(self._rbdl.nonlinear_effects, (self._nv,), T.q, T.to_rbdl(v))
        if self._coordinates.velocities_differ:
            h += np.einsum("bij,bj->bi", self._mass_matrix(T), T.bias(v))
        return T.to_ours(h) + self._damping * v

    def gravity(self, q: Array) -> Array:
        T = self._coordinates.change_at(q)
        return T.to_ours(for_each_state(self._rbdl.nonlinear_effects, (self._nv,), T.q, np.zeros((len(q), self._nv))))

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        T = self._coordinates.change_at(q)
        return for_each_state(self._rbdl.kinetic_energy, (), T.q, T.to_rbdl(v)) + (self._armature * v * v).sum(1) / 2

    def potential_energy(self, q: Array) -> Array:
        return for_each_state(self._rbdl.potential_energy, (), self._coordinates.change_at(q).q)

    def _mass_matrix(self, T: Change) -> Array:
        return for_each_state(self._rbdl.mass_matrix, (self._nv, self._nv), T.q)


class BiorbdDynamics(RBDLDynamics, BiorbdKinematics):
    """One mechanism in the RBDL of ``biorbd``, which offers kinematics too."""

    _rbdl: Biorbd

    def __init__(self, mechanism: Mechanism) -> None:
        RBDLDynamics.__init__(self, mechanism)
        BiorbdKinematics.__init__(self, binding()[1], mechanism, self._rbdl, self._coordinates)
