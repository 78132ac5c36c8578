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

DART keeps the state in the skeleton, with the forces of the joints and the external forces on the bodies. So all of it is set
before every question; what the question does not give is set to zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from implementations.protocol import Array, Unsupported
from implementations.state_by_state import after, of_places
from mechanisms import Body, Joint, Mechanism


class PlaceOnNode(NamedTuple):
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
        self._simulation = dart.simulation.World()
        self._simulation.setGravity(skeleton.getGravity())
        self._simulation.addSkeleton(skeleton)
        # Forward dynamics takes damping and springs at the end of the time step.
        skeleton.setTimeStep(0.0)
        joints = [node.getParentJoint() for node in nodes]
        coordinates = [(joint, k) for joint in joints for k in range(joint.getNumDofs())]
        self._sprung = any(joint.getSpringStiffness(k) for joint, k in coordinates)
        self._has_forces = self._sprung or any(joint.getDampingCoefficient(k) for joint, k in coordinates)
        bodies = [PlaceOnNode(node, node, np.zeros(3)) for node in nodes]
        vars(self).update(after(self._state.set, self._of_skeleton()))
        vars(self).update(of_places(self._state.set, bodies, self._of_bodies()))
        frames = self._frames(dart, mechanism, dict(zip(order, nodes, strict=True)))
        for places, prefix in ((bodies, ""), (frames, "frame_")):
            vars(self).update(of_places(self._state.set, places, self._of_places(), prefix))

    def _of_skeleton(self) -> dict[str, Callable[[], Any]]:
        of, state = self._skeleton, self._state
        return {
            "mass_matrix": lambda: state.both_to_ours(of.getMassMatrix()),
            "forward_dynamics_dtau": lambda: state.both_to_ours(of.getInvMassMatrix()),
            "kinetic_energy": of.computeKineticEnergy,
            "potential_energy": self._potential_energy,
            "center_of_mass": of.getCOM,
            "center_of_mass_velocity": of.getCOMLinearVelocity,
            "center_of_mass_acceleration": of.getCOMLinearAcceleration,
            "center_of_mass_jacobian": lambda: state.to_ours(of.getCOMLinearJacobian()),
        }

    def _potential_energy(self) -> float:
        if not all(node.getGravityMode() for node in self._skeleton.getBodyNodes()):
            raise Unsupported("DART's potential energy counts bodies on which gravity does not act, too")
        return float(self._skeleton.computePotentialEnergy())

    def _frames(self, dart: Any, mechanism: Mechanism, nodes: dict[int, Any]) -> list[PlaceOnNode]:
        """The mechanism's own frames, as DART's SimpleFrame on the nodes."""
        made = []
        for k, frame in enumerate(mechanism.frames):
            node, place = nodes.get(frame.body), frame.placement
            R, p = np.array(place.rotation.matrix, dtype=float), np.array(place.translation, dtype=float)
            own = dart.dynamics.SimpleFrame(node or self._world, f"frame {k}", dart.math.Isometry3(R, p))
            made.append(PlaceOnNode(own, node, p))
        return made

    def _of_places(self) -> dict[str, Callable[[PlaceOnNode], Any]]:
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

    def _of_bodies(self) -> dict[str, Callable[[PlaceOnNode], Any]]:
        """What DART has for nodes alone."""
        of, world = self._skeleton, self._world
        return {
            "jacobians_world": lambda body: self._state.to_ours(of.getWorldJacobian(body.node, self._root_in(body.node))),
            "drifts_local": lambda body: self._drift(of.getJacobianSpatialDeriv(body.node)),
            "drifts_aligned": lambda body: self._drift(of.getJacobianClassicDeriv(body.node)),
            "drifts_world": lambda body: self._drift(of.getJacobianSpatialDeriv(body.node, self._root_in(body.node), world)),
        }

    def _jacobian(self, place: PlaceOnNode, axes: Any) -> Array:
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
        self._skeleton.computeInverseDynamics(False, True, True)
        return self._state.to_ours(self._skeleton.getForces())

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        self._state.set(q, v, a)
        for node, force in zip(self._nodes, f, strict=True):
            node.addExtTorque(force[:3], True)
            node.addExtForce(force[3:], np.zeros(3), True, True)
        self._skeleton.computeInverseDynamics(True, True, True)
        return self._state.to_ours(self._skeleton.getForces())

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self._state.set(q, v, tau=tau)
        self._skeleton.computeForwardDynamics()
        return self._state.to_ours(self._skeleton.getAccelerations())

    def step(self, q: Array, v: Array, tau: Array, h: Array) -> Array:
        self._state.set(q, v, tau=tau)
        self._simulation.setTimeStep(float(h[0]))
        try:
            self._simulation.step()
        finally:
            self._skeleton.setTimeStep(0.0)
        return np.concatenate([self._skeleton.getPositions(), self._state.to_ours(self._skeleton.getVelocities())])

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        if self._has_forces:
            return self.inverse_dynamics(q, v, 0 * v)
        self._state.set(q, v)
        return self._state.to_ours(self._skeleton.getCoriolisAndGravityForces())

    def gravity(self, q: Array) -> Array:
        if self._sprung:
            return self.nonlinear_effects(q, np.zeros(len(self._skeleton.getVelocities())))
        self._state.set(q)
        return self._state.to_ours(self._skeleton.getGravityForces())

    def integrate(self, q: Array, dv: Array) -> Any:
        self._state.set(q, dv)
        self._skeleton.integratePositions(1.0)
        return self._skeleton.getPositions()

    def difference(self, q: Array, to: Array) -> Array:
        return self._state.to_ours(self._skeleton.getPositionDifferences(to, q))

    def centroidal_momentum(self, q: Array, v: Array) -> Any:
        self._state.set(q, v)
        total = np.zeros(6)
        for node in self._skeleton.getBodyNodes():
            angular = node.getAngularMomentum(self._skeleton.getCOM(node))
            R = node.getWorldTransform().rotation()
            total += np.concatenate([R @ angular, R @ node.getLinearMomentum()])
        return total


