"""DART (Lee et al., JOSS 2018), through its Python module ``dartpy``.

How DART differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 DART                                       conversion
==================== ========================================== ======================================================
spherical: q         the rotation vector, axis times angle      computed from the quaternion, at most π long
free: q              the rotation vector, then x y z            the same
free: v, a, τ        [ω; ṗ], both along the axes of the         rotated: to the axes of the joint's frame by a constant
                     *parent body*                              matrix, to those of the body by T(q)
planar: v, a, τ      rates of x, y and the angle                the angle first, then rotated to the body's axes
continuous: q        the angle                                  computed from its cosine and sine
pitch                metres per turn                            multiplied by 2π
damping              τ = M a + h + D v in inverse dynamics,     the time step is zero
                     but τ = M a + h + D (v + a Δt) in forward
                     dynamics, Δt being the time step
damping              not in Coriolis and gravity forces         h is inverse dynamics at a = 0 where there is damping
armature             none                                       added to τ, M and T; :class:`Unsupported` in
                                                                forward dynamics and M⁻¹, where it cannot be added
==================== ========================================== ======================================================

:mod:`implementations.engines.dart.skeletons` maps our joints to DART's, and
:mod:`implementations.engines.dart.motions_of_nodes` lists the differences in kinematics.
:mod:`implementations.conventions` converts coordinates.

DART has no derivatives of dynamics, no Coriolis matrix, no regressor and no matrix of the centroidal momentum.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.conventions.converted import Converted
from implementations.conventions.declared import Conventions
from implementations.engines.dart.motions_of_nodes import DARTKinematics
from implementations.engines.dart.skeletons import skeleton_of
from implementations.engines.dart.state import State
from implementations.protocol import Array, Missing, Unsupported
from mechanisms import Mechanism

CONVENTIONS = Conventions(
    quaternion="rotation vector",
    free_position="quaternion first",
    free_velocity="mixed",
    planar_velocity="joint",
    continuous="angle",
)
"""Those of :class:`DARTDynamics`."""


class DART:
    """The implementation "dart". Raises :class:`Missing` if DART is not installed."""

    name = "dart"
    workarounds = (
        "armature, which DART does not have, is added to forces, the mass matrix and the kinetic energy",
        "nonlinear effects with damping are DART's inverse dynamics at zero acceleration",
        "Jacobian drifts are DART's rates of Jacobians, multiplied by v",
        "the centroidal momentum is the sum of the momenta of DART's bodies",
    )

    @property
    def version(self) -> str:
        return str(engine().__version__)

    def load(self, mechanism: Mechanism) -> Converted:
        dart = engine()
        skeleton, nodes = skeleton_of(dart, mechanism)
        return Converted(DARTDynamics(dart, mechanism, skeleton, nodes, range(len(nodes))), mechanism, CONVENTIONS)


class DARTDynamics(DARTKinematics):
    """One skeleton, in the coordinates :data:`CONVENTIONS`; see :class:`implementations.protocol.Dynamics`. Not thread-safe.

    ``nodes`` are the bodies that move, in the order of DART's coordinates, and ``order`` has the index of our body for each.
    """

    def __init__(self, dart: Any, mechanism: Mechanism, skeleton: Any, nodes: Any, order: Any) -> None:
        bodies = [mechanism.bodies[i] for i in order]
        self._skeleton, self._nodes, self._state = skeleton, nodes, State(skeleton, nodes, bodies)
        # Forward dynamics takes damping at the end of the time step.
        skeleton.setTimeStep(0.0)
        self._damped = any(dof.getDampingCoefficient() for dof in skeleton.getDofs())
        self._armature = np.concatenate([[float(body.joint.armature)] * body.joint.nv for body in bodies])
        self._with_armature = next((body.joint.name for body in bodies if body.joint.armature != 0), None)
        self._nv = mechanism.nv
        DARTKinematics.__init__(self, dart.dynamics.Frame.World(), mechanism, skeleton, nodes, self._state, order)
        self.offer_frames(dart)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return for_each_state(self._inverse_dynamics, (self._nv,), q, v, a) + self._armature * a

    def mass_matrix(self, q: Array) -> Array:
        def of_state(q: Array) -> Array:
            self._state.set(q)
            return self._state.both_to_ours(self._skeleton.getMassMatrix())

        return for_each_state(of_state, (self._nv, self._nv), q) + np.diag(self._armature)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        def of_state(q: Array, v: Array, tau: Array) -> Array:
            self._state.set(q, v, tau=tau)
            self._skeleton.computeForwardDynamics()
            return self._state.to_ours(self._skeleton.getAccelerations())

        self._require_no_armature()
        return for_each_state(of_state, (self._nv,), q, v, tau)

    def forward_dynamics_dtau(self, q: Array) -> Array:
        def of_state(q: Array) -> Array:
            self._state.set(q)
            return self._state.both_to_ours(self._skeleton.getInvMassMatrix())

        self._require_no_armature()
        return for_each_state(of_state, (self._nv, self._nv), q)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        def of_state(q: Array, v: Array) -> Array:
            self._state.set(q, v)
            return self._state.to_ours(self._skeleton.getCoriolisAndGravityForces())

        if self._damped:
            return for_each_state(self._inverse_dynamics, (self._nv,), q, v, 0 * v)
        return for_each_state(of_state, (self._nv,), q, v)

    def gravity(self, q: Array) -> Array:
        def of_state(q: Array) -> Array:
            self._state.set(q)
            return self._state.to_ours(self._skeleton.getGravityForces())

        return for_each_state(of_state, (self._nv,), q)

    def integrate(self, q: Array, dv: Array) -> Array:
        def of_state(q: Array, dv: Array) -> Any:
            self._state.set(q, dv)
            self._skeleton.integratePositions(1.0)
            return self._skeleton.getPositions()

        return for_each_state(of_state, q.shape[1:], q, dv)

    def difference(self, q: Array, to: Array) -> Array:
        difference = for_each_state(lambda q, to: self._skeleton.getPositionDifferences(to, q), (self._nv,), q, to)
        return self._state.to_ours(difference)

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        def of_state(q: Array, v: Array) -> Any:
            self._state.set(q, v)
            return self._skeleton.computeKineticEnergy()

        return for_each_state(of_state, (), q, v) + (self._armature * v * v).sum(1) / 2

    def potential_energy(self, q: Array) -> Array:
        def of_state(q: Array) -> Any:
            self._state.set(q)
            return self._skeleton.computePotentialEnergy()

        return for_each_state(of_state, (), q)

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        return for_each_state(self._inverse_dynamics, (self._nv,), q, v, a, f) + self._armature * a

    def _inverse_dynamics(self, q: Array, v: Array, a: Array, f: Array | None = None) -> Array:
        self._state.set(q, v, a)
        for node, force in zip(self._nodes, f, strict=True) if f is not None else ():
            node.addExtTorque(force[:3], True)
            node.addExtForce(force[3:], np.zeros(3), True, True)
        self._skeleton.computeInverseDynamics(f is not None, True)
        return self._state.to_ours(self._skeleton.getForces())

    def _require_no_armature(self) -> None:
        if self._with_armature is not None:
            remedy = "compare inverse dynamics and the mass matrix instead"
            raise Unsupported(f"DART has no armature, joint {self._with_armature!r} has one; {remedy}")


def engine() -> Any:
    """DART's Python module. Raises :class:`Missing`."""
    hint = 'DART is not installed; pip install "dalembert[dart]"'
    try:
        dart = importlib.import_module("dartpy")
    except ImportError as error:
        raise Missing(hint) from error
    if not hasattr(dart, "dynamics"):
        raise Missing(hint)
    return dart
