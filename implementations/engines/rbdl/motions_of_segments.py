"""Kinematics and external forces in the RBDL of ``biorbd``.

==================== ========================================== ======================================================
what                 biorbd                                     conversion
==================== ========================================== ======================================================
placements           ``globalJCS``, of segments                 the segment's frame is rotated back to the body's
velocities           ``CalcPointVelocity6D``: [ω; ṗ] of the     none; this is the aligned frame
                     segment's origin
frames               ``CalcPointVelocity6D`` of their origins   none; not offered where a frame is fixed to the root
centre of mass       ``CoM``                                    none
centroidal momentum  ``angularMomentum``, about the centre of   followed by mass · ``CoMdot``; :class:`Unsupported` if
                     mass                                       there is a quaternion: ``CoMdot`` then reads
                                                                memory behind v, and is NaN now and then
external forces      ``ExternalForceSet``, [n; f] at a point    rotated to the segment's axes; :class:`Unsupported` if
                     of the segment, along its axes             there is a quaternion: ``biorbd`` counts its three
                                                                velocities as three bodies of RBDL, and applies all
                                                                later forces to wrong bodies
==================== ========================================== ======================================================

biorbd has no function for a body's 6 × nv Jacobian, nor for its angular acceleration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.rbdl.bindings import Biorbd
from implementations.engines.rbdl.coordinates import Coordinates
from implementations.engines.rbdl.segments import ends
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES


class BiorbdKinematics:
    """One mechanism's kinematics. Not thread-safe."""

    def __init__(self, engine: Any, mechanism: Mechanism, biorbd: Biorbd, coordinates: Coordinates) -> None:
        self._engine, self._mechanism, self._model, self._coordinates = engine, mechanism, biorbd.model, coordinates
        body_ends = list(ends(mechanism, biorbd.native, biorbd.composes))
        self._segments = [segment for segment, _ in body_ends]
        self._turns = [np.array(turn.rotation.matrix, dtype=float) for _, turn in body_ends]
        self._bodies = [self._model.getBodyRbdlId(f"segment{segment}") for segment in self._segments]
        self._origin = engine.Vector3d(0, 0, 0)
        data = mechanism.arrays
        self._armature = data.per_coordinate(data.armature)
        self.offer_frames()

    def placements(self, q: Array) -> Array:
        def of_state(q: Array) -> list[Array]:
            # The first call brings the kinematics up to date for all.
            places = [self._model.globalJCS(q, segment).to_array()[:3] for segment in self._segments]
            return [np.hstack([T[:, :3] @ turn.T, T[:, 3:]]) for T, turn in zip(places, self._turns, strict=True)]

        return for_each_state(of_state, (len(self._segments), 3, 4), self._coordinates.change_at(q).q)

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        def of_state(q: Array, v: Array) -> list[Array]:
            return [self._model.CalcPointVelocity6D(q, v, body, self._origin).to_array() for body in self._bodies]

        T = self._coordinates.change_at(q)
        return for_each_state(of_state, (len(self._bodies), 6), T.q, T.to_rbdl(v))

    def offer_frames(self) -> None:
        """The velocities of the mechanism's own frames, as points of segments, are a method too."""
        if self._mechanism.frames and all(frame.body >= 0 for frame in self._mechanism.frames):
            self._points = []
            for frame in self._mechanism.frames:
                p = self._turns[frame.body].T @ np.array(frame.placement.translation, dtype=float)
                self._points.append((self._bodies[frame.body], self._engine.Vector3d(*p)))
            self.frame_velocities_aligned = self._frame_velocities_aligned

    def _frame_velocities_aligned(self, q: Array, v: Array) -> Array:
        def of_state(q: Array, v: Array) -> list[Array]:
            return [self._model.CalcPointVelocity6D(q, v, body, point).to_array() for body, point in self._points]

        T = self._coordinates.change_at(q)
        return for_each_state(of_state, (len(self._points), 6), T.q, T.to_rbdl(v))

    def center_of_mass(self, q: Array) -> Array:
        QUANTITIES["center_of_mass"].require_defined(self._mechanism)
        return for_each_state(lambda q: self._model.CoM(q).to_array(), (3,), self._coordinates.change_at(q).q)

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        def of_state(q: Array, v: Array) -> Array:
            momentum = self._model.mass() * self._model.CoMdot(q, v).to_array()
            return np.concatenate([self._model.angularMomentum(q, v).to_array(), momentum])

        self._require_center_of_mass("CoMdot")
        T = self._coordinates.change_at(q)
        return for_each_state(of_state, (6,), T.q, T.to_rbdl(v))

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        self._require_center_of_mass("CoMdot")
        T = self._coordinates.change_at(q)
        return for_each_state(lambda q, v: self._model.CoMdot(q, v).to_array(), (3,), T.q, T.to_rbdl(v))

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        self._require_center_of_mass("CoMddot")
        T = self._coordinates.change_at(q)
        state = (T.q, T.to_rbdl(v), T.to_rbdl(a) + T.bias(v))
        return for_each_state(lambda q, v, a: self._model.CoMddot(q, v, a).to_array(), (3,), *state)

    def center_of_mass_jacobian(self, q: Array) -> Array:
        self._require_center_of_mass("CoMJacobian")
        T = self._coordinates.change_at(q)
        J = for_each_state(lambda q: self._model.CoMJacobian(q).to_array(), (3, len(self._armature)), T.q)
        return T.to_ours(J)

    def _require_center_of_mass(self, function: str) -> None:
        """Raise :class:`Unsupported` where there is no centre of mass, or where biorbd's ``function`` counts velocities by q."""
        QUANTITIES["center_of_mass"].require_defined(self._mechanism)
        if quaternions := self._mechanism.slots("quaternion"):
            joint, _ = quaternions[0]
            raise Unsupported(f"biorbd's {function} reads memory behind v where there is a quaternion, as in {joint.name!r}")

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        if quaternions := self._mechanism.slots("quaternion"):
            joint, _ = quaternions[0]
            raise Unsupported(f"biorbd puts external forces on other bodies where there is a quaternion, as in {joint.name!r}")

        def of_state(q: Array, v: Array, a: Array, f: Array) -> Array:
            forces = self._model.externalForceSet()
            for segment, turn, force in zip(self._segments, self._turns, f, strict=True):
                turned = self._engine.SpatialVector(*(turn.T @ force[:3]), *(turn.T @ force[3:]))
                forces.addInSegmentReferenceFrame(self._engine.String(f"segment{segment}"), turned, self._origin)
            return self._model.InverseDynamics(q, v, a, forces).to_array()

        T = self._coordinates.change_at(q)
        tau = for_each_state(of_state, (len(self._armature),), T.q, T.to_rbdl(v), T.to_rbdl(a) + T.bias(v), f)
        return T.to_ours(tau) + self._armature * a
