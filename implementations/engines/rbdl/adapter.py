"""RBDL (Felis, Autonomous Robots 2017), through its own Python binding or through the librbdl inside ``biorbd``.

RBDL's own binding is not on PyPI; users build it from RBDL's sources. The adapter prefers it if it is installed. ``biorbd`` is
on PyPI, contains librbdl, and passes every call used here directly to it.

How RBDL differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
joint axes           any in the official binding; x, y or z     through ``biorbd``, other axes: the body's frame is
                     in ``biorbd``                              rotated, exactly, until its x, y or z is the axis; q and v
                                                                do not change
several coordinates  a name for some joints; RBDL composes      through ``biorbd``, a chain of segments:
                     others of axes, in the official binding    :mod:`implementations.engines.rbdl.segments`
helical              only in the official binding               none; :class:`Unsupported` through ``biorbd``
continuous: q        the angle                                  computed from its cosine and sine
quaternion           x y z, and w at the end of q               permuted; RBDL does not normalise, so the length must
                                                                be 1
free, planar: v      v′ = [ṗ; ω], ṗ in the joint's frame        v′ = T v with T = [0 R; 1 0], which is orthogonal
free, planar: a      v̇′                                         a′ = T a + Ṫ v, Ṫ v = [R (ω × v); 0]
free, planar:        conjugate to v′                            τ = Tᵀ τ′, M = Tᵀ M′ T, h = Tᵀ (h′ + M′ Ṫ v)
τ, M, h
damping              none in RBDL; ``biorbd`` has it in         added to τ and h and subtracted from τ before
                     ``ForwardDynamics``, with the wrong sign   ``ForwardDynamics`` where the binding has none; the sign
                     in ``InverseDynamics``, not in             stays, it is a known fault
                     ``NonLinearEffect``
armature             none                                       added to τ, M and T; :class:`Unsupported` in
                                                                forward dynamics, where it cannot be added
==================== ========================================== ======================================================
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.rbdl.bindings import Biorbd, Official, binding
from implementations.engines.rbdl.constraints import BiorbdConstraints, OfficialConstraints
from implementations.engines.rbdl.coordinates import Change, Coordinates
from implementations.engines.rbdl.motions_of_bodies import OfficialKinematics
from implementations.engines.rbdl.motions_of_segments import BiorbdKinematics
from implementations.engines.rbdl.segments import segments
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism


class RBDL:
    """The implementation "rbdl".

    Raises :class:`implementations.protocol.Missing` if neither ``rbdl`` nor ``biorbd`` is installed.
    """

    name = "rbdl"
    mimic_joints = "RBDL has no mimic joints"

    @property
    def workarounds(self) -> tuple[str, ...]:
        kind, _ = binding()
        return ("armature, which RBDL does not have, is added to forces, M and the kinetic energy", *kind.workarounds)

    @property
    def version(self) -> str:
        kind, engine = binding()
        return kind.version(engine)

    def load(self, mechanism: Mechanism) -> RBDLDynamics:
        kind, _ = binding()
        if mechanism.constraints:
            return (BiorbdLoops if kind is Biorbd else OfficialLoops)(mechanism)
        return (BiorbdDynamics if kind is Biorbd else OfficialDynamics)(mechanism)


class RBDLDynamics:
    """One mechanism in RBDL; see :class:`implementations.protocol.Dynamics`. Not thread-safe."""

    def __init__(self, mechanism: Mechanism) -> None:
        kind, engine = binding()
        tree = segments(mechanism, kind.native, kind.composes)
        self._rbdl = kind(engine, np.array(mechanism.gravity, dtype=float), tree)
        self._coordinates = Coordinates(mechanism)
        self._nv = mechanism.nv
        data = mechanism.arrays
        self._armature, self._damping = data.per_coordinate(data.armature), data.per_coordinate(data.damping)
        self._undamped = 0 * self._damping if kind.damps else self._damping
        self._joint_with_armature = next((body.joint.name for body in mechanism.bodies if body.joint.armature != 0), None)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        T = self._coordinates.change_at(q)
        tau = for_each_state(self._rbdl.inverse_dynamics, (self._nv,), T.q, T.to_rbdl(v), T.to_rbdl(a) + T.bias(v))
        return T.to_ours(tau) + self._armature * a + self._undamped * v

    def mass_matrix(self, q: Array) -> Array:
        T = self._coordinates.change_at(q)
        M = T.to_ours(T.to_ours(self._mass_matrix(T)).swapaxes(1, 2))
        return M + np.diag(self._armature)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self._require_no_armature()
        T = self._coordinates.change_at(q)
        a = for_each_state(self._rbdl.forward_dynamics, (self._nv,), T.q, T.to_rbdl(v), T.to_rbdl(tau - self._undamped * v))
        return T.to_ours(a - T.bias(v))

    def _constrained_acceleration(self, of_state: Callable[..., Array], q: Array, v: Array, tau: Array) -> Array:
        self._require_no_armature()
        T = self._coordinates.change_at(q)
        a = for_each_state(of_state, (self._nv,), T.q, T.to_rbdl(v), T.to_rbdl(tau - self._undamped * v))
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

    def _require_no_armature(self) -> None:
        if self._joint_with_armature is not None:
            joint = self._joint_with_armature
            raise Unsupported(
                f"RBDL's forward dynamics has no armature, joint {joint!r} has one; compare inverse dynamics instead"
            )

    def _mass_matrix(self, T: Change) -> Array:
        return for_each_state(self._rbdl.mass_matrix, (self._nv, self._nv), T.q)


class OfficialDynamics(RBDLDynamics, OfficialKinematics):
    """One mechanism in RBDL's own binding."""

    _rbdl: Official

    def __init__(self, mechanism: Mechanism) -> None:
        RBDLDynamics.__init__(self, mechanism)
        OfficialKinematics.__init__(self, mechanism, self._rbdl, self._coordinates)