class State:
    """Sets the state of ``skeleton``, whose coordinates are those of the joints that carry ``nodes``, one for each of ``bodies``.

    DART's velocity is C v, with the constant orthogonal matrix C (nv, nv). It puts the angle of a planar joint last, and rotates
    both halves of a free joint's velocity from the axes of the joint's frame to those of DART's parent body. DART's position is
    D q: its reader of URDF gives planar joints other axes of the same plane.
    """

    def __init__(self, skeleton: Any, nodes: Sequence[Any], bodies: Sequence[Body]) -> None:
        self._skeleton = skeleton
        self._C, self._D = np.eye(skeleton.getNumDofs()), np.eye(skeleton.getNumDofs())
        start = 0
        for node, body in zip(nodes, bodies, strict=True):
            own, joint = slice(start, start := start + body.joint.nv), node.getParentJoint()
            if body.joint.kind == "planar":
                self._D[own, own] = _planar(joint, body.joint)
                self._C[own, own] = self._D[own, own][:, [2, 0, 1]]
            if body.joint.kind == "free":
                self._C[own, own] = np.kron(np.eye(2), joint.getTransformFromParentBodyNode().rotation())

    def set(self, q: Array, v: Array | None = None, a: Array | None = None, tau: Array | None = None) -> None:
        """Everything that the skeleton keeps; what is not given is zero, and so are external forces on the bodies."""
        nothing = np.zeros(len(self._C))
        self._skeleton.clearExternalForces()
        self._skeleton.setPositions(self._D @ q)
        self._skeleton.setVelocities(nothing if v is None else self.to_dart(v))
        self._skeleton.setAccelerations(nothing if a is None else self.to_dart(a))
        self._skeleton.setForces(nothing if tau is None else self.to_dart(tau))

    def to_dart(self, x: Array) -> Array:
        """v, a or τ (nv,) in DART's components."""
        return self._C @ x

    def to_ours(self, x: Array) -> Array:
        """The last axis of x (…, nv), of v, a, τ or columns, from DART's components."""
        return x @ self._C

    def both_to_ours(self, matrix: Array) -> Array:
        """A matrix (nv, nv) with rows and columns from DART's components."""
        return self._C.T @ matrix @ self._C


def _planar(theirs: Any, ours: Joint) -> Array:
    """(3, 3): from our distances and angle to those of DART's joint, whose frame is rotated in the body."""
    R = theirs.getTransformFromChildBodyNode().rotation()
    axes = [R @ axis for axis in (theirs.getTranslationalAxis1(), theirs.getTranslationalAxis2(), theirs.getRotationalAxis())]
    D: Array = np.array(axes) @ np.array(ours.triad, dtype=float).T
    # Rounding apart, most are the same axes.
    return np.eye(3) if np.allclose(D, np.eye(3), rtol=0, atol=1e-14) else D
