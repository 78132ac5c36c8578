"""Kinematics and external forces in RBDL, through its own Python binding.

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
placements           ``CalcBodyToBaseCoordinates`` and          the segment's frame is rotated back to the body's, here and
                     ``CalcBodyWorldOrientation``, transposed   in all local quantities
Jacobians            ``CalcPointJacobian6D``, along the root's  aligned: of the body's origin; world: of the point of the
                     axes, of any point of the body             body at the root's origin
local Jacobians      ``CalcBodySpatialJacobian``                :class:`Unsupported` if there is a quaternion: the binding
                                                                then writes behind the matrix
velocities           ``CalcPointVelocity6D``, of any point      as the Jacobians
local velocities     ``Model.v`` after ``UpdateKinematics``     none
accelerations        ``CalcPointAcceleration6D``: [ω̇; p̈]        none; these are the classical ones
local accelerations  ``Model.a``, spatial, without gravity      none; the drifts J̇ v are those at rest
frames               points of bodies, along the root's axes    none; not offered where a frame is fixed to the root
centre of mass       ``CalcCenterOfMass``                       none
centroidal momentum  angular momentum about the centre of mass  followed by mass · velocity of the centre of mass
                     from ``CalcCenterOfMass``
external forces      [n; f] of every body, about the root's     forces are moved to the root's origin with RBDL's
                     origin and along its axes                  placements
==================== ========================================== ======================================================

The binding offers no kinetic energy, no derivatives and no momentum matrix. Spatial accelerations and drifts are those along the
body's axes only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.rbdl.coordinates import Coordinates
from implementations.engines.rbdl.official_binding import Official
from implementations.engines.rbdl.segments import ends
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

ORIGIN = np.zeros(3)


class OfficialKinematics:
    """One mechanism's kinematics. Not thread-safe."""

    def __init__(self, mechanism: Mechanism, official: Official, coordinates: Coordinates) -> None:
        self._mechanism, self._official, self._coordinates = mechanism, official, coordinates
        self._engine, self._model = official.engine, official.model
        body_ends = list(ends(mechanism, official.native, official.composes))
        self._bodies = [official.ids[segment] for segment, _ in body_ends]
        self._turns = [np.array(turn.rotation.matrix, dtype=float) for _, turn in body_ends]
        self._still = np.zeros(mechanism.nv)
        data = mechanism.arrays
        self._to_add = data.per_coordinate(data.armature), data.per_coordinate(data.damping)
        self._points = []
        for frame in mechanism.frames:
            if frame.body >= 0:
                p = self._turns[frame.body].T @ np.array(frame.placement.translation, dtype=float)
                self._points.append((frame.body, p))
        if self._points and len(self._points) == len(mechanism.frames):
            self._offer_frames()

    def placements(self, q: Array) -> Array:
        return for_each_state(self._places, (len(self._bodies), 3, 4), self._coordinates.change_at(q).q)

    def jacobians_aligned(self, q: Array) -> Array:
        return self._jacobians(lambda q, k: self._point_jacobian(q, k, ORIGIN), q)

    def jacobians_world(self, q: Array) -> Array:
        return self._jacobians(lambda q, k: self._point_jacobian(q, k, self._at_root(q, k)), q)

    def jacobians_local(self, q: Array) -> Array:
        if quaternions := self._mechanism.slots("quaternion"):
            joint, _ = quaternions[0]
            raise Unsupported(
                f"RBDL's binding writes behind the body's Jacobian where there is a quaternion, as in {joint.name!r}; "
                "compare those along the root's axes instead"
            )
        return self._jacobians(self._body_jacobian, q)

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        return self._velocities(lambda q, v, k: self._point_velocity(q, v, k, ORIGIN), q, v)

    def velocities_world(self, q: Array, v: Array) -> Array:
        return self._velocities(lambda q, v, k: self._point_velocity(q, v, k, self._at_root(q, k)), q, v)

    def velocities_local(self, q: Array, v: Array) -> Array:
        return self._velocities(lambda q, v, k: self._local(self._model.v, k), q, v)

    def accelerations_local(self, q: Array, v: Array, a: Array) -> Array:
        return self._accelerations(lambda q, v, a, k: self._local(self._model.a, k), q, v, a)

    def classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        def of_body(q: Array, v: Array, a: Array, k: int) -> Array:
            return self._engine.CalcPointAcceleration6D(self._model, q, v, a, self._bodies[k], ORIGIN, False)

        return self._accelerations(of_body, q, v, a)

    def drifts_local(self, q: Array, v: Array) -> Array:
        return self.accelerations_local(q, v, 0 * v)

    def center_of_mass(self, q: Array) -> Array:
        QUANTITIES["center_of_mass"].require_defined(self._mechanism)
        return for_each_state(lambda q: self._mass_motion(q, self._still)[0], (3,), self._coordinates.change_at(q).q)

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        QUANTITIES["centroidal_momentum"].require_defined(self._mechanism)
        T = self._coordinates.change_at(q)
        return for_each_state(lambda q, v: self._mass_motion(q, v)[1], (6,), T.q, T.to_rbdl(v))

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        def of_state(q: Array, v: Array, a: Array, f: Array) -> Array:
            forces = np.zeros((self._bodies[-1] + 1, 6))
            for body, place, force in zip(self._bodies, self._places(q), f, strict=True):
                moment, linear = place[:, :3] @ force[:3], place[:, :3] @ force[3:]
                forces[body] = *(moment + np.cross(place[:, 3], linear)), *linear
            return self._official.inverse_dynamics(q, v, a, forces)

        T = self._coordinates.change_at(q)
        tau = for_each_state(of_state, (self._mechanism.nv,), T.q, T.to_rbdl(v), T.to_rbdl(a) + T.bias(v), f)
        armature, damping = self._to_add
        return T.to_ours(tau) + armature * a + damping * v

    def _offer_frames(self) -> None:
        """Jacobians, velocities and accelerations of the mechanism's own frames, as points of bodies, are methods too."""
        n, points, nv = len(self._points), self._points, self._mechanism.nv

        def jacobians(q: Array) -> Array:
            def of_state(q: Array) -> list[Array]:
                self._update(q, self._still, self._still)
                return [self._point_jacobian(q, k, p) for k, p in points]

            T = self._coordinates.change_at(q)
            return T.to_ours(for_each_state(of_state, (n, 6, nv), T.q))

        def velocities(q: Array, v: Array) -> Array:
            def of_state(q: Array, v: Array) -> list[Array]:
                self._update(q, v, self._still)
                return [self._point_velocity(q, v, k, p) for k, p in points]

            T = self._coordinates.change_at(q)
            return for_each_state(of_state, (n, 6), T.q, T.to_rbdl(v))

        def accelerations(q: Array, v: Array, a: Array) -> Array:
            def of_state(q: Array, v: Array, a: Array) -> list[Array]:
                self._update(q, v, a)
                return [self._engine.CalcPointAcceleration6D(self._model, q, v, a, self._bodies[k], p, False) for k, p in points]

            T = self._coordinates.change_at(q)
            return for_each_state(of_state, (n, 6), T.q, T.to_rbdl(v), T.to_rbdl(a) + T.bias(v))

        self.frame_jacobians_aligned, self.frame_velocities_aligned = jacobians, velocities
        self.frame_classical_accelerations = accelerations

    def _update(self, q: Array, v: Array, a: Array) -> None:
        self._engine.UpdateKinematics(self._model, q, v, a)

    def _places(self, q: Array) -> list[Array]:
        """[R p] of every body (3, 4)."""
        self._update(q, self._still, self._still)
        return [self._place(q, k) for k in range(len(self._bodies))]

    def _place(self, q: Array, k: int) -> Array:
        body, turn = self._bodies[k], self._turns[k]
        R = self._engine.CalcBodyWorldOrientation(self._model, q, body, False).T
        p = self._engine.CalcBodyToBaseCoordinates(self._model, q, body, ORIGIN, False)
        return np.column_stack([R @ turn.T, p])

    def _at_root(self, q: Array, k: int) -> Array:
        """The point of the body that is at the root's origin now."""
        return self._engine.CalcBaseToBodyCoordinates(self._model, q, self._bodies[k], ORIGIN, False)

    def _jacobians(self, of_body: Callable[[Array, int], Array], q: Array) -> Array:
        def of_state(q: Array) -> list[Array]:
            self._update(q, self._still, self._still)
            return [of_body(q, k) for k in range(len(self._bodies))]

        T = self._coordinates.change_at(q)
        return T.to_ours(for_each_state(of_state, (len(self._bodies), 6, self._mechanism.nv), T.q))

    def _velocities(self, of_body: Callable[[Array, Array, int], Array], q: Array, v: Array) -> Array:
        def of_state(q: Array, v: Array) -> list[Array]:
            self._update(q, v, self._still)
            return [of_body(q, v, k) for k in range(len(self._bodies))]

        T = self._coordinates.change_at(q)
        return for_each_state(of_state, (len(self._bodies), 6), T.q, T.to_rbdl(v))

    def _accelerations(self, of_body: Callable[[Array, Array, Array, int], Array], q: Array, v: Array, a: Array) -> Array:
        def of_state(q: Array, v: Array, a: Array) -> list[Array]:
            self._update(q, v, a)
            return [of_body(q, v, a, k) for k in range(len(self._bodies))]

        T = self._coordinates.change_at(q)
        return for_each_state(of_state, (len(self._bodies), 6), T.q, T.to_rbdl(v), T.to_rbdl(a) + T.bias(v))

    def _point_jacobian(self, q: Array, k: int, point: Array) -> Array:
        # RBDL writes only the columns that can differ from zero.
        J = np.zeros((6, self._mechanism.nv))
        self._engine.CalcPointJacobian6D(self._model, q, self._bodies[k], point, J, False)
        return J

    def _body_jacobian(self, q: Array, k: int) -> Array:
        J = np.zeros((6, self._mechanism.nv))
        self._engine.CalcBodySpatialJacobian(self._model, q, self._bodies[k], ORIGIN, J, False)
        return self._turned(J, k)

    def _point_velocity(self, q: Array, v: Array, k: int, point: Array) -> Array:
        return self._engine.CalcPointVelocity6D(self._model, q, v, self._bodies[k], point, False)

    def _local(self, motions: Sequence[Any], k: int) -> Array:
        """The motion of the body along its axes, of RBDL's list of spatial vectors of its bodies."""
        motion = motions[self._bodies[k]]
        return self._turned(np.array([motion[i] for i in range(6)]), k)

    def _turned(self, motion: Array, k: int) -> Array:
        """A motion (6, ...) along the segment's axes, along the body's."""
        return np.concatenate([self._turns[k] @ motion[:3], self._turns[k] @ motion[3:]])

    def _mass_motion(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The centre of mass (3,), and [k; l] (6,)."""
        com, velocity, angular = np.zeros((3, 3))
        v = self._official.padded(v)
        mass = self._engine.CalcCenterOfMass(self._model, q, v, com, com_velocity=velocity, angular_momentum=angular)
        return com, np.concatenate([angular, mass * velocity])