class BiorbdDynamics(RBDLDynamics, BiorbdKinematics):
    """One mechanism in the RBDL of ``biorbd``."""

    _rbdl: Biorbd

    def __init__(self, mechanism: Mechanism) -> None:
        RBDLDynamics.__init__(self, mechanism)
        BiorbdKinematics.__init__(self, binding()[1], mechanism, self._rbdl, self._coordinates)

    def forward_dynamics_dtau(self, q: Array) -> Array:
        self._require_no_armature()
        if quaternions := self._mechanism.slots("quaternion"):
            joint, _ = quaternions[0]
            raise Unsupported(f"biorbd's massMatrixInverse is wrong where there is a quaternion, as in {joint.name!r}")
        T = self._coordinates.change_at(q)
        inverse = for_each_state(self._rbdl.inverse_of_mass_matrix, (self._nv, self._nv), T.q)
        return T.to_ours(T.to_ours(inverse).swapaxes(1, 2))


class OfficialLoops(RBDLDynamics, OfficialConstraints):
    """One mechanism with constraints in RBDL's own binding."""

    _rbdl: Official

    def __init__(self, mechanism: Mechanism) -> None:
        RBDLDynamics.__init__(self, mechanism)
        OfficialConstraints.__init__(self, mechanism, self._rbdl, self._coordinates)

    def constrained_acceleration(self, q: Array, v: Array, tau: Array) -> Array:
        return self._constrained_acceleration(self.acceleration, q, v, tau)

    def constraint_multipliers(self, q: Array, v: Array, tau: Array) -> Array:
        self._require_no_armature()
        return OfficialConstraints.constraint_multipliers(self, q, v, tau - self._undamped * v)

    def constraint_forces(self, q: Array, v: Array, tau: Array) -> Array:
        self._require_no_armature()
        return OfficialConstraints.constraint_forces(self, q, v, tau - self._undamped * v)


class BiorbdLoops(RBDLDynamics, BiorbdConstraints):
    """One mechanism with constraints in the RBDL of ``biorbd``."""

    _rbdl: Biorbd

    def __init__(self, mechanism: Mechanism) -> None:
        RBDLDynamics.__init__(self, mechanism)
        BiorbdConstraints.__init__(self, mechanism, self._rbdl)

    def constrained_acceleration(self, q: Array, v: Array, tau: Array) -> Array:
        return self._constrained_acceleration(self.acceleration, q, v, tau)

    def impact_velocity_plastic(self, q: Array, v_minus: Array) -> Array:
        self._require_no_armature()
        T = self._coordinates.change_at(q)
        return T.to_ours(for_each_state(self.after_impact, (self._nv,), T.q, T.to_rbdl(v_minus)))
