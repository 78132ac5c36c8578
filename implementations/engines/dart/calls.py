"""What DART computes at one state, in the coordinates of the adapter.

==================== ========================================== ======================================================
what                 DART                                       conversion
==================== ========================================== ======================================================
frames               of a node, along the axes of a frame,      local: none given; aligned: along the root's axes; world:
                     at a point of the node                     at the root's origin, which DART gives in the node's frame
acceleration         spatial, without gravity                   the classical one by its own functions
J̇ v                  J̇ only, spatial or classical               multiplied by v
frames               SimpleFrame; its Jacobian is the node's    local: along the frame's axes; world: not asked for
                     at a point, along a frame's axes
momentum             of every node, along the node's axes, the  about the centre of mass of all, which DART gives in the
                     angular one about a point of it            node's frame; rotated to the root's axes, and added
==================== ========================================== ======================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from implementations.engines.dart.state import State
from implementations.engines.state_by_state import of_places
from implementations.protocol import Array
from mechanisms import Mechanism


class Place(NamedTuple):
    """A frame of DART, and where it is on its node; a frame on the root has no node."""

    frame: Any
    node: Any
    point: Array


class DARTCalls:
    """One skeleton. Not thread-safe.

    ``nodes`` are the bodies that move, in the order of DART's coordinates, and ``order`` has the index of our body for each.
    """

    def __init__(self, dart: Any, mechanism: Mechanism, skeleton: Any, nodes: Sequence[Any], order: Sequence[int]) -> None:
        self._skeleton, self._nodes, self._world = skeleton, nodes, dart.dynamics.Frame.World()
        self._state = State(skeleton, nodes, [mechanism.bodies[i] for i in order])
        # Forward dynamics takes damping at the end of the time step.
        skeleton.setTimeStep(0.0)
        self._damped = any(dof.getDampingCoefficient() for dof in skeleton.getDofs())
        bodies = [Place(node, node, np.zeros(3)) for node in nodes]
        vars(self).update(of_places(self._state.set, bodies, self._of_bodies()))
        frames = self._frames(dart, mechanism, dict(zip(order, nodes, strict=True)))
        for places, prefix in ((bodies, ""), (frames, "frame_")):
            vars(self).update(of_places(self._state.set, places, self._of_places(), prefix))

    def _frames(self, dart: Any, mechanism: Mechanism, nodes: dict[int, Any]) -> list[Place]:
        """The mechanism's own frames, as DART's SimpleFrame on the nodes."""
        made = []
        for k, frame in enumerate(mechanism.frames):
            node, place = nodes.get(frame.body), frame.placement
            R, p = np.array(place.rotation.matrix, dtype=float), np.array(place.translation, dtype=float)
            own = dart.dynamics.SimpleFrame(node or self._world, f"frame {k}", dart.math.Isometry3(R, p))
            made.append(Place(own, node, p))
        return made

    def _of_places(self) -> dict[str, Callable[[Place], Any]]:
        world = self._world
        return {
            "placements": lambda place: place.frame.getWorldTransform().matrix()[:3],
            "jacobians_local": lambda place: self._jacobian(place, place.frame),
            "jacobians_aligned": lambda place: self._jacobian(place, world),
            "velocities_local": lambda place: place.frame.getSpatialVelocity(),
            "velocities_aligned": lambda place: place.frame.getSpatialVelocity(world, world),
            "velocities_world": lambda place: place.frame.getSpatialVelocity(self._root_in(place.frame), world, world),
            "accelerations_local": lambda place: place.frame.getSpatialAcceleration(),
            "accelerations_aligned": lambda place: place.frame.getSpatialAcceleration(world, world),
            "accelerations_world": lambda place: place.frame.getSpatialAcceleration(self._root_in(place.frame), world, world),
            "classical_accelerations": lambda place: np.concatenate(
                [place.frame.getAngularAcceleration(), place.frame.getLinearAcceleration()]
            ),
        }

    def _of_bodies(self) -> dict[str, Callable[[Place], Any]]:
        """What DART has for nodes alone."""
        of, world = self._skeleton, self._world
        return {
            "jacobians_world": lambda body: self._state.to_ours(of.getWorldJacobian(body.node, self._root_in(body.node))),
            "drifts_local": lambda body: self._drift(of.getJacobianSpatialDeriv(body.node)),
            "drifts_aligned": lambda body: self._drift(of.getJacobianClassicDeriv(body.node)),
            "drifts_world": lambda body: self._drift(of.getJacobianSpatialDeriv(body.node, self._root_in(body.node), world)),
        }

    def _jacobian(self, place: Place, axes: Any) -> Array:
        if place.node is None:
            return np.zeros((6, self._skeleton.getNumDofs()))
        return self._state.to_ours(self._skeleton.getJacobian(place.node, place.point, axes))

    def _drift(self, rate: Array) -> Array:
        velocity: Array = rate @ self._skeleton.getVelocities()
        return velocity

    def _root_in(self, node: Any) -> Array:
        """The root's origin in the node's frame."""
        origin: Array = self._world.getTransform(node).translation()
        return origin

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        self._state.set(q, v, a)
        self._skeleton.computeInverseDynamics(False, True)
        return self._state.to_ours(self._skeleton.getForces())

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        self._state.set(q, v, a)
        for node, force in zip(self._nodes, f, strict=True):
            node.addExtTorque(force[:3], True)
            node.addExtForce(force[3:], np.zeros(3), True, True)
        self._skeleton.computeInverseDynamics(True, True)
        return self._state.to_ours(self._skeleton.getForces())

    def mass_matrix(self, q: Array) -> Array:
        self._state.set(q)
        return self._state.both_to_ours(self._skeleton.getMassMatrix())

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self._state.set(q, v, tau=tau)
        self._skeleton.computeForwardDynamics()
        return self._state.to_ours(self._skeleton.getAccelerations())

    def forward_dynamics_dtau(self, q: Array) -> Array:
        self._state.set(q)
        return self._state.both_to_ours(self._skeleton.getInvMassMatrix())

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        if self._damped:
            return self.inverse_dynamics(q, v, 0 * v)
        self._state.set(q, v)
        return self._state.to_ours(self._skeleton.getCoriolisAndGravityForces())

    def gravity(self, q: Array) -> Array:
        self._state.set(q)
        return self._state.to_ours(self._skeleton.getGravityForces())

    def integrate(self, q: Array, dv: Array) -> Any:
        self._state.set(q, dv)
        self._skeleton.integratePositions(1.0)
        return self._skeleton.getPositions()

    def difference(self, q: Array, to: Array) -> Array:
        return self._state.to_ours(self._skeleton.getPositionDifferences(to, q))

    def kinetic_energy(self, q: Array, v: Array) -> Any:
        self._state.set(q, v)
        return self._skeleton.computeKineticEnergy()

    def potential_energy(self, q: Array) -> Any:
        self._state.set(q)
        return self._skeleton.computePotentialEnergy()

    def center_of_mass(self, q: Array) -> Any:
        self._state.set(q)
        return self._skeleton.getCOM()

    def center_of_mass_velocity(self, q: Array, v: Array) -> Any:
        self._state.set(q, v)
        return self._skeleton.getCOMLinearVelocity()

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Any:
        self._state.set(q, v, a)
        return self._skeleton.getCOMLinearAcceleration()

    def center_of_mass_jacobian(self, q: Array) -> Any:
        self._state.set(q)
        return self._state.to_ours(self._skeleton.getCOMLinearJacobian())

    def centroidal_momentum(self, q: Array, v: Array) -> Any:
        self._state.set(q, v)
        total = np.zeros(6)
        for node in self._skeleton.getBodyNodes():
            angular = node.getAngularMomentum(self._skeleton.getCOM(node))
            R = node.getWorldTransform().rotation()
            total += np.concatenate([R @ angular, R @ node.getLinearMomentum()])
        return total
