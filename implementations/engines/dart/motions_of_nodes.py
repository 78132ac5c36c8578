"""Kinematics in DART.

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
from functools import partial
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.dart.state import State
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES


class DARTKinematics:
    """One skeleton's kinematics. Not thread-safe. ``world`` is DART's root frame; ``numbers`` are our bodies of the nodes."""

    def __init__(
        self, world: Any, mechanism: Mechanism, skeleton: Any, nodes: Sequence[Any], state: State, numbers: Sequence[int]
    ) -> None:
        self._world, self._mechanism, self._skeleton, self._nodes, self._state = world, mechanism, skeleton, nodes, state
        self._numbers = numbers

    def placements(self, q: Array) -> Array:
        return self._of_nodes("placements", lambda node: node.getWorldTransform().matrix()[:3], q)

    def jacobians_local(self, q: Array) -> Array:
        return self._of_nodes("jacobians_local", self._skeleton.getJacobian, q)

    def jacobians_world(self, q: Array) -> Array:
        return self._of_nodes("jacobians_world", lambda node: self._skeleton.getWorldJacobian(node, self._root_in(node)), q)

    def jacobians_aligned(self, q: Array) -> Array:
        return self._of_nodes("jacobians_aligned", lambda node: self._skeleton.getJacobian(node, self._world), q)

    def velocities_local(self, q: Array, v: Array) -> Array:
        return self._of_nodes("velocities_local", lambda node: node.getSpatialVelocity(), q, v)

    def velocities_world(self, q: Array, v: Array) -> Array:
        def of_node(node: Any) -> Any:
            return node.getSpatialVelocity(self._root_in(node), self._world, self._world)

        return self._of_nodes("velocities_world", of_node, q, v)

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        return self._of_nodes("velocities_aligned", lambda node: node.getSpatialVelocity(self._world, self._world), q, v)

    def accelerations_local(self, q: Array, v: Array, a: Array) -> Array:
        return self._of_nodes("accelerations_local", lambda node: node.getSpatialAcceleration(), q, v, a)

    def accelerations_world(self, q: Array, v: Array, a: Array) -> Array:
        def of_node(node: Any) -> Any:
            return node.getSpatialAcceleration(self._root_in(node), self._world, self._world)

        return self._of_nodes("accelerations_world", of_node, q, v, a)

    def accelerations_aligned(self, q: Array, v: Array, a: Array) -> Array:
        def of_node(node: Any) -> Any:
            return node.getSpatialAcceleration(self._world, self._world)

        return self._of_nodes("accelerations_aligned", of_node, q, v, a)

    def classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        def of_node(node: Any) -> Any:
            return np.concatenate([node.getAngularAcceleration(), node.getLinearAcceleration()])

        return self._of_nodes("classical_accelerations", of_node, q, v, a)

    def drifts_local(self, q: Array, v: Array) -> Array:
        return self._drifts("drifts_local", self._skeleton.getJacobianSpatialDeriv, q, v)

    def drifts_world(self, q: Array, v: Array) -> Array:
        def of_node(node: Any) -> Any:
            return self._skeleton.getJacobianSpatialDeriv(node, self._root_in(node), self._world)

        return self._drifts("drifts_world", of_node, q, v)

    def drifts_aligned(self, q: Array, v: Array) -> Array:
        return self._drifts("drifts_aligned", self._skeleton.getJacobianClassicDeriv, q, v)

    def center_of_mass(self, q: Array) -> Array:
        return self._answer("center_of_mass", self._skeleton.getCOM, q)

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        def of_state() -> Any:
            total = np.zeros(6)
            for node in self._skeleton.getBodyNodes():
                angular = node.getAngularMomentum(self._skeleton.getCOM(node))
                R = node.getWorldTransform().rotation()
                total += np.concatenate([R @ angular, R @ node.getLinearMomentum()])
            return total

        return self._answer("centroidal_momentum", of_state, q, v)

    def offer_frames(self, dart: Any) -> None:
        """The motions of the mechanism's own frames are methods, by DART's SimpleFrame on the nodes."""
        self._carriers: list[tuple[Any, Any]] = []
        nodes = dict(zip(self._numbers, self._nodes, strict=True))
        for k, frame in enumerate(self._mechanism.frames):
            node, place = nodes.get(frame.body), frame.placement
            R, p = np.array(place.rotation.matrix, dtype=float), np.array(place.translation, dtype=float)
            made = dart.dynamics.SimpleFrame(node or self._world, f"frame {k}", dart.math.Isometry3(R, p))
            self._carriers.append((made, node))
        asked: dict[str, Callable[[Any, Any], Any]] = {
            "frame_placements": lambda frame, node: frame.getWorldTransform().matrix()[:3],
            "frame_jacobians_local": lambda frame, node: self._frame_jacobian(frame, node, frame),
            "frame_jacobians_aligned": lambda frame, node: self._frame_jacobian(frame, node, self._world),
            "frame_velocities_local": lambda frame, node: frame.getSpatialVelocity(),
            "frame_velocities_aligned": lambda frame, node: frame.getSpatialVelocity(self._world, self._world),
            "frame_accelerations_local": lambda frame, node: frame.getSpatialAcceleration(),
            "frame_accelerations_aligned": lambda frame, node: frame.getSpatialAcceleration(self._world, self._world),
            "frame_classical_accelerations": lambda frame, node: np.concatenate(
                [frame.getAngularAcceleration(), frame.getLinearAcceleration()]
            ),
        }
        for motion in ("Velocity", "Acceleration"):
            name = {"Velocity": "frame_velocities_world", "Acceleration": "frame_accelerations_world"}[motion]
            asked[name] = partial(self._at_root, f"getSpatial{motion}")
        for name, ask in asked.items() if self._carriers else ():
            setattr(self, name, partial(self._of_frames, name, ask))

    def _frame_jacobian(self, frame: Any, node: Any, axes: Any) -> Array:
        if node is None:
            return np.zeros((6, self._skeleton.getNumDofs()))
        return np.asarray(self._skeleton.getJacobian(node, frame.getRelativeTransform().translation(), axes))

    def _at_root(self, ask: str, frame: Any, node: Any) -> Any:
        return getattr(frame, ask)(self._root_in(frame), self._world, self._world)

    def _of_frames(self, name: str, ask: Callable[[Any, Any], Any], *state: Array) -> Array:
        return self._answer(name, lambda: [ask(*carrier) for carrier in self._carriers], *state)

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        return self._answer("center_of_mass_velocity", self._skeleton.getCOMLinearVelocity, q, v)

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("center_of_mass_acceleration", self._skeleton.getCOMLinearAcceleration, q, v, a)

    def center_of_mass_jacobian(self, q: Array) -> Array:
        return self._answer("center_of_mass_jacobian", self._skeleton.getCOMLinearJacobian, q)

    def _root_in(self, node: Any) -> Array:
        """The root's origin in the node's frame."""
        origin: Array = self._world.getTransform(node).translation()
        return origin

    def _of_nodes(self, name: str, of_node: Callable[[Any], Any], *state: Array) -> Array:
        return self._answer(name, lambda: [of_node(node) for node in self._nodes], *state)

    def _drifts(self, name: str, of_node: Callable[[Any], Any], q: Array, v: Array) -> Array:
        return self._answer(name, lambda: [of_node(node) @ self._skeleton.getVelocities() for node in self._nodes], q, v)

    def _answer(self, name: str, ask: Callable[[], Any], *state: Array) -> Array:
        """``ask`` evaluated at every state, with its columns in our components."""
        quantity = QUANTITIES[name]
        quantity.require_defined(self._mechanism)

        def of_state(*one: Array) -> Any:
            self._state.set(*one)
            return self._state.to_ours(np.array(ask())) if quantity.axes[-1] == "nv" else ask()

        return for_each_state(of_state, quantity.dimensions(self._mechanism), *state)
